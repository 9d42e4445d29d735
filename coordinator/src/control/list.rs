//! Lists runs by pages.

use hatchery_meters::labels;
use hatchery_proto::v1::{ListOrder, ListRunsRequest, ListRunsResponse, State};
use hatchery_store::RunId;
use hatchery_store::operation::ListRuns;
use tonic::Status;

use super::status::{self, StoredRun};
use super::{refusal, request};
use crate::coordinator::Coordinator;
use crate::record::RunRecord;
use crate::supervisor::{RunFilter, state_label};

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
    let (runs, next) = page(coordinator, &candidates, &filter, most).await?;
    let mut runs: Vec<_> = runs.iter().map(|run| status::brief(run.status(coordinator))).collect();
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
            if filter.matches(state_label(&run.overview.position.state), record) {
                found.push(run);
            }
        }
    }
    let last = found.last().map(|run| run.run);
    Ok((found, last.filter(|_| !candidates.is_empty())))
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
