//! The limit of a run on slots: the number of slots that its jobs may use at the same time, and the
//! number of further jobs that a worker may hold to keep these slots busy.
//!
//! A worker is told how many slots the run's jobs may use, and holds further jobs that wait for
//! these slots. So these slots stay busy from one job to the next, and the run uses no other slot.

use hatchery_core::SeriesClass;

use super::held_jobs::{HeldOfRun, SlotUse};

/// The most jobs for each slot of a run with a limit: one running, one waiting.
const JOBS_PER_SLOT: u32 = 2;

/// The limit of a run, and the slots that the run uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SlotLimit {
    /// The most slots that its jobs may use at the workers here.
    most: usize,
    /// The slots that they may use now.
    used: usize,
}

/// The slots of a worker, and the number of jobs that it takes per slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WorkerSlots {
    /// The number of slots.
    pub(crate) n_slots: u32,
    /// The number of short jobs for each slot.
    pub(crate) n_short: u32,
}

/// The claim of a coordinator to slots of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SlotClaim {
    /// The slots of its workers.
    pub(crate) n_slots: usize,
    /// True if other coordinators come first: its workers have failed a job that others have not
    /// tried.
    pub(crate) yields: bool,
}

impl SlotLimit {
    /// Creates the limit of a run that may use `most` slots and uses `used`.
    pub(crate) fn new(most: usize, used: usize) -> Self {
        Self { most, used }
    }

    /// Returns the slots that its jobs may use now.
    pub(crate) fn used(self) -> usize {
        self.used
    }

    /// Decides on the use of slots by another job, as [`slot_use`](Self::slot_use), and counts it.
    pub(crate) fn take(
        &mut self,
        held: HeldOfRun,
        slots: WorkerSlots,
        class: SeriesClass,
    ) -> Option<SlotUse> {
        let slot_use = self.slot_use(held, slots, class)?;
        self.used += usize::from(slot_use == SlotUse::Another);
        Some(slot_use)
    }

    /// Returns whether no further slot may be used.
    pub(crate) fn is_used_up(self) -> bool {
        self.most <= self.used
    }

    /// Returns the most jobs that all workers together may hold.
    pub(crate) fn most_jobs(self, most_per_slot: u32) -> usize {
        self.most.saturating_mul(most_per_slot.max(JOBS_PER_SLOT) as usize)
    }

    /// Returns how another job of a class uses a worker that holds the jobs `held` of the run;
    /// `None` if the worker may not have the job.
    pub(crate) fn slot_use(
        self,
        held: HeldOfRun,
        slots: WorkerSlots,
        class: SeriesClass,
    ) -> Option<SlotUse> {
        if !self.is_used_up() && held.n_slots(slots.n_slots) < slots.n_slots.max(1) {
            return Some(SlotUse::Another);
        }
        let is_shared = class == SeriesClass::Pooled && self.n_shared(held, slots) != 0;
        is_shared.then_some(SlotUse::Shared)
    }

    /// Returns the number of further jobs of a class that a worker may get before its use of slots
    /// must be checked again.
    pub(crate) fn room(self, held: HeldOfRun, slots: WorkerSlots, class: SeriesClass) -> u32 {
        match self.slot_use(held, slots, class) {
            Some(SlotUse::Another) => u32::MAX,
            Some(SlotUse::Shared) => self.n_shared(held, slots),
            None => 0,
        }
    }

    /// Returns the number of further jobs that may wait for the slots which the run has at a
    /// worker. None waits behind a long trial.
    fn n_shared(self, held: HeldOfRun, slots: WorkerSlots) -> u32 {
        // The limit may have become smaller: then no slot gets another job.
        if self.most < self.used {
            return 0;
        }
        let for_pooled = held.n_slots(slots.n_slots).saturating_sub(held.n_alone);
        let per_slot = slots.n_short.max(JOBS_PER_SLOT);
        for_pooled.saturating_mul(per_slot).saturating_sub(held.n_pooled)
    }
}
