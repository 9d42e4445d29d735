//! The sessions of a coordinator: what each worker wants and holds.

use std::collections::BTreeMap;

use hatchery_proto::v1::{self, Assignment, ToWorker, to_worker};
use hatchery_proto::{MAX_BATCH_BYTES, MAX_BATCH_ITEMS};
use prost::Message as _;
use tokio::sync::mpsc;

use super::{Open, SessionId};
use crate::store::{JobId, RunId};
use crate::wire::to_ref;

/// How many jobs a worker may ask for, per slot: what runs, what waits, and room for jobs that turn
/// out short.
const CREDITS_PER_SLOT: u32 = 4;

/// A job that a worker holds: what its result must match.
#[derive(Clone, Debug)]
pub(super) struct Held {
    /// The series and the number of trials of each segment.
    pub(super) segments: Vec<(u32, u32)>,
}

/// One worker.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) worker: String,
    pub(super) slots: u32,
    pub(super) held: BTreeMap<(RunId, JobId), Held>,
    experiments: BTreeMap<String, u32>,
    credits: u32,
    outbound: mpsc::Sender<Result<ToWorker, tonic::Status>>,
}

impl Session {
    pub(super) fn new(
        worker: String,
        slots: u32,
        experiments: BTreeMap<String, u32>,
        outbound: mpsc::Sender<Result<ToWorker, tonic::Status>>,
    ) -> Self {
        Self { worker, slots, held: BTreeMap::new(), experiments, credits: 0, outbound }
    }

    fn knows(&self, experiment: &str, version: u32) -> bool {
        self.experiments.get(experiment) == Some(&version)
    }

    /// Whether the worker took the message: one that lets its queue fill up is as good as gone,
    /// and its session ends when the queue is dropped with it.
    fn send(&self, message: to_worker::Message) -> bool {
        self.outbound.try_send(Ok(ToWorker { message: Some(message) })).is_ok()
    }
}

/// All workers of a coordinator.
#[derive(Debug, Default)]
pub(super) struct Sessions(BTreeMap<SessionId, Session>);

impl Sessions {
    pub(super) fn insert(&mut self, id: SessionId, session: Session) {
        self.0.insert(id, session);
    }

    pub(super) fn remove(&mut self, id: SessionId) -> Option<Session> {
        self.0.remove(&id)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn slots(&self) -> u32 {
        self.0.values().map(|session| session.slots).sum()
    }

    pub(super) fn want(&mut self, id: SessionId, credits: u32) {
        if let Some(session) = self.0.get_mut(&id) {
            let most = session.slots.saturating_mul(CREDITS_PER_SLOT);
            session.credits = session.credits.saturating_add(credits).min(most);
        }
    }

    /// How many jobs of the experiment are wanted.
    pub(super) fn credits(&self, experiment: &str, version: u32) -> usize {
        let able = self.0.values().filter(|session| session.knows(experiment, version));
        able.map(|session| session.credits as usize).sum()
    }

    /// What the session holds as the job; it does not hold it any more.
    pub(super) fn take_job(&mut self, id: SessionId, run: RunId, job: JobId) -> Option<Held> {
        self.0.get_mut(&id)?.held.remove(&(run, job))
    }

    pub(super) fn hold(&mut self, id: SessionId, run: RunId, job: JobId, held: Held) {
        if let Some(session) = self.0.get_mut(&id) {
            session.held.insert((run, job), held);
        }
    }

    pub(super) fn drop_job(&mut self, id: SessionId, run: RunId, job: JobId) -> bool {
        self.take_job(id, run, job).is_some()
    }

    /// Hands out `jobs` to those with the most credits first; returns those that nobody took.
    pub(super) fn assign(&mut self, open: &Open, jobs: Vec<(JobId, Vec<u8>)>) -> Vec<JobId> {
        let mut batches: BTreeMap<SessionId, Vec<(JobId, Vec<u8>)>> = BTreeMap::new();
        let mut back = Vec::new();
        for (job, bytes) in jobs {
            let able = self.0.iter_mut().filter(|(_, session)| {
                0 < session.credits && session.knows(&open.experiment, open.version)
            });
            match able.max_by_key(|(_, session)| session.credits) {
                Some((id, session)) => {
                    session.credits -= 1;
                    batches.entry(*id).or_default().push((job, bytes));
                }
                None => back.push(job),
            }
        }
        for (id, batch) in batches {
            let Some(session) = self.0.get_mut(&id) else { continue };
            let mut batch = batch.into_iter().peekable();
            while batch.peek().is_some() {
                let mut assignments = Vec::new();
                let mut n_bytes = 0;
                while let Some((_, bytes)) = batch.peek()
                    && assignments.len() < MAX_BATCH_ITEMS
                    && (assignments.is_empty() || n_bytes + bytes.len() <= MAX_BATCH_BYTES)
                    && let Some((job, bytes)) = batch.next()
                {
                    n_bytes += bytes.len();
                    session.held.insert((open.run, job), Held { segments: segments(&bytes) });
                    assignments.push(Assignment { r#ref: Some(to_ref(open.run, job)), job: bytes });
                }
                // A message that is not taken is given back when its session ends.
                session.send(to_worker::Message::Assign(v1::Assign { assignments }));
            }
        }
        back
    }

    pub(super) fn verdicts(&mut self, id: SessionId, verdicts: Vec<v1::JobVerdict>) {
        if let Some(session) = self.0.get(&id) {
            session.send(to_worker::Message::Verdicts(v1::Verdicts { verdicts }));
        }
    }

    /// Takes back all jobs of a run that is over, and returns them.
    pub(super) fn cancel(&mut self, run: RunId) -> Vec<(RunId, JobId)> {
        let mut jobs = Vec::new();
        for session in self.0.values_mut() {
            let held = session.held.extract_if(.., |(holder, _), _| *holder == run);
            let held: Vec<_> = held.map(|(job, _)| job).collect();
            if !held.is_empty() {
                let refs = held.iter().map(|&(run, job)| to_ref(run, job)).collect();
                session.send(to_worker::Message::Cancel(v1::Cancel { refs }));
            }
            jobs.extend(held);
        }
        jobs
    }

    pub(super) fn send_all(&self, message: &to_worker::Message) {
        for session in self.0.values() {
            session.send(message.clone());
        }
    }
}

fn segments(job: &[u8]) -> Vec<(u32, u32)> {
    let job = v1::Job::decode(job).expect("the store gives back the jobs that the leader wrote");
    job.segments.iter().map(|segment| (segment.subject_idx, segment.n_trials)).collect()
}
