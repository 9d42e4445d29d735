//! A coordinator that the test scripts: a real gRPC server without logic behind it.

use std::collections::BTreeMap;
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use hatchery_core::Digest;
use hatchery_proto::PART_CHUNK_BYTES;
use hatchery_proto::v1::to_coordinator::Message as FromWorker;
use hatchery_proto::v1::to_worker::Message as ToTheWorker;
use hatchery_proto::v1::worker_plane_server::{WorkerPlane, WorkerPlaneServer};
use hatchery_proto::v1::{
    Assign, Assignment, ByteChunk, Drain, GetPartRequest, Hello, Job, JobRef, JobVerdict,
    PutPartsRequest, PutPartsResponse, PutResultRequest, PutResultResponse, Result as JobResult,
    ToCoordinator, ToWorker, Verdict, Verdicts, Welcome,
};
use hatchery_test_redis::PATIENCE;
use prost::Message;
use tokio::net::TcpListener;
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;
use tokio_stream::wrappers::ReceiverStream;
use tokio_stream::{Stream, StreamExt};
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status, Streaming};

use crate::gated;

/// A part that is asked for and never sent.
pub(crate) const STALLED: &[u8] = b"stalled";

pub(crate) async fn within_deadline<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.unwrap_or_else(|_| panic!("{what} did not come"))
}

/// A coordinator that stops listening when it is dropped.
pub(crate) struct FakeCoordinator {
    pub(crate) endpoint: String,
    sessions: mpsc::Receiver<FakeSession>,
    stalled: Arc<Notify>,
    deliveries: Arc<Deliveries>,
    serving: JoinHandle<()>,
}

/// The coordinator's end of a session.
pub(crate) struct FakeSession {
    pub(crate) hello: Hello,
    inbound: Streaming<ToCoordinator>,
    outbound: mpsc::Sender<Result<ToWorker, Status>>,
    /// The credits that the worker has granted and the test has not used.
    pub(crate) credits: u32,
}

type Outbound<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

/// The deliveries of large results.
#[derive(Default)]
pub(crate) struct Deliveries {
    are_slow: AtomicBool,
    n_tried: AtomicU32,
}

/// The service behind a [`FakeCoordinator`].
pub(crate) struct FakeService {
    sessions: mpsc::Sender<FakeSession>,
    refusal: Option<Status>,
    parts: Mutex<BTreeMap<Vec<u8>, Vec<u8>>>,
    /// Told that [`STALLED`] is asked for.
    stalled: Arc<Notify>,
    /// The deliveries of large results, which are refused, or too slow.
    deliveries: Arc<Deliveries>,
}

impl FakeService {
    /// Returns a service, and the sessions that workers open. `stalled` is notified of fetches of
    /// [`STALLED`].
    pub(crate) fn new(
        refusal: Option<Status>,
        stalled: Arc<Notify>,
        deliveries: Arc<Deliveries>,
    ) -> (WorkerPlaneServer<Self>, mpsc::Receiver<FakeSession>) {
        let (send, sessions) = mpsc::channel(16);
        let shared = [gated::shared(), vec![0]];
        let parts = shared.map(|part| (Digest::of(&part).as_bytes().to_vec(), part));
        let parts = Mutex::new(parts.into());
        let service = Self { sessions: send, refusal, parts, stalled, deliveries };
        (WorkerPlaneServer::new(service), sessions)
    }
}

#[tonic::async_trait]
impl WorkerPlane for FakeService {
    type SessionStream = Outbound<ToWorker>;
    type GetPartStream = Outbound<ByteChunk>;

    async fn session(
        &self,
        request: Request<Streaming<ToCoordinator>>,
    ) -> Result<Response<Self::SessionStream>, Status> {
        if let Some(refusal) = &self.refusal {
            return Err(refusal.clone());
        }
        let (outbound, messages) = mpsc::channel(64);
        let sessions = self.sessions.clone();
        let mut inbound = request.into_inner();
        tokio::spawn(async move {
            let hello = inbound.next().await.unwrap().unwrap().message.unwrap();
            let FromWorker::Hello(hello) = hello else { panic!("a session begins with Hello") };
            let session = FakeSession { hello, inbound, outbound, credits: 0 };
            assert!(sessions.send(session).await.is_ok(), "the test is still there");
        });
        Ok(Response::new(Box::pin(ReceiverStream::new(messages))))
    }

    async fn get_part(
        &self,
        request: Request<GetPartRequest>,
    ) -> Result<Response<Self::GetPartStream>, Status> {
        let GetPartRequest { hash, run, first_chunk, .. } = request.into_inner();
        assert_eq!(run.len(), 16, "the run of the part is named");
        if hash == Digest::of(STALLED).as_bytes() {
            self.stalled.notify_one();
            return std::future::pending().await;
        }
        let part = self.parts.lock().unwrap().get(&hash).cloned();
        let part = part.ok_or_else(|| Status::not_found("no such part"))?;
        let chunks = part.chunks(PART_CHUNK_BYTES).skip(first_chunk as usize);
        let chunks: Vec<_> =
            chunks.map(|data| Ok(ByteChunk { data: data.to_vec().into() })).collect();
        Ok(Response::new(Box::pin(tokio_stream::iter(chunks))))
    }

    async fn put_parts(
        &self,
        _: Request<Streaming<PutPartsRequest>>,
    ) -> Result<Response<PutPartsResponse>, Status> {
        Err(Status::unimplemented("no trial here writes parts"))
    }

    async fn put_result(
        &self,
        _: Request<Streaming<PutResultRequest>>,
    ) -> Result<Response<PutResultResponse>, Status> {
        self.deliveries.n_tried.fetch_add(1, Ordering::Relaxed);
        Err(match self.deliveries.are_slow.load(Ordering::Relaxed) {
            true => Status::deadline_exceeded("the next chunk did not come"),
            false => Status::unimplemented("no result here is large"),
        })
    }
}

impl FakeCoordinator {
    pub(crate) async fn start() -> Self {
        Self::with(None).await
    }

    /// Starts a coordinator that refuses all sessions.
    pub(crate) async fn refusing(refusal: Status) -> Self {
        Self::with(Some(refusal)).await
    }

    async fn with(refusal: Option<Status>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
        let (stalled, deliveries) = (Arc::<Notify>::default(), Arc::<Deliveries>::default());
        let (service, sessions) =
            FakeService::new(refusal, Arc::clone(&stalled), Arc::clone(&deliveries));
        let serving = Server::builder().add_service(service).serve_with_incoming(incoming);
        let serving = tokio::spawn(async move { serving.await.unwrap() });
        Self { endpoint, sessions, stalled, deliveries, serving }
    }

    /// Waits for the next session, and leaves Welcome to the test.
    pub(crate) async fn next_session(&mut self) -> FakeSession {
        within_deadline("a session", self.sessions.recv()).await.unwrap()
    }

    /// Waits for the next session, and sends a Welcome that asks for heartbeats.
    pub(crate) async fn welcomed_session(&mut self) -> FakeSession {
        let session = self.next_session().await;
        let welcome = Welcome { heartbeat_ms: 50, ..Welcome::default() };
        session.send(ToTheWorker::Welcome(welcome)).await;
        session
    }

    /// From now on, lines are too slow for large results.
    pub(crate) fn slow_lines(&self) {
        self.deliveries.are_slow.store(true, Ordering::Relaxed);
    }

    /// Returns how often workers have tried to deliver a large result.
    pub(crate) fn n_deliveries(&self) -> u32 {
        self.deliveries.n_tried.load(Ordering::Relaxed)
    }

    /// Waits until a worker asks for [`STALLED`].
    pub(crate) async fn stalled_fetch(&self) {
        within_deadline("a fetch", self.stalled.notified()).await;
    }
}

impl Drop for FakeCoordinator {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl FakeSession {
    pub(crate) async fn send(&self, message: ToTheWorker) {
        self.outbound.send(Ok(ToWorker { message: Some(message) })).await.unwrap();
    }

    /// Returns the worker's next message, heartbeats included; `None` at the end. Answers Leaving
    /// with Drain.
    pub(crate) async fn receive(&mut self) -> Option<FromWorker> {
        loop {
            match self.receive_any().await? {
                FromWorker::Leaving(_) => self.send(ToTheWorker::Drain(Drain {})).await,
                message => return Some(message),
            }
        }
    }

    /// Returns the worker's next message, and leaves the answer to Leaving to the test.
    pub(crate) async fn receive_any(&mut self) -> Option<FromWorker> {
        let heard = within_deadline("a message", self.inbound.next()).await?;
        heard.ok().map(|message| message.message.unwrap())
    }

    /// Returns the worker's next message that is neither a heartbeat nor credits.
    pub(crate) async fn next_reply(&mut self) -> FromWorker {
        loop {
            match self.receive().await.expect("the worker is there") {
                FromWorker::Heartbeat(_) => {}
                FromWorker::Want(want) => self.credits += want.credits,
                other => return other,
            }
        }
    }

    /// Waits for `n` credits.
    pub(crate) async fn wait_for_credits(&mut self, n: u32) {
        while self.credits < n {
            match self.receive().await.expect("the worker is there") {
                FromWorker::Heartbeat(_) => {}
                FromWorker::Want(want) => self.credits += want.credits,
                other => panic!("{other:?} instead of credits"),
            }
        }
    }

    /// Assigns `job` as number `index`, once there is a credit.
    pub(crate) async fn assign(&mut self, index: u64, job: &Job) {
        self.wait_for_credits(1).await;
        self.credits -= 1;
        self.assign_unasked(index, job.encode_to_vec()).await;
    }

    /// Assigns `job` without a credit.
    pub(crate) async fn assign_unasked(&self, index: u64, job: Vec<u8>) {
        let assignment =
            Assignment { r#ref: Some(job_ref(index)), job, ticket: ticket(index), run_slots: 0 };
        self.send(ToTheWorker::Assign(Assign { assignments: vec![assignment] })).await;
    }

    /// Waits until `n` jobs run.
    pub(crate) async fn wait_for_running(&mut self, n: usize) {
        loop {
            match self.receive().await.expect("the worker is there") {
                FromWorker::Heartbeat(beat) if beat.running.len() == n => return,
                FromWorker::Heartbeat(_) => {}
                FromWorker::Want(want) => self.credits += want.credits,
                other => panic!("{other:?} instead of a heartbeat"),
            }
        }
    }

    /// Waits until the worker has answered everything sent so far, and returns its other messages.
    /// A malformed job serves as the mark: it comes back, with or without a credit.
    pub(crate) async fn barrier(&mut self) -> Vec<FromWorker> {
        const INDEX: u64 = 999;
        self.assign_unasked(INDEX, vec![255; 3]).await;
        let mut messages = Vec::new();
        loop {
            match self.next_reply().await {
                FromWorker::Release(release) if release.refs == [job_ref(INDEX)] => {
                    return messages;
                }
                FromWorker::Results(results)
                    if results.results[0].r#ref == Some(job_ref(INDEX)) =>
                {
                    self.credits -= 1;
                    self.send_verdicts(&[INDEX], Verdict::Accepted).await;
                    return messages;
                }
                other => messages.push(other),
            }
        }
    }

    /// Waits for `n` results and returns them by index.
    pub(crate) async fn results(&mut self, n: usize) -> BTreeMap<u64, JobResult> {
        let mut results = BTreeMap::new();
        while results.len() < n {
            let FromWorker::Results(brought) = self.next_reply().await else {
                panic!("no results")
            };
            for result in brought.results {
                let index = result.r#ref.as_ref().unwrap().index;
                assert!(results.insert(index, result).is_none(), "{index} came twice");
            }
        }
        results
    }

    /// Sends the same verdict on all of `indices`.
    pub(crate) async fn send_verdicts(&self, indices: &[u64], verdict: Verdict) {
        let verdicts = indices
            .iter()
            .map(|&index| JobVerdict { r#ref: Some(job_ref(index)), verdict: verdict.into() });
        self.send(ToTheWorker::Verdicts(Verdicts { verdicts: verdicts.collect() })).await;
    }

    /// Returns the indices of the jobs that Hello names.
    pub(crate) fn held_indices(&self) -> Vec<u64> {
        let held = self.hello.held.iter().map(|held| {
            let index = held.r#ref.as_ref().unwrap().index;
            assert_eq!(held.ticket, ticket(index));
            index
        });
        held.collect()
    }

    /// Waits until the worker closes the session, and returns its last messages.
    pub(crate) async fn wait_for_end(mut self) -> Vec<FromWorker> {
        let mut messages = Vec::new();
        while let Some(message) = self.receive().await {
            if !matches!(message, FromWorker::Heartbeat(_) | FromWorker::Want(_)) {
                messages.push(message);
            }
        }
        messages
    }
}

/// Returns the address of job number `index`.
pub(crate) fn job_ref(index: u64) -> JobRef {
    JobRef { run: vec![7; 16], generation: 4, index }
}

/// Returns the ticket of job number `index`.
pub(crate) fn ticket(index: u64) -> Vec<u8> {
    u128::from(index).to_be_bytes().to_vec()
}

/// Returns the two ends of a connection within the process.
pub(crate) fn duplex()
-> (tokio::io::DuplexStream, impl Stream<Item = io::Result<tokio::io::DuplexStream>>) {
    let (client, server) = tokio::io::duplex(1 << 16);
    (client, tokio_stream::once(Ok(server)))
}
