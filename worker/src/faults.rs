//! Results that are wrong on purpose, to test those who check them.

use hatchery_proto::v1::Job;

use crate::config::Lie;
use crate::rng::Entropy;

/// Decides which jobs are lied about.
#[derive(Debug)]
pub(crate) struct Liar {
    lie: Option<Lie>,
    n_jobs: u64,
}

impl Liar {
    pub(crate) fn new(lie: Option<Lie>) -> Self {
        Self { lie, n_jobs: 0 }
    }

    /// `job`, or one with another seed, whose result looks as good, or one that fails.
    pub(crate) fn twist(&mut self, mut job: Job, entropy: &mut Entropy) -> Job {
        let chosen = match self.lie {
            None => false,
            Some(Lie::Always) => true,
            Some(Lie::Fail) => {
                // No message begins like that.
                job.segments.iter_mut().for_each(|segment| segment.subject = vec![0xff]);
                false
            }
            Some(Lie::After(n)) => n <= self.n_jobs,
            Some(Lie::Share(ppm)) => entropy.below(1_000_000) < ppm.into(),
        };
        self.n_jobs += 1;
        if chosen {
            job.seed = !job.seed;
        }
        job
    }
}
