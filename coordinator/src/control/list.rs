//! Lists runs by pages.

use hatchery_meters::labels;
use hatchery_proto::v1::{ListOrder, ListRunsRequest, ListRunsResponse, RunStatus, State};
use hatchery_store::operation::{ListRuns, ReadGenerations};
use hatchery_store::{RunId, StoreError};
use prost::Message as _;
use tonic::Status;

use super::status::{self, StoredRun};
use super::{refusal, request};
use crate::coordinator::Coordinator;
use crate::run::record::{GenerationRecord, RunRecord};
use crate::supervisor::{RunFilter, state_label};

/// The most bytes of measures on a page: a client accepts 16 MiB in all.
const MAX_MEASURES_BYTES: usize = 8 << 20;

/// Returns the page of runs that `request` asks for.
pub(super) async fn list(
    coordinator: &Coordinator,
    request: &ListRunsRequest,
) -> Result<ListRunsResponse, Status> {
    let most = request::most_runs(request.most)?;
    let after = match request.after.as_str() {
        "" => None,
        cursor => Some(request::run_id(cursor)?),
    };
    let filter = filter(request)?;
    let mut all = coordinator.views().control().execute(ListRuns).await.map_err(refusal::store)?;
    let order = request.order();
    if order != ListOrder::OldestFirst {
        all.reverse();
    }
    let follows = |run: &RunId| match (after, order) {
        (None, _) => true,
        (Some(after), ListOrder::OldestFirst) => after < *run,
        (Some(after), ListOrder::Unspecified | ListOrder::LatestFirst) => *run < after,
    };
    let candidates = coordinator.run_index().candidates(all.into_iter().filter(follows), &filter);
    let (found, mut next) = page(coordinator, &candidates, &filter, most).await?;
    let mut runs: Vec<_> = found.iter().map(|run| status::brief(run.status(coordinator))).collect();
    if request.with_measures {
        let n_listed = add_measures(coordinator, &found, &mut runs).await?;
        if n_listed < runs.len() {
            runs.truncate(n_listed);
            next = found[..n_listed].last().map(|run| run.run);
        }
    }
    if order == ListOrder::Unspecified {
        runs.reverse();
    }
    Ok(ListRunsResponse { runs, next: next.map(|run| run.to_string()).unwrap_or_default() })
}

/// Reads the first `most` of `candidates` that fulfill `filter`; returns them with the cursor of
/// the next page.
async fn page(
    coordinator: &Coordinator,
    mut candidates: &[RunId],
    filter: &RunFilter,
    most: usize,
) -> Result<(Vec<StoredRun>, Option<RunId>), Status> {
    let mut found = Vec::new();
    while found.len() < most && !candidates.is_empty() {
        let (now, later) = candidates.split_at(candidates.len().min(most - found.len()));
        candidates = later;
        for run in StoredRun::read(coordinator, now).await.map_err(refusal::store)? {
            let unreadable = RunRecord::default();
            let record = run.summary.record.as_ref().unwrap_or(&unreadable);
            coordinator.run_index().set_origin(run.run, record);
            if filter.matches(run.run, state_label(&run.overview.position.state), record) {
                found.push(run);
            }
        }
    }
    let last = found.last().map(|run| run.run);
    Ok((found, last.filter(|_| !candidates.is_empty())))
}

/// Adds all measures to the statuses of `found`. Returns the number of leading runs that together
/// stay below the limit, at least one.
async fn add_measures(
    coordinator: &Coordinator,
    found: &[StoredRun],
    runs: &mut [RunStatus],
) -> Result<usize, Status> {
    let (store, mut n_bytes) = (coordinator.views().control(), 0);
    for (at, (run, status)) in found.iter().zip(runs.iter_mut()).enumerate() {
        let Some(from) = run.summary.n_folded.checked_sub(1) else { continue };
        let records = match store.execute(ReadGenerations { run: run.run, from }).await {
            Ok(records) => records,
            // The run was deleted meanwhile.
            Err(StoreError::NoRun { .. }) => continue,
            Err(error) => return Err(refusal::store(error)),
        };
        let record = records.last().map(|bytes| GenerationRecord::decode(bytes.as_slice()));
        let measures = record.and_then(Result::ok).unwrap_or_default().measures;
        n_bytes += measures.len();
        if MAX_MEASURES_BYTES < n_bytes && at != 0 {
            return Ok(at);
        }
        status.measures_json = measures;
    }
    Ok(found.len())
}

fn filter(request: &ListRunsRequest) -> Result<RunFilter, Status> {
    let state = |state| match state {
        State::Active => Ok(labels::RunState::Active),
        State::Paused => Ok(labels::RunState::Paused),
        State::Done => Ok(labels::RunState::Done),
        State::Failed => Ok(labels::RunState::Failed),
        State::Cancelled => Ok(labels::RunState::Cancelled),
        State::Unspecified => Err(refusal::invalid(
            "unknown state: must be active, paused, done, failed or cancelled",
        )),
    };
    Ok(RunFilter {
        states: request.states().map(state).collect::<Result<_, _>>()?,
        user: request.user.clone(),
        experiment: request.experiment.clone(),
        since_unix_ms: request.since_unix_ms,
        sweep: request.sweep.clone(),
    })
}
