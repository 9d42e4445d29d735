//! Whom a coordinator has, and what they do: told to other coordinators, and through them to people.

use std::time::Duration;

use hatchery_proto::v1;
use tokio::time::Instant;

use super::desk::Desk;
use super::effect::{Crew, Errand};
use crate::record::AnnouncedRun;

/// How often it is counted what workers and runs have.
const COUNT_EVERY: Duration = Duration::from_secs(1);

/// The most runs of which others are told what they have: it is for people.
const MAX_COUNTED_RUNS: usize = 1000;

impl Desk {
    /// Says at once who is here, if that has changed, and now and then what they do.
    pub(super) fn announce(&mut self, now: Instant, errands: &mut Vec<Errand>) {
        let workers = self.sessions.announcement();
        if workers != self.announced {
            self.announced = workers;
            errands.push(Errand::Announce(self.crew()));
        } else if self.counted.is_none_or(|at| COUNT_EVERY <= now - at) {
            self.counted = Some(now);
            errands.push(Errand::Count(self.crew()));
        }
    }

    fn crew(&self) -> Crew {
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let runs = self.runs.iter().take(MAX_COUNTED_RUNS).map(|(id, run)| AnnouncedRun {
            run: id.0.0.to_be_bytes().to_vec(),
            user: run.open.scheduling.user.to_string(),
            priority: v1::Priority::from(run.open.scheduling.priority).into(),
            at_workers: count(run.n_copies),
            waiting: count(run.idle.len()),
        });
        Crew { workers: self.sessions.counted(), runs: runs.collect() }
    }
}
