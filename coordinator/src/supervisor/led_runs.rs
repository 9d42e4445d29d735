//! The runs that this coordinator leads, with the progress that their leaders report.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hatchery_store::RunId;
use tokio::sync::watch;

use crate::run::record::{AnnouncedLead, LiveProgress};

type ProgressTable = BTreeMap<RunId, watch::Receiver<LiveProgress>>;

/// The runs that this coordinator leads. Clones are handles to the same table.
#[derive(Clone, Debug, Default)]
pub(crate) struct LedRuns(Arc<Mutex<ProgressTable>>);

impl LedRuns {
    pub(super) fn insert(&self, run: RunId, progress: watch::Receiver<LiveProgress>) {
        self.table().insert(run, progress);
    }

    pub(super) fn remove(&self, run: RunId) {
        self.table().remove(&run);
    }

    pub(super) fn contains(&self, run: RunId) -> bool {
        self.table().contains_key(&run)
    }

    pub(super) fn len(&self) -> usize {
        self.table().len()
    }

    pub(super) fn runs(&self) -> Vec<RunId> {
        self.table().keys().copied().collect()
    }

    /// Returns the progress of a run; `None` if this coordinator does not lead the run.
    pub(crate) fn progress(&self, run: RunId) -> Option<LiveProgress> {
        self.table().get(&run).map(|progress| *progress.borrow())
    }

    /// Returns the leads as this coordinator announces them.
    pub(super) fn announcement(&self) -> Vec<AnnouncedLead> {
        let announced = |(run, progress): (&RunId, &watch::Receiver<LiveProgress>)| AnnouncedLead {
            run: run.to_bytes().to_vec(),
            progress: Some(*progress.borrow()),
        };
        self.table().iter().map(announced).collect()
    }

    fn table(&self) -> MutexGuard<'_, ProgressTable> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
