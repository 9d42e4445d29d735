//! Ids of new runs.

use std::time::Duration;

use hatchery_store::RunId;
use hatchery_store::operation::FindLastRun;
use tonic::Status;

use crate::control::refusal;
use crate::coordinator::Coordinator;

/// The longest time that the last run may be ahead of this clock before the log says so. An older
/// run is usual: nobody has submitted anything since.
const LOGGED_CLOCK_DIFFERENCE: Duration = Duration::from_secs(300);

/// Returns an id above all runs of the store: the order of ids is the order of submission, whatever
/// the clocks of coordinators say.
pub(super) async fn new_id(coordinator: &Coordinator) -> Result<RunId, Status> {
    let last = coordinator.views().control().execute(FindLastRun).await.map_err(refusal::store)?;
    let now_unix_ms = coordinator.unix_ms();
    let ahead_ms = last.map_or(0, |last| last.0.timestamp_ms().saturating_sub(now_unix_ms));
    if LOGGED_CLOCK_DIFFERENCE < Duration::from_millis(ahead_ms) {
        let ahead_s = ahead_ms / 1000;
        tracing::warn!(ahead_s, "the last run is from the future: set the clocks of coordinators");
    }
    Ok(RunId::above(last, now_unix_ms))
}
