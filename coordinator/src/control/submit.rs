//! Creates a run from a spec. The spec is opened and checked first.

pub(super) mod inputs;
mod new_run;
mod submission;

use hatchery_core::erased::{AnyPlan, Beginning};
use hatchery_core::spec::{NamedFiles, SpecDocument, SpecHead};
use hatchery_core::{
    AnyExperiment, Catalog, Digest, InvalidValue, NamedInput, Part, PartSet, RunSeed,
};
use hatchery_proto::MAX_RUN_NAME_BYTES;
use hatchery_proto::v1::{MissingInput, SubmitResponse};
use hatchery_store::operation::{FindRun, ReadRecord, RunForKey};
use hatchery_store::parts::read_all;
use hatchery_store::{RunId, StoreError};
use prost::Message;
use tonic::Status;

use super::refusal;
use crate::base::caller_limits::{Caller, CallerLimits, CallerPermit};
use crate::base::compute_pool::caught;
use crate::coordinator::Coordinator;
use crate::leader::open::plan_generation;
use crate::leader::open::submission::Submission;
use crate::run::record::RunRecord;

use new_run::new_id;

pub(super) use submission::ParsedSubmission;

/// The name of the spec in error messages. The client has the file name, and has checked the file.
const SOURCE: &str = "spec";

/// The permits that a submission waits for: to open its spec, and to find its inputs.
#[derive(Clone, Copy, Debug)]
pub(super) struct SubmissionPermits<'a> {
    pub(super) caller: &'a Caller,
    pub(super) openings: &'a CallerLimits,
    /// The permits that opening its spec takes.
    pub(super) n_openings: u32,
    pub(super) inputs: &'a CallerLimits,
}

/// A spec that was read and found valid.
enum OpenedSpec {
    Ready(Box<ReadySpec>),
    /// Files that the spec names are missing. Without the files the computation is not known.
    LacksFiles(Vec<NamedInput>),
    /// Inputs that the spec names are missing.
    LacksInputs(SpecComputation, Vec<NamedInput>),
}

/// A spec whose run can be created.
struct ReadySpec {
    document: SpecDocument,
    experiment: &'static dyn AnyExperiment,
    computation: SpecComputation,
    beginning: Beginning,
    first_plan: Option<AnyPlan>,
}

/// The computation that a spec describes, whatever the wording of the spec.
struct SpecComputation {
    experiment: String,
    seed: u64,
    /// Its canonical parameters.
    params: String,
}

/// The inputs of a spec that have been found.
#[derive(Clone, Default)]
struct FoundInputs {
    parts: Vec<Part>,
    /// The files among the inputs, with their bytes.
    files: PartSet,
}

impl FoundInputs {
    /// Adds `files`; returns true if one of `named` is still missing.
    fn lack(&mut self, files: PartSet, named: &[NamedInput]) -> bool {
        self.parts.extend(files.names());
        self.files.extend(files);
        named.iter().any(|input| self.files.find(input.hash).is_none())
    }

    /// Returns true if there is a part with this hash.
    fn has(&self, hash: Digest) -> bool {
        self.parts.iter().any(|part| part.hash() == hash)
    }
}

impl SpecComputation {
    /// Returns true if the run with this record has the same computation.
    fn is_of(&self, record: &RunRecord) -> bool {
        let Self { experiment, seed, params } = self;
        record.experiment == *experiment && record.seed == *seed && record.params == *params
    }
}

/// Creates the run of `order`, or finds the run that an earlier submission of `order` created.
pub(super) async fn submit(
    coordinator: &Coordinator,
    order: ParsedSubmission,
    permits: SubmissionPermits<'_>,
) -> Result<SubmitResponse, Status> {
    let ParsedSubmission { spec, name, key, on_dead, skip_ppm, stall_ms, scheduling } = order;
    let (mut inputs, mut found) = (FoundInputs::default(), None);
    // The permit is held for as long as the first state is in memory.
    let (ready, _permit) = loop {
        let (opened, permit) = open(coordinator, permits, &spec, inputs.clone()).await?;
        let (computation, named) = match opened {
            OpenedSpec::Ready(ready) => break (ready, permit),
            OpenedSpec::LacksFiles(named) => (None, named),
            OpenedSpec::LacksInputs(computation, named) => (Some(computation), named),
        };
        drop(permit);
        let begun = find_run(coordinator, key).await?;
        if let Some(run) = begun
            && let Some(record) = record(coordinator, run).await?
        {
            // An existing run has its inputs, or does not need them any more; its files it has.
            if let Some(computation) = computation {
                return known(run, &record, &computation);
            }
            let files = read_files(coordinator, permits, run, &named).await?;
            if inputs.lack(files, &named) {
                return Err(used(run));
            }
            continue;
        }
        let missing = search_inputs(coordinator, permits, begun, &named).await?;
        if !missing.is_empty() {
            return Ok(missing_inputs(missing));
        }
        let run = run_for(coordinator, key).await?;
        found = Some(run);
        inputs.parts.extend(find_inputs(coordinator, permits, run, &named).await?);
        if computation.is_none() {
            let files = read_files(coordinator, permits, run, &named).await?;
            if inputs.lack(files, &named) {
                return Ok(missing_inputs(named));
            }
        } else if named.iter().any(|input| !inputs.has(input.hash)) {
            return Ok(missing_inputs(named));
        }
    };
    let run = match found {
        Some(run) => run,
        None => run_for(coordinator, key).await?,
    };
    let ReadySpec { document, experiment, computation, beginning, first_plan } = *ready;
    // A key can stand for a run that was never made: its client or coordinator died in between.
    let submission = Submission {
        experiment: computation.experiment.clone(),
        version: experiment.version(),
        seed: computation.seed,
        params: computation.params.clone(),
        beginning,
        first_plan,
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
        return record.map_or_else(|| Err(used(run)), |record| known(run, &record, &computation));
    }
    let SpecComputation { experiment, seed, .. } = computation;
    tracing::info!(%run, experiment, seed, known = false, "run submitted");
    Ok(SubmitResponse { run: run.to_string(), created, missing_inputs: Vec::new() })
}

/// Returns the run of `key`, if `key` already has a run. The store keeps a key for ever, so a
/// submission without its inputs leaves the key free; the upload of an input gives the key a run.
async fn find_run(coordinator: &Coordinator, key: Option<Digest>) -> Result<Option<RunId>, Status> {
    let Some(key) = key else { return Ok(None) };
    coordinator.views().control().execute(FindRun { key }).await.map_err(refusal::store)
}

/// Returns the run of `key`, or a new run if there is no key.
async fn run_for(coordinator: &Coordinator, key: Option<Digest>) -> Result<RunId, Status> {
    let run = new_id(coordinator).await?;
    let Some(key) = key else { return Ok(run) };
    let found = coordinator.views().control().execute(RunForKey { key, run }).await;
    found.map_err(refusal::store)
}

/// Returns the answer to a repeated submission, whose run has this `record`.
fn known(
    run: RunId,
    record: &RunRecord,
    computation: &SpecComputation,
) -> Result<SubmitResponse, Status> {
    if !computation.is_of(record) {
        return Err(used(run));
    }
    let SpecComputation { experiment, seed, .. } = computation;
    tracing::info!(%run, experiment, seed, known = true, "run submitted");
    Ok(SubmitResponse { run: run.to_string(), created: false, missing_inputs: Vec::new() })
}

fn used(run: RunId) -> Status {
    Status::already_exists(format!(
        "the idempotency key was used for another spec before: it stands for run {run}"
    ))
}

/// Returns the inputs among `inputs` that no run of the farm has as parts. The parts of `begun`, a
/// run that is not created yet, count as well.
async fn search_inputs(
    coordinator: &Coordinator,
    SubmissionPermits { caller, inputs: permits, .. }: SubmissionPermits<'_>,
    begun: Option<RunId>,
    inputs: &[NamedInput],
) -> Result<Vec<NamedInput>, Status> {
    let _permit = permits.acquire(caller, 1).await;
    let hashes = inputs.iter().map(|input| input.hash).collect();
    let missing = inputs::missing(coordinator.views().control(), begun, hashes).await?;
    Ok(inputs.iter().filter(|input| missing.contains(&input.hash)).cloned().collect())
}

/// Finds the parts for `inputs` in the farm, and returns them as parts of `run`.
async fn find_inputs(
    coordinator: &Coordinator,
    SubmissionPermits { caller, inputs: permits, .. }: SubmissionPermits<'_>,
    run: RunId,
    inputs: &[NamedInput],
) -> Result<Vec<Part>, Status> {
    let _permit = permits.acquire(caller, 1).await;
    let hashes = inputs.iter().map(|input| input.hash).collect();
    inputs::find(coordinator.views().control(), run, &hashes).await
}

/// Reads the files that are parts of `run`.
async fn read_files(
    coordinator: &Coordinator,
    SubmissionPermits { caller, inputs: permits, .. }: SubmissionPermits<'_>,
    run: RunId,
    files: &[NamedInput],
) -> Result<PartSet, Status> {
    let _permit = permits.acquire(caller, 1).await;
    let hashes: Vec<_> = files.iter().map(|input| input.hash).collect();
    read_all(coordinator.views().control(), run, &hashes).await.map_err(refusal::store)
}

/// Returns the answer that no run was created because these inputs are missing.
fn missing_inputs(missing: Vec<NamedInput>) -> SubmitResponse {
    let missing_inputs = missing
        .into_iter()
        .map(|NamedInput { key, hash }| MissingInput { key, hash: hash.as_bytes().to_vec() });
    SubmitResponse { missing_inputs: missing_inputs.collect(), ..SubmitResponse::default() }
}

/// Opens `spec` with the inputs found so far, on a thread beside the runtime: a spec is as hostile
/// as its sender, and a first state may take long.
async fn open(
    coordinator: &Coordinator,
    SubmissionPermits { caller, openings, n_openings, .. }: SubmissionPermits<'_>,
    spec: &str,
    inputs: FoundInputs,
) -> Result<(OpenedSpec, CallerPermit), Status> {
    let permit = openings.acquire(caller, n_openings).await;
    let (catalog, spec) = (coordinator.catalog(), spec.to_owned());
    let opened = coordinator.compute_pool().run(move || open_now(catalog, &spec, &inputs)).await;
    let opened = opened.unwrap_or_else(|error| {
        tracing::error!(error, "opening a spec panicked");
        Err(Status::internal("the experiment panicked on these parameters: a bug in it"))
    });
    Ok((opened?, permit))
}

fn open_now(catalog: Catalog, spec: &str, inputs: &FoundInputs) -> Result<OpenedSpec, Status> {
    let refused = |error: hatchery_core::spec::SpecError| refusal::invalid(&error.to_string());
    let document = SpecDocument::parse(SOURCE, spec.as_bytes()).map_err(refused)?;
    let SpecHead { experiment: name, seed, .. } = document.head().map_err(refused)?;
    let Some(experiment) = catalog.find(&name) else {
        let known: Vec<_> = catalog.experiments().map(|experiment| experiment.name()).collect();
        let shown: String = name.chars().take(MAX_RUN_NAME_BYTES).collect();
        let message = format!(
            "experiment is {shown:?}, but the coordinator's program has only {}",
            known.join(", ")
        );
        return Err(refused(document.wrong(&["experiment"], &message)));
    };
    let mut files: Vec<_> = document.files().iter().map(NamedFiles::input).collect();
    files.retain(|file| inputs.files.find(file.hash).is_none());
    if !files.is_empty() {
        return Ok(OpenedSpec::LacksFiles(files));
    }
    let procedure = experiment.configure_with(&document, &inputs.files).map_err(refused)?;
    let invalid = |error: InvalidValue| refused(document.refused(&error));
    let params = procedure.canonical_params();
    let generation = RunSeed::new(&name, seed).generation(0);
    let computation = SpecComputation { experiment: name, seed, params };
    let mut missing = procedure.inputs().map_err(invalid)?;
    missing.retain(|input| !inputs.has(input.hash));
    if !missing.is_empty() {
        return Ok(OpenedSpec::LacksInputs(computation, missing));
    }
    // Contradictions between parameters show when the run begins.
    let beginning = procedure.begin(&generation, &inputs.parts).map_err(invalid)?;
    // What goes wrong here goes wrong again for the run's leader, which says so.
    let plan = caught(|| plan_generation(procedure.as_ref(), &beginning.state));
    let first_plan = plan.ok().and_then(Result::ok);
    let ready = ReadySpec { document, experiment, computation, beginning, first_plan };
    Ok(OpenedSpec::Ready(Box::new(ready)))
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use hatchery_proto::v1::SubmitRequest;
    use hatchery_store::Store;
    use hatchery_store::conformance::ModelStore;
    use hatchery_store::operation::{ListRuns, ReadClaim};
    use tokio::time::Instant;

    use super::*;
    use crate::base::compute_pool::ComputePool;
    use crate::coordinator::CoordinatorConfig;

    const CATALOG: Catalog = Catalog(&[&hatchery_pig::EXPERIMENTS]);
    const SPEC: &str = "experiment = \"pig\"\nseed = 1\n[params]\ngames = 300\nhold_at = [20]\n";

    fn order(key: &str) -> ParsedSubmission {
        let (spec, idempotency_key) = (SPEC.to_owned(), key.to_owned());
        let request = SubmitRequest { spec, idempotency_key, ..SubmitRequest::default() };
        ParsedSubmission::of(request, None).expect("it is valid")
    }

    /// A run that the store refuses leaves nothing behind. A run that the store accepts is led at
    /// once, and a repeated key finds it again.
    #[tokio::test(start_paused = true)]
    async fn a_run_is_made_once_or_not_at_all() {
        let store = ModelStore::new();
        let other = store.another();
        let stored = Store::new(store.another());
        let config =
            CoordinatorConfig { compute_pool: ComputePool::Inline, ..CoordinatorConfig::default() };
        let coordinator = Coordinator::start(Store::new(store), CATALOG, config).await.unwrap();
        coordinator.serve_all().await;
        let limits = CallerLimits::new(1, 1);
        let (caller, n_openings) = (&Caller::Local, 1);
        let permits = SubmissionPermits { caller, openings: &limits, n_openings, inputs: &limits };
        other.set_down(true);
        let refused = submit(&coordinator, order(""), permits).await.unwrap_err();
        assert_eq!(refused.code(), tonic::Code::Unavailable);
        other.set_down(false);
        assert!(stored.execute(ListRuns).await.unwrap().is_empty());

        let made = submit(&coordinator, order("a key"), permits).await.unwrap();
        let run = RunId(made.run.parse().unwrap());
        assert!(made.created);
        assert_eq!(stored.execute(ListRuns).await.unwrap(), [run]);
        // The supervisor claims it without waiting for its next tick: no time passes.
        let submitted = Instant::now();
        while stored.execute(ReadClaim { run }).await.unwrap().is_none() {
            tokio::task::yield_now().await;
        }
        assert_eq!(submitted.elapsed(), Duration::ZERO);
        let again = submit(&coordinator, order("a key"), permits).await.unwrap();
        assert_eq!((again.run, again.created), (made.run, false));
    }

    /// Submits in turn to coordinators whose clocks differ by 90 seconds, and to one whose clock is
    /// before 1970. The last run is the run that was submitted last.
    #[tokio::test(start_paused = true)]
    async fn the_last_run_was_submitted_last_by_any_clock() {
        let store = ModelStore::new();
        let stored = Store::new(store.another());
        let clocks: [fn() -> u64; 3] = [|| 1_000_090_000, || 1_000_000_000, || 0];
        let mut coordinators = Vec::new();
        for clock in clocks {
            let compute_pool = ComputePool::Inline;
            let config = CoordinatorConfig { compute_pool, clock, ..CoordinatorConfig::default() };
            let store = Store::new(store.another());
            coordinators.push(Coordinator::start(store, CATALOG, config).await.unwrap());
        }
        let limits = CallerLimits::new(1, 1);
        let (caller, n_openings) = (&Caller::Local, 1);
        let permits = SubmissionPermits { caller, openings: &limits, n_openings, inputs: &limits };
        let mut submitted = Vec::new();
        for (number, at) in [0, 1, 2, 1, 0, 0, 1].into_iter().enumerate() {
            let key = if number % 2 == 0 { String::new() } else { format!("key {number}") };
            let made = submit(&coordinators[at], order(&key), permits).await.unwrap();
            let run = RunId(made.run.parse().unwrap());
            submitted.push(run);
            assert_eq!(stored.execute(ListRuns).await.unwrap(), submitted);
            let record = record(&coordinators[at], run).await.unwrap().unwrap();
            assert_eq!(record.created_unix_ms, clocks[at](), "the time of creation is apart");
        }
    }
}
