//! The facts that filter lists of runs. With them, a page of a list needs no look at the runs that
//! are not on the page.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hatchery_meters::labels;
use hatchery_store::RunId;

use crate::run::record::RunRecord;
use crate::run::scheduling::RunScheduling;

/// The condition that the runs of a list fulfill.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RunFilter {
    /// Their states; empty for all.
    pub(crate) states: Vec<labels::RunState>,
    /// Their user; empty for any.
    pub(crate) user: String,
    /// Their experiment; empty for any.
    pub(crate) experiment: String,
    /// The earliest time of creation, in milliseconds since 1970.
    pub(crate) since_unix_ms: u64,
    /// The sweep that the runs belong to; empty for all runs.
    pub(crate) sweep: String,
}

/// The facts about a run, as far as they are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct IndexedRun {
    state: Option<labels::RunState>,
    origin: Option<RunOrigin>,
}

/// The facts that never change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct RunOrigin {
    user: String,
    experiment: String,
    /// The sweep of a run with a name like `SWEEP/POINT`; empty if the run belongs to no sweep.
    sweep: String,
}

impl From<&RunRecord> for RunOrigin {
    fn from(record: &RunRecord) -> Self {
        let sweep = record.name.split_once('/').map(|(sweep, _)| sweep).unwrap_or_default();
        Self {
            user: RunScheduling::from(record).user.to_string(),
            experiment: record.experiment.clone(),
            sweep: sweep.to_owned(),
        }
    }
}

/// The facts about all known runs. Clones are handles to the same table.
///
/// The states are the states that were last noticed. Notifications bring new states, usually within
/// milliseconds.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunIndex(Arc<Mutex<BTreeMap<RunId, IndexedRun>>>);

impl RunFilter {
    /// Returns whether `run` with this state and record is wanted.
    pub(crate) fn matches(&self, run: RunId, state: labels::RunState, record: &RunRecord) -> bool {
        self.since_unix_ms <= record.created_at(run)
            && self.fits_state(state)
            && self.fits_origin(&RunOrigin::from(record))
    }

    fn fits_state(&self, state: labels::RunState) -> bool {
        self.states.is_empty() || self.states.contains(&state)
    }

    fn fits_origin(&self, RunOrigin { user, experiment, sweep }: &RunOrigin) -> bool {
        let fits = |wanted: &str, found: &str| wanted.is_empty() || wanted == found;
        fits(&self.user, user) && fits(&self.experiment, experiment) && fits(&self.sweep, sweep)
    }
}

impl RunIndex {
    pub(super) fn set_state(&self, run: RunId, state: labels::RunState) {
        self.table().entry(run).or_default().state = Some(state);
    }

    /// Records the facts about a run that never change.
    pub(crate) fn set_origin(&self, run: RunId, record: &RunRecord) {
        self.table().entry(run).or_default().origin.get_or_insert_with(|| record.into());
    }

    pub(super) fn remove(&self, run: RunId) {
        self.table().remove(&run);
    }

    /// Returns the runs in `runs` that may fulfill `filter`: no known fact about these runs
    /// contradicts it.
    pub(crate) fn candidates(
        &self,
        runs: impl Iterator<Item = RunId>,
        filter: &RunFilter,
    ) -> Vec<RunId> {
        let table = self.table();
        let may_match = |run: &RunId| {
            let known = table.get(run);
            // A run with inputs has its id since its first input, so it may be missed.
            filter.since_unix_ms <= run.0.timestamp_ms()
                && known.and_then(|run| run.state).is_none_or(|state| filter.fits_state(state))
                && known.and_then(|run| run.origin.as_ref()).is_none_or(|it| filter.fits_origin(it))
        };
        runs.filter(may_match).collect()
    }

    fn table(&self) -> MutexGuard<'_, BTreeMap<RunId, IndexedRun>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use ulid::Ulid;

    use super::*;

    #[test]
    fn runs_are_candidates_unless_something_contradicts_the_filter() {
        let index = RunIndex::default();
        let runs = [1, 2, 3, 4].map(|n| RunId(Ulid::from_parts(1000 * n, 0)));
        let of = |user: &str| RunRecord { user: user.to_owned(), ..RunRecord::default() };
        index.set_origin(runs[0], &of("ada"));
        index.set_origin(runs[1], &of("bob"));
        index.set_origin(runs[2], &of("ada"));
        index.set_state(runs[0], labels::RunState::Done);
        index.set_state(runs[2], labels::RunState::Active);
        let found = |filter: &RunFilter| index.candidates(runs.iter().copied(), filter);
        let ada = RunFilter { user: "ada".to_owned(), ..RunFilter::default() };
        assert_eq!(found(&ada), [runs[0], runs[2], runs[3]]);
        let active = RunFilter { states: vec![labels::RunState::Active], ..ada };
        assert_eq!(found(&active), [runs[2], runs[3]]);
        let late = RunFilter { since_unix_ms: 3000, ..RunFilter::default() };
        assert_eq!(found(&late), [runs[2], runs[3]]);
        assert!(active.matches(runs[0], labels::RunState::Active, &of("ada")));
        assert!(!active.matches(runs[0], labels::RunState::Active, &of("bob")));
        assert!(!active.matches(runs[0], labels::RunState::Done, &of("ada")));
        let early = RunRecord { created_unix_ms: 2999, ..of("ada") };
        assert!(late.matches(runs[2], labels::RunState::Done, &of("ada")));
        assert!(!late.matches(runs[2], labels::RunState::Done, &early), "its id is later");
    }

    #[test]
    fn runs_of_a_sweep_are_named_after_it() {
        let swept = RunFilter { sweep: "s".to_owned(), ..RunFilter::default() };
        for (name, matches) in [("s/seed=1", true), ("s/1/2", true), ("s", false), ("st/1", false)]
        {
            let record = RunRecord { name: name.to_owned(), ..RunRecord::default() };
            let run = RunId(Ulid(1));
            assert_eq!(swept.matches(run, labels::RunState::Done, &record), matches, "{name}");
        }
    }
}
