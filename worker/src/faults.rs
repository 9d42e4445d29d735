//! Results that are wrong and trials that are slow on purpose, to test the coordinators' checks.

use std::time::Duration;

use fastrand::Rng;
use hatchery_proto::v1::{Job, Segment};

use crate::config::FaultMode;

/// Chooses the jobs whose results are to be wrong.
#[derive(Debug)]
pub(crate) struct FaultInjector {
    mode: Option<FaultMode>,
    n_jobs: u64,
}

impl FaultInjector {
    pub(crate) fn new(mode: Option<FaultMode>) -> Self {
        Self { mode, n_jobs: 0 }
    }

    /// Returns `job`, or a job that fails, or a job with a random seed, whose result looks as good.
    pub(crate) fn inject(&mut self, mut job: Job, rng: &mut Rng) -> Job {
        let is_corrupt = match self.mode {
            None => false,
            Some(FaultMode::CorruptAll) => true,
            Some(FaultMode::FailAll) => {
                // No message begins with this byte.
                job.segments.iter_mut().for_each(|segment| segment.subject = vec![0xff]);
                false
            }
            Some(FaultMode::MalformAll) => {
                // One tally too many, for as many trials: a job with more than the largest number
                // would fail instead.
                if let Some(first) = job.segments.first_mut() {
                    let more = Segment { n_trials: 1, ..first.clone() };
                    first.n_trials = first.n_trials.saturating_sub(1).max(1);
                    job.segments.push(more);
                }
                false
            }
            Some(FaultMode::CorruptAfter(n)) => n <= self.n_jobs,
            Some(FaultMode::CorruptShare(ppm)) => rng.u32(..1_000_000) < ppm,
        };
        self.n_jobs += 1;
        if is_corrupt {
            // Each lie is another, so that liars do not agree.
            job.seed ^= rng.u64(1..);
        }
        job
    }
}

/// Waits until trials have taken `factor` times as long as they computed, and returns that time.
pub(crate) fn slow_down(cpu_ns: u64, factor: u32) -> u64 {
    let slow_ns = cpu_ns.saturating_mul(factor.into());
    std::thread::sleep(Duration::from_nanos(slow_ns - cpu_ns));
    slow_ns
}
