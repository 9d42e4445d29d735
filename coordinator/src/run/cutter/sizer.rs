//! Chooses how large jobs are.
//!
//! Sizes follow the measured speed, and only affect performance: tallies merge exactly, so no size
//! can change a result.

use std::num::NonZeroU64;
use std::time::Duration;

use hatchery_proto::{MAX_BATCH_BYTES, MAX_JOB_PART_BYTES, MAX_JOB_TRIALS, MAX_RESULT_BYTES};

/// The CPU time that a job should take: long enough to make dispatch cheap, short enough that a
/// lost worker costs little.
pub const TARGET_JOB_TIME: Duration = Duration::from_secs(1);

/// The longest time that a batch may take. The time is estimated from batches or, before there are
/// any, from single trials, which take longer.
const LONGEST_TOGETHER: Duration = Duration::from_secs(16);

/// The longest time that a batch may take if it just fills the lanes of vectors, estimated from
/// single trials: 256 games of Tetris on 10x20, which take less than an hour together.
const LONGEST_IN_LANES: Duration = Duration::from_secs(4 * 3600);

/// Jobs per slot over which the rest of a generation is spread, so that no slot works alone at its
/// end.
const JOBS_PER_SLOT: u64 = 4;

/// Jobs per slot that are ready or leased at a time: enough to keep every slot busy, few enough
/// that job sizes can follow the measured cost.
const JOBS_AHEAD_PER_SLOT: u64 = 4;

/// Work per slot that is ready or leased at a time when jobs are short: reading results and cutting
/// new jobs takes some milliseconds. At most [`SHORT_JOBS_AHEAD_PER_SLOT`] jobs fill that time.
const AHEAD_TIME: Duration = Duration::from_millis(20);
/// The most short jobs per slot that are ready or leased at a time.
const SHORT_JOBS_AHEAD_PER_SLOT: u64 = 128;

/// Jobs per slot that are ready or leased at a time when trials run in batches: such jobs take
/// several seconds.
const LARGE_JOBS_AHEAD_PER_SLOT: u64 = 2;

/// As [`LARGE_JOBS_AHEAD_PER_SLOT`], before the cost of a trial is known: such jobs are small and
/// cost far more per trial than later jobs.
const PROBES_AHEAD_PER_SLOT: u64 = 1;

/// The number of trials above which the mean cost of a job is reliable.
const MANY_TRIALS: u64 = 32;

/// The number of trials in a job above which their mean cost is the cost in a batch. The small jobs
/// at the beginning and the end of a generation cost several times as much per trial.
const MANY_TOGETHER: u64 = 256;

/// The largest factor by which a batch is estimated to make trials cheaper. An estimate from
/// batches below that comes from players whose trials were shorter.
const MOST_BATCH_GAIN: f64 = 16.0;

/// The trials of a job until the cost of a trial and the bytes of its tally are known.
const PROBE_TRIALS: u64 = 1;

/// The most bytes of parts that the trials of a job should write, estimated from the most so far.
/// It is far less than a worker can send, because later trials may write more.
const PART_BYTES_PER_JOB: usize = MAX_JOB_PART_BYTES / 8;

/// The bytes of an output that do not grow with the number of trials: tallies that are counts have
/// about the same size for any number of trials. Even if each trial adds as many bytes, the largest
/// job can send them.
pub const FREE_OUTPUT_BYTES: usize = 1 << 10;

const _: () = assert!(FREE_OUTPUT_BYTES as u64 * MAX_JOB_TRIALS < MAX_RESULT_BYTES as u64);

/// The cost of results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResultCost {
    /// The number of results: one for each job.
    pub n_jobs: u64,
    /// The number of trials in the results.
    pub n_trials: u64,
    /// The CPU time of these trials.
    pub cpu_ns: u64,
    /// The bytes of the outputs, not counting the first [`FREE_OUTPUT_BYTES`] of each output.
    pub n_bytes: usize,
    /// The bytes of the parts that the outputs name.
    pub n_part_bytes: u64,
}

impl ResultCost {
    /// Returns the sum of both costs. Saturates, because a worker may claim any CPU time.
    #[must_use]
    pub fn plus(self, more: Self) -> Self {
        Self {
            n_jobs: self.n_jobs.saturating_add(more.n_jobs),
            n_trials: self.n_trials.saturating_add(more.n_trials),
            cpu_ns: self.cpu_ns.saturating_add(more.cpu_ns),
            n_bytes: self.n_bytes.saturating_add(more.n_bytes),
            n_part_bytes: self.n_part_bytes.saturating_add(more.n_part_bytes),
        }
    }
}

/// The numbers of trials that cost less in one batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchSize {
    /// The most trials that a batch gains from: [`hatchery_core::Simulation::BATCH`], or fewer
    /// where fewer trials are left.
    pub together: u64,
    /// The trials that make a batch fast: [`hatchery_core::Simulation::lanes`].
    pub lanes: u64,
}

/// Chooses job sizes from the measured cost of a run's trials.
#[derive(Clone, Copy, Debug, Default)]
pub struct JobSizer {
    cpu_ns_per_trial: Option<f64>,
    /// The CPU time of a trial in jobs of at least [`MANY_TOGETHER`].
    cpu_ns_together: Option<f64>,
    bytes_per_trial: f64,
    part_bytes_per_trial: f64,
    /// The most trials in a job, if the operator set a limit.
    most_trials: Option<NonZeroU64>,
}

impl JobSizer {
    /// Creates a sizer that has seen no results. Jobs have at most `most_trials` trials.
    #[must_use]
    pub fn new(most_trials: Option<NonZeroU64>) -> Self {
        Self { most_trials, ..Self::default() }
    }

    /// Returns the estimate after `results`. Recent results weigh more, because players of later
    /// generations play longer games.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    pub fn observe(self, results: ResultCost) -> Self {
        let ResultCost { n_jobs, n_trials, cpu_ns, n_bytes, n_part_bytes } = results;
        // A few trials may all be short by chance; the mean of many is reliable.
        let weight = if n_trials < MANY_TRIALS { 0.25 } else { 0.75 };
        let n = n_trials.max(1) as f64;
        let (cpu_ns, bytes) = (cpu_ns as f64 / n, n_bytes as f64 / n);
        let updated =
            |known: Option<f64>| known.map_or(cpu_ns, |known| known + weight * (cpu_ns - known));
        let is_together = MANY_TOGETHER <= n_trials / n_jobs.max(1);
        let cpu_ns_together =
            if is_together { Some(updated(self.cpu_ns_together)) } else { self.cpu_ns_together };
        let cpu_ns_per_trial = Some(updated(self.cpu_ns_per_trial));
        let bytes_per_trial = self.bytes_per_trial.max(bytes);
        let part_bytes_per_trial = self.part_bytes_per_trial.max(n_part_bytes as f64 / n);
        Self { cpu_ns_per_trial, cpu_ns_together, bytes_per_trial, part_bytes_per_trial, ..self }
    }

    /// Returns the size of the next jobs, a power of two so that few sizes occur. A batch of
    /// `together` trials costs less in one job, so the batch is kept in one job under two
    /// conditions. It takes no longer than `LONGEST_TOGETHER`, or its first `lanes` trials take no
    /// longer than `LONGEST_IN_LANES`. And about as many trials, or half of `lanes`, are left for
    /// each slot.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "an estimate; the conversion saturates"
    )]
    pub fn trials_per_job(&self, n_trials_left: u64, slots: u32, batch: BatchSize) -> u64 {
        let by_time = self.cpu_ns_per_trial.map_or(PROBE_TRIALS, |cpu_ns| {
            (TARGET_JOB_TIME.as_nanos() as f64 / cpu_ns.max(1.0)) as u64
        });
        let by_bytes = (MAX_BATCH_BYTES as f64 / 2.0 / self.bytes_per_trial.max(1.0)) as u64;
        let by_parts = (PART_BYTES_PER_JOB as f64 / self.part_bytes_per_trial.max(1.0)) as u64;
        let for_each_slot = n_trials_left / u64::from(slots.max(1));
        let by_rest = for_each_slot / JOBS_PER_SLOT;
        // Rounded up: where larger jobs are cheaper per trial, as with SIMD batches, they grow
        // until they take the target time.
        let by_time = by_time.clamp(1, MAX_JOB_TRIALS).next_power_of_two();
        // As many as fill the lanes take hardly longer than half as many.
        let fills_lanes = batch.lanes / 2 <= for_each_slot;
        let share = rounded(for_each_slot).max(if fills_lanes { batch.lanes } else { 1 });
        let together = self.most_together(batch).min(share);
        let size = by_time.min(by_rest).max(together);
        let most = self.most_trials.map_or(MAX_JOB_TRIALS, NonZeroU64::get);
        let size = size.min(by_bytes).min(by_parts).min(most).clamp(1, MAX_JOB_TRIALS);
        1 << size.ilog2()
    }

    /// Returns the CPU time of a trial; `None` while it is unknown.
    #[must_use]
    pub fn cpu_per_trial(&self) -> Option<Duration> {
        self.cpu_ns_per_trial.map(|_| self.cpu_time(1))
    }

    /// Returns the CPU time that `n_trials` take; zero while the cost of a trial is unknown.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    pub fn cpu_time(&self, n_trials: u64) -> Duration {
        let cpu_ns = self.cpu_ns_per_trial.unwrap_or_default() * n_trials as f64;
        Duration::try_from_secs_f64(cpu_ns / 1e9).unwrap_or(Duration::MAX)
    }

    /// Returns the number of jobs of `trials_per_job` whose outputs have `n_bytes` together.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "an estimate; the conversion saturates"
    )]
    pub fn n_jobs_of(&self, n_bytes: u64, trials_per_job: u64) -> u64 {
        (n_bytes as f64 / (self.bytes_per_trial * trials_per_job as f64).max(1.0)) as u64
    }

    /// Returns the number of jobs of `trials_per_job` that should be ready or leased at a time.
    #[must_use]
    pub fn jobs_ahead(&self, slots: u32, together: u64, trials_per_job: u64) -> u64 {
        let per_slot = match (together, self.cpu_ns_per_trial) {
            (0 | 1, None) => JOBS_AHEAD_PER_SLOT,
            (0 | 1, Some(_)) => {
                let ns_per_job = self.cpu_time(trials_per_job).as_nanos().max(1);
                let n_jobs = AHEAD_TIME.as_nanos() / ns_per_job;
                let n_jobs = u64::try_from(n_jobs).unwrap_or(u64::MAX);
                n_jobs.clamp(JOBS_AHEAD_PER_SLOT, SHORT_JOBS_AHEAD_PER_SLOT)
            }
            (_, Some(_)) => LARGE_JOBS_AHEAD_PER_SLOT,
            (_, None) => PROBES_AHEAD_PER_SLOT,
        };
        per_slot * u64::from(slots)
    }

    /// Returns the size of a batch, or less where it would take too long.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "an estimate; the conversion saturates"
    )]
    fn most_together(&self, BatchSize { together, lanes }: BatchSize) -> u64 {
        let Some(single) = self.cpu_ns_per_trial else { return together.min(1) };
        let in_batch =
            self.cpu_ns_together.map_or(single, |known| known.max(single / MOST_BATCH_GAIN));
        let most = |time: Duration, cpu_ns: f64| (time.as_nanos() as f64 / cpu_ns.max(1.0)) as u64;
        let in_lanes = lanes.min(most(LONGEST_IN_LANES, single));
        together.min(most(LONGEST_TOGETHER, in_batch).max(in_lanes))
    }
}

/// Returns the power of two nearest to `n` by ratio; 1 for 0.
fn rounded(n: u64) -> u64 {
    let below = 1 << n.max(1).ilog2();
    // Half way between a power and the next is the square root of 2, about 7/5.
    if below * 7 < n * 5 { below * 2 } else { below }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(n_trials: u64, cpu_ns: u64, n_bytes: usize) -> ResultCost {
        ResultCost { n_jobs: 1, n_trials, cpu_ns, n_bytes, n_part_bytes: 0 }
    }

    fn batch(together: u64) -> BatchSize {
        BatchSize { together, lanes: 1 }
    }

    #[test]
    fn lanes_are_filled_even_if_that_takes_long() {
        let lanes = BatchSize { together: 2048, lanes: 256 };
        let unknown = JobSizer::default();
        assert_eq!(unknown.trials_per_job(10_000, 2, lanes), PROBE_TRIALS);
        let minute = unknown.observe(cost(1, 60_000_000_000, 100));
        // 256 of a minute are more than four hours: 240 are rounded down.
        assert_eq!(minute.trials_per_job(10_000, 2, lanes), 128);
        let ten_seconds = unknown.observe(cost(1, 10_000_000_000, 100));
        assert_eq!(ten_seconds.trials_per_job(10_000, 2, lanes), 256);
        assert_eq!(ten_seconds.trials_per_job(10_000, 1000, lanes), 8);
        let millisecond = unknown.observe(cost(10, 10_000_000, 100));
        assert_eq!(millisecond.trials_per_job(1_000_000, 2, lanes), 2048);
    }

    #[test]
    fn small_jobs_do_not_shrink_batches() {
        let lanes = BatchSize { together: 8192, lanes: 256 };
        let size = |sizer: JobSizer| sizer.trials_per_job(30_000, 2, lanes);
        // Eight milliseconds of a single trial, one in a batch.
        let single = JobSizer::default().observe(cost(1, 8_000_000, 1));
        assert_eq!(size(single), 1024);
        let batch = single.observe(cost(1024, 1_024_000_000, 1));
        assert_eq!(size(batch), 8192);
        // The last jobs of a generation: several results at once, each of few trials.
        let few = ResultCost { n_jobs: 8, ..cost(512, 4_096_000_000, 1) };
        assert_eq!(size(batch.observe(few).observe(cost(1, 8_000_000, 1))), 8192);
        // Players whose games are a hundred times as long.
        let longer = (0..20).fold(batch, |sizer, _| sizer.observe(cost(1, 800_000_000, 1)));
        assert_eq!(size(longer), 256);
        // The end of a generation: lanes are filled, if that leaves no more than half of the slots
        // idle.
        let at_end = |n_left: u64, slots| {
            let together = n_left.min(lanes.together);
            batch.trials_per_job(n_left, slots, BatchSize { together, ..lanes })
        };
        assert_eq!([600, 300, 200, 20].map(|n_left| at_end(n_left, 2)), [256, 256, 128, 8]);
        assert_eq!(at_end(2000, 16), 128);
    }

    #[test]
    fn sizes_follow_the_pace_and_the_rest() {
        let unknown = JobSizer::default();
        assert_eq!(unknown.trials_per_job(1_000_000, 2, batch(1)), PROBE_TRIALS);
        let millisecond = unknown.observe(cost(10, 10_000_000, 100));
        assert_eq!(millisecond.trials_per_job(1_000_000, 2, batch(1)), 1024);
        assert_eq!(millisecond.trials_per_job(100, 2, batch(1)), 8);
        assert_eq!(millisecond.trials_per_job(1, 2, batch(1)), 1);
        let minute = unknown.observe(cost(1, 60_000_000_000, 100));
        assert_eq!(minute.trials_per_job(1_000_000, 2, batch(1)), 1);
        // Trials that should stay together do, unless that takes long or leaves a slot idle.
        assert_eq!(millisecond.trials_per_job(100, 2, batch(64)), 64);
        assert_eq!(millisecond.trials_per_job(66, 2, batch(64)), 32);
        assert_eq!(unknown.trials_per_job(1_000_000, 2, batch(512)), PROBE_TRIALS);
        assert_eq!(minute.trials_per_job(1_000_000, 2, batch(512)), 1);
        assert_eq!(unknown.jobs_ahead(2, 1, 1), 8);
        assert_eq!((unknown.jobs_ahead(2, 64, 8), millisecond.jobs_ahead(2, 64, 8)), (2, 4));
        // Jobs of a second, of five milliseconds, of one, and of no time at all.
        assert_eq!([1024, 5, 1].map(|n| millisecond.jobs_ahead(2, 1, n)), [8, 8, 40]);
        assert_eq!(unknown.observe(cost(1, 0, 1)).jobs_ahead(2, 1, 1), 256);
        let chatty = unknown.observe(cost(1, 1, 100_000));
        assert_eq!(chatty.trials_per_job(1_000_000, 2, batch(1)), 2);
        let n_part_bytes = 4 * PART_BYTES_PER_JOB as u64;
        let writers = unknown.observe(ResultCost { n_part_bytes, ..cost(16, 1, 1) });
        assert_eq!(writers.trials_per_job(1_000_000, 2, batch(1)), 4);
    }

    #[test]
    fn a_person_can_say_how_large_jobs_are_at_most() {
        for (most, before, after) in [(1, 1, 1), (5, PROBE_TRIALS, 4), (100, PROBE_TRIALS, 64)] {
            let unknown = JobSizer::new(NonZeroU64::new(most));
            assert_eq!(unknown.trials_per_job(1_000_000, 2, batch(1)), before);
            let millisecond = unknown.observe(cost(10, 10_000_000, 100));
            assert_eq!(millisecond.trials_per_job(1_000_000, 2, batch(1)), after);
            assert_eq!(
                millisecond.trials_per_job(1_000_000, 2, batch(512)),
                after,
                "together or not"
            );
        }
    }
}
