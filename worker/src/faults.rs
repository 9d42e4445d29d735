//! Results that are wrong on purpose, to test those who check them.

use fastrand::Rng;
use hatchery_proto::v1::Job;

use crate::config::FaultMode;

/// Decides which jobs are lied about.
#[derive(Debug)]
pub(crate) struct FaultInjector {
    fault: Option<FaultMode>,
    n_jobs: u64,
}

impl FaultInjector {
    pub(crate) fn new(fault: Option<FaultMode>) -> Self {
        Self { fault, n_jobs: 0 }
    }

    /// `job`, or one with another seed, whose result looks as good, or one that fails.
    pub(crate) fn inject(&mut self, mut job: Job, rng: &mut Rng) -> Job {
        let chosen = match self.fault {
            None => false,
            Some(FaultMode::CorruptAll) => true,
            Some(FaultMode::FailAll) => {
                // No message begins like that.
                job.segments.iter_mut().for_each(|segment| segment.subject = vec![0xff]);
                false
            }
            Some(FaultMode::CorruptAfter(n)) => n <= self.n_jobs,
            Some(FaultMode::CorruptShare(ppm)) => rng.u64(..1_000_000) < ppm.into(),
        };
        self.n_jobs += 1;
        if chosen {
            job.seed = !job.seed;
        }
        job
    }
}
