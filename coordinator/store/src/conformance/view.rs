//! Everything that can be read from a store.

use super::model::{Model, Run};
use crate::operation::{
    ListQuarantined, ListRuns, ReadCheckpoint, ReadDeadJobs, ReadEvents, ReadGenerations, ReadJobs,
    ReadOverviews, ReadPosition, ReadRecord, ReadResults,
};
use crate::{
    DeadJobRecord, JobId, ResultPage, RunId, RunOverview, RunPosition, Store, StoreError, WorkerId,
};

/// Everything that can be read from a store without changing it, except parts, claims and
/// announcements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// The runs, in order.
    pub runs: Vec<(RunId, RunView)>,
    /// The quarantined workers, in order.
    pub quarantined: Vec<(WorkerId, String)>,
}

/// Everything that can be read of a run without changing it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunView {
    /// The record.
    pub record: Vec<u8>,
    /// The position of the run.
    pub position: RunPosition,
    /// The checkpoint.
    pub checkpoint: Vec<u8>,
    /// The jobs, from one below `folded` to one above the cursor.
    pub jobs: Vec<Option<Vec<u8>>>,
    /// The results from `folded` on, and the counts of jobs.
    pub page: ResultPage,
    /// The dead jobs.
    pub parked: Vec<DeadJobRecord>,
    /// The records of the folded generations.
    pub generations: Vec<Vec<u8>>,
    /// All events.
    pub events: Vec<Vec<u8>>,
    /// The overview, without its claim.
    pub overview: Option<RunOverview>,
}

impl View {
    /// Returns everything that `store` shows.
    ///
    /// # Errors
    /// The errors of the store.
    pub async fn of(store: &Store) -> Result<Self, StoreError> {
        let mut runs = Vec::new();
        for run in store.execute(ListRuns).await? {
            let position = store.execute(ReadPosition { run }).await?;
            let view = RunView {
                record: store.execute(ReadRecord { run }).await?,
                checkpoint: store.execute(ReadCheckpoint { run }).await?,
                jobs: store.execute(ReadJobs { run, jobs: around(&position) }).await?,
                page: store
                    .execute(ReadResults { run, from: position.folded, most: usize::MAX })
                    .await?,
                parked: store.execute(ReadDeadJobs { run, from: 0, most: usize::MAX }).await?,
                generations: store.execute(ReadGenerations { run, from: 0 }).await?,
                events: store.execute(ReadEvents { run, from: 0 }).await?,
                overview: overview(store, run).await?,
                position,
            };
            runs.push((run, view));
        }
        Ok(Self { runs, quarantined: store.execute(ListQuarantined).await? })
    }

    /// Returns everything that a store has to show.
    #[must_use]
    pub fn of_model(model: &Model) -> Self {
        let view = |run: &Run| RunView {
            record: run.record.clone(),
            position: run.position.clone(),
            checkpoint: run.checkpoint.clone(),
            jobs: run.bytes_of(&around(&run.position)),
            page: run.page(run.position.folded, usize::MAX),
            parked: run.parked(0, usize::MAX),
            generations: run.generations.clone(),
            events: run.events.clone(),
            overview: Some(run.overview(None)),
        };
        let out = model.quarantined.iter().map(|(worker, reason)| (*worker, reason.clone()));
        Self {
            runs: model.runs.iter().map(|(id, run)| (*id, view(run))).collect(),
            quarantined: out.collect(),
        }
    }
}

/// Returns the overview of `run`, without its claim.
async fn overview(store: &Store, run: RunId) -> Result<Option<RunOverview>, StoreError> {
    let overview =
        store.execute(ReadOverviews { runs: vec![run] }).await?.into_iter().next().flatten();
    Ok(overview.map(|overview| RunOverview { claim: None, ..overview }))
}

/// Returns the jobs of the generation, and one more on both sides.
fn around(position: &RunPosition) -> Vec<JobId> {
    let &RunPosition { generation, cursor, folded, .. } = position;
    (folded.saturating_sub(1)..=cursor).map(|index| JobId { generation, index }).collect()
}
