//! How far a job is: written by the threads that run it, read by those that tell of it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use hatchery_meters::worker::BusySlots;
use hatchery_proto::MAX_HELD_JOBS;
use hatchery_proto::v1::{Heartbeat, JobProgress};

use crate::ids::JobKey;

/// One job's progress, and the order to stop it. Nothing depends on when a thread sees a change,
/// except for who was first at `start` and `withdraw`.
#[derive(Debug, Default)]
pub struct JobHandle {
    trials_done: AtomicU64,
    cancelled: AtomicBool,
    stage: AtomicU8,
    blocks_running: AtomicU32,
    busy: BusySlots,
}

const QUEUED: u8 = 0;
const STARTED: u8 = 1;
const WITHDRAWN: u8 = 2;

impl JobHandle {
    /// The progress of a job whose trials keep slots `busy`.
    pub(crate) fn new(busy: BusySlots) -> Self {
        Self { busy, ..Self::default() }
    }

    /// How many trials are done.
    #[must_use]
    pub fn trials_done(&self) -> u64 {
        self.trials_done.load(Ordering::Relaxed)
    }

    /// `n` more trials are done.
    pub fn add(&self, n: u32) {
        self.trials_done.fetch_add(n.into(), Ordering::Relaxed);
    }

    /// Lets the job end at its next trial.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether the job is to end.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// A thread has come to the job; whether it is still to be run.
    pub(crate) fn start(&self) -> bool {
        self.leave_queue(STARTED)
    }

    /// Takes the job back from the threads' queue; false if it has started.
    pub(crate) fn withdraw(&self) -> bool {
        self.leave_queue(WITHDRAWN)
    }

    fn leave_queue(&self, stage: u8) -> bool {
        self.stage.compare_exchange(QUEUED, stage, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// Runs some trials, which count as running until they return.
    pub(crate) fn block<T>(&self, trials: impl FnOnce() -> T) -> T {
        self.blocks_running.fetch_add(1, Ordering::Relaxed);
        let outcome = self.busy.during(trials);
        self.blocks_running.fetch_sub(1, Ordering::Relaxed);
        outcome
    }

    /// Whether a trial runs at this moment: what keeps a cancelled job from ending.
    pub(crate) fn is_in_trial(&self) -> bool {
        self.blocks_running.load(Ordering::Relaxed) != 0
    }
}

/// The jobs that have started: the threads write them down, the heartbeat reads them out.
///
/// Behind a lock, as both must get on without the session; it is held for the copying of a short
/// list.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunningJobs(Arc<Mutex<BTreeMap<JobKey, Arc<JobHandle>>>>);

impl RunningJobs {
    pub(crate) fn insert(&self, key: JobKey, handle: Arc<JobHandle>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key, handle);
    }

    pub(crate) fn remove(&self, key: JobKey) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&key);
    }

    /// What a heartbeat says now.
    pub(crate) fn heartbeat(&self) -> Heartbeat {
        let jobs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted = jobs.iter().filter(|(_, handle)| !handle.is_cancelled());
        let running = wanted.take(MAX_HELD_JOBS).map(|(key, handle)| JobProgress {
            r#ref: Some(key.to_wire()),
            trials_done: handle.trials_done(),
        });
        Heartbeat { running: running.collect() }
    }
}
