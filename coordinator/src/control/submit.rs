//! Creates a run from a spec, which is opened and checked first.

use std::num::NonZeroU32;
use std::time::Duration;

use hatchery_core::erased::Beginning;
use hatchery_core::spec::{MAX_SPEC_BYTES, SpecDocument, SpecHead};
use hatchery_core::{AnyExperiment, Catalog, Digest, RunSeed};
use hatchery_proto::v1::{self, OnDead, SubmitRequest, SubmitResponse};
use hatchery_proto::{MAX_IDEMPOTENCY_KEY_BYTES, MAX_RUN_NAME_BYTES, MAX_STALL, MIN_STALL};
use hatchery_store::operation::{ReadRecord, RunForKey};
use hatchery_store::{RunId, StoreError};
use prost::Message;
use tonic::Status;

use super::refusal;
use crate::compute_pool::ComputePool;
use crate::coordinator::{Coordinator, Submission};
use crate::record::RunRecord;
use crate::scheduling::{AuthenticatedUser, RunScheduling, UserError, UserName};

/// All trials of a generation, in millionths.
const ALL_PPM: u32 = 1_000_000;

/// The name of the spec in its errors: the client knows the file and has checked it.
const SOURCE: &str = "spec";

/// A submission whose sizes and numbers are valid; its spec is still to be opened.
#[derive(Debug)]
pub(super) struct ParsedSubmission {
    spec: String,
    name: String,
    key: Option<Digest>,
    on_dead: OnDead,
    skip_ppm: u32,
    stall_ms: u64,
    scheduling: RunScheduling,
}

impl ParsedSubmission {
    /// Validates `request`; `caller` is the user whose token was shown, if any.
    pub(super) fn of(
        request: SubmitRequest,
        caller: Option<AuthenticatedUser>,
    ) -> Result<Self, Status> {
        let on_dead = OnDead::try_from(request.on_dead);
        let scheduling = scheduling(&request, caller)?;
        let SubmitRequest { spec, name, idempotency_key, skip_ppm, stall_ms, .. } = request;
        let at_most = |what: &str, n_bytes: usize, most: usize| match n_bytes <= most {
            true => Ok(()),
            false => Err(refusal::invalid(&format!(
                "{what} has {n_bytes} bytes, but may have at most {most}"
            ))),
        };
        at_most("the spec", spec.len(), MAX_SPEC_BYTES)?;
        at_most("the name", name.len(), MAX_RUN_NAME_BYTES)?;
        at_most("the idempotency key", idempotency_key.len(), MAX_IDEMPOTENCY_KEY_BYTES)?;
        if name.chars().any(char::is_control) {
            return Err(refusal::invalid(&format!("the name {name:?} has control characters")));
        }
        let on_dead = match on_dead {
            Ok(OnDead::Unspecified) => OnDead::Fail,
            Ok(known) => known,
            Err(unknown) => return Err(refusal::invalid(&format!("on_dead = {unknown}"))),
        };
        let skip_fits = match on_dead {
            OnDead::Skip => (1..=ALL_PPM).contains(&skip_ppm),
            OnDead::Unspecified | OnDead::Fail | OnDead::Pause => skip_ppm == 0,
        };
        if !skip_fits {
            return Err(refusal::invalid(&format!(
                "skip_ppm = {skip_ppm}, but must be 1 to {ALL_PPM} to skip, and 0 otherwise"
            )));
        }
        if stall_ms != 0 && !(MIN_STALL..=MAX_STALL).contains(&Duration::from_millis(stall_ms)) {
            return Err(refusal::invalid(&format!(
                "stall_ms = {stall_ms}, but must be {} to {}, or 0 for the \
                 default",
                MIN_STALL.as_millis(),
                MAX_STALL.as_millis(),
            )));
        }
        let key = (!idempotency_key.is_empty()).then(|| Digest::of(idempotency_key.as_bytes()));
        Ok(Self { spec, name, key, on_dead, skip_ppm, stall_ms, scheduling })
    }
}

/// Parses the user, priority and share of a request.
fn scheduling(
    request: &SubmitRequest,
    caller: Option<AuthenticatedUser>,
) -> Result<RunScheduling, Status> {
    let priority = v1::Priority::try_from(request.priority).map_err(|unknown| {
        refusal::invalid(&format!(
            "priority = {}, but must be 1 for high, 2 for normal or 3 for low",
            unknown.0
        ))
    })?;
    let most_slots = NonZeroU32::new(request.most_slots);
    Ok(RunScheduling { user: user(request, caller)?, priority: priority.into(), most_slots })
}

/// Returns the owner of the run: the caller, or the request's user where no token is required.
fn user(request: &SubmitRequest, caller: Option<AuthenticatedUser>) -> Result<UserName, Status> {
    let said: Option<UserName> = match request.user.as_str() {
        "" => None,
        name => {
            let said = name.parse();
            Some(said.map_err(|error: UserError| refusal::invalid(&error.to_string()))?)
        }
    };
    match (caller, said) {
        (None, said) => Ok(said.unwrap_or_default()),
        (Some(AuthenticatedUser(caller)), said)
            if said.as_ref().is_none_or(|said| *said == caller) =>
        {
            Ok(caller)
        }
        (Some(AuthenticatedUser(caller)), _) => Err(Status::permission_denied(format!(
            "runs submitted with the token {caller} belong to {caller}: leave the user out"
        ))),
    }
}

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
    let beginning = procedure.begin(&seed).map_err(|error| refused(document.refused(&error)))?;
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
    use hatchery_core::erased;
    use hatchery_pig::Pig;
    use hatchery_store::Store;
    use hatchery_store::conformance::ModelStore;
    use hatchery_store::operation::{ListRuns, ReadClaim};
    use tokio::time::Instant;

    use super::*;
    use crate::coordinator::CoordinatorConfig;

    fn check(request: SubmitRequest, expected: Result<OnDead, &str>) {
        let order = ParsedSubmission::of(request, None).map(|order| order.on_dead);
        match (order, expected) {
            (Ok(order), Ok(expected)) => assert_eq!(order, expected),
            (Err(status), Err(part)) => {
                assert_eq!(status.code(), tonic::Code::InvalidArgument);
                assert!(status.message().contains(part), "{status:?}");
            }
            (order, _) => panic!("{order:?}, but expected {expected:?}"),
        }
    }

    #[test]
    fn a_run_is_of_whoever_shows_the_token() {
        let whose = |user: &str, caller: Option<&str>| {
            let request = SubmitRequest { user: user.to_owned(), ..SubmitRequest::default() };
            let caller = caller.map(|name| AuthenticatedUser(name.parse().unwrap()));
            let order = ParsedSubmission::of(request, caller).map_err(|status| status.code())?;
            Ok(order.scheduling.user.to_string())
        };
        assert_eq!(whose("", None), Ok("anonymous".to_owned()));
        assert_eq!(whose("ada", None), Ok("ada".to_owned()));
        assert_eq!(whose("", Some("bob")), Ok("bob".to_owned()));
        assert_eq!(whose("bob", Some("bob")), Ok("bob".to_owned()));
        assert_eq!(whose("ada", Some("bob")), Err(tonic::Code::PermissionDenied));
    }

    #[test]
    fn requests_are_hostile_until_parsed() {
        let on_dead = |on_dead: i32, skip_ppm| SubmitRequest {
            on_dead,
            skip_ppm,
            ..SubmitRequest::default()
        };
        check(SubmitRequest::default(), Ok(OnDead::Fail));
        check(on_dead(OnDead::Pause.into(), 0), Ok(OnDead::Pause));
        check(on_dead(OnDead::Skip.into(), 1), Ok(OnDead::Skip));
        check(on_dead(OnDead::Skip.into(), 0), Err("skip_ppm = 0"));
        check(on_dead(OnDead::Skip.into(), 1_000_001), Err("skip_ppm = 1000001"));
        check(on_dead(OnDead::Fail.into(), 1), Err("skip_ppm = 1"));
        check(on_dead(99, 0), Err("on_dead = unknown"));
        let request = SubmitRequest::default;
        check(SubmitRequest { spec: "x".repeat(MAX_SPEC_BYTES + 1), ..request() }, Err("spec has"));
        check(SubmitRequest { name: "x".repeat(129), ..request() }, Err("name has 129 bytes"));
        check(SubmitRequest { name: "\u{1b}[2J".to_owned(), ..request() }, Err("control"));
        let idempotency_key = "x".repeat(257);
        check(SubmitRequest { idempotency_key, ..request() }, Err("key has 257 bytes"));
        check(SubmitRequest { stall_ms: 11_999, ..request() }, Err("stall_ms = 11999"));
        check(SubmitRequest { stall_ms: u64::MAX, ..request() }, Err("stall_ms = 1844"));
        check(SubmitRequest { stall_ms: 12_000, ..request() }, Ok(OnDead::Fail));
        check(SubmitRequest { user: "x".repeat(65), ..request() }, Err("name has 65 bytes"));
        check(SubmitRequest { user: "a\u{1b}[2J".to_owned(), ..request() }, Err("'\\u{1b}'"));
        check(SubmitRequest { user: "ada".to_owned(), ..request() }, Ok(OnDead::Fail));
        check(SubmitRequest { priority: 4, ..request() }, Err("priority = 4"));
    }

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
