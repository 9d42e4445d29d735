//! The limits of runs on slots: the jobs of a limited run wait for the run's own slots, and use no
//! other slots.

use std::collections::{BTreeMap, BTreeSet};

use hatchery_proto::v1::Job;

use super::{EntryStage, JobTable};
use crate::ids::{JobKey, RunId};

impl JobTable {
    /// Limits the slots that the jobs of a run may use from now on, if there are any; 0 is no
    /// limit.
    pub(crate) fn limit_slots(&mut self, run: RunId, most: u32) {
        match most {
            0 => _ = self.limits.remove(&run),
            most if self.has_job_of(run) => _ = self.limits.insert(run, most as usize),
            _ => {}
        }
    }

    /// Returns the first `n` waiting jobs, in the order of assignment: jobs that have a slot, then
    /// the first job of every run whose slots are all in use, for its inputs.
    pub(crate) fn first_waiting(&self, n: usize) -> impl Iterator<Item = (JobKey, &Job)> {
        let (mut first, mut later) = (Vec::new(), Vec::new());
        let mut free: BTreeMap<RunId, usize> = BTreeMap::new();
        let mut later_of = BTreeSet::new();
        for &key in &self.waiting {
            if n <= first.len() {
                break;
            }
            let free = free.entry(key.run).or_insert_with(|| self.free_slots(key.run));
            match free.checked_sub(1) {
                Some(left) => {
                    *free = left;
                    first.push(key);
                }
                None if later_of.insert(key.run) => later.push(key),
                None => {}
            }
        }
        let keys = first.into_iter().chain(later).take(n);
        keys.filter_map(|key| match &self.jobs.get(&key)?.stage {
            EntryStage::Waiting(job) => Some((key, &**job)),
            EntryStage::Running { .. } | EntryStage::Done { .. } => None,
        })
    }

    /// Returns the number of slots for a job that is to start: the slots that its run does not use,
    /// in equal parts for all waiting jobs, as far as it has trials for them; `None` if there are
    /// none.
    pub(super) fn slots_for(&self, key: JobKey) -> Option<usize> {
        let EntryStage::Waiting(job) = &self.jobs.get(&key)?.stage else { return None };
        if !self.limits.contains_key(&key.run) {
            return Some(self.slots);
        }
        let n_waiting = self.waiting.iter().filter(|other| other.run == key.run).count();
        let n_free = self.free_slots(key.run);
        let n_trials = usize::try_from(job.n_trials()).unwrap_or(usize::MAX);
        let most = (n_free / n_waiting.max(1)).min(n_trials).max(1);
        (n_free != 0).then_some(most)
    }

    /// Returns whether there is a job of the run.
    pub(super) fn has_job_of(&self, run: RunId) -> bool {
        self.entries_of(run).next().is_some()
    }

    /// Returns the number of further slots that jobs of the run may use.
    fn free_slots(&self, run: RunId) -> usize {
        let Some(&most) = self.limits.get(&run) else { return usize::MAX };
        let used = self.entries_of(run).map(|stage| match stage {
            EntryStage::Running { n_slots, .. } => *n_slots,
            EntryStage::Waiting(_) | EntryStage::Done { .. } => 0,
        });
        most.saturating_sub(used.sum())
    }

    fn entries_of(&self, run: RunId) -> impl Iterator<Item = &EntryStage> {
        let first = JobKey { run, generation: 0, index: 0 };
        let of_run = self.jobs.range(first..).take_while(move |(key, _)| key.run == run);
        of_run.map(|(_, entry)| &entry.stage)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hatchery_proto::v1::{JobRef, Segment};

    use super::super::JobIntake;
    use super::*;
    use crate::executor::handle::JobHandle;
    use crate::executor::job::JobOutcome;
    use crate::ids::Ticket;

    fn key(run: u8, index: u64) -> JobKey {
        JobKey::from_wire(Some(&JobRef { run: vec![run; 16], generation: 0, index })).unwrap()
    }

    /// A table of eight slots with `n_jobs` jobs of `n_trials` trials, whose run may use three
    /// slots.
    fn table(n_jobs: u64, n_trials: u32) -> JobTable {
        let mut table = JobTable::new(8);
        table.next_message(JobIntake::Open);
        for index in 0..n_jobs {
            assign(&mut table, key(1, index), n_trials);
        }
        table.limit_slots(key(1, 0).run, 3);
        table
    }

    fn assign(table: &mut JobTable, key: JobKey, n_trials: u32) {
        let segments = vec![Segment { n_trials, ..Segment::default() }];
        table.assign(key, Ticket::from_wire(vec![]), Job { segments, ..Job::default() });
    }

    /// Starts whatever can start; returns the slots by job.
    fn start_all(table: &mut JobTable) -> Vec<usize> {
        let mut started = Vec::new();
        loop {
            let keys: Vec<_> = table.first_waiting(100).map(|(key, _)| key).collect();
            let handle = || Arc::new(JobHandle::default());
            let slots = keys.into_iter().filter_map(|key| Some(table.start(key, handle())?.1));
            let slots: Vec<_> = slots.collect();
            if slots.is_empty() {
                return started;
            }
            started.extend(slots);
        }
    }

    #[test]
    fn the_slots_of_a_run_are_divided_among_its_jobs() {
        assert_eq!(start_all(&mut table(6, 100)), [1, 1, 1]);
        assert_eq!(start_all(&mut table(2, 100)), [1, 2]);
        assert_eq!(start_all(&mut table(1, 100)), [3]);
        assert_eq!(start_all(&mut table(1, 2)), [2], "no more than trials");
        // Otherwise others would wait for hours for what one long trial does not use.
        assert_eq!(start_all(&mut table(5, 1)), [1, 1, 1]);
    }

    #[test]
    fn a_job_that_ends_leaves_its_slots_to_the_next() {
        let mut table = table(5, 100);
        assert_eq!(start_all(&mut table), [1, 1, 1]);
        table.finish(key(1, 1), JobOutcome::Cancelled);
        assert_eq!(start_all(&mut table), [1]);
        table.limit_slots(key(1, 0).run, 2);
        table.finish(key(1, 0), JobOutcome::Cancelled);
        assert!(start_all(&mut table).is_empty());
        table.limit_slots(key(1, 0).run, 0);
        assert_eq!(start_all(&mut table), [8], "without a limit it may use all");
    }

    #[test]
    fn other_runs_do_not_wait_for_a_run_at_its_limit() {
        let mut table = table(8, 100);
        assert_eq!(start_all(&mut table), [1, 1, 1]);
        assign(&mut table, key(2, 0), 100);
        let first: Vec<_> = table.first_waiting(2).map(|(key, _)| key).collect();
        assert_eq!(first, [key(2, 0), key(1, 3)], "the inputs of the latter are of use soon");
        assert_eq!(start_all(&mut table), [8]);
    }

    #[test]
    fn a_limit_is_forgotten_with_the_last_job_of_its_run() {
        let mut table = table(2, 100);
        table.finish(key(1, 0), JobOutcome::Cancelled);
        assert_eq!(table.limits.get(&key(1, 0).run), Some(&3));
        table.finish(key(1, 1), JobOutcome::Cancelled);
        table.limit_slots(key(1, 0).run, 3);
        assert!(table.limits.is_empty(), "nor does a run without a job get one");
    }
}
