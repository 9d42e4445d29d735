//! The jobs that a worker holds.

use std::collections::{BTreeMap, BTreeSet};

use hatchery_core::SeriesClass;
use hatchery_store::{JobKey, RunId};

/// The jobs that a worker holds.
#[derive(Debug, Default)]
pub(crate) struct HeldJobs {
    all: BTreeSet<JobKey>,
    /// The jobs with a long trial. Each such job keeps a slot busy for long.
    alone: BTreeSet<JobKey>,
    of_runs: BTreeMap<RunId, HeldOfRun>,
}

/// The jobs of a run that a worker holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct HeldOfRun {
    pub(crate) n_alone: u32,
    pub(crate) n_pooled: u32,
    /// The number of slots that these jobs may use: at most one slot per job.
    n_slots: u32,
}

/// The use that a job makes of a worker's slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SlotUse {
    /// The job may use a slot besides the slots of the run's other jobs.
    Another,
    /// The job waits for a slot of the run's other jobs.
    Shared,
}

impl HeldOfRun {
    /// Returns the slots that these jobs may use at a worker with `slots`.
    pub(crate) fn n_slots(self, slots: u32) -> u32 {
        self.n_slots.min(slots.max(1))
    }

    fn count(&mut self, class: SeriesClass) -> &mut u32 {
        match class {
            SeriesClass::Alone => &mut self.n_alone,
            SeriesClass::Pooled => &mut self.n_pooled,
        }
    }
}

impl HeldJobs {
    /// Adds a job with its use of slots. A job that is already known keeps its use of slots, and
    /// its class is corrected.
    pub(crate) fn insert(&mut self, key: JobKey, class: SeriesClass, slot_use: SlotUse) {
        let known = self.all.contains(&key).then(|| self.class(key));
        let of_run = self.of_runs.entry(key.run).or_default();
        match known {
            Some(known) => *of_run.count(known) -= 1,
            None => of_run.n_slots += u32::from(slot_use == SlotUse::Another),
        }
        *of_run.count(class) += 1;
        self.all.insert(key);
        match class {
            SeriesClass::Alone => self.alone.insert(key),
            SeriesClass::Pooled => self.alone.remove(&key),
        };
    }

    /// Removes a job. A slot that no other job of its run can use is free again.
    pub(crate) fn remove(&mut self, key: JobKey) {
        let class = self.class(key);
        if !self.all.remove(&key) {
            return;
        }
        self.alone.remove(&key);
        if let Some(of_run) = self.of_runs.get_mut(&key.run) {
            *of_run.count(class) -= 1;
            let n_jobs = of_run.n_alone + of_run.n_pooled;
            of_run.n_slots = of_run.n_slots.min(n_jobs);
            if n_jobs == 0 {
                self.of_runs.remove(&key.run);
            }
        }
    }

    fn class(&self, key: JobKey) -> SeriesClass {
        match self.alone.contains(&key) {
            true => SeriesClass::Alone,
            false => SeriesClass::Pooled,
        }
    }

    pub(crate) fn contains(&self, key: JobKey) -> bool {
        self.all.contains(&key)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns the number of jobs with a long trial.
    pub(crate) fn n_alone(&self) -> u32 {
        u32::try_from(self.alone.len()).unwrap_or(u32::MAX)
    }

    /// Returns the jobs of a run.
    pub(crate) fn of_run(&self, run: RunId) -> HeldOfRun {
        self.of_runs.get(&run).copied().unwrap_or_default()
    }

    /// Returns the number of slots, of `slots`, that the jobs use.
    pub(crate) fn n_slots(&self, slots: u32) -> u32 {
        let used = self.of_runs.values().fold(0, |sum: u32, it| sum.saturating_add(it.n_slots));
        used.min(slots.max(1))
    }

    /// Returns all jobs, in their order.
    pub(crate) fn into_keys(self) -> impl Iterator<Item = JobKey> {
        self.all.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use hatchery_store::JobId;
    use ulid::Ulid;

    use super::*;

    fn key(index: u64) -> JobKey {
        JobKey { run: RunId(Ulid(1)), job: JobId { generation: 0, index } }
    }

    #[test]
    fn a_slot_is_used_as_long_as_there_is_a_job_for_it() {
        let mut held = HeldJobs::default();
        let uses = [SlotUse::Another, SlotUse::Another, SlotUse::Shared];
        for (index, slot_use) in (0..).zip(uses) {
            held.insert(key(index), SeriesClass::Pooled, slot_use);
        }
        // Its class is known only now, and it has its slot already.
        held.insert(key(0), SeriesClass::Alone, SlotUse::Another);
        let of_run = |held: &HeldJobs| held.of_run(key(0).run);
        assert_eq!(of_run(&held), HeldOfRun { n_alone: 1, n_pooled: 2, n_slots: 2 });
        assert_eq!([1, 4].map(|slots| held.n_slots(slots)), [1, 2]);
        assert_eq!((of_run(&held).n_slots(1), of_run(&held).n_slots(8)), (1, 2));
        held.remove(key(1));
        assert_eq!(of_run(&held).n_slots(8), 2, "another job has taken the slot");
        held.remove(key(1));
        held.remove(key(0));
        assert_eq!(of_run(&held), HeldOfRun { n_alone: 0, n_pooled: 1, n_slots: 1 });
        held.remove(key(2));
        assert_eq!(of_run(&held), HeldOfRun::default());
        assert!(held.of_runs.is_empty());
    }
}
