//! The order in which sessions get the jobs of a run: made once for many jobs, so that a job does
//! not cost a look at each of thousands of workers.

use std::collections::{BTreeMap, BinaryHeap};

use hatchery_core::SeriesClass;
use hatchery_store::{JobKey, SessionId};

use super::eligibility::{SessionRank, WorkerEligibility};
use super::runs::DispatchedRun;

/// The sessions that may get jobs of a run, the best first. It is good for as long as jobs are only
/// assigned: then the rank of a session can fall but not rise, and is taken again before it counts.
#[derive(Debug, Default)]
pub(super) struct SessionRanking {
    /// The ranks for jobs without an answer, by class, from the first such job on.
    first: BTreeMap<SeriesClass, BinaryHeap<SessionRank>>,
    /// The ranks for second opinions.
    second: BTreeMap<SeriesClass, BinaryHeap<SessionRank>>,
}

impl SessionRanking {
    /// Returns the session that should get the job, as [`WorkerEligibility::best_session`] does.
    pub(super) fn best(
        &mut self,
        eligibility: WorkerEligibility<'_>,
        run: &DispatchedRun,
        key: JobKey,
    ) -> Option<SessionId> {
        if eligibility.health.has_failures(key) {
            return eligibility.best_session(run, key);
        }
        let job = run.jobs.get(&key.job)?;
        let is_second = eligibility.audits.is_answered(key);
        let ranks = if is_second { &mut self.second } else { &mut self.first };
        let class = job.class;
        let ranked = || eligibility.ranks(run, class, is_second).collect();
        let ranks = ranks.entry(class).or_insert_with(ranked);
        let (mut passed, mut best) = (Vec::new(), None);
        while best.is_none()
            && let Some(known) = ranks.pop()
        {
            let session = eligibility.sessions.get(known.id);
            match session.and_then(|session| eligibility.rank(run, session, class, is_second)) {
                Some(rank) if rank == known => {
                    let suits = |session| eligibility.suits(&run.open, key, job, session);
                    best = session.is_some_and(suits).then_some(rank.id);
                    passed.push(rank);
                }
                fallen => ranks.extend(fallen),
            }
        }
        ranks.extend(passed);
        #[cfg(test)]
        assert_eq!(best, eligibility.best_session(run, key), "a rank has risen");
        best
    }
}
