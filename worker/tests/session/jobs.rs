//! The work of a healthy session.

use std::sync::Arc;
use std::time::Duration;

use hatchery_core::Digest;
use hatchery_proto::v1::to_coordinator::Message as FromWorker;
use hatchery_proto::v1::to_worker::Message as ToTheWorker;
use hatchery_proto::v1::{self, Cancel, Job, Notice, Segment, SelfTest, Verdict, Welcome, result};
use hatchery_worker::{ExecutionMode, PreconnectedDialer, run_worker};
use prost::Message;
use tokio::sync::watch;
use tokio::time::Instant;
use tonic::transport::{Endpoint, Server};

use crate::fake_coordinator::{self, FakeCoordinator, FakeService, job_ref};
use crate::{TestWorker, config, gated};

#[tokio::test(flavor = "multi_thread")]
async fn no_more_jobs_are_taken_than_can_be_kept() {
    let mut coordinator = FakeCoordinator::start().await;
    let _worker = TestWorker::start(config(1, &[&coordinator]));
    let mut session = coordinator.welcomed_session().await;
    // Without verdicts a worker of one slot takes eight jobs, and up to 64 that take no time.
    let mut n_taken = 0;
    for index in 0..8 {
        session.assign(index, &gated::job(&[0], 1)).await;
        session.results(1).await;
        n_taken += 1;
    }
    loop {
        session.assign_unasked(n_taken, gated::job(&[0], 1).encode_to_vec()).await;
        match session.next_reply().await {
            FromWorker::Results(_) => n_taken += 1,
            FromWorker::Release(_) => break,
            other => panic!("{other:?}"),
        }
    }
    assert!(n_taken <= 64, "{n_taken}: no room without a verdict");
    let credits = session.credits;
    session.send_verdicts(&[3], Verdict::Accepted).await;
    session.send_verdicts(&[0, 1, 2, 4, 5, 6, 7], Verdict::Duplicate).await;
    session.send_verdicts(&(8..n_taken).collect::<Vec<_>>(), Verdict::Duplicate).await;
    session.wait_for_credits(credits + 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn many_results_are_sent_in_batches_within_their_limits() {
    let mut coordinator = FakeCoordinator::start().await;
    let mut config = config(200, &[&coordinator]);
    let per_trial = Duration::ZERO;
    config.execution = ExecutionMode::Inline { per_trial, per_long_trial: per_trial };
    let _worker = TestWorker::start(config);
    let mut session = coordinator.welcomed_session().await;
    session.wait_for_credits(400).await;
    // A third of a MiB each: two do not fit into a message.
    let large = large_job(350_000);
    for index in 0..3 {
        session.assign(index, &large).await;
    }
    for index in 3..300 {
        session.assign(index, &gated::job(&[0], 1)).await;
    }
    let mut n = 0;
    while n < 300 {
        let FromWorker::Results(results) = session.next_reply().await else { panic!() };
        assert!(results.results.len() <= hatchery_proto::MAX_BATCH_ITEMS);
        assert!(results.encoded_len() <= hatchery_proto::MAX_BATCH_BYTES + 1000);
        n += results.results.len();
    }
}

/// Returns a job whose trial returns this number of bytes.
fn large_job(padding: u32) -> Job {
    let mut job = gated::job(&[0], 1);
    let subject = gated::GatedSubject { gate: 0, padding, beats: false };
    job.segments[0].subject = hatchery_core::WireValue::encode(&subject);
    job
}

/// A line that is too slow for a result: the worker soon gives back all jobs whose results wait for
/// it, for workers with better lines.
#[tokio::test(flavor = "multi_thread")]
async fn results_are_given_back_if_the_line_is_too_slow() {
    let mut coordinator = FakeCoordinator::start().await;
    coordinator.slow_lines();
    let _worker = TestWorker::start(config(2, &[&coordinator]));
    let mut session = coordinator.welcomed_session().await;
    for index in 0..3 {
        session.assign(index, &large_job(2_000_000)).await;
    }
    let mut returned = Vec::new();
    while returned.len() < 3 {
        let FromWorker::Release(release) = session.next_reply().await else { panic!() };
        returned.extend(release.refs.into_iter().map(|job| job.index));
    }
    returned.sort_unstable();
    assert_eq!(returned, [0, 1, 2]);
    // Two attempts for each result that was not computed when the line was found to be too slow.
    let n_deliveries = coordinator.n_deliveries();
    assert!((2..=6).contains(&n_deliveries), "{n_deliveries}");
}

#[tokio::test(flavor = "multi_thread")]
async fn heartbeats_are_sent_while_all_threads_are_busy() {
    const GATE: u32 = 20;
    let mut coordinator = FakeCoordinator::start().await;
    let _worker = TestWorker::start(config(2, &[&coordinator]));
    let mut session = coordinator.welcomed_session().await;
    for index in 0..4 {
        session.assign(index, &gated::job(&[0, GATE], 40)).await;
    }
    let mut n_busy = 0;
    while n_busy < 5 {
        let Some(FromWorker::Heartbeat(beat)) = session.receive().await else { continue };
        assert!(beat.running.len() <= 3, "what waits is not told of");
        assert!(beat.running.iter().all(|job| job.trials_done < 80));
        n_busy += usize::from(beat.running.iter().any(|job| 0 < job.trials_done));
    }
    gated::open_gate(GATE);
    session.results(4).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_job_makes_room() {
    const GATE: u32 = 21;
    let mut coordinator = FakeCoordinator::start().await;
    let _worker = TestWorker::start(config(1, &[&coordinator]));
    let mut session = coordinator.welcomed_session().await;
    // The first trial returns, the second never starts.
    session.assign(0, &gated::job(&[GATE, GATE + 1], 1)).await;
    session.wait_for_running(1).await;
    session.assign(1, &gated::job(&[GATE + 1], 1)).await;
    session.send(ToTheWorker::Cancel(Cancel { refs: vec![job_ref(1)] })).await;
    session.wait_for_credits(1).await;
    session.send(ToTheWorker::Cancel(Cancel { refs: vec![job_ref(0)] })).await;
    session.send(ToTheWorker::Notice(Notice { text: "maintenance\u{1b}[2J".to_owned() })).await;
    // A job that is being stopped cannot start again.
    session.credits -= 1;
    session.assign_unasked(0, gated::job(&[0], 1).encode_to_vec()).await;
    let FromWorker::Release(release) = session.next_reply().await else { panic!() };
    assert_eq!(release.refs, [job_ref(0)]);
    gated::open_gate(GATE);
    session.wait_for_credits(2).await;
    session.assign(2, &gated::job(&[0], 1)).await;
    assert_eq!(session.results(1).await.into_keys().collect::<Vec<_>>(), [2]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_input_that_no_job_needs_any_more_holds_up_no_others() {
    let mut coordinator = FakeCoordinator::start().await;
    let _worker = TestWorker::start(config(1, &[&coordinator]));
    let mut session = coordinator.welcomed_session().await;
    let shared = Digest::of(fake_coordinator::STALLED).as_bytes().to_vec();
    session.assign(0, &Job { shared, ..gated::job(&[0], 1) }).await;
    coordinator.stalled_fetch().await;
    session.assign(1, &gated::job(&[0], 1)).await;
    session.send(ToTheWorker::Cancel(Cancel { refs: vec![job_ref(0)] })).await;
    assert_eq!(session.results(1).await.into_keys().collect::<Vec<_>>(), [1]);
}

/// Returns a job of pig, which has an empty shared input.
fn pig() -> Job {
    let shared = vec![0];
    Job {
        inputs: Vec::new(),
        alone: false,
        experiment: "pig".to_owned(),
        version: 1,
        seed: 3,
        generation: 0,
        shared: Digest::of(&shared).as_bytes().to_vec(),
        draws: v1::Draws::PerSubject.into(),
        segments: vec![Segment {
            subject_idx: 2,
            subject: vec![2, 8, 20],
            first_trial: 0,
            n_trials: 100,
        }],
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn self_tests_give_the_output_of_the_reference() {
    let mut coordinator = FakeCoordinator::start().await;
    let _worker = TestWorker::start(config(3, &[&coordinator]));
    let mut session = coordinator.next_session().await;
    let test =
        |job: &Job, shared: &[u8]| SelfTest { job: job.encode_to_vec(), shared: shared.to_vec() };
    let unknown = Job { experiment: "chess".to_owned(), ..pig() };
    let self_tests = vec![
        test(&gated::job(&[0, 0, 0], 50), &gated::shared()),
        test(&pig(), &[0]),
        test(&unknown, &[0]),
        test(&pig(), &[1]),
        SelfTest { job: vec![255; 9], shared: vec![] },
    ];
    session.send(ToTheWorker::Welcome(Welcome { self_tests, ..Welcome::default() })).await;
    let FromWorker::SelfTested(tested) = session.next_reply().await else { panic!() };
    let outcomes: Vec<_> = tested.results.iter().map(|r| r.outcome.clone().unwrap()).collect();
    assert!(tested.results.iter().all(|result| result.r#ref.is_none()));
    let expected = gated::output(&gated::job(&[0, 0, 0], 50), &gated::shared());
    assert_eq!(outcomes[0], result::Outcome::Output(expected));
    assert_eq!(outcomes[1], result::Outcome::Output(gated::output(&pig(), &[0])));
    for (outcome, expected) in
        outcomes[2..].iter().zip(["does not know chess", "other bytes", "malformed job"])
    {
        let result::Outcome::Failure(failure) = outcome else { panic!("{outcome:?}") };
        assert!(failure.message.contains(expected), "{}", failure.message);
    }
    assert_eq!(outcomes.len(), 5);
    session.assign(0, &pig()).await;
    let brought = session.results(1).await;
    assert_eq!(brought[&0].outcome, Some(outcomes[1].clone()));
}

/// Runs a farm in virtual time, without threads. Returns the messages of the worker and their
/// times.
async fn simulate(rng_seed: u64) -> Vec<(Duration, String)> {
    let (service, mut sessions) = FakeService::new(None, Arc::default(), Arc::default());
    let (client, server) = fake_coordinator::duplex();
    tokio::spawn(Server::builder().add_service(service).serve_with_incoming(server));
    let mut client = Some(hyper_util::rt::TokioIo::new(client));
    let connector = tower::service_fn(move |_| {
        let client = client.take().ok_or_else(|| std::io::Error::other("one is enough"));
        async move { client }
    });
    let endpoint = Endpoint::from_static("http://in-process");
    let channel = endpoint.connect_with_connector(connector).await.unwrap();
    let mut config = config(2, &[]);
    config.endpoints = vec!["in-process".to_owned()];
    config.rng_seed = rng_seed;
    config.catalog = gated::CATALOG;
    let per_trial = Duration::from_millis(100);
    config.execution = ExecutionMode::Inline { per_trial, per_long_trial: per_trial };
    let (_stop, stopped) = watch::channel(false);
    tokio::spawn(run_worker(config, Arc::new(PreconnectedDialer::new(channel)), stopped));
    let mut session = sessions.recv().await.unwrap();
    let began = Instant::now();
    session.send(ToTheWorker::Welcome(Welcome { heartbeat_ms: 300, ..Welcome::default() })).await;
    for (index, n_trials) in [(0, 30), (1, 10), (2, 10)] {
        session.assign(index, &gated::job(&[0], n_trials)).await;
    }
    let mut messages = Vec::new();
    let mut n_results = 0;
    while n_results < 3 {
        let message = session.receive().await.unwrap();
        n_results += usize::from(matches!(message, FromWorker::Results(_)));
        messages.push((began.elapsed(), format!("{message:?}")));
    }
    messages
}

#[tokio::test(start_paused = true)]
async fn a_simulation_repeats_itself_in_virtual_time() {
    let messages = simulate(1).await;
    assert_eq!(messages, simulate(1).await);
    assert_ne!(messages, simulate(2).await, "heartbeats come by chance");
    let results = messages.iter().filter(|(_, message)| message.starts_with("Results"));
    let job_ref: Vec<_> = results.map(|(job_ref, _)| job_ref.as_secs()).collect();
    assert_eq!(job_ref, [1, 2, 3], "two slots, 3 + 1 + 1 seconds of work");
}

#[cfg(feature = "faults")]
#[tokio::test(flavor = "multi_thread")]
async fn a_faulty_worker_sends_wrong_results_as_configured() {
    let mut coordinator = FakeCoordinator::start().await;
    let mut config = config(1, &[&coordinator]);
    config.fault = Some(hatchery_worker::FaultMode::CorruptAfter(1));
    let _worker = TestWorker::start(config);
    let mut session = coordinator.welcomed_session().await;
    let truth = result::Outcome::Output(gated::output(&pig(), &[0]));
    for (index, honest) in [(0, true), (1, false), (2, false)] {
        session.assign(index, &pig()).await;
        let brought = session.results(1).await;
        assert_eq!(brought[&index].outcome.as_ref() == Some(&truth), honest);
    }
}
