//! Checks of the answers alone, which must hold whatever the model says.

use std::collections::{BTreeMap, BTreeSet};

use super::view::View;
use crate::operation::{
    AdoptJobs, CompleteJobs, DeleteRun, DisownResults, EnqueueAndLease, LeaseJobs, ParkJob,
    ReleaseJobs, RetryJobs, RewindRun, SkipJobs,
};
use crate::{
    CoordinatorId, FencingToken, JobId, JobKey, JobResult, LeaderState, LeasedJob, RunId,
    RunPosition, RunState, StoreAnswer, StoreCall, StoreVerdict, WorkerId,
};

/// The answers about jobs so far.
#[derive(Debug, Default)]
pub(super) struct Witness {
    accepted: BTreeMap<JobKey, JobResult>,
    leased: BTreeMap<JobKey, CoordinatorId>,
    parked: BTreeSet<JobKey>,
    tokens: BTreeSet<(RunId, FencingToken)>,
    positions: BTreeMap<RunId, RunPosition>,
}

impl Witness {
    /// Records that every lease has ended.
    pub(super) fn restarted(&mut self) {
        self.leased.clear();
    }

    /// Checks that a job is leased to one consumer at a time and accepted once, and that a lead is
    /// given once.
    pub(super) fn heard(&mut self, call: &StoreCall, answer: &StoreAnswer) -> Result<(), String> {
        use StoreAnswer as Answer;
        use StoreCall as Call;
        match (call, answer) {
            (_, Answer::TakeLead(LeaderState { lead, .. }))
                if !self.tokens.insert((lead.run, lead.token)) =>
            {
                return Err(format!("{lead:?} was given before"));
            }
            (Call::LeaseJobs(LeaseJobs { run, consumer, most }), Answer::LeaseJobs(jobs)) => {
                self.handed_out(*run, jobs, *consumer, *most)?;
            }
            (
                Call::EnqueueAndLease(EnqueueAndLease { lead, consumer, most, .. }),
                Answer::EnqueueAndLease(jobs),
            ) => {
                self.handed_out(lead.run, jobs, *consumer, *most)?;
            }
            (Call::AdoptJobs(AdoptJobs { run, consumer, .. }), Answer::AdoptJobs(jobs)) => {
                let keys = || jobs.iter().map(|job| JobKey { run: *run, job: job.id });
                if let Some(key) = keys().find(|key| self.is_settled(*key)) {
                    return Err(format!("{key} is neither READY nor LEASED"));
                }
                self.leased.extend(keys().map(|key| (key, *consumer)));
            }
            (Call::ReleaseJobs(ReleaseJobs { run, consumer, jobs }), _) => {
                for &job in jobs {
                    self.leave(JobKey { run: *run, job }, *consumer);
                }
            }
            (Call::ParkJob(ParkJob { run, consumer, job }), _) => {
                let key = JobKey { run: *run, job: *job };
                let left = self.leave(key, *consumer);
                self.parked.extend(left.then_some(key));
            }
            (Call::RetryJobs(RetryJobs { run, jobs }), Answer::RetryJobs(n_retried)) => {
                let keys = jobs.iter().map(|job| JobKey { run: *run, job: *job });
                let n_parked = keys.filter(|key| self.parked.remove(key)).count() as u64;
                if n_parked != *n_retried {
                    return Err(format!("{n_retried} jobs were retried instead of {n_parked}"));
                }
            }
            (Call::CompleteJobs(CompleteJobs { run, results }), Answer::CompleteJobs(verdicts)) => {
                self.completed(*run, results, verdicts)?;
            }
            (Call::SkipJobs(SkipJobs { lead, results }), _) => {
                self.skipped(lead.run, results);
            }
            (
                Call::DisownResults(DisownResults { lead, workers }),
                Answer::DisownResults(invalidated),
            ) => {
                let n_taken_back = self.take_back(lead.run, workers);
                let n_invalidated: u64 = invalidated.iter().map(|(_, n_jobs)| n_jobs).sum();
                if n_taken_back != n_invalidated {
                    return Err(format!(
                        "{n_invalidated} jobs were invalidated, not {n_taken_back}"
                    ));
                }
            }
            (Call::RewindRun(RewindRun { lead, generation, .. }), _) => {
                self.forget(lead.run, *generation);
            }
            (Call::DeleteRun(DeleteRun { run }), _) => {
                self.forget(*run, 0);
                self.positions.remove(run);
            }
            _ => {}
        }
        Ok(())
    }

    fn handed_out(
        &mut self,
        run: RunId,
        jobs: &[LeasedJob],
        consumer: CoordinatorId,
        most: usize,
    ) -> Result<(), String> {
        if most < jobs.len() {
            return Err(format!("{} jobs were leased instead of {most}", jobs.len()));
        }
        let keys = || jobs.iter().map(|job| JobKey { run, job: job.id });
        if let Some(key) = keys().find(|key| self.is_taken(*key)) {
            return Err(format!("{key} is not READY"));
        }
        self.leased.extend(keys().map(|key| (key, consumer)));
        Ok(())
    }

    /// Ends the leases of the accepted jobs; no such job was accepted before.
    fn completed(
        &mut self,
        run: RunId,
        results: &[(JobId, JobResult)],
        verdicts: &[StoreVerdict],
    ) -> Result<(), String> {
        let accepted = results.iter().zip(verdicts);
        for ((job, result), _) in accepted.filter(|(_, it)| **it == StoreVerdict::Accepted) {
            let key = JobKey { run, job: *job };
            self.leased.remove(&key);
            self.parked.remove(&key);
            if self.accepted.insert(key, result.clone()).is_some() {
                return Err(format!("{key} was accepted twice"));
            }
        }
        Ok(())
    }

    /// Checks that `folded <= cursor`, that the results are the accepted results that are not
    /// folded, and that the revision shows the changes of leaders.
    pub(super) fn saw(&mut self, view: &View) -> Result<(), String> {
        for (id, run) in &view.runs {
            let (position, results) = (&run.position, &run.page.results);
            let accepted = (position.folded..position.cursor).map_while(|index| {
                let job = JobId { generation: position.generation, index };
                self.accepted.get(&JobKey { run: *id, job })
            });
            if position.cursor < position.folded || !results.iter().eq(accepted) {
                return Err(format!("run {id} is at {position:?} with results {results:?}"));
            }
            let before = self.positions.insert(*id, position.clone());
            let moved = |before: RunPosition| {
                let steered = RunPosition { state: position.state.clone(), ..before };
                steered != *position && position.revision <= steered.revision
            };
            if before.is_some_and(moved) {
                return Err(format!("run {id} moved to {position:?} without a new revision"));
            }
        }
        Ok(())
    }

    /// Records the results of skipped jobs. An ended run skips none, and keeps its dead jobs.
    fn skipped(&mut self, run: RunId, results: &[(JobId, JobResult)]) {
        let state = self.positions.get(&run).map(|position| &position.state);
        if matches!(state, Some(RunState::Active | RunState::Paused)) {
            for (job, result) in results {
                let key = JobKey { run, job: *job };
                if self.parked.remove(&key) {
                    self.accepted.insert(key, result.clone());
                }
            }
        }
    }

    fn is_settled(&self, key: JobKey) -> bool {
        self.accepted.contains_key(&key) || self.parked.contains(&key)
    }

    fn is_taken(&self, key: JobKey) -> bool {
        self.is_settled(key) || self.leased.contains_key(&key)
    }

    /// Ends the lease if `consumer` has it.
    fn leave(&mut self, key: JobKey, consumer: CoordinatorId) -> bool {
        let is_held = self.leased.get(&key) == Some(&consumer);
        if is_held {
            self.leased.remove(&key);
        }
        is_held
    }

    /// Forgets the results of `workers` that were not folded when the run was last seen.
    fn take_back(&mut self, run: RunId, workers: &[WorkerId]) -> u64 {
        let before = self.accepted.len();
        if let Some(position) = self.positions.get(&run) {
            self.accepted.retain(|JobKey { run: of, job }, result| {
                let is_open = job.generation == position.generation && position.folded <= job.index;
                *of != run || !is_open || !workers.contains(&result.worker)
            });
        }
        (before - self.accepted.len()) as u64
    }

    /// Forgets all jobs of the run from a generation on.
    fn forget(&mut self, run: RunId, generation: u32) {
        let stays = |JobKey { run: of, job }: &JobKey| *of != run || job.generation < generation;
        self.accepted.retain(|key, _| stays(key));
        self.leased.retain(|key, _| stays(key));
        self.parked.retain(stays);
    }
}
