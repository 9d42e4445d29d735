//! Opens runs: finds the experiment and parameters that a stored record names.

pub(crate) mod submission;
pub(crate) mod summaries;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hatchery_core::erased::{AnyPlan, ConfiguredExperiment, ExperimentError, stored_files};
use hatchery_core::{AnyExperiment, Catalog, Part};
use hatchery_store::operation::{AllowedIn, FindParts, LocatePart, ReadPart, ReadRecord};
use hatchery_store::parts::read_all;
use hatchery_store::{RunId, StoreError, StoreView};
use prost::Message;
use prost::bytes::Bytes;

use crate::base::context::CoordinatorContext;
use crate::dispatch::{KnownJobs, OpenRun};
use crate::run::record::RunRecord;

/// The default time without progress after which a job counts as hanging: longer than any sensible
/// trial takes.
const STALL: Duration = Duration::from_secs(30 * 60);

/// A run's record with the experiment and parameters that it names.
#[derive(Clone)]
pub(crate) struct OpenedRun {
    pub(crate) run: RunId,
    pub(crate) record: RunRecord,
    pub(crate) experiment: &'static dyn AnyExperiment,
    pub(crate) procedure: Arc<dyn ConfiguredExperiment>,
    /// The first state and plan, if the run was just created here and its state is small.
    pub(crate) first: Option<FirstGeneration>,
}

/// The beginning of a run that was just created. Its leader needs neither to read the state nor to
/// wait for the plan.
#[derive(Clone, Debug)]
pub(crate) struct FirstGeneration {
    /// The state before generation 0.
    pub(crate) state: Bytes,
    /// The plan of generation 0; `None` if planning failed: the leader then plans again and reports
    /// why.
    pub(crate) plan: Option<AnyPlan>,
}

/// Plans the generation that starts from `state`.
///
/// # Errors
/// If the state is malformed, or the plan is empty or names parts that the state does not name.
pub(crate) fn plan_generation(
    procedure: &dyn ConfiguredExperiment,
    state: &[u8],
) -> Result<AnyPlan, ExperimentError> {
    let named: BTreeSet<Part> = procedure.parts(state)?.into_iter().collect();
    let plan = procedure.plan(state)?;
    plan.check_inputs(|part| named.contains(part))?;
    Ok(plan)
}

impl fmt::Debug for OpenedRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenedRun").field("record", &self.record).finish_non_exhaustive()
    }
}

/// The reason why this build cannot work on a run.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The store failed.
    #[error("the run's record cannot be read")]
    Store(#[source] StoreError),
    /// The record cannot be decoded.
    #[error("the stored record is not readable")]
    Record(#[source] prost::DecodeError),
    /// The experiment is not in this build.
    #[error("this build has no experiment {experiment:?}")]
    UnknownExperiment {
        /// Its name.
        experiment: String,
    },
    /// The experiment has another version in this build.
    #[error(
        "the run was begun with version {found} of {experiment}, but this build has version \
         {expected}: resume it with the build that began it, or submit it again"
    )]
    OtherVersion {
        /// The experiment's name.
        experiment: String,
        /// The run's version.
        found: u32,
        /// This build's version.
        expected: u32,
    },
    /// The parameters cannot be decoded.
    #[error("the stored parameters are not readable")]
    Params(#[source] ExperimentError),
}

impl OpenError {
    /// Returns whether the run's record is damaged.
    pub(crate) fn is_unreadable(&self) -> bool {
        matches!(self, Self::Record(_))
    }
}

impl OpenedRun {
    /// Reads the record of `run`, and finds the experiment and parameters that it names.
    ///
    /// # Errors
    /// If the record cannot be read, or names an experiment or version that this build lacks.
    pub(crate) async fn open(context: &CoordinatorContext, run: RunId) -> Result<Self, OpenError> {
        let record = context
            .store
            .supervisor()
            .execute(ReadRecord { run })
            .await
            .map_err(OpenError::Store)?;
        let record = RunRecord::decode(record.as_slice()).map_err(OpenError::Record)?;
        Self::find(context.store.supervisor(), context.catalog, run, record).await
    }

    /// Finds the experiment and parameters that the record of `run` names. Files that the
    /// parameters name are read from `store`.
    ///
    /// # Errors
    /// If it names an experiment or version that this build lacks, or a file cannot be read.
    pub(crate) async fn find<View>(
        store: StoreView<'_, View>,
        catalog: Catalog,
        run: RunId,
        record: RunRecord,
    ) -> Result<Self, OpenError>
    where
        FindParts: AllowedIn<View>,
        ReadPart: AllowedIn<View>,
        LocatePart: AllowedIn<View>,
    {
        let name = record.experiment.clone();
        let Some(experiment) = catalog.find(&name) else {
            return Err(OpenError::UnknownExperiment { experiment: name });
        };
        let (found, expected) = (record.version, experiment.version());
        if found != expected {
            return Err(OpenError::OtherVersion { experiment: name, found, expected });
        }
        let files = stored_files(&record.params).map_err(OpenError::Params)?;
        let files: Vec<_> = files.iter().map(|files| files.reference.hash()).collect();
        let files = read_all(store, run, &files).await.map_err(OpenError::Store)?;
        let procedure = experiment.reopen(&record.params, &files).map_err(OpenError::Params)?;
        let procedure = Arc::from(procedure);
        Ok(Self { run, record, experiment, procedure, first: None })
    }

    /// Returns the description of the run for dispatch; `stall` replaces the run's own.
    pub(crate) fn for_dispatch(&self, stall: Option<Duration>) -> OpenRun {
        let Self { run, record, experiment, first, .. } = self;
        let stall = stall.unwrap_or_else(|| match record.stall_ms {
            0 => STALL,
            ms => Duration::from_millis(ms),
        });
        OpenRun {
            run: *run,
            experiment: record.experiment.clone(),
            version: record.version,
            simulation: experiment.simulation(),
            stall,
            scheduling: record.into(),
            jobs: first.as_ref().map_or(KnownJobs::Unknown, |_| KnownJobs::None),
        }
    }
}
