//! What must hold whatever the model says, from the answers alone.

use std::collections::{BTreeMap, BTreeSet};

use super::call::{Answer, Call};
use super::view::View;
use crate::store::{
    CoordinatorId, FencingToken, JobId, JobResult, LeaderState, LeaderToken, RunId, RunPosition,
    RunState, StoreVerdict, WorkerId,
};

/// A job of a run.
type Key = (RunId, JobId);

/// Everything that was said about jobs so far.
#[derive(Debug, Default)]
pub(super) struct Witness {
    accepted: BTreeMap<Key, JobResult>,
    leased: BTreeMap<Key, CoordinatorId>,
    parked: BTreeSet<Key>,
    tokens: BTreeSet<(RunId, FencingToken)>,
    positions: BTreeMap<RunId, RunPosition>,
}

impl Witness {
    /// All leases ended.
    pub(super) fn restarted(&mut self) {
        self.leased.clear();
    }

    /// A job is leased to one consumer at a time and accepted once; a lead is given once.
    pub(super) fn heard(&mut self, call: &Call, answer: &Answer) -> Result<(), String> {
        match (call, answer) {
            (_, Answer::Led(LeaderState { lead, .. }))
                if !self.tokens.insert((lead.run, lead.token)) =>
            {
                return Err(format!("{lead:?} was given before"));
            }
            (
                Call::Lease { run, consumer, most }
                | Call::EnqueueAndLease { lead: LeaderToken { run, .. }, consumer, most, .. },
                Answer::Leased(jobs),
            ) => {
                let jobs: Vec<_> = jobs.iter().map(|(job, _)| (*run, *job)).collect();
                self.handed_out(&jobs, *consumer, *most)?;
            }
            (Call::Adopt { run, consumer, .. }, Answer::Leased(jobs)) => {
                let keys = || jobs.iter().map(|(job, _)| (*run, *job));
                if let Some((_, job)) = keys().find(|key| self.is_settled(*key)) {
                    return Err(format!("{job:?} is neither READY nor LEASED"));
                }
                self.leased.extend(keys().map(|key| (key, *consumer)));
            }
            (Call::Release { run, consumer, jobs }, Answer::Done) => {
                for job in jobs {
                    self.leave((*run, *job), *consumer);
                }
            }
            (Call::Park { run, consumer, job }, Answer::Done) => {
                let left = self.leave((*run, *job), *consumer);
                self.parked.extend(left.then_some((*run, *job)));
            }
            (Call::Retry { run, jobs }, Answer::Count(n_retried)) => {
                let retried = jobs.iter().filter(|job| self.parked.remove(&(*run, **job)));
                let n_parked = retried.count() as u64;
                if n_parked != *n_retried {
                    return Err(format!("{n_retried} jobs were retried instead of {n_parked}"));
                }
            }
            (Call::Complete { run, results }, Answer::Verdicts(verdicts)) => {
                for ((job, result), _) in
                    results.iter().zip(verdicts).filter(|(_, it)| **it == StoreVerdict::Accepted)
                {
                    self.leased.remove(&(*run, *job));
                    self.parked.remove(&(*run, *job));
                    if self.accepted.insert((*run, *job), result.clone()).is_some() {
                        return Err(format!("{job:?} was accepted twice"));
                    }
                }
            }
            (Call::Skip { lead, results }, Answer::Done) => {
                self.skipped(lead.run, results);
            }
            (Call::Disown { lead, worker }, Answer::Count(n_invalidated)) => {
                let n_taken_back = self.take_back(lead.run, *worker);
                if n_taken_back != *n_invalidated {
                    return Err(format!(
                        "{n_invalidated} jobs were invalidated, not {n_taken_back}"
                    ));
                }
            }
            (Call::Rewind { lead, rewind }, Answer::Done) => {
                self.forget(lead.run, rewind.generation);
            }
            (Call::Delete { run }, Answer::Done) => {
                self.forget(*run, 0);
                self.positions.remove(run);
            }
            _ => {}
        }
        Ok(())
    }

    fn handed_out(
        &mut self,
        jobs: &[Key],
        consumer: CoordinatorId,
        most: usize,
    ) -> Result<(), String> {
        if most < jobs.len() {
            return Err(format!("{} jobs were leased instead of {most}", jobs.len()));
        }
        if let Some((_, job)) = jobs.iter().find(|key| self.is_taken(**key)) {
            return Err(format!("{job:?} is not READY"));
        }
        self.leased.extend(jobs.iter().map(|key| (*key, consumer)));
        Ok(())
    }

    /// `folded <= cursor`; results are those accepted and not folded; the revision tells what a
    /// leader changed.
    pub(super) fn saw(&mut self, view: &View) -> Result<(), String> {
        for (id, run) in &view.runs {
            let (position, results) = (&run.position, &run.harvest.results);
            let accepted = (position.folded..position.cursor).map_while(|index| {
                self.accepted.get(&(*id, JobId { generation: position.generation, index }))
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

    /// An ended run has nothing skipped, and keeps what is parked.
    fn skipped(&mut self, run: RunId, results: &[(JobId, JobResult)]) {
        let state = self.positions.get(&run).map(|position| &position.state);
        if matches!(state, Some(RunState::Active | RunState::Paused)) {
            for (job, result) in results {
                if self.parked.remove(&(run, *job)) {
                    self.accepted.insert((run, *job), result.clone());
                }
            }
        }
    }

    fn is_settled(&self, key: Key) -> bool {
        self.accepted.contains_key(&key) || self.parked.contains(&key)
    }

    fn is_taken(&self, key: Key) -> bool {
        self.is_settled(key) || self.leased.contains_key(&key)
    }

    /// Ends the lease if `consumer` has it.
    fn leave(&mut self, key: Key, consumer: CoordinatorId) -> bool {
        let is_held = self.leased.get(&key) == Some(&consumer);
        if is_held {
            self.leased.remove(&key);
        }
        is_held
    }

    /// Forgets the results of `worker` that were not folded when the run was last seen.
    fn take_back(&mut self, run: RunId, worker: WorkerId) -> u64 {
        let before = self.accepted.len();
        if let Some(position) = self.positions.get(&run) {
            self.accepted.retain(|(of, job), result| {
                let is_open = job.generation == position.generation && position.folded <= job.index;
                *of != run || !is_open || result.worker != worker
            });
        }
        (before - self.accepted.len()) as u64
    }

    /// Forgets all jobs of the run from a generation on.
    fn forget(&mut self, run: RunId, generation: u32) {
        let stays = |(of, job): &Key| *of != run || job.generation < generation;
        self.accepted.retain(|key, _| stays(key));
        self.leased.retain(|key, _| stays(key));
        self.parked.retain(stays);
    }
}
