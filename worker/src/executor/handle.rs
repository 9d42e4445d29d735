//! The progress of running jobs: written by the threads that run them, read for heartbeats.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use hatchery_meters::worker::BusySlots;
use hatchery_proto::MAX_HELD_JOBS;
use hatchery_proto::v1::{Heartbeat, JobProgress};

use crate::ids::JobKey;

/// A job's progress, and the request to stop it.
///
/// Nothing depends on when a thread sees a change, except for the order of `start` and `withdraw`:
/// the first call wins.
#[derive(Debug, Default)]
pub struct JobHandle {
    trials_done: AtomicU64,
    beats: AtomicU64,
    share_ppm: AtomicU32,
    cancelled: AtomicBool,
    stage: AtomicU8,
    blocks_running: AtomicU32,
    busy: BusySlots,
    /// A trial takes this many times its CPU time; 0 counts as 1.
    #[cfg(feature = "faults")]
    slowdown: u32,
}

const QUEUED: u8 = 0;
const STARTED: u8 = 1;
const WITHDRAWN: u8 = 2;

impl JobHandle {
    /// The handle of a job whose trials count slots as `busy`.
    pub(crate) fn new(busy: BusySlots) -> Self {
        Self { busy, ..Self::default() }
    }

    /// The handle of a job whose trials take `factor` times as long as they compute.
    #[cfg(feature = "faults")]
    pub(crate) fn slowed_down(self, factor: u32) -> Self {
        Self { slowdown: factor, ..self }
    }

    /// Returns how many times as long the job's trials take as they compute, at least 1.
    #[cfg(feature = "faults")]
    pub(crate) fn slowdown(&self) -> u32 {
        self.slowdown.max(1)
    }

    /// Returns the number of trials that are done.
    #[must_use]
    pub fn trials_done(&self) -> u64 {
        self.trials_done.load(Ordering::Relaxed)
    }

    /// Counts `n_trials` more as done.
    pub fn add_trials(&self, n_trials: u32) {
        self.trials_done.fetch_add(n_trials.into(), Ordering::Relaxed);
    }

    /// Counts a sign of progress from inside a trial that has done `done` of `of` steps; `of` is 0
    /// if the number of steps is unknown.
    pub(crate) fn beat(&self, done: u64, of: u64) {
        self.beats.fetch_add(1, Ordering::Relaxed);
        let ppm = (u128::from(done) * 1_000_000).checked_div(of.into()).unwrap_or_default();
        let ppm = u32::try_from(ppm).unwrap_or(u32::MAX).min(1_000_000);
        self.share_ppm.store(ppm, Ordering::Relaxed);
    }

    /// Returns the share that is done of the trial that beat last, in millionths.
    pub(crate) fn share_ppm(&self) -> u32 {
        self.share_ppm.load(Ordering::Relaxed)
    }

    /// Returns the number of signs of progress from inside trials.
    pub(crate) fn beats(&self) -> u64 {
        self.beats.load(Ordering::Relaxed)
    }

    /// Asks the job to end at its next trial, or at the next beat of a trial.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Returns true if the job is to end.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Marks the job as started by a thread. Returns false if it was withdrawn and must not run.
    pub(crate) fn start(&self) -> bool {
        self.leave_queue(STARTED)
    }

    /// Takes the job back from the queue of the threads. Returns false if it has started.
    pub(crate) fn withdraw(&self) -> bool {
        self.leave_queue(WITHDRAWN)
    }

    fn leave_queue(&self, stage: u8) -> bool {
        self.stage.compare_exchange(QUEUED, stage, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// Runs a block of trials, which counts as running until it returns.
    pub(crate) fn run_block<T>(&self, trials: impl FnOnce() -> T) -> T {
        self.blocks_running.fetch_add(1, Ordering::Relaxed);
        let outcome = self.busy.during(trials);
        self.blocks_running.fetch_sub(1, Ordering::Relaxed);
        outcome
    }

    /// Returns true if a trial runs at this moment, which keeps a cancelled job from ending.
    pub(crate) fn is_in_trial(&self) -> bool {
        self.blocks_running.load(Ordering::Relaxed) != 0
    }
}

/// The jobs that run on threads.
///
/// Behind a lock, as both the threads and the heartbeat must make progress without the session. The
/// lock is held while a short list is copied.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunningJobs(Arc<Mutex<BTreeMap<JobKey, Arc<JobHandle>>>>);

impl RunningJobs {
    pub(crate) fn insert(&self, key: JobKey, handle: Arc<JobHandle>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key, handle);
    }

    pub(crate) fn remove(&self, key: JobKey) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&key);
    }

    /// Returns a heartbeat with the progress of the jobs that are not cancelled.
    pub(crate) fn heartbeat(&self) -> Heartbeat {
        let jobs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted = jobs.iter().filter(|(_, handle)| !handle.is_cancelled());
        let running = wanted.take(MAX_HELD_JOBS).map(|(key, handle)| JobProgress {
            r#ref: Some(key.to_wire()),
            trials_done: handle.trials_done(),
            beats: handle.beats(),
            share_ppm: handle.share_ppm(),
        });
        Heartbeat { running: running.collect() }
    }
}
