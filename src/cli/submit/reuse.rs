//! Runs of a farm that are done already, in place of the same run again.

use hatchery_proto::v1::{ListOrder, ListRunsRequest, RunStatus, State};

use crate::cli::loaded_spec::LoadedSpec;
use crate::client::{CoordinatorClient, FailoverPolicy, FarmClient};
use crate::error::CommandError;
use crate::report::{self, StoredRun};

/// The number of runs on a page of the list that is searched.
const PAGE: u32 = 1000;

/// The runs of an experiment that are done, the latest first.
pub(super) struct FinishedRuns(Vec<FinishedRun>);

struct FinishedRun {
    status: RunStatus,
    params: CachedParams,
}

/// The canonical parameters of a run, which is read once.
#[derive(PartialEq)]
enum CachedParams {
    Unread,
    /// The run lacks trials, so that it has another result.
    Incomplete,
    Known(String),
}

impl FinishedRuns {
    /// Lists the runs of `experiment` that are done.
    ///
    /// # Errors
    /// If no coordinator answers.
    pub(super) async fn list(
        farm: &mut FarmClient,
        experiment: &str,
    ) -> Result<Self, CommandError> {
        let mut request = ListRunsRequest {
            most: PAGE,
            order: ListOrder::LatestFirst.into(),
            states: vec![State::Done.into()],
            experiment: experiment.to_owned(),
            ..ListRunsRequest::default()
        };
        let mut runs = Vec::new();
        loop {
            let act = async |mut client: CoordinatorClient| client.list_runs(request.clone()).await;
            let page = farm.call(act).await?;
            runs.extend(
                page.runs
                    .into_iter()
                    .map(|status| FinishedRun { status, params: CachedParams::Unread }),
            );
            request.after = page.next;
            if request.after.is_empty() {
                return Ok(Self(runs));
            }
        }
    }

    /// Returns the id of the latest run of the same spec and version.
    ///
    /// # Errors
    /// If no coordinator answers, or a run cannot be read.
    pub(super) async fn find(
        &mut self,
        farm: &mut FarmClient,
        failover: FailoverPolicy,
        spec: &LoadedSpec,
    ) -> Result<Option<String>, CommandError> {
        let wanted = CachedParams::Known(spec.procedure.canonical_params());
        for FinishedRun { status, params: known } in &mut self.0 {
            if status.version != spec.experiment.version() || status.seed != spec.head.seed {
                continue;
            }
            if *known == CachedParams::Unread {
                let export = farm.export(failover, &status.run).await?;
                let stored =
                    StoredRun::exported(&export, async |run, hash| farm.part(run, hash).await)
                        .await?;
                *known = match report::document(&stored)?.is_complete() {
                    true => CachedParams::Known(stored.record.params),
                    false => CachedParams::Incomplete,
                };
            }
            if *known == wanted {
                return Ok(Some(status.run.clone()));
            }
        }
        Ok(None)
    }
}
