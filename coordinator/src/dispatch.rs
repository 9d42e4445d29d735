//! Which worker gets which job: one task that owns all sessions and all open runs.
//!
//! It leases jobs from the store as far as workers have asked for some, remembers who holds what,
//! writes results to the store before it confirms them, and gives back what a lost worker held.

mod sessions;
mod verify;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use hatchery_core::erased::Procedure;
use hatchery_proto::v1::{self, JobVerdict, Release, ToWorker, Want};
use hatchery_proto::{MAX_BATCH_ITEMS, v1::to_worker};
use tokio::sync::{broadcast, mpsc, oneshot};

use crate::coordinator::publish;
use crate::driver::Notice;
use crate::event::{Event, Stamped};
use crate::machine::{Accepted, Failure, Input};
use crate::store::{JobId, JobResult, RunId, Store, StoreError, Verdict};
use crate::wire::{from_ref, to_ref};
use sessions::{Session, Sessions};
use verify::{Checked, check};

/// How many messages may wait for dispatch: when there are more, sessions stop being read.
const MESSAGES: usize = 1024;

/// Something for dispatch.
#[derive(Debug)]
pub(crate) enum Message {
    /// A worker's session begins.
    Join(Join),
    /// Its worker takes more jobs.
    Want(SessionId, Want),
    /// Its worker brings results.
    Results(SessionId, v1::Results),
    /// Its worker gives jobs back.
    Release(SessionId, Release),
    /// It ended.
    Leave {
        /// The session.
        session: SessionId,
        /// Whether its worker left on purpose.
        goodbye: bool,
    },
    /// A run can have jobs from now on.
    Open(Open),
    /// A run has ready jobs.
    Ready(RunId),
    /// A run has no jobs any more.
    Close(RunId),
    /// Let all workers go; answer when they are gone.
    Drain(oneshot::Sender<()>),
}

/// The id of a session: random, so that it is unique in the farm.
pub(crate) type SessionId = u128;

/// A worker's session.
#[derive(Debug)]
pub(crate) struct Join {
    pub(crate) session: SessionId,
    pub(crate) worker: String,
    pub(crate) slots: u32,
    /// The experiments that the worker knows, with their versions.
    pub(crate) experiments: BTreeMap<String, u32>,
    /// To the worker.
    pub(crate) outbound: mpsc::Sender<Result<ToWorker, tonic::Status>>,
}

/// A run that can have jobs.
pub(crate) struct Open {
    pub(crate) run: RunId,
    pub(crate) experiment: String,
    pub(crate) version: u32,
    pub(crate) procedure: Arc<dyn Procedure>,
    pub(crate) notify: mpsc::UnboundedSender<Notice>,
}

impl std::fmt::Debug for Open {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Open")
            .field("run", &self.run)
            .field("experiment", &self.experiment)
            .finish()
    }
}

/// Starts the task.
pub(crate) fn start(
    store: Arc<dyn Store>,
    events: broadcast::Sender<Stamped>,
) -> mpsc::Sender<Message> {
    let (send, messages) = mpsc::channel(MESSAGES);
    let dispatch = Dispatch {
        consumer: ulid::Ulid::generate().0,
        store,
        events,
        sessions: Sessions::default(),
        runs: BTreeMap::new(),
        draining: None,
    };
    tokio::spawn(dispatch.run(messages));
    send
}

struct Dispatch {
    /// Who leases from the store: this incarnation of this coordinator.
    consumer: u128,
    store: Arc<dyn Store>,
    events: broadcast::Sender<Stamped>,
    sessions: Sessions,
    runs: BTreeMap<RunId, Run>,
    draining: Option<oneshot::Sender<()>>,
}

struct Run {
    open: Open,
    /// Whether the store may have ready jobs.
    ready: bool,
}

impl Dispatch {
    async fn run(mut self, mut messages: mpsc::Receiver<Message>) {
        let mut batch = Vec::new();
        // Taking many messages at a time lets results share a write to the store.
        while messages.recv_many(&mut batch, MAX_BATCH_ITEMS).await != 0 {
            let mut results = Vec::new();
            for message in batch.drain(..) {
                match message {
                    Message::Results(session, brought) => results.push((session, brought)),
                    other => self.take(other).await,
                }
            }
            self.results(results).await;
            self.assign().await;
            self.finish_drain();
        }
    }

    async fn take(&mut self, message: Message) {
        match message {
            Message::Join(join) => self.join(join),
            Message::Want(session, Want { credits }) => self.sessions.want(session, credits),
            Message::Results(..) => unreachable!("results are taken together"),
            Message::Release(session, Release { refs }) => {
                let jobs = refs.iter().filter_map(|job| from_ref(Some(job)).ok());
                let jobs: Vec<_> =
                    jobs.filter(|&(run, job)| self.sessions.drop_job(session, run, job)).collect();
                self.give_back(jobs).await;
            }
            Message::Leave { session, goodbye } => self.leave(session, goodbye).await,
            Message::Open(open) => {
                open.notify.send(Notice::Input(Input::Slots(self.sessions.slots()))).unwrap_or(());
                self.runs.insert(open.run, Run { open, ready: true });
            }
            Message::Ready(run) => {
                if let Some(run) = self.runs.get_mut(&run) {
                    run.ready = true;
                }
            }
            Message::Close(run) => {
                self.runs.remove(&run);
                let jobs = self.sessions.cancel(run);
                self.give_back(jobs).await;
            }
            Message::Drain(done) => {
                self.sessions.send_all(&to_worker::Message::Drain(v1::Drain {}));
                self.draining = Some(done);
            }
        }
    }

    fn join(&mut self, join: Join) {
        let Join { session, worker, slots, experiments, outbound } = join;
        tracing::info!(worker, slots, "worker joined");
        publish(&self.events, Event::WorkerJoined { worker: worker.clone(), slots });
        self.sessions.insert(session, Session::new(worker, slots, experiments, outbound));
        self.slots_changed();
    }

    async fn leave(&mut self, session: SessionId, goodbye: bool) {
        let Some(Session { worker, slots, held, .. }) = self.sessions.remove(session) else {
            return;
        };
        tracing::info!(worker, slots, goodbye, "worker left");
        publish(&self.events, Event::WorkerLeft { worker, slots, goodbye });
        self.give_back(held.into_keys().collect()).await;
        self.slots_changed();
    }

    fn slots_changed(&self) {
        let slots = self.sessions.slots();
        for run in self.runs.values() {
            notify(run, Notice::Input(Input::Slots(slots)));
        }
    }

    async fn give_back(&mut self, jobs: Vec<(RunId, JobId)>) {
        let mut by_run: BTreeMap<RunId, Vec<JobId>> = BTreeMap::new();
        for (run, job) in jobs {
            by_run.entry(run).or_default().push(job);
        }
        for (id, jobs) in by_run {
            let released = self.store.release(id, self.consumer, &jobs).await;
            let Some(run) = self.runs.get_mut(&id) else { continue };
            match released {
                Ok(()) => run.ready = true,
                Err(error) => notify(run, Notice::StoreFailed(error)),
            }
        }
    }

    /// Checks results, stores the good ones, and answers with a verdict for each.
    async fn results(&mut self, brought: Vec<(SessionId, v1::Results)>) {
        let mut verdicts: BTreeMap<SessionId, Vec<JobVerdict>> = BTreeMap::new();
        let mut good: BTreeMap<RunId, Vec<Good>> = BTreeMap::new();
        for (session, v1::Results { results }) in brought {
            for result in results {
                let Ok((run, job)) = from_ref(result.r#ref.as_ref()) else { continue };
                let verdict = match self.check(session, run, job, result) {
                    Checked::Good { result, accepted } => {
                        good.entry(run).or_default().push(Good { session, job, result, accepted });
                        continue;
                    }
                    Checked::Unknown => v1::Verdict::Unknown,
                    Checked::Bad(failure) => {
                        self.fail(run, failure);
                        v1::Verdict::Invalid
                    }
                };
                verdicts.entry(session).or_default().push(job_verdict(run, job, verdict));
            }
        }
        for (run, good) in good {
            let sessions: Vec<_> = good.iter().map(|good| (good.session, good.job)).collect();
            // Without an answer of the store there is no verdict: the workers keep the results.
            let Some(answers) = self.complete(run, good).await else { continue };
            for ((session, job), verdict) in sessions.into_iter().zip(answers) {
                verdicts.entry(session).or_default().push(job_verdict(run, job, verdict));
            }
        }
        for (session, verdicts) in verdicts {
            self.sessions.verdicts(session, verdicts);
        }
    }

    fn check(&mut self, session: SessionId, run: RunId, job: JobId, result: v1::Result) -> Checked {
        let held = self.sessions.take_job(session, run, job);
        let (Some(held), Some(open)) = (held, self.runs.get(&run)) else {
            return Checked::Unknown;
        };
        let checked = check(open.open.procedure.as_ref(), job, &held, result);
        if let Checked::Bad(_) = checked {
            // Still unresolved: it is given back when the run is closed.
            self.sessions.hold(session, run, job, held);
        }
        checked
    }

    async fn complete(&mut self, id: RunId, good: Vec<Good>) -> Option<Vec<v1::Verdict>> {
        let accepted: Vec<_> = good.iter().map(|good| (good.job, good.accepted)).collect();
        let results = good.into_iter().map(|good| (good.job, good.result)).collect();
        let answers = self.store.complete(id, results).await;
        let run = self.runs.get(&id)?;
        let answers = match answers {
            Ok(answers) => answers,
            Err(error) => {
                notify(run, Notice::StoreFailed(error));
                return None;
            }
        };
        let (mut sum, mut back) = (Accepted::default(), Vec::new());
        for ((job, accepted), verdict) in accepted.into_iter().zip(&answers) {
            match verdict {
                Verdict::Accepted => sum.add(accepted),
                Verdict::Mismatch => {
                    tracing::error!(run = %id, ?job, "two results of one job differ");
                }
                Verdict::Duplicate => {}
                // The run has ended: its job is still there for whoever takes the run up again.
                Verdict::Unknown => back.push((id, job)),
            }
        }
        notify(run, Notice::Input(Input::Accepted(sum)));
        self.give_back(back).await;
        Some(answers.into_iter().map(wire_verdict).collect())
    }

    fn fail(&self, run: RunId, failure: Failure) {
        if let Some(run) = self.runs.get(&run) {
            notify(run, Notice::Input(Input::Failed(failure)));
        }
    }

    /// Hands out jobs as long as there are some and workers want some; runs take turns.
    async fn assign(&mut self) {
        if self.draining.is_some() {
            return;
        }
        let mut turns: VecDeque<RunId> = self.runs.keys().copied().collect();
        while let Some(id) = turns.pop_front() {
            let Some(run) = self.runs.get_mut(&id) else { continue };
            let credits = self.sessions.credits(&run.open.experiment, run.open.version);
            let most = credits.min(MAX_BATCH_ITEMS);
            if !run.ready || most == 0 {
                continue;
            }
            match self.store.lease(id, self.consumer, most).await {
                Ok(jobs) => {
                    run.ready = jobs.len() == most;
                    let back = self.sessions.assign(&run.open, jobs);
                    self.give_back(back.into_iter().map(|job| (id, job)).collect()).await;
                    turns.push_back(id);
                }
                Err(StoreError::NoRun { .. }) => run.ready = false,
                Err(error) => {
                    run.ready = false;
                    notify(run, Notice::StoreFailed(error));
                }
            }
        }
    }

    fn finish_drain(&mut self) {
        if self.sessions.is_empty()
            && let Some(done) = self.draining.take()
        {
            // Whoever asked may have stopped waiting.
            done.send(()).unwrap_or(());
        }
    }
}

/// A result that is ready for the store.
struct Good {
    session: SessionId,
    job: JobId,
    result: JobResult,
    accepted: Accepted,
}

impl Accepted {
    fn add(&mut self, more: Self) {
        self.n_jobs += more.n_jobs;
        self.n_trials += more.n_trials;
        self.cpu_ns += more.cpu_ns;
        self.n_bytes += more.n_bytes;
    }
}

/// Tells the run's driver; a driver that is gone has no use for it.
fn notify(run: &Run, notice: Notice) {
    run.open.notify.send(notice).unwrap_or(());
}

fn job_verdict(run: RunId, job: JobId, verdict: v1::Verdict) -> JobVerdict {
    JobVerdict { r#ref: Some(to_ref(run, job)), verdict: verdict.into() }
}

fn wire_verdict(verdict: Verdict) -> v1::Verdict {
    match verdict {
        Verdict::Accepted => v1::Verdict::Accepted,
        Verdict::Duplicate => v1::Verdict::Duplicate,
        Verdict::Mismatch => v1::Verdict::Invalid,
        Verdict::Unknown => v1::Verdict::Unknown,
    }
}
