//! Clients that are no workers, and workers that are no good.

use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use hatchery_proto::v1::{
    self, Goodbye, Heartbeat, JobRef, Release, Results, Want, to_coordinator, to_worker,
};
use hatchery_proto::{MAX_BATCH_ITEMS, PROOF_BYTES, PROTOCOL};
use hatchery_test_redis::PATIENCE;
use hatchery_worker::CallCredentials;
use serde_json::Value as Json;
use tonic::Code;

use crate::client::{Client, channel, hello};
use crate::guarded::{Guarded, TOKENS, address, succeed};
use crate::harness::{Farm, RUN};
use crate::metrics::{get, value};
use crate::process::{Process, cpu_time_of, until};

/// The additional memory that a coordinator may need for hostile messages, which come one after the
/// other, so that a slow coordinator has no more data at a time.
const MEMORY: u64 = 64 << 20;

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(future)
}

/// Row 20: bytes that are no protocol end their connection and nothing else.
#[test]
fn random_bytes() {
    let mut farm = Farm::start(1, 2);
    let submitted = farm.submit(RUN);
    let address = farm.coordinators[0].0.trim_start_matches("http://").to_owned();
    let before = farm.coordinators[0].1.memory_bytes();
    let mut noise = 1_u64;
    let mut byte = || {
        noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (noise >> 56) as u8
    };
    for round in 0..50 {
        let mut stream = TcpStream::connect(&address).unwrap();
        if round % 2 == 0 {
            stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").unwrap();
        }
        let bytes: Vec<_> = (0..20_000).map(|_| byte()).collect();
        // The coordinator may have hung up already.
        stream.write_all(&bytes).unwrap_or(());
    }
    let document = farm.finish(submitted);
    assert_eq!(document["digest"], RUN.digest());
    let grown = farm.coordinators[0].1.memory_bytes().saturating_sub(before);
    assert!(grown < MEMORY, "it grew by {grown} bytes");
}

/// Row 21: messages that are small on the wire and large in memory, and messages that are too
/// large.
#[test]
fn amplification() {
    let mut farm = Farm::start(1, 2);
    let submitted = farm.submit(RUN);
    let before = farm.coordinators[0].1.memory_bytes();
    let url = farm.coordinators[0].0.clone();
    block_on(async {
        let many = |n: usize| Results { results: vec![v1::Result::default(); n] };
        let huge = v1::Result { ticket: vec![0; 2 << 20], ..v1::Result::default() };
        let cases = [
            (to_coordinator::Message::Results(many(MAX_BATCH_ITEMS + 1)), Code::InvalidArgument),
            (to_coordinator::Message::Results(many(400_000)), Code::InvalidArgument),
            (to_coordinator::Message::Results(Results { results: vec![huge] }), Code::OutOfRange),
            (
                to_coordinator::Message::Release(Release {
                    refs: vec![JobRef::default(); 200_000],
                }),
                Code::InvalidArgument,
            ),
            (
                to_coordinator::Message::Heartbeat(Heartbeat {
                    running: vec![v1::JobProgress::default(); 300_000],
                }),
                Code::InvalidArgument,
            ),
            (to_coordinator::Message::Hello(hello(1)), Code::InvalidArgument),
        ];
        for (message, code) in cases {
            let hello = to_coordinator::Message::Hello(hello(7));
            let client = Client::open(channel(&url).await, hello).await.unwrap();
            client.say(message).await;
            let status = client.end().await;
            assert_eq!(status.code(), code, "{status}");
        }
    });
    let document = farm.finish(submitted);
    assert_eq!(document["digest"], RUN.digest());
    let grown = farm.coordinators[0].1.memory_bytes().saturating_sub(before);
    assert!(grown < MEMORY, "it grew by {grown} bytes");
}

/// Row 23: a worker with another protocol gets that message. A worker with another version of an
/// experiment gets no job of that experiment, and both sides log the reason.
#[test]
fn other_versions() {
    let farm = Farm::start(1, 0);
    let url = farm.coordinators[0].0.clone();
    block_on(async {
        let other = v1::Hello { protocol: PROTOCOL + 1, ..hello(1) };
        let message = to_coordinator::Message::Hello(other);
        let status = Client::open(channel(&url).await, message).await.unwrap().end().await;
        assert_eq!(status.code(), Code::FailedPrecondition);
        assert!(status.message().contains("install the same release"), "{status}");

        // As a worker of an earlier release, which gets all self-tests at once.
        let mut other = v1::Hello { takes_self_tests: false, ..hello(2) };
        other.experiments.iter_mut().for_each(|known| known.version += 1);
        let n_experiments = other.experiments.len();
        let message = to_coordinator::Message::Hello(other);
        let mut client = Client::open(channel(&url).await, message).await.unwrap();
        client.keep_alive();
        let Some(to_worker::Message::Welcome(welcome)) = client.hear().await.unwrap() else {
            panic!("no Welcome")
        };
        assert_eq!(welcome.self_tests.len(), n_experiments);
        let results = vec![v1::Result::default(); n_experiments];
        let tested = v1::SelfTested { results, ..v1::SelfTested::default() };
        client.say(to_coordinator::Message::SelfTested(tested)).await;
        let Some(to_worker::Message::Notice(notice)) = client.hear().await.unwrap() else {
            panic!("no Notice")
        };
        assert!(notice.text.contains("install the same release"), "{}", notice.text);
    });
    let (_, coordinator) = &farm.coordinators[0];
    let begun = Instant::now() - PATIENCE;
    coordinator.wait_for(begun, PATIENCE, |line| line.contains("worker of another protocol"));
    coordinator.wait_for(begun, PATIENCE, |line| line.contains("other version"));
}

/// Rows 25 to 27: results that are invalid, come twice, or are for jobs never leased.
#[test]
fn results_that_are_not() {
    let mut farm = Farm::start(1, 2);
    let submitted = farm.submit(RUN);
    let (_, coordinator) = &farm.coordinators[0];
    let (_, line) =
        coordinator.wait_for(Instant::now(), PATIENCE, |line| line.contains("verdict=Accepted"));
    let run = line.split_once("run=").unwrap().1.split_once(' ').unwrap().0;
    let run = ulid::Ulid::from_string(run).unwrap().0.to_be_bytes().to_vec();
    let url = farm.coordinators[0].0.clone();
    block_on(async {
        let hello = to_coordinator::Message::Hello(hello(5));
        let mut client = Client::open(channel(&url).await, hello).await.unwrap();
        client.keep_alive();
        for index in 0..100 {
            let job = JobRef { run: run.clone(), generation: 0, index };
            let outcome = Some(v1::result::Outcome::Output(b"\x0a\x01\x08".to_vec()));
            let result = v1::Result { r#ref: Some(job), outcome, cost: None, ticket: vec![1; 16] };
            client.say(to_coordinator::Message::Results(Results { results: vec![result] })).await;
        }
        let mut n_refused = 0;
        while n_refused < 100 {
            if let Some(to_worker::Message::Verdicts(said)) = client.hear().await.unwrap() {
                for verdict in said.verdicts {
                    assert_eq!(verdict.verdict(), v1::Verdict::Invalid);
                    n_refused += 1;
                }
            }
        }
        client.say(to_coordinator::Message::Goodbye(Goodbye {})).await;
    });
    let document = farm.finish(submitted);
    assert_eq!(document["digest"], RUN.digest());
}

/// How long the worker had nothing to do after each of its results: no time while it has other
/// jobs.
fn idle_times(farm: &Farm, from: Instant, worker: &str) -> Vec<Duration> {
    let (mut n_held, mut idle_since) = (0_u32, None);
    let mut idle_times = Vec::new();
    for (at, line) in
        farm.coordinators[0].1.timed_lines_since(from.checked_sub(PATIENCE).unwrap_or(from))
    {
        if !line.contains(&format!("worker=\"{worker}\"")) {
            continue;
        }
        if line.contains("verdict=") {
            n_held = n_held.saturating_sub(1);
            match n_held {
                0 => idle_since = Some(at),
                _ if from <= at => idle_times.push(Duration::ZERO),
                _ => {}
            }
        } else if line.contains("assigned") {
            n_held += 1;
            let since = idle_since.take().filter(|_| from <= at);
            idle_times.extend(since.map(|since| at.saturating_duration_since(since)));
        }
    }
    idle_times.sort_unstable();
    idle_times
}

/// The most time that the coordinator computes for the workers that join, and for each time that it
/// announces up to a thousand workers to the farm, which is more often if they take longer to join:
/// as multiples of the time that the workers compute themselves, since a busy machine computes
/// more slowly for all.
const PER_JOINING: f64 = 3.0;
const PER_ANNOUNCEMENT: f64 = 0.1;

/// The worker with jobs waits for its next job for at most a fifth of the time that all other
/// workers take to join. If they join in less than [`JOINING`], that time counts.
const MAX_WAIT_DIVISOR: u32 = 5;
const JOINING: Duration = Duration::from_secs(5);

/// The announcements that a coordinator has made.
fn n_announced(coordinator: &Process) -> u32 {
    let metrics = address(coordinator, "serves metrics on http://");
    let series = "hatchery_store_op_duration_seconds_count{op=\"announce\",outcome=\"ok\"}";
    let n_announced = value(&get(&metrics, "/metrics").unwrap().1, series);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small count")]
    let n_announced = n_announced.unwrap_or(0.0) as u32;
    n_announced
}

/// Opens the sessions of a thousand idle workers, all at once.
async fn join_idle(url: &str) -> Vec<Client> {
    let joining = (0..1000).map(|number| {
        let url = url.to_owned();
        tokio::spawn(async move {
            let hello = to_coordinator::Message::Hello(hello(1000 + number));
            let mut client = Client::open(channel(&url).await, hello).await.unwrap();
            let first = client.hear().await.unwrap();
            assert!(matches!(first, Some(to_worker::Message::Welcome(_))));
            client.say(to_coordinator::Message::Want(Want { credits: 0 })).await;
            client
        })
    });
    let mut clients = Vec::new();
    for client in joining.collect::<Vec<_>>() {
        clients.push(client.await.unwrap());
    }
    clients
}

/// Row 32: a thousand idle workers cost no more than a thousand times as much as one, and the
/// worker that works hardly waits for a job meanwhile. How soon workers are in is tested in virtual
/// time (`tests/simulation/scale.rs`).
#[test]
fn a_thousand_idle_workers() {
    let mut farm = Farm::start(1, 1);
    let submitted = farm.submit(RUN);
    farm.wait_for_progress();
    let (url, coordinator) = &farm.coordinators[0];
    let (before, announced_before) = (coordinator.cpu_time(), n_announced(coordinator));
    let (begun, runtime) = (Instant::now(), tokio::runtime::Runtime::new().unwrap());
    let own_before = cpu_time_of(std::process::id());
    let clients = runtime.block_on(join_idle(url));
    let own = cpu_time_of(std::process::id()) - own_before;
    let joining = begun.elapsed();
    let cost = coordinator.cpu_time() - before;
    let n_announced = n_announced(coordinator) - announced_before;
    farm.wait_for_progress();
    drop(clients);
    let idle = idle_times(&farm, begun, "w1");
    let n = idle.len();
    assert!(0 < n, "w1 waited for no job while the others joined");
    let p99 = idle[n * 99 / 100];
    println!(
        "a thousand workers are in after {joining:?}, for {cost:?} of CPU, {own:?} of their own \
         and {n_announced} announcements; p99 of {n} waits for a job {p99:?}"
    );
    let most = own.mul_f64(PER_JOINING + PER_ANNOUNCEMENT * f64::from(n_announced));
    assert!(cost < most, "the coordinator computed for {cost:?}, of {most:?}");
    let longest = joining.max(JOINING) / MAX_WAIT_DIVISOR;
    assert!(p99 < longest, "1 % of the waits for a job took longer than {p99:?}, of {joining:?}");
    let document = farm.finish(submitted);
    assert_eq!(document["digest"], RUN.digest());
}

/// Everybody with a viewer's token sees the ids of workers. A client with such an id and its own
/// worker's token cannot take a worker's place at any coordinator: the worker notices nothing.
#[test]
fn a_worker_id_that_was_seen_is_of_no_use() {
    let mut guarded = Guarded::start();
    let redis = guarded.farm.redis.url();
    let args = ["coordinator", "--listen", "127.0.0.1:0", "--redis", &redis];
    let other = guarded.process("other", &[&args[..], &TOKENS].concat());
    let url = address(&other, "listens on ");
    guarded.farm.coordinators.push((url.clone(), other));
    let worker = ["worker", "--slots", "1", "--name", "w1", "--coordinator", &url];
    let worker = guarded.process("w1", &guarded.as_("lab", &worker));
    let mut id = None;
    until("the worker is listed", || {
        let listed = guarded.as_("eve", &["workers", "--output", "json"]);
        let listed: Json = serde_json::from_str(&succeed(&guarded.farm, &listed)).unwrap();
        id = listed["workers"][0]["worker"].as_str().map(str::to_owned);
        id.is_some()
    });
    let id = u128::from_str_radix(&id.unwrap(), 16).unwrap();
    let set = RUN.set.iter().flat_map(|assignment| ["--set", assignment]);
    let submit = ["submit", RUN.preset, "--wait", "--output", "json"].into_iter().chain(set);
    let submit: Vec<_> = submit.collect();
    let submitted = guarded.process("submit", &guarded.as_("ada", &submit));
    guarded.farm.wait_for_progress();

    let token = std::fs::read_to_string(guarded.farm.path().join("spare.token")).unwrap();
    for (url, coordinator) in &guarded.farm.coordinators {
        for proof in [Vec::new(), vec![9; PROOF_BYTES]] {
            let status = block_on(async {
                let claimed = id.to_be_bytes().to_vec();
                let hello = v1::Hello { incarnation: claimed, proof, ..hello(1) };
                let hello = to_coordinator::Message::Hello(hello);
                let token = CallCredentials::bearer(token.trim()).unwrap();
                Client::open_with(channel(url).await, token, hello).await.unwrap().end().await
            });
            assert_eq!(status.code(), Code::PermissionDenied, "{status}");
            assert!(status.message().contains(&format!("{id:032x}")), "{status}");
        }
        // A refusal may arrive before the line about it.
        let mut refusals = Vec::new();
        until("both refusals are logged", || {
            refusals = coordinator.lines();
            refusals.retain(|line| line.contains("its id is not its own"));
            2 <= refusals.len()
        });
        assert_eq!(refusals.len(), 2);
        let names = ["worker=\"client-1\"", "spare at 127.0.0.1"];
        assert!(names.iter().all(|name| refusals[0].contains(name)), "{refusals:?}");
    }
    let document = guarded.farm.finish(submitted);
    assert_eq!(document["digest"], RUN.digest());
    let said = worker.lines();
    let n_sessions = said.iter().filter(|line| line.contains(" connected")).count();
    assert_eq!(n_sessions, 1, "{said:?}");
    let (_, text) = get(&guarded.metrics, "/metrics").unwrap();
    let refused = value(&text, "hatchery_auth_failures_total{reason=\"identity\"}");
    assert_eq!(refused, Some(2.0));
}
