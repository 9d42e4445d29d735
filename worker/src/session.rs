//! A session with one coordinator: reacts to its messages and to the jobs that finish.
//!
//! One task owns the jobs in hand, the executor and the connection. It waits in one place and never
//! for the coordinator to read. Jobs run and heartbeats are sent without it.

mod delivery;
pub(crate) mod dial;
mod fetch;
mod heartbeat;
pub(crate) mod stream;

use std::time::Duration;

use hatchery_core::error_chain;
use hatchery_proto::MAX_BATCH_ITEMS;
use hatchery_proto::v1::{
    Assign, Assignment, Job, Reconnect, SelfTest, ToCoordinator, ToWorker, Welcome, to_coordinator,
    to_worker,
};
use prost::Message;
use tokio::time::Instant;
use tonic::{Code, Status};

use crate::executor::job::job_failure;
use crate::executor::task::{ExecutorEvent, SelfTestBatch};
use crate::ids::{JobKey, Ticket};
use crate::job_table::JobIntake;
use crate::shutdown::{AfterShutdown, deadline_reached, stop_requested};
use crate::state::WorkerState;
use crate::text::printable;
use fetch::FetchedInput;
use heartbeat::{HeartbeatInterval, HeartbeatThread};
use stream::{LONGEST_RECONNECT, SessionError, SessionStream, status_error};

/// The most self-tests of a session, one per experiment.
const MAX_SELF_TESTS: usize = 256;

/// The end of a session, or of the time between two.
#[derive(Debug)]
pub(crate) enum SessionEnd {
    /// The worker has shut down and ends.
    ShutDown,
    /// The worker is to connect to another coordinator.
    Reconnect {
        /// The wait before that.
        after: Duration,
    },
    /// The connection to the coordinator is lost.
    Lost(SessionError),
    /// A trial of this job does not return.
    Stuck(JobKey),
}

/// Everything that a session waits for.
enum SessionInput {
    Message(Result<Option<ToWorker>, Status>),
    Executor(ExecutorEvent),
    Fetched(FetchedInput),
    /// A delivery ended.
    Delivered(JobKey, Result<(), Status>),
    /// The connection can take another message.
    SendReady,
    /// A deadline or a heartbeat is due.
    Timer,
    Stop,
}

/// Runs the session behind `stream` to its end.
pub(crate) async fn run_session(
    state: &mut WorkerState,
    stream: SessionStream,
    welcome: Welcome,
) -> SessionEnd {
    state.n_sessions += 1;
    state.jobs.begin_session();
    let mut session = ActiveSession { state, stream, n_self_tests: 0 };
    if let Err(error) = session.begin(welcome) {
        return SessionEnd::Lost(error);
    }
    let end = session.session_loop().await;
    let ActiveSession { state, stream, .. } = session;
    match end {
        SessionEnd::Lost(_) => return end,
        SessionEnd::Stuck(_) => state.jobs.release_all(),
        SessionEnd::ShutDown | SessionEnd::Reconnect { .. } => {}
    }
    stream.say_goodbye(&mut state.jobs).await;
    end
}

struct ActiveSession<'a> {
    state: &'a mut WorkerState,
    stream: SessionStream,
    /// The number of self-tests that the coordinator has sent.
    n_self_tests: usize,
}

impl ActiveSession<'_> {
    fn begin(&mut self, welcome: Welcome) -> Result<(), SessionError> {
        let Welcome { session: _, heartbeat_ms, silence_ms: _, self_tests } = welcome;
        if !self_tests.is_empty() {
            self.start_self_tests(String::new(), self_tests)?;
        }
        let Self { state, stream, .. } = self;
        let Some(interval) = HeartbeatInterval::from_wire(heartbeat_ms) else { return Ok(()) };
        match state.executor.running_jobs() {
            Some(running_jobs) => {
                let (rng, outbound) = (state.rng.fork(), stream.outbound.downgrade());
                let thread = HeartbeatThread::start(interval, rng, running_jobs.clone(), outbound)?;
                stream.heartbeat_thread = Some(thread);
            }
            None => {
                let first = Instant::now() + interval.next_wait(&mut state.rng);
                stream.inline_heartbeat = Some((interval, first));
            }
        }
        Ok(())
    }

    /// Starts self-tests: the self-test of `experiment`, or the self-tests in Welcome.
    fn start_self_tests(
        &mut self,
        experiment: String,
        tests: Vec<SelfTest>,
    ) -> Result<(), SessionError> {
        self.n_self_tests += tests.len();
        if MAX_SELF_TESTS < self.n_self_tests {
            return Err(SessionError::Violation { what: "too many self-tests" });
        }
        let WorkerState { executor, config, n_sessions: session, .. } = &mut *self.state;
        let batch = SelfTestBatch { session: *session, experiment, tests };
        executor.start_self_tests(batch, config.catalog);
        Ok(())
    }

    async fn session_loop(&mut self) -> SessionEnd {
        loop {
            let needed = self.state.start_jobs();
            let state = &*self.state;
            self.stream.fetch.abort_unless(|input, run| state.needs_input(input, run));
            if let Some((input, run)) = needed {
                let WorkerState { config, partial_input, .. } = &*self.state;
                self.stream.fetch_input(input, run, config.execution, partial_input);
            }
            self.stream.start_delivery(&mut self.state.jobs);
            let intake = self.state.job_intake();
            self.stream.send_pending(&mut self.state.jobs, intake);
            self.state.meters.set_outbox(self.state.jobs.n_done());
            let now = Instant::now();
            if let Some(stuck) = self.state.enforce_deadlines(now) {
                return SessionEnd::Stuck(stuck);
            }
            if let Some(end) = self.shutdown_complete(now) {
                return end;
            }
            self.send_inline_heartbeat(now);
            let input = self.next_input().await;
            if let Err(error) = self.on_input(input) {
                return SessionEnd::Lost(error);
            }
        }
    }

    /// Returns the end of the session if a worker that shuts down has nothing left to do, or no
    /// time left for it.
    fn shutdown_complete(&self, now: Instant) -> Option<SessionEnd> {
        let Self { state, stream, .. } = self;
        let shutdown = state.shutdown?;
        let has_pending = stream.has_pending(&state.jobs, JobIntake::Closed);
        let is_quiet = state.is_idle() && stream.is_drained && !has_pending;
        match shutdown.then {
            AfterShutdown::Exit => {
                (is_quiet || shutdown.deadline <= now).then_some(SessionEnd::ShutDown)
            }
            // The worker keeps what is not finished, so there is no need to wait for verdicts.
            AfterShutdown::Reconnect { after } => {
                let ends = is_quiet || shutdown.finish_by <= now;
                ends.then_some(SessionEnd::Reconnect { after })
            }
        }
    }

    /// Sends a heartbeat if this task is in charge of heartbeats and a heartbeat is due.
    fn send_inline_heartbeat(&mut self, now: Instant) {
        if let Some((interval, at)) = &mut self.stream.inline_heartbeat
            && *at <= now
        {
            *at = now + interval.next_wait(&mut self.state.rng);
            let message = Some(to_coordinator::Message::Heartbeat(self.state.executor.heartbeat()));
            // As in `heartbeat.rs`: behind a full queue another one would be of no use.
            self.stream.outbound.try_send(ToCoordinator { message }).unwrap_or_default();
        }
    }

    async fn next_input(&mut self) -> SessionInput {
        let exiting = self.state.is_exiting();
        let Self { state, stream, .. } = self;
        let has_pending = stream.has_pending(&state.jobs, state.job_intake());
        let heartbeat = stream.inline_heartbeat.map(|(_, at)| at);
        let wake = state.next_deadline().into_iter().chain(heartbeat).min();
        // In order, so that a simulation can be repeated; what a peer can flood comes last.
        tokio::select! {
            biased;
            () = stop_requested(&mut state.stop), if !exiting => SessionInput::Stop,
            () = deadline_reached(wake) => SessionInput::Timer,
            event = state.executor.next_event() => SessionInput::Executor(event),
            Some(fetched) = stream.fetch.next() => SessionInput::Fetched(fetched),
            Some((key, outcome)) = stream.delivery.next() => SessionInput::Delivered(key, outcome),
            _ = stream.outbound.reserve(), if has_pending && !stream.outbound.is_closed() => {
                SessionInput::SendReady
            }
            message = stream.inbound.message() => SessionInput::Message(message),
        }
    }

    fn on_input(&mut self, input: SessionInput) -> Result<(), SessionError> {
        let Self { state, stream, .. } = self;
        match input {
            SessionInput::Message(message) => {
                let Some(ToWorker { message }) = message.map_err(stream_error)? else {
                    return Err(SessionError::Closed);
                };
                // A message that this version does not know is ignored.
                return message.map_or(Ok(()), |message| self.on_message(message));
            }
            SessionInput::Executor(ExecutorEvent::Job(key, outcome)) => {
                state.jobs.finish(key, outcome);
            }
            SessionInput::Executor(ExecutorEvent::SelfTested(session, self_tested)) => {
                if session == state.n_sessions {
                    stream.self_tested.push_back(self_tested);
                }
            }
            SessionInput::Fetched(fetched) => self.on_fetched(fetched),
            SessionInput::Delivered(key, outcome) => self.on_delivered(key, outcome),
            SessionInput::Stop => state.shut_down(AfterShutdown::Exit),
            SessionInput::Executor(ExecutorEvent::Withdrawn)
            | SessionInput::SendReady
            | SessionInput::Timer => {}
        }
        Ok(())
    }

    fn on_message(&mut self, message: to_worker::Message) -> Result<(), SessionError> {
        let Self { state, stream, .. } = self;
        match message {
            to_worker::Message::Assign(assign) => return self.on_assign(assign),
            to_worker::Message::Verdicts(verdicts) => state.jobs.apply_verdicts(&verdicts),
            to_worker::Message::Cancel(cancel) => {
                let now = Instant::now();
                for key in cancel.refs.iter().filter_map(|job_ref| JobKey::from_wire(Some(job_ref)))
                {
                    state.jobs.cancel(key, now);
                }
            }
            to_worker::Message::Drain(_) => {
                stream.is_drained = true;
                state.shut_down(AfterShutdown::Exit);
            }
            to_worker::Message::Reconnect(Reconnect { after_ms, endpoints }) => {
                stream.is_drained = true;
                state.endpoints.add(&endpoints);
                let after = Duration::from_millis(after_ms.into()).min(LONGEST_RECONNECT);
                state.shut_down(AfterShutdown::Reconnect { after });
            }
            to_worker::Message::Notice(notice) => {
                tracing::warn!(notice = printable(&notice.text), "notice from the coordinator");
            }
            to_worker::Message::SelfTest(test) => {
                // If the job is malformed, the outcome of the self-test says so.
                let job = Job::decode(&*test.job).unwrap_or_default();
                return self.start_self_tests(job.experiment, vec![test]);
            }
            to_worker::Message::Welcome(_) => {
                return Err(SessionError::Violation { what: "Welcome comes once" });
            }
        }
        Ok(())
    }

    fn on_assign(&mut self, Assign { assignments }: Assign) -> Result<(), SessionError> {
        if MAX_BATCH_ITEMS < assignments.len() {
            return Err(SessionError::Violation { what: "too many jobs in a message" });
        }
        let intake = self.state.job_intake();
        let jobs = &mut self.state.jobs;
        for Assignment { r#ref, job, ticket, run_slots } in assignments {
            let Some(key) = JobKey::from_wire(r#ref.as_ref()) else {
                jobs.spend_credit();
                tracing::warn!("job without an address ignored");
                continue;
            };
            let ticket = Ticket::from_wire(ticket);
            match Job::decode(job.as_slice()) {
                Ok(job) => jobs.assign(key, ticket, job),
                Err(error) => {
                    let failure = job_failure(format!("malformed job: {error}"));
                    jobs.assign_malformed(key, ticket, failure);
                }
            }
            jobs.limit_slots(key.run, run_slots);
        }
        if intake == JobIntake::Closed {
            jobs.release_waiting();
        }
        match jobs.is_flooded() {
            true => Err(SessionError::Violation { what: "too many jobs that were not asked for" }),
            false => Ok(()),
        }
    }

    fn on_fetched(&mut self, fetched: FetchedInput) {
        let FetchedInput { key, run, outcome } = fetched;
        match outcome {
            Ok(Ok(input)) => self.state.keep_input(input),
            Ok(Err(error)) if error.is_transient() => {
                tracing::warn!(error = error_chain(&error), "input not available, jobs given back");
                self.state.end_jobs_without_input(key, run, None);
            }
            Ok(Err(error)) => {
                self.state.end_jobs_without_input(key, run, Some(&error_chain(&error)));
            }
            Err(_) => {
                let reason = format!("input {} could not be decoded", key.hash());
                self.state.end_jobs_without_input(key, run, Some(&reason));
            }
        }
    }
}

impl ActiveSession<'_> {
    fn on_delivered(&mut self, key: JobKey, outcome: Result<(), Status>) {
        let jobs = &mut self.state.jobs;
        match outcome {
            Ok(()) => jobs.delivered(key),
            Err(status) if delivery::is_transient(&status) => {
                let error = printable(status.message());
                tracing::warn!(job = %key, error, "result not taken, job given back");
                jobs.give_up_delivery(key);
                if delivery::is_late(&status) {
                    // The line is too slow for the other results as well.
                    jobs.give_up_deliveries();
                }
            }
            Err(status) => {
                let error = printable(status.message());
                jobs.fail_delivery(key, job_failure(format!("result refused: {error}")));
            }
        }
    }
}

/// The error of a stream that broke off. Only a revoked token ends more than the session.
fn stream_error(status: Status) -> SessionError {
    match status.code() {
        Code::Unauthenticated | Code::PermissionDenied => status_error(status),
        _ => Box::new(status).into(),
    }
}
