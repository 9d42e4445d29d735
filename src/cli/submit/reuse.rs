//! Runs of a farm that are done already, in place of the same run again.

use hatchery_proto::v1::{ListOrder, ListRunsRequest, State};

use crate::cli::loaded_spec::LoadedSpec;
use crate::client::{CoordinatorClient, FailoverPolicy, FarmClient};
use crate::error::CommandError;
use crate::report::{self, StoredRun};

/// The number of runs on a page of the list that is searched.
const PAGE: u32 = 1000;

/// Returns the id of the latest run of the same spec and version that is done. A run that lacks
/// trials has another result.
///
/// # Errors
/// If no coordinator answers, or a run cannot be read.
pub(super) async fn find(
    farm: &mut FarmClient,
    failover: FailoverPolicy,
    spec: &LoadedSpec,
) -> Result<Option<String>, CommandError> {
    let mut request = ListRunsRequest {
        most: PAGE,
        order: ListOrder::LatestFirst.into(),
        states: vec![State::Done.into()],
        experiment: spec.head.experiment.clone(),
        ..ListRunsRequest::default()
    };
    let params = spec.procedure.canonical_params();
    loop {
        let act = async |mut client: CoordinatorClient| client.list_runs(request.clone()).await;
        let page = farm.call(act).await?;
        let alike = page
            .runs
            .into_iter()
            .filter(|run| run.version == spec.experiment.version() && run.seed == spec.head.seed);
        for run in alike {
            let stored = StoredRun::exported(&farm.export(failover, &run.run).await?)?;
            if stored.record.params == params && report::document(&stored)?.is_complete() {
                return Ok(Some(run.run));
            }
        }
        request.after = page.next;
        if request.after.is_empty() {
            return Ok(None);
        }
    }
}
