//! The contract as a program: the answers that a store has to give, in the plainest data
//! structures.

mod consume;
mod job;
mod run;

pub use job::{Job, JobState};
pub use run::Run;

use std::collections::BTreeMap;

use hatchery_core::Digest;

use super::refusal::Refusal;
use crate::membership::RunClaim;
use crate::operation::answer;
use crate::{
    CoordinatorId, FencingToken, LeaderState, LeaderToken, RunId, RunOverview, StoreAnswer,
    StoreCall, StoreError, StoreOperation, WorkerId,
};

/// A store without a disk and without a clock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    /// The runs.
    pub runs: BTreeMap<RunId, Run>,
    /// The runs that keys stand for, by the bytes of the keys.
    pub keys: BTreeMap<[u8; 32], RunId>,
    /// The claims on runs.
    pub claims: BTreeMap<RunId, RunClaim>,
    /// The announced coordinators, by incarnation.
    pub announced: BTreeMap<CoordinatorId, Vec<u8>>,
    /// The quarantined workers, by incarnation.
    pub quarantined: BTreeMap<WorkerId, String>,
    /// The farm's secret.
    pub secret: [u8; 32],
    /// The token that the next `lead` gives: a store may choose any that it never gave before.
    pub next_token: FencingToken,
}

impl Model {
    /// Executes an operation.
    ///
    /// # Errors
    /// The refusal that the contract asks for; nothing has changed then.
    ///
    /// # Panics
    /// If the model has the wrong rule for the operation.
    pub fn execute<Op: StoreOperation>(&mut self, operation: Op) -> Result<Op::Answer, Refusal> {
        let answer = self.answer(operation.into())?;
        Ok(Op::parse(answer).expect("the rule of an operation gives its answer"))
    }

    /// Ends all leases, as if their time were over.
    pub fn end_leases(&mut self) {
        for job in self.runs.values_mut().flat_map(|run| run.jobs.values_mut()) {
            if let JobState::Leased(_) = job.state {
                job.state = JobState::Ready;
            }
        }
    }

    /// Returns the error for the refusal of a call.
    ///
    /// # Panics
    /// If the model does not refuse so.
    #[must_use]
    pub fn error(&self, call: &StoreCall, refusal: Refusal) -> StoreError {
        let run = call.run().expect("a call that is refused is about a run");
        match refusal {
            Refusal::NoRun => StoreError::NoRun { run },
            Refusal::Fenced => StoreError::Fenced { run },
            Refusal::OutOfStep => {
                let position = Box::new(self.runs[&run].position.clone());
                StoreError::OutOfStep { run, position, operation: call.name() }
            }
        }
    }

    /// The rules: one for each operation.
    fn answer(&mut self, call: StoreCall) -> Result<StoreAnswer, Refusal> {
        Ok(answer!(call {
            CreateRun { run, record, checkpoint, summary } => {
                self.create(run, Run::new(record, checkpoint, summary))
            },
            RunForKey { run, key } => *self.keys.entry(*key.as_bytes()).or_insert(run),
            DeleteRun { run } => self.delete(run),
            ListRuns {} => self.runs.keys().copied().collect(),
            ReadOverviews { runs } => self.overviews(&runs),
            SummarizeRun { run, summary } => self.run(run)?.summary = summary,
            ReadRecord { run } => self.run(run)?.record.clone(),
            ReadPosition { run } => self.run(run)?.position.clone(),
            ReadStanding { lead } => self.led(&lead)?.position.clone(),
            ReadCheckpoint { run } => self.run(run)?.checkpoint.clone(),
            SteerRun { run, steer } => self.run(run)?.steer(steer),
            TakeLead { run } => self.lead(run)?,
            EnqueueAndLease { lead, enqueue, consumer, most } => {
                self.led(&lead)?.enqueue_and_lease(enqueue, consumer, most)?
            },
            LeaseJobs { run, consumer, most } => self.run(run)?.lease(consumer, most),
            ReleaseJobs { run, consumer, jobs } => self.run(run)?.release(consumer, &jobs),
            RenewLeases { run, consumer, jobs } => self.run(run)?.not_held(consumer, jobs),
            AdoptJobs { run, consumer, jobs } => self.run(run)?.adopt(consumer, &jobs),
            ReadJobs { run, jobs } => self.run(run)?.bytes_of(&jobs),
            AddAttempt { run, job, id, attempt } => self.run(run)?.attempt(job, id, attempt),
            ParkJob { run, consumer, job } => self.run(run)?.park(consumer, job),
            ReadDeadJobs { run, from, most } => self.run(run)?.parked(from, most),
            RetryJobs { run, jobs } => self.run(run)?.retry(&jobs),
            CompleteJobs { run, results } => self.run(run)?.complete(results),
            ReadResults { run, from, most } => self.run(run)?.page(from, most),
            FoldResults { lead, fold } => self.led(&lead)?.fold(fold)?,
            SkipJobs { lead, results } => self.led(&lead)?.skip(results),
            DisownResults { lead, worker } => self.led(&lead)?.disown(worker),
            RewindRun { lead, generation, checkpoint } => {
                self.led(&lead)?.rewind(generation, checkpoint)?;
            },
            PauseRun { lead } => self.led(&lead)?.pause(),
            FailRun { lead, reason } => self.led(&lead)?.fail(reason)?,
            ReadGenerations { run, from } => from_number(&self.run(run)?.generations, from.into()),
            AppendEvent { run, event } => self.run(run)?.events.push(event),
            ReadEvents { run, from } => from_number(&self.run(run)?.events, from),
            ReadBlob { run, hash } => self.blob(run, hash),
            ClaimRun { run, coordinator, progress } => {
                self.claim(run, RunClaim { coordinator, progress })
            },
            UnclaimRun { run, coordinator } => self.unclaim(run, coordinator),
            ReadClaim { run } => self.claims.get(&run).cloned(),
            AnnounceCoordinator { coordinator, announcement } => {
                drop(self.announced.insert(coordinator, announcement));
            },
            WithdrawCoordinator { coordinator } => drop(self.announced.remove(&coordinator)),
            ListCoordinators {} => self.announced.clone().into_iter().collect(),
            QuarantineWorker { worker, reason } => {
                self.quarantine(worker, reason);
            },
            ListQuarantined {} => self.quarantined.clone().into_iter().collect(),
            ReadSecret {} => self.secret,
        }))
    }

    fn unclaim(&mut self, run: RunId, coordinator: CoordinatorId) {
        self.claims.retain(|id, claim| *id != run || claim.coordinator != coordinator);
    }

    fn quarantine(&mut self, worker: WorkerId, reason: String) {
        self.quarantined.entry(worker).or_insert(reason);
    }

    fn create(&mut self, run: RunId, new: Run) -> bool {
        let is_new = !self.runs.contains_key(&run);
        self.runs.entry(run).or_insert(new);
        is_new
    }

    fn delete(&mut self, run: RunId) {
        self.runs.remove(&run);
        self.claims.remove(&run);
        self.keys.retain(|_, of| *of != run);
    }

    fn overviews(&self, runs: &[RunId]) -> Vec<Option<RunOverview>> {
        let overview = |run: &RunId| Some(self.runs.get(run)?.overview(self.claims.get(run)));
        runs.iter().map(overview).collect()
    }

    fn lead(&mut self, run: RunId) -> Result<LeaderState, Refusal> {
        let token = self.next_token;
        Ok(self.run(run)?.lead(LeaderToken { run, token }))
    }

    fn blob(&self, run: RunId, hash: Digest) -> Option<Vec<u8>> {
        self.runs.get(&run)?.blobs.get(hash.as_bytes()).cloned()
    }

    fn claim(&mut self, run: RunId, claim: RunClaim) -> bool {
        let kept = self.claims.entry(run).or_insert_with(|| claim.clone());
        let is_its_own = kept.coordinator == claim.coordinator;
        if is_its_own {
            *kept = claim;
        }
        is_its_own
    }

    fn run(&mut self, run: RunId) -> Result<&mut Run, Refusal> {
        self.runs.get_mut(&run).ok_or(Refusal::NoRun)
    }

    fn led(&mut self, lead: &LeaderToken) -> Result<&mut Run, Refusal> {
        let run = self.run(lead.run)?;
        if run.token == Some(lead.token) { Ok(run) } else { Err(Refusal::Fenced) }
    }
}

/// Returns the items from number `from` on.
fn from_number(items: &[Vec<u8>], from: u64) -> Vec<Vec<u8>> {
    let n_skipped = usize::try_from(from).unwrap_or(usize::MAX);
    items.iter().skip(n_skipped).cloned().collect()
}
