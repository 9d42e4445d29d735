//! The contract as a program: the answers that a store has to give, in the plainest data
//! structures.

mod consume;
mod job;
mod parts;
mod run;

pub use job::{Job, JobState};
pub use parts::{OpenPart, RunParts};
pub use run::Run;

use std::collections::BTreeMap;

use hatchery_core::Part;

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
    /// The parts that were written for runs that do not exist.
    pub uncreated: BTreeMap<RunId, RunParts>,
    /// The runs of the keys, by the bytes of the keys.
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

    /// Ends all leases, as if their time were over, and so the parts of runs that do not exist.
    pub fn end_leases(&mut self) {
        self.uncreated.clear();
        for job in self.runs.values_mut().flat_map(|run| run.jobs.values_mut()) {
            if let JobState::Leased(_) = job.state {
                job.state = JobState::Ready;
            }
        }
    }

    /// Forgets the parts that are not whole.
    pub fn lose_open_parts(&mut self) {
        self.runs.values_mut().for_each(|run| run.parts.open.clear());
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

    /// The rules, one per operation.
    fn answer(&mut self, call: StoreCall) -> Result<StoreAnswer, Refusal> {
        Ok(answer!(call {
            CreateRun { run, record, checkpoint, summary, parts } => {
                self.create(run, Run::new(record, checkpoint, summary), parts)
            },
            RunForKey { run, key } => *self.keys.entry(*key.as_bytes()).or_insert(run),
            FindRun { key } => self.keys.get(key.as_bytes()).copied(),
            DeleteRun { run } => self.delete(run),
            ListRuns {} => self.runs.keys().copied().collect(),
            FindLastRun {} => self.runs.keys().next_back().copied(),
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
            DisownResults { lead, workers } => self.led(&lead)?.disown(&workers),
            RewindRun { lead, generation, checkpoint, keep } => {
                self.led(&lead)?.rewind(generation, checkpoint, keep)?;
            },
            PauseRun { lead } => self.led(&lead)?.pause(),
            FailRun { lead, reason } => self.led(&lead)?.fail(reason)?,
            ReadGenerations { run, from } => from_number(&self.run(run)?.generations, from.into()),
            AppendEvent { run, event } => self.run(run)?.events.push(event),
            ReadEvents { run, from } => from_number(&self.run(run)?.events, from),
            WritePart { run, part, index, chunk } => self.write_part(run, part, index, chunk)?,
            FinishPart { run, part } => self.finish_part(run, part)?,
            FindParts { run, parts } => {
                parts.iter().map(|hash| self.parts(run)?.find(hash)).collect()
            },
            LocatePart { run: _, hash: _ } => None,
            ReadPart { run, hash, index } => {
                self.parts(run).and_then(|parts| parts.chunk(&hash, index))
            },
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
            FindQuarantined { workers } => self.find_quarantined(workers),
            ReadSecret {} => self.secret,
            ReadMemory {} => None,
        }))
    }

    fn unclaim(&mut self, run: RunId, coordinator: CoordinatorId) {
        self.claims.retain(|id, claim| *id != run || claim.coordinator != coordinator);
    }

    fn find_quarantined(&self, workers: Vec<WorkerId>) -> Vec<(WorkerId, String)> {
        let out = |worker| Some((worker, self.quarantined.get(&worker)?.clone()));
        workers.into_iter().filter_map(out).collect()
    }

    fn quarantine(&mut self, worker: WorkerId, reason: String) {
        self.quarantined.entry(worker).or_insert(reason);
    }

    fn create(&mut self, run: RunId, mut new: Run, parts: Vec<Vec<u8>>) -> bool {
        let is_new = !self.runs.contains_key(&run);
        if is_new {
            new.parts = self.uncreated.remove(&run).unwrap_or_default();
            new.parts.insert(parts);
            self.runs.insert(run, new);
        }
        is_new
    }

    fn delete(&mut self, run: RunId) {
        self.runs.remove(&run);
        self.uncreated.remove(&run);
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

    fn write_part(
        &mut self,
        run: RunId,
        part: Part,
        index: u32,
        chunk: Vec<u8>,
    ) -> Result<(), Refusal> {
        if self.parts(run).is_some_and(|parts| parts.find(&part.hash()).is_some()) {
            return Ok(());
        }
        self.open_parts(run)?.write(part, index, chunk);
        Ok(())
    }

    fn finish_part(&mut self, run: RunId, part: Part) -> Result<bool, Refusal> {
        if self.parts(run).is_some_and(|parts| parts.is_whole(&part)) {
            return Ok(true);
        }
        Ok(self.open_parts(run)?.finish(part))
    }

    /// Returns the parts of a run, whether it exists or not.
    #[must_use]
    pub fn parts(&self, run: RunId) -> Option<&RunParts> {
        self.runs.get(&run).map(|run| &run.parts).or_else(|| self.uncreated.get(&run))
    }

    /// Returns the parts of a run that has not ended.
    fn open_parts(&mut self, run: RunId) -> Result<&mut RunParts, Refusal> {
        match self.runs.get_mut(&run) {
            Some(run) if run.has_ended() => Err(Refusal::OutOfStep),
            Some(run) => Ok(&mut run.parts),
            None => Ok(self.uncreated.entry(run).or_default()),
        }
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
