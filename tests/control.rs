//! The service for people and scripts, in one process: accepted calls, refused calls, and the
//! status of a run from its beginning to its end.

#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

#[path = "control/farm.rs"]
mod farm;
#[path = "control/lists.rs"]
mod lists;

use std::collections::BTreeSet;

use hatchery_coordinator::run::record::{AttemptKind, FailedAttempt, GenerationRecord, RunRecord};
use hatchery_core::{Digest, reference};
use hatchery_proto::v1::control_server::Control;
use hatchery_proto::v1::watch_update::Update;
use hatchery_proto::v1::{
    Act, DeleteRunRequest, DrainWorkerRequest, ExplainRunRequest, ExportRunRequest, GetPartRequest,
    GetRunRequest, Job, ListDeadRequest, ListRunsRequest, ListWorkersRequest, ListWorkersResponse,
    OnDead, Priority, QuarantineWorkerRequest, Reason, ReasonKind, RetryDeadRequest, RunExport,
    RunStatus, Segment, State, SteerRunRequest, SubmitRequest, WatchRunRequest, WatchUpdate,
};
use hatchery_store::operation::{AddAttempt, EnqueueAndLease, ParkJob, TakeLead};
use hatchery_store::{AttemptId, CoordinatorId, EnqueueBatch, LeasedJob, RunId};
use hatchery_test_redis::PATIENCE;
use prost::Message;
use tokio_stream::{Stream, StreamExt};
use tonic::{Code, Request, Status};

use farm::{Farm, pig, spec};

/// A coordinator that leases jobs without working on them.
const CONSUMER: CoordinatorId = CoordinatorId(1);

fn submission(spec: String, key: &str) -> Request<SubmitRequest> {
    Request::new(SubmitRequest {
        spec,
        idempotency_key: key.to_owned(),
        ..SubmitRequest::default()
    })
}

async fn submit(farm: &Farm, spec: String, key: &str) -> Result<(String, bool), Status> {
    let submitted = farm.service.submit(submission(spec, key)).await?.into_inner();
    Ok((submitted.run, submitted.created))
}

async fn get(farm: &Farm, run: &str) -> Result<RunStatus, Status> {
    let request = GetRunRequest { run: run.to_owned() };
    Ok(farm.service.get_run(Request::new(request)).await?.into_inner())
}

async fn steer(farm: &Farm, run: &str, act: Act) -> Result<State, Status> {
    let request = SteerRunRequest { run: run.to_owned(), act: act.into() };
    Ok(farm.service.steer_run(Request::new(request)).await?.into_inner().state())
}

async fn delete(farm: &Farm, run: &str) -> Result<(), Status> {
    let request = DeleteRunRequest { run: run.to_owned() };
    farm.service.delete_run(Request::new(request)).await.map(|_| ())
}

/// The updates of a watch from event `from` on, until it ends.
async fn watch(
    farm: &Farm,
    run: &str,
    from: u64,
) -> Result<impl Stream<Item = Result<WatchUpdate, Status>> + use<>, Status> {
    let request = WatchRunRequest { run: run.to_owned(), from };
    Ok(farm.service.watch_run(Request::new(request)).await?.into_inner())
}

async fn within<T>(act: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, act).await.expect("what is sure to happen has happened")
}

fn check_refused<T: std::fmt::Debug>(outcome: Result<T, Status>, code: Code, part: &str) {
    let status = outcome.unwrap_err();
    assert_eq!(status.code(), code, "{status:?}");
    assert!(status.message().contains(part), "{status:?}");
}

#[tokio::test]
async fn a_spec_is_checked_before_anything_is_made_of_it() {
    let farm = Farm::start().await;
    for (spec, part) in [
        ("not toml = = =".to_owned(), "spec:1:"),
        ("seed = 1".to_owned(), "experiment"),
        (pig("games = 0"), "games is 0, but must be an integer from 1"),
        (pig("game = 1"), "game"),
        (spec("no-such-thing", ""), "the coordinator's program has only tetris-evolve"),
        (format!("experiment = {:?}", "x".repeat(1 << 19)), "spec:"),
    ] {
        check_refused(submit(&farm, spec, "").await, Code::InvalidArgument, part);
    }
    let listed = farm.service.list_runs(Request::new(ListRunsRequest::default())).await.unwrap();
    assert_eq!(listed.into_inner().runs, []);
}

#[tokio::test]
async fn a_key_stands_for_one_run() {
    let farm = Farm::start().await;
    let (first, created) = submit(&farm, pig("games = 100"), "key").await.unwrap();
    assert!(created);
    // However it is written.
    let again = pig("# as before\ngames=100");
    assert_eq!(submit(&farm, again, "key").await.unwrap(), (first.clone(), false));
    let other = submit(&farm, pig("games = 101"), "key").await;
    check_refused(other, Code::AlreadyExists, &first);
    // Without a key each is a run of its own.
    assert!(submit(&farm, pig("games = 100"), "").await.unwrap().1);
    // Many at a time make one run.
    let mut tries = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let service = farm.service.clone();
        let request = submission(pig("games = 102"), "many");
        tries.spawn(async move { service.submit(request).await.unwrap().into_inner().run });
    }
    let runs: BTreeSet<_> = tries.join_all().await.into_iter().collect();
    assert_eq!(runs.len(), 1, "{runs:?}");
    let listed = farm
        .service
        .list_runs(Request::new(ListRunsRequest { most: 2, ..ListRunsRequest::default() }))
        .await
        .unwrap();
    let listed: Vec<_> = listed.into_inner().runs.into_iter().map(|run| run.run).collect();
    assert_eq!(listed.len(), 2, "the latest two of three");
    assert!(!listed.contains(&first) && listed.is_sorted(), "{listed:?}");
}

#[tokio::test]
async fn a_run_is_steered_as_its_state_allows() {
    let farm = Farm::start().await;
    let (run, _) = submit(&farm, pig("games = 100"), "").await.unwrap();
    let status = get(&farm, &run).await.unwrap();
    assert_eq!((status.state(), status.generation, status.generations), (State::Active, 0, 3));
    assert_eq!(status.waiting_for, "no worker is connected");
    assert_eq!(status.digest.len(), 64);
    check_refused(delete(&farm, &run).await, Code::FailedPrecondition, "cancel it first");
    for (act, state) in [
        (Act::Pause, State::Paused),
        (Act::Pause, State::Paused),
        (Act::Resume, State::Active),
        (Act::Cancel, State::Cancelled),
    ] {
        assert_eq!(steer(&farm, &run, act).await.unwrap(), state);
    }
    check_refused(steer(&farm, &run, Act::Pause).await, Code::FailedPrecondition, "is cancelled");
    check_refused(steer(&farm, &run, Act::Unspecified).await, Code::InvalidArgument, "pause");
    delete(&farm, &run).await.unwrap();
    check_refused(get(&farm, &run).await, Code::NotFound, &run);
    check_refused(delete(&farm, &run).await, Code::NotFound, &run);
    check_refused(get(&farm, "last").await, Code::InvalidArgument, "\"last\" is no run's id");
    check_refused(watch(&farm, &run, 0).await.map(|_| ()), Code::NotFound, &run);
    let most = ListRunsRequest { most: 1001, ..ListRunsRequest::default() };
    let listed = farm.service.list_runs(Request::new(most)).await;
    check_refused(listed, Code::InvalidArgument, "1001");
}

#[tokio::test]
async fn a_run_is_told_from_its_beginning_to_its_end() {
    let farm = Farm::start().await;
    let text = pig("games = 2000");
    let (run, _) = submit(&farm, text.clone(), "").await.unwrap();
    let mut updates = std::pin::pin!(watch(&farm, &run, 0).await.unwrap());
    farm.work().await;
    let (mut n_events, mut last) = (0, None);
    within(async {
        while let Some(update) = updates.next().await {
            match update.unwrap().update.unwrap() {
                Update::Event(event) => {
                    assert_eq!(event.number, n_events, "each once, in order");
                    n_events += 1;
                }
                Update::Status(status) => last = Some(status),
            }
        }
    })
    .await;
    let outcome = farm::outcome(&text);
    let last = last.unwrap();
    assert_eq!((last.state(), last.digest.as_str()), (State::Done, &*outcome.digest.to_string()));
    assert_eq!((last.generation, last.generations), (3, 3));
    assert!(4 < n_events, "led, three folded, done");
    // From the middle, and from the end.
    for from in [2, n_events] {
        let updates = watch(&farm, &run, from).await.unwrap();
        let updates: Vec<_> = within(updates.map(Result::unwrap).collect()).await;
        assert_eq!(updates.len() as u64, n_events - from + 1, "the events and the status");
    }
    check_export(&farm, &run, &text, &outcome, n_events).await;
    farm.stop().await;
}

/// Checks that the exported data and the states equal the data and states of the plainest way to
/// run.
async fn check_export(
    farm: &Farm,
    run: &str,
    text: &str,
    outcome: &reference::ReferenceRun,
    n_events: u64,
) {
    let request = ExportRunRequest { run: run.to_owned() };
    let chunks = farm.service.export_run(Request::new(request)).await.unwrap().into_inner();
    let chunks: Vec<_> = within(chunks.map(|chunk| chunk.unwrap().data).collect()).await;
    let export = RunExport::decode(chunks.concat().as_slice()).unwrap();
    let record = RunRecord::decode(export.record.as_slice()).unwrap();
    assert_eq!((record.experiment.as_str(), record.spec.as_str()), ("pig", text));
    assert_eq!(export.events.len() as u64, n_events);
    let generations = export.generations.iter();
    let generations: Vec<_> =
        generations.map(|bytes| GenerationRecord::decode(bytes.as_slice()).unwrap()).collect();
    assert_eq!(generations.len(), 3);
    assert_eq!(generations[2].digest, outcome.digest.as_bytes());
    assert_eq!(Some(&export.state), outcome.states.last());
    let run: RunId = run.parse().unwrap();
    for (generation, expected) in generations.iter().zip(&outcome.states) {
        let [hash] = generation.state_hashes()[..] else { panic!("a small state is one part") };
        assert_eq!(&part(farm, run, hash).await.unwrap(), expected);
    }
    let unknown = part(farm, run, Digest::of(b"unknown")).await.map(|_| ());
    check_refused(unknown, Code::NotFound, "has no part");
    let other = RunId(ulid::Ulid(1));
    let foreign = part(farm, other, Digest::of(&outcome.states[0])).await.map(|_| ());
    check_refused(foreign, Code::NotFound, "has no part");
}

/// Returns the bytes of a part of a run.
async fn part(farm: &Farm, run: RunId, hash: Digest) -> Result<Vec<u8>, Status> {
    let (hash, run) = (hash.as_bytes().to_vec(), run.to_bytes().to_vec());
    let request = GetPartRequest { hash, run, ..GetPartRequest::default() };
    let chunks = farm.service.get_part(Request::new(request)).await?.into_inner();
    let chunks: Vec<_> = within(chunks.map(|chunk| chunk.unwrap().data).collect()).await;
    Ok(chunks.concat())
}

#[tokio::test]
async fn watches_end_with_their_coordinator_and_have_a_limit() {
    let farm = Farm::start().await;
    let (run, _) = submit(&farm, pig("games = 100"), "").await.unwrap();
    let mut watches = Vec::new();
    let refused = loop {
        match watch(&farm, &run, 0).await {
            Ok(updates) => watches.push(Box::pin(updates)),
            Err(refused) => break refused,
        }
    };
    assert_eq!((refused.code(), watches.len()), (Code::ResourceExhausted, 256));
    // Whoever leaves makes room.
    drop(watches.pop());
    let again = within(async {
        loop {
            match watch(&farm, &run, 0).await {
                Ok(updates) => break updates,
                Err(_) => tokio::task::yield_now().await,
            }
        }
    });
    watches.push(Box::pin(again.await));
    farm.service.close();
    for updates in &mut watches {
        let end = within(updates.filter_map(Result::err).next()).await.unwrap();
        assert_eq!(end.code(), Code::Unavailable);
    }
}

#[tokio::test]
async fn dead_jobs_are_listed_with_what_was_tried() {
    let farm = Farm::start().await;
    let on_dead = OnDead::Pause.into();
    let request = SubmitRequest { on_dead, ..submission(pig("games = 8"), "").into_inner() };
    let run = farm.service.submit(Request::new(request)).await.unwrap().into_inner().run;
    let id = farm::id(&run);
    let store = farm.coordinator.store();
    let led = store.execute(TakeLead { run: id }).await.unwrap();
    let segments = vec![Segment { n_trials: 8, ..Segment::default() }];
    let job = Job { segments, ..Job::default() }.encode_to_vec();
    let jobs = vec![job; 3];
    let enqueue = EnqueueBatch { jobs, ..EnqueueBatch::default() };
    let enqueue = EnqueueAndLease { lead: led.lead, enqueue, consumer: CONSUMER, most: 3 };
    let leased = store.execute(enqueue).await.unwrap();
    let attempt = FailedAttempt {
        kind: AttemptKind::Error.into(),
        name: "w1".to_owned(),
        message: "a bug".to_owned(),
        trial: "0/0/5".to_owned(),
        ..FailedAttempt::default()
    };
    for LeasedJob { id: job, .. } in &leased[1..] {
        store
            .execute(AddAttempt {
                run: id,
                job: *job,
                id: AttemptId(7),
                attempt: attempt.encode_to_vec(),
            })
            .await
            .unwrap();
        store.execute(ParkJob { run: id, consumer: CONSUMER, job: *job }).await.unwrap();
    }
    assert_eq!(get(&farm, &run).await.unwrap().dead_jobs, 2);
    let list = async |from| {
        let request = ListDeadRequest { run: run.clone(), from };
        farm.service.list_dead(Request::new(request)).await.unwrap().into_inner().jobs
    };
    let dead = list(0).await;
    assert_eq!(dead.iter().map(|dead| dead.index).collect::<Vec<_>>(), [1, 2]);
    assert_eq!((dead[0].trials.as_str(), dead[0].trial.as_str()), ("0/0/0 to 0/0/7", "0/0/5"));
    assert_eq!(dead[0].attempts[0].message, "a bug");
    assert_eq!(list(2).await.len(), 1);
    let retry = async |indices| {
        let request = RetryDeadRequest { run: run.clone(), indices };
        farm.service.retry_dead(Request::new(request)).await.unwrap().into_inner().n_jobs
    };
    assert_eq!(retry(vec![0, 2, 99]).await, 1, "job 0 is not dead, job 99 not there");
    assert_eq!(retry(vec![]).await, 1);
    assert_eq!(list(0).await, []);
    let too_many = RetryDeadRequest { run: run.clone(), indices: vec![0; 10_001] };
    let refused = farm.service.retry_dead(Request::new(too_many)).await;
    check_refused(refused, Code::InvalidArgument, "10001");
}

async fn explain(farm: &Farm, run: &str) -> Result<Vec<ReasonKind>, Status> {
    let request = ExplainRunRequest { run: run.to_owned() };
    let explained = farm.service.explain_run(Request::new(request)).await?.into_inner();
    Ok(explained.reasons.iter().map(Reason::kind).collect())
}

/// The workers, as soon as that many are connected.
async fn workers(farm: &Farm, n_workers: usize) -> ListWorkersResponse {
    within(async {
        loop {
            let request = Request::new(ListWorkersRequest {});
            let listed = farm.service.list_workers(request).await.unwrap().into_inner();
            if listed.workers.len() == n_workers {
                return listed;
            }
            tokio::task::yield_now().await;
        }
    })
    .await
}

async fn drain(farm: &Farm, worker: &str) -> Result<(), Status> {
    let request = DrainWorkerRequest { worker: worker.to_owned() };
    farm.service.drain_worker(Request::new(request)).await.map(|_| ())
}

async fn quarantine(farm: &Farm, worker: &str, reason: &str) -> Result<(), Status> {
    let (worker, reason) = (worker.to_owned(), reason.to_owned());
    let request = QuarantineWorkerRequest { worker, reason };
    farm.service.quarantine_worker(Request::new(request)).await.map(|_| ())
}

#[tokio::test]
async fn a_run_that_waits_is_explained() {
    let farm = Farm::start().await;
    let request = SubmitRequest {
        user: "ada".to_owned(),
        priority: Priority::Low.into(),
        most_slots: 3,
        ..submission(pig("games = 100"), "").into_inner()
    };
    let run = farm.service.submit(Request::new(request)).await.unwrap().into_inner().run;
    let status = get(&farm, &run).await.unwrap();
    let known = (status.user.as_str(), status.priority(), status.most_slots);
    assert_eq!(known, ("ada", Priority::Low, 3));
    assert_eq!(explain(&farm, &run).await.unwrap(), [ReasonKind::NoWorker]);
    steer(&farm, &run, Act::Pause).await.unwrap();
    assert_eq!(explain(&farm, &run).await.unwrap(), [ReasonKind::Paused]);
    steer(&farm, &run, Act::Cancel).await.unwrap();
    assert_eq!(explain(&farm, &run).await.unwrap(), [ReasonKind::Ended]);
    let unknown = "01M7YH3Q6F4BFRQE644ZH5B8FZ";
    check_refused(explain(&farm, unknown).await, Code::NotFound, unknown);
}

#[tokio::test]
async fn workers_are_drained_and_quarantined() {
    let farm = Farm::start().await;
    let nobody = format!("{:032x}", 7);
    check_refused(drain(&farm, &nobody).await, Code::NotFound, "`hatchery workers` lists");
    check_refused(drain(&farm, "w").await, Code::InvalidArgument, "no worker's id");
    farm.work().await;
    let listed = workers(&farm, 1).await;
    let (id, name) = (&listed.workers[0].worker, &listed.workers[0].name);
    assert_eq!((name.as_str(), listed.workers[0].slots, &listed.shut_out), ("w", 2, &vec![]));
    drain(&farm, id).await.unwrap();
    workers(&farm, 0).await;
    check_refused(quarantine(&farm, id, " ").await, Code::InvalidArgument, "give a reason");
    quarantine(&farm, id, "bad memory").await.unwrap();
    let again = quarantine(&farm, id, "bad memory").await;
    check_refused(again, Code::FailedPrecondition, "a person asked for it: bad memory");
    assert_eq!(workers(&farm, 0).await.shut_out[0].worker, *id);
}
