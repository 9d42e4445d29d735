//! All that can be read of a store.

use super::model::{Model, Run};
use crate::store::{JobResult, Position, RunId, Store, StoreError};

/// All that can be read of a store without changing it, but for blobs: the runs, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View(pub Vec<(RunId, RunView)>);

/// All that can be read of a run without changing it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunView {
    /// The record.
    pub record: Vec<u8>,
    /// Where it stands.
    pub position: Position,
    /// The checkpoint.
    pub checkpoint: Vec<u8>,
    /// The results from `folded` on.
    pub results: Vec<JobResult>,
    /// The records of all folded generations.
    pub generations: Vec<Vec<u8>>,
    /// All events.
    pub events: Vec<Vec<u8>>,
}

impl View {
    /// What `store` shows.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn of(store: &dyn Store) -> Result<Self, StoreError> {
        let mut runs = Vec::new();
        for run in store.runs().await? {
            let position = store.position(run).await?;
            let view = RunView {
                record: store.record(run).await?,
                checkpoint: store.checkpoint(run).await?,
                results: store.results(run, position.folded, usize::MAX).await?,
                generations: store.generations(run, 0).await?,
                events: store.events(run, 0).await?,
                position,
            };
            runs.push((run, view));
        }
        Ok(Self(runs))
    }

    /// What a store has to show.
    #[must_use]
    pub fn of_model(model: &Model) -> Self {
        let view = |run: &Run| RunView {
            record: run.record.clone(),
            position: run.position.clone(),
            checkpoint: run.checkpoint.clone(),
            results: run.results(run.position.folded),
            generations: run.generations.clone(),
            events: run.events.clone(),
        };
        Self(model.runs.iter().map(|(id, run)| (*id, view(run))).collect())
    }
}
