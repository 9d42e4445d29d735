//! A session: what a worker does with what it hears.
//!
//! One task owns the desk, the crew and the connection; it waits in one place and never for the
//! coordinator to read. Jobs run and heartbeats go out without it.

use std::sync::Arc;
use std::time::Duration;

use hatchery_core::erased::Bench;
use hatchery_proto::MAX_BATCH_ITEMS;
use hatchery_proto::v1::{
    Assign, Assignment, Job, Reconnect, SelfTested, ToCoordinator, ToWorker, Welcome,
    to_coordinator, to_worker,
};
use prost::Message;
use tokio::task::JoinError;
use tokio::time::Instant;
use tonic::{Code, Status};

use crate::crew::{Finished, Task};
use crate::execute::{Executed, failure};
use crate::key::Key;
use crate::leave::Then;
use crate::link::{Link, SessionError, printable, refusal};
use crate::progress::Progress;
use crate::pulse::{Period, Pulse};
use crate::shared::{self, BenchId, KEPT, SharedError};
use crate::work::{Ending, Worker, causes, stopped, until};

/// The most self-tests: one for each experiment.
const MAX_SELF_TESTS: usize = 256;

/// The longest wait that a coordinator can ask for before the next session.
const LONGEST_RECONNECT: Duration = Duration::from_secs(300);

/// What a session waits for.
enum Input {
    Heard(Result<Option<ToWorker>, Status>),
    Finished(Finished),
    Fetched(Result<Result<Arc<dyn Bench>, SharedError>, JoinError>),
    /// More can be said.
    Room,
    /// Something is due.
    Time,
    Stop,
}

impl Worker {
    /// The session behind `link`, to its end.
    pub(crate) async fn attend(&mut self, mut link: Link, welcome: Welcome) -> Ending {
        self.session += 1;
        self.desk.begin_session();
        if let Err(error) = self.begin(&mut link, welcome) {
            return Ending::Lost(error);
        }
        let ending = self.converse(&mut link).await;
        match ending {
            Ending::Lost(_) => return ending,
            Ending::Stuck(_) => self.desk.release_all(),
            Ending::Left | Ending::Elsewhere { .. } => {}
        }
        link.say_goodbye(&mut self.desk).await;
        ending
    }

    fn begin(&mut self, link: &mut Link, welcome: Welcome) -> Result<(), SessionError> {
        let Welcome { session: _, heartbeat_ms, silence_ms: _, self_tests } = welcome;
        if MAX_SELF_TESTS < self_tests.len() {
            return Err(SessionError::Violation { what: "too many self-tests" });
        }
        if !self_tests.is_empty() {
            self.crew.self_test(self.session, self_tests, self.config.catalog);
        }
        let Some(period) = Period::asked_for(heartbeat_ms) else { return Ok(()) };
        match self.crew.board() {
            Some(board) => {
                let (entropy, outbound) = (self.entropy.fork(), link.outbound.downgrade());
                link.pulse = Some(Pulse::start(period, entropy, board.clone(), outbound)?);
            }
            None => link.beat = Some((period, Instant::now() + period.next(&mut self.entropy))),
        }
        Ok(())
    }

    async fn converse(&mut self, link: &mut Link) -> Ending {
        loop {
            self.start_jobs(Some(link));
            link.send(&mut self.desk, self.leaving.is_none());
            self.meters.outbox(self.desk.n_done());
            let now = Instant::now();
            if let Some(ending) = self.overdue(now).or_else(|| self.departure(link, now)) {
                return ending;
            }
            self.beat(link, now);
            let input = self.next_input(link).await;
            if let Err(error) = self.take(input, link) {
                return Ending::Lost(error);
            }
        }
    }

    /// Whether a leaving worker can go.
    fn departure(&self, link: &Link, now: Instant) -> Option<Ending> {
        let leaving = self.leaving?;
        let idle = self.desk.n_at_work() == 0 && self.desk.n_done() == 0;
        let quiet = idle && link.is_drained && !link.has_message(&self.desk, false);
        match leaving.then {
            Then::End => (quiet || leaving.deadline <= now).then_some(Ending::Left),
            // What is not finished goes along, so there is no need to wait for the last verdict.
            Then::Elsewhere { after } => {
                (quiet || leaving.finish_by <= now).then_some(Ending::Elsewhere { after })
            }
        }
    }

    /// Sends a heartbeat if it is up to this task and time.
    fn beat(&mut self, link: &mut Link, now: Instant) {
        if let Some((period, at)) = &mut link.beat
            && *at <= now
        {
            *at = now + period.next(&mut self.entropy);
            let message = Some(to_coordinator::Message::Heartbeat(self.crew.heartbeat()));
            // See `pulse`: one more would not be heard either.
            link.outbound.try_send(ToCoordinator { message }).unwrap_or_default();
        }
    }

    async fn next_input(&mut self, link: &mut Link) -> Input {
        let waits = link.has_message(&self.desk, self.leaving.is_none());
        let beat = link.beat.map(|(_, at)| at);
        let wake = self.wake_at().into_iter().chain(beat).min();
        let ending = self.is_ending();
        // In order, so that a simulation can be repeated; what a peer can flood comes last.
        tokio::select! {
            biased;
            () = stopped(&mut self.stop), if !ending => Input::Stop,
            () = until(wake) => Input::Time,
            finished = self.crew.finished() => Input::Finished(finished),
            Some(fetched) = link.fetches.join_next() => Input::Fetched(fetched),
            _ = link.outbound.reserve(), if waits && !link.outbound.is_closed() => Input::Room,
            heard = link.inbound.message() => Input::Heard(heard),
        }
    }

    fn take(&mut self, input: Input, link: &mut Link) -> Result<(), SessionError> {
        match input {
            Input::Heard(heard) => {
                let Some(ToWorker { message }) = heard.map_err(ended)? else {
                    return Err(SessionError::Gone);
                };
                // A message that this version does not know means nothing to it.
                message.map_or(Ok(()), |message| self.hear(message, link))?;
            }
            Input::Finished(Finished::Job(key, executed)) => self.desk.finish(key, executed),
            Input::Finished(Finished::SelfTests { session, results }) => {
                if session == self.session {
                    link.self_tested = Some(SelfTested { results });
                }
            }
            Input::Fetched(fetched) => {
                if let Some((id, run)) = link.fetching.take() {
                    self.fetched(id, run, fetched);
                }
            }
            Input::Stop => self.leave(Then::End),
            Input::Finished(Finished::Withdrawn) | Input::Room | Input::Time => {}
        }
        Ok(())
    }

    fn hear(&mut self, message: to_worker::Message, link: &mut Link) -> Result<(), SessionError> {
        match message {
            to_worker::Message::Assign(assign) => return self.assigned(assign),
            to_worker::Message::Verdicts(verdicts) => self.desk.resolve_all(&verdicts),
            to_worker::Message::Cancel(cancel) => {
                let now = Instant::now();
                for key in cancel.refs.iter().filter_map(|job_ref| Key::of(Some(job_ref))) {
                    self.desk.cancel(key, now);
                }
            }
            to_worker::Message::Drain(_) => {
                link.is_drained = true;
                self.leave(Then::End);
            }
            to_worker::Message::Reconnect(Reconnect { after_ms, endpoints }) => {
                link.is_drained = true;
                self.itinerary.learn(&endpoints);
                let after = Duration::from_millis(after_ms.into()).min(LONGEST_RECONNECT);
                self.leave(Then::Elsewhere { after });
            }
            to_worker::Message::Notice(notice) => {
                tracing::warn!(notice = printable(&notice.text), "the coordinator says");
            }
            to_worker::Message::Welcome(_) => {
                return Err(SessionError::Violation { what: "Welcome comes once" });
            }
        }
        Ok(())
    }

    fn assigned(&mut self, Assign { assignments }: Assign) -> Result<(), SessionError> {
        if MAX_BATCH_ITEMS < assignments.len() {
            return Err(SessionError::Violation { what: "too many jobs in a message" });
        }
        for Assignment { r#ref, job, ticket } in assignments {
            let Some(key) = Key::of(r#ref.as_ref()) else {
                self.desk.spend_credit();
                tracing::warn!("a job without an address came");
                continue;
            };
            match Job::decode(job.as_slice()) {
                Ok(job) => self.desk.assign(key, ticket, job),
                Err(error) => {
                    let failed = failure(format!("malformed job: {error}"));
                    self.desk.assign_malformed(key, ticket, failed);
                }
            }
        }
        if self.leaving.is_some() {
            self.desk.release_waiting();
        }
        match self.desk.is_flooded() {
            true => Err(SessionError::Violation { what: "many jobs that were not asked for" }),
            false => Ok(()),
        }
    }

    /// Starts jobs as far as there are threads and shared inputs for them; fetches the next shared
    /// input if there is a session.
    pub(crate) fn start_jobs(&mut self, mut link: Option<&mut Link>) {
        loop {
            let catalog = self.config.catalog;
            // No further ahead than benches are kept, lest each fetched one drives out the next.
            let heads = self.desk.waiting(KEPT).map(|(key, job)| (key, BenchId::of(job, catalog)));
            let mut n_left = 0;
            for (key, id) in heads.collect::<Vec<_>>() {
                match id {
                    Ok(id) => n_left += usize::from(!self.start(key, id, link.as_deref_mut())),
                    Err(error) => self.desk.finish(key, Executed::Failed(failure(causes(&error)))),
                }
            }
            // All of the heads that can go have gone when only those are left that stay.
            if n_left == self.desk.waiting(KEPT).count() {
                return;
            }
        }
    }

    /// Starts a job; false if it has to wait.
    fn start(&mut self, key: Key, id: BenchId, link: Option<&mut Link>) -> bool {
        let Some(bench) = self.benches.get(id) else {
            if let Some(link) = link
                && link.fetching.is_none()
            {
                let run = *key.run();
                link.fetching = Some((id, run));
                link.fetches.spawn(shared::fetch(link.client.clone(), run, id));
            }
            return false;
        };
        if !self.crew.has_room() {
            return false;
        }
        let progress = Arc::new(Progress::new(self.meters.busy()));
        let Some(job) = self.desk.take(key, Arc::clone(&progress)) else { return false };
        #[cfg(feature = "faults")]
        let job = self.liar.twist(job, &mut self.entropy);
        self.crew.start(Task { key, job, bench, experiment: id.experiment, progress });
        true
    }

    /// A shared input came, or did not; then its jobs of that run can't go on here.
    fn fetched(
        &mut self,
        id: BenchId,
        run: [u8; 16],
        fetched: Result<Result<Arc<dyn Bench>, SharedError>, JoinError>,
    ) {
        let message = match fetched {
            Ok(Ok(bench)) => return self.benches.keep(id, bench),
            Ok(Err(error)) if error.is_passing() => {
                tracing::warn!(error = causes(&error), "jobs given back");
                None
            }
            Ok(Err(error)) => Some(causes(&error)),
            Err(_) => Some(format!("shared input {} could not be decoded", id.hash)),
        };
        let catalog = self.config.catalog;
        let hit = |(key, job): &(Key, &Job)| {
            *key.run() == run && BenchId::of(job, catalog).is_ok_and(|other| other == id)
        };
        let hit: Vec<_> = self.desk.waiting(usize::MAX).filter(hit).map(|(key, _)| key).collect();
        for key in hit {
            let executed = message
                .as_ref()
                .map_or(Executed::Cancelled, |message| Executed::Failed(failure(message.clone())));
            self.desk.finish(key, executed);
        }
    }
}

/// Why a session ended in the middle, where only a token that is revoked is the end of all.
fn ended(status: Status) -> SessionError {
    match status.code() {
        Code::Unauthenticated | Code::PermissionDenied => refusal(status),
        _ => Box::new(status).into(),
    }
}
