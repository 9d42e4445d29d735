//! Creates a run from a spec, which is opened and checked first.

use hatchery_core::erased::Beginning;
use hatchery_core::spec::{SpecDocument, SpecHead};
use hatchery_core::{AnyExperiment, Catalog, RunSeed};
use hatchery_proto::MAX_RUN_NAME_BYTES;
use hatchery_proto::v1::SubmitResponse;
use hatchery_store::operation::{ReadRecord, RunForKey};
use hatchery_store::{RunId, StoreError};
use prost::Message;
use tonic::Status;

use super::refusal;
use super::submission::ParsedSubmission;
use crate::compute_pool::ComputePool;
use crate::coordinator::{Coordinator, Submission};
use crate::record::RunRecord;

/// The name of the spec in its errors: the client knows the file and has checked it.
const SOURCE: &str = "spec";

/// A spec that was read and found valid.
struct OpenedSpec {
    document: SpecDocument,
    head: SpecHead,
    experiment: &'static dyn AnyExperiment,
    /// Its canonical parameters.
    params: String,
    beginning: Beginning,
}

/// Creates the run of `order`, or finds the one that was created of it before.
pub(super) async fn submit(
    coordinator: &Coordinator,
    order: ParsedSubmission,
) -> Result<SubmitResponse, Status> {
    let ParsedSubmission { spec, name, key, on_dead, skip_ppm, stall_ms, scheduling } = order;
    let opened = open(coordinator.compute_pool(), coordinator.catalog(), spec).await?;
    let OpenedSpec { document, head, experiment, params, beginning } = opened;
    let new = RunId::generate();
    let run = match key {
        Some(key) => coordinator
            .views()
            .control()
            .execute(RunForKey { key, run: new })
            .await
            .map_err(refusal::store)?,
        None => new,
    };
    // A key can stand for a run that was never made: its client or coordinator died in between.
    let submission = Submission {
        experiment: head.experiment.clone(),
        version: experiment.version(),
        seed: head.seed,
        params: params.clone(),
        beginning,
        spec: document.text().to_owned(),
        name,
        on_dead,
        skip_ppm,
        stall_ms,
        scheduling,
    };
    let created = coordinator.submit(run, submission).await.map_err(refusal::store)?;
    // Another submission under the same key was first.
    if !created {
        let record = record(coordinator, run).await?;
        let same = record.is_some_and(|record| is_of(&record, &head, &params));
        if !same {
            return Err(Status::already_exists(format!(
                "the idempotency key was used for another spec before: it stands for run {run}"
            )));
        }
    }
    let (experiment, seed) = (&head.experiment, head.seed);
    tracing::info!(%run, experiment, seed, known = !created, "run submitted");
    Ok(SubmitResponse { run: run.to_string(), created })
}

/// Opens `spec` beside the runtime: it is as hostile as its sender, and a first state may take
/// long.
async fn open(
    compute_pool: ComputePool,
    catalog: Catalog,
    spec: String,
) -> Result<OpenedSpec, Status> {
    let opened = compute_pool.run(move || open_now(catalog, &spec)).await;
    opened.unwrap_or_else(|error| {
        tracing::error!(error, "opening a spec panicked");
        Err(Status::internal("the experiment panicked on these parameters: a bug in it"))
    })
}

fn open_now(catalog: Catalog, spec: &str) -> Result<OpenedSpec, Status> {
    let refused = |error: hatchery_core::spec::SpecError| refusal::invalid(&error.to_string());
    let document = SpecDocument::parse(SOURCE, spec.as_bytes()).map_err(refused)?;
    let head = document.head().map_err(refused)?;
    let Some(experiment) = catalog.find(&head.experiment) else {
        let known: Vec<_> = catalog.0.iter().map(|experiment| experiment.name()).collect();
        let shown: String = head.experiment.chars().take(MAX_RUN_NAME_BYTES).collect();
        let message = format!("experiment = {shown:?}, but must be one of {}", known.join(", "));
        return Err(refused(document.wrong(&["experiment"], &message)));
    };
    let procedure = experiment.configure(&document).map_err(refused)?;
    // What the parameters contradict each other in shows when the run begins.
    let seed = RunSeed::new(&head.experiment, head.seed).generation(0);
    let beginning =
        procedure.begin(&seed, &[]).map_err(|error| refused(document.refused(&error)))?;
    let params = procedure.canonical_params();
    Ok(OpenedSpec { document, head, experiment, params, beginning })
}

/// Returns the record of a run; `None` if there is no such run.
async fn record(coordinator: &Coordinator, run: RunId) -> Result<Option<RunRecord>, Status> {
    match coordinator.views().control().execute(ReadRecord { run }).await {
        Ok(bytes) => RunRecord::decode(bytes.as_slice())
            .map(Some)
            .map_err(|error| refusal::unreadable(run, "record", &error)),
        Err(StoreError::NoRun { .. }) => Ok(None),
        Err(error) => Err(refusal::store(error)),
    }
}

/// Returns whether a run is of this spec, however that is written.
fn is_of(record: &RunRecord, head: &SpecHead, params: &str) -> bool {
    record.experiment == head.experiment && record.seed == head.seed && record.params == params
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use hatchery_core::erased;
    use hatchery_pig::Pig;
    use hatchery_proto::v1::SubmitRequest;
    use hatchery_store::Store;
    use hatchery_store::conformance::ModelStore;
    use hatchery_store::operation::{ListRuns, ReadClaim};
    use tokio::time::Instant;

    use super::*;
    use crate::coordinator::CoordinatorConfig;

    /// A run that the store does not take leaves nothing behind; one that it takes is led at once,
    /// and found again by its key.
    #[tokio::test(start_paused = true)]
    async fn a_run_is_made_once_or_not_at_all() {
        const CATALOG: Catalog = Catalog(&[erased::<Pig>()]);
        const SPEC: &str =
            "experiment = \"pig\"\nseed = 1\n[params]\ngames = 300\nhold_at = [20]\n";
        let store = ModelStore::new();
        let other = store.another();
        let stored = Store::new(store.another());
        let config =
            CoordinatorConfig { compute_pool: ComputePool::Inline, ..CoordinatorConfig::default() };
        let coordinator = Coordinator::start(Store::new(store), CATALOG, config).await.unwrap();
        coordinator.serve_all().await;
        let order = |key: &str| {
            let (spec, idempotency_key) = (SPEC.to_owned(), key.to_owned());
            let request = SubmitRequest { spec, idempotency_key, ..SubmitRequest::default() };
            ParsedSubmission::of(request, None).unwrap()
        };
        other.set_down(true);
        let refused = submit(&coordinator, order("")).await.unwrap_err();
        assert_eq!(refused.code(), tonic::Code::Unavailable);
        other.set_down(false);
        assert!(stored.execute(ListRuns).await.unwrap().is_empty());

        let made = submit(&coordinator, order("a key")).await.unwrap();
        let run = RunId(made.run.parse().unwrap());
        assert!(made.created);
        assert_eq!(stored.execute(ListRuns).await.unwrap(), [run]);
        // The supervisor claims it without waiting for its next tick: no time passes.
        let submitted = Instant::now();
        while stored.execute(ReadClaim { run }).await.unwrap().is_none() {
            tokio::task::yield_now().await;
        }
        assert_eq!(submitted.elapsed(), Duration::ZERO);
        let again = submit(&coordinator, order("a key")).await.unwrap();
        assert_eq!((again.run, again.created), (made.run, false));
    }
}
