//! Many slow lines, which have transfers under way all the time, beside a good worker.

use std::future::pending;
use std::iter::repeat_with;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hatchery_core::RunSeed;
use hatchery_proto::PART_CHUNK_BYTES;
use hatchery_proto::v1::put_result_request::Message as Content;
use hatchery_proto::v1::worker_plane_client::WorkerPlaneClient;
use hatchery_proto::v1::{
    ByteChunk, GetPartRequest, Hello, PutResultRequest, to_coordinator, to_worker,
};
use tokio_stream::StreamExt as _;
use tonic::transport::{Channel, Endpoint};

use crate::client::{Client, channel, hello};
use crate::harness::{Farm, Work};
use crate::process::{find, until};
use crate::proxy::Proxy;
use crate::references::configured;

/// The slow lines, and what each carries.
const N_SLOW: u128 = 80;
const BYTES_PER_SECOND: u64 = 5000;

/// The fetches of parts that a coordinator serves at the same time.
const N_TURNS: usize = 16;

/// A run in each of whose generations a worker fetches an input and a part, and brings a part and a
/// result that is too large for a message. The last of its first parts stays until the end.
const TRANSFERS: Work = Work {
    preset: "burn/smoke",
    set: &[
        "trials=1",
        "generations=20",
        "shared_bytes=300000",
        "parts=22",
        "part_bytes=800000",
        "new_parts=1",
        "tally_bytes=600000",
    ],
};

/// Returns the hash of the last part of the first state.
fn last_part() -> Vec<u8> {
    let run = configured(TRANSFERS.preset, TRANSFERS.set);
    let seed = RunSeed::new(run.experiment.name(), run.seed).generation(0);
    let beginning = run.procedure.begin(&seed, &[]).unwrap();
    beginning.named.last().unwrap().hash().as_bytes().to_vec()
}

/// A worker that takes no jobs, and makes calls over a slow line.
struct SlowWorker {
    number: u128,
    /// The coordinator, and the slow line to it.
    url: String,
    slow_url: String,
    part: GetPartRequest,
    /// The number of fetches of all such workers that had a turn.
    n_begun: Arc<AtomicUsize>,
}

impl SlowWorker {
    /// Has transfers under way all the time: every other worker has a fetch and a result without
    /// end, and the workers between have results that stop after the first message.
    async fn run(self) {
        let hello = Hello { experiments: Vec::new(), ..hello(1000 + self.number) };
        let hello = to_coordinator::Message::Hello(hello);
        let mut client = Client::open(channel(&self.url).await, hello).await.unwrap();
        let Some(to_worker::Message::Welcome(welcome)) = client.hear().await.unwrap() else {
            panic!("no Welcome")
        };
        client.keep_alive();
        loop {
            // The least window, so that the coordinator waits for the line.
            let line = Endpoint::from_shared(self.slow_url.clone()).unwrap();
            let line = line.initial_stream_window_size(65_535).connect().await.unwrap();
            let calls = WorkerPlaneClient::new(line);
            let session = welcome.session.clone();
            // Until a deadline, or until the coordinator closes a line that answers no pings.
            if self.number.is_multiple_of(2) {
                tokio::select! {
                    biased;
                    () = self.fetch(calls.clone(), session.clone()) => {}
                    () = bring(calls, session, usize::MAX) => {}
                }
            } else {
                bring(calls, session, 0).await;
            }
        }
    }

    async fn fetch(&self, mut calls: WorkerPlaneClient<Channel>, session: Vec<u8>) {
        let request = GetPartRequest { session, ..self.part.clone() };
        let unread = calls.get_part(request).await;
        self.n_begun.fetch_add(usize::from(unread.is_ok()), Ordering::Relaxed);
        pending::<()>().await;
    }
}

/// Brings a result, which has no end and stops after `n_chunks`.
async fn bring(mut calls: WorkerPlaneClient<Channel>, session: Vec<u8>, n_chunks: usize) {
    let chunk = || Content::Chunk(ByteChunk { data: vec![0; PART_CHUNK_BYTES].into() });
    let messages =
        std::iter::once(Content::Session(session)).chain(repeat_with(chunk).take(n_chunks));
    let messages = messages.map(|message| PutResultRequest { message: Some(message) });
    let messages = tokio_stream::iter(messages).chain(tokio_stream::pending());
    calls.put_result(messages).await.map(drop).unwrap_or(());
}

#[test]
fn slow_lines_hold_up_no_good_worker() {
    let mut farm = Farm::start(1, 0);
    let url = farm.coordinators[0].0.clone();
    let proxy = Proxy::start(url.trim_start_matches("http://"));
    proxy.slow_down(Duration::ZERO, BYTES_PER_SECOND);
    let submitted = farm.submit(TRANSFERS);
    let run = find(|| farm.last_run().ok_or("no run"));
    let run = ulid::Ulid::from_string(&run).unwrap().0.to_be_bytes().to_vec();
    let part = GetPartRequest { hash: last_part(), run, ..GetPartRequest::default() };
    let (n_begun, runtime) = (Arc::default(), tokio::runtime::Runtime::new().unwrap());
    for number in 0..N_SLOW {
        let worker = SlowWorker {
            number,
            url: url.clone(),
            slow_url: format!("http://{}", proxy.address()),
            part: part.clone(),
            n_begun: Arc::clone(&n_begun),
        };
        runtime.spawn(worker.run());
    }
    until("the slow lines have all turns", || N_TURNS <= n_begun.load(Ordering::Relaxed));
    farm.add_worker();
    let document = farm.finish(submitted);
    assert_eq!(document["digest"], TRANSFERS.digest());
}
