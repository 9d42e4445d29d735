//! A coordinator that does what the test says: a real gRPC server, and no logic behind it.

use std::collections::BTreeMap;
use std::io;
use std::pin::Pin;
use std::sync::Mutex;
use std::time::Duration;

use hatchery_core::Digest;
use hatchery_proto::v1::to_coordinator::Message as FromWorker;
use hatchery_proto::v1::to_worker::Message as ToTheWorker;
use hatchery_proto::v1::worker_plane_server::{WorkerPlane, WorkerPlaneServer};
use hatchery_proto::v1::{
    Assign, Assignment, BlobChunk, Drain, GetBlobRequest, Hello, Job, JobRef, JobVerdict,
    Result as Brought, ToCoordinator, ToWorker, Verdict, Verdicts, Welcome,
};
use prost::Message;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_stream::wrappers::ReceiverStream;
use tokio_stream::{Stream, StreamExt};
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status, Streaming};

use crate::sluice;

/// How long a test waits for something that must happen.
pub(crate) const DEADLINE: Duration = Duration::from_secs(20);

pub(crate) async fn soon<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(DEADLINE, future).await.unwrap_or_else(|_| panic!("{what} did not come"))
}

/// The coordinator. It stops listening when it is dropped.
pub(crate) struct Fake {
    pub(crate) endpoint: String,
    sessions: mpsc::Receiver<Session>,
    serving: JoinHandle<()>,
}

/// One end of a session.
pub(crate) struct Session {
    pub(crate) hello: Hello,
    inbound: Streaming<ToCoordinator>,
    outbound: mpsc::Sender<Result<ToWorker, Status>>,
    /// Credits that came with `next`.
    pub(crate) credits: u32,
}

type Outbound<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

/// The service behind a [`Fake`].
pub(crate) struct Service {
    sessions: mpsc::Sender<Session>,
    refusal: Option<Status>,
    blobs: Mutex<BTreeMap<Vec<u8>, Vec<u8>>>,
}

impl Service {
    /// A service, and the sessions that are opened.
    pub(crate) fn new(
        refusal: Option<Status>,
    ) -> (WorkerPlaneServer<Self>, mpsc::Receiver<Session>) {
        let (send, sessions) = mpsc::channel(16);
        let shared = [sluice::shared(), vec![0]];
        let blobs = shared.map(|blob| (Digest::of(&blob).as_bytes().to_vec(), blob));
        let service = Self { sessions: send, refusal, blobs: Mutex::new(blobs.into()) };
        (WorkerPlaneServer::new(service), sessions)
    }
}

#[tonic::async_trait]
impl WorkerPlane for Service {
    type SessionStream = Outbound<ToWorker>;
    type GetBlobStream = Outbound<BlobChunk>;

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
            let session = Session { hello, inbound, outbound, credits: 0 };
            assert!(sessions.send(session).await.is_ok(), "the test is still there");
        });
        Ok(Response::new(Box::pin(ReceiverStream::new(messages))))
    }

    async fn get_blob(
        &self,
        request: Request<GetBlobRequest>,
    ) -> Result<Response<Self::GetBlobStream>, Status> {
        let GetBlobRequest { hash, run } = request.into_inner();
        assert_eq!(run.len(), 16, "the run of the blob is named");
        let blob = self.blobs.lock().unwrap().get(&hash).cloned();
        let blob = blob.ok_or_else(|| Status::not_found("no such blob"))?;
        let chunks: Vec<_> =
            blob.chunks(2).map(|data| Ok(BlobChunk { data: data.to_vec() })).collect();
        Ok(Response::new(Box::pin(tokio_stream::iter(chunks))))
    }
}

impl Fake {
    pub(crate) async fn start() -> Self {
        Self::with(None).await
    }

    /// One that refuses all sessions.
    pub(crate) async fn refusing(refusal: Status) -> Self {
        Self::with(Some(refusal)).await
    }

    async fn with(refusal: Option<Status>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
        let (service, sessions) = Service::new(refusal);
        let serving = Server::builder().add_service(service).serve_with_incoming(incoming);
        let serving = tokio::spawn(async move { serving.await.unwrap() });
        Self { endpoint, sessions, serving }
    }

    /// The next session, before Welcome.
    pub(crate) async fn opened(&mut self) -> Session {
        soon("a session", self.sessions.recv()).await.unwrap()
    }

    /// The next session, with a Welcome that asks for heartbeats.
    pub(crate) async fn session(&mut self) -> Session {
        let session = self.opened().await;
        let welcome = Welcome { heartbeat_ms: 50, ..Welcome::default() };
        session.say(ToTheWorker::Welcome(welcome)).await;
        session
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Session {
    pub(crate) async fn say(&self, message: ToTheWorker) {
        self.outbound.send(Ok(ToWorker { message: Some(message) })).await.unwrap();
    }

    /// What the worker says next, heartbeats included; `None` at the end. One that is leaving is
    /// told that no more jobs come.
    pub(crate) async fn hear(&mut self) -> Option<FromWorker> {
        loop {
            match self.hear_all().await? {
                FromWorker::Leaving(_) => self.say(ToTheWorker::Drain(Drain {})).await,
                message => return Some(message),
            }
        }
    }

    /// As [`hear`](Self::hear), without an answer to a worker that is leaving.
    pub(crate) async fn hear_all(&mut self) -> Option<FromWorker> {
        let heard = soon("a message", self.inbound.next()).await?;
        heard.ok().map(|message| message.message.unwrap())
    }

    /// What the worker says next beside heartbeats and credits.
    pub(crate) async fn next(&mut self) -> FromWorker {
        loop {
            match self.hear().await.expect("the worker is there") {
                FromWorker::Heartbeat(_) => {}
                FromWorker::Want(want) => self.credits += want.credits,
                other => return other,
            }
        }
    }

    /// Waits for `n` credits.
    pub(crate) async fn wait_for_credits(&mut self, n: u32) {
        while self.credits < n {
            match self.hear().await.expect("the worker is there") {
                FromWorker::Heartbeat(_) => {}
                FromWorker::Want(want) => self.credits += want.credits,
                other => panic!("{other:?} instead of credits"),
            }
        }
    }

    /// Assigns `job` as number `index`, for which there must be a credit.
    pub(crate) async fn assign(&mut self, index: u64, job: &Job) {
        self.wait_for_credits(1).await;
        self.credits -= 1;
        self.push(index, job.encode_to_vec()).await;
    }

    /// Assigns `job` whether the worker wants it or not.
    pub(crate) async fn push(&self, index: u64, job: Vec<u8>) {
        let assignment = Assignment { r#ref: Some(at(index)), job, ticket: ticket(index) };
        self.say(ToTheWorker::Assign(Assign { assignments: vec![assignment] })).await;
    }

    /// Waits until `n` jobs run.
    pub(crate) async fn running(&mut self, n: usize) {
        loop {
            match self.hear().await.expect("the worker is there") {
                FromWorker::Heartbeat(beat) if beat.running.len() == n => return,
                FromWorker::Heartbeat(_) => {}
                FromWorker::Want(want) => self.credits += want.credits,
                other => panic!("{other:?} instead of a heartbeat"),
            }
        }
    }

    /// Everything said so far has been heard and answered when this returns: a job that can't be
    /// read comes back, whether it was wanted or not. Returns what else was said.
    pub(crate) async fn barrier(&mut self) -> Vec<FromWorker> {
        const INDEX: u64 = 999;
        self.push(INDEX, vec![255; 3]).await;
        let mut said = Vec::new();
        loop {
            match self.next().await {
                FromWorker::Release(release) if release.refs == [at(INDEX)] => return said,
                FromWorker::Results(results) if results.results[0].r#ref == Some(at(INDEX)) => {
                    self.credits -= 1;
                    self.judge(&[INDEX], Verdict::Accepted).await;
                    return said;
                }
                other => said.push(other),
            }
        }
    }

    /// The next `n` results, by index.
    pub(crate) async fn results(&mut self, n: usize) -> BTreeMap<u64, Brought> {
        let mut results = BTreeMap::new();
        while results.len() < n {
            let FromWorker::Results(brought) = self.next().await else { panic!("no results") };
            for result in brought.results {
                let index = result.r#ref.as_ref().unwrap().index;
                assert!(results.insert(index, result).is_none(), "{index} came twice");
            }
        }
        results
    }

    /// Gives the same verdict on all of `indices`.
    pub(crate) async fn judge(&self, indices: &[u64], verdict: Verdict) {
        let verdicts = indices
            .iter()
            .map(|&index| JobVerdict { r#ref: Some(at(index)), verdict: verdict.into() });
        self.say(ToTheWorker::Verdicts(Verdicts { verdicts: verdicts.collect() })).await;
    }

    /// The indices of the jobs that the worker says it holds.
    pub(crate) fn held(&self) -> Vec<u64> {
        let held = self.hello.held.iter().map(|held| {
            let index = held.r#ref.as_ref().unwrap().index;
            assert_eq!(held.ticket, ticket(index));
            index
        });
        held.collect()
    }

    /// Waits until the worker hangs up; what it said last.
    pub(crate) async fn ended(mut self) -> Vec<FromWorker> {
        let mut said = Vec::new();
        while let Some(message) = self.hear().await {
            if !matches!(message, FromWorker::Heartbeat(_) | FromWorker::Want(_)) {
                said.push(message);
            }
        }
        said
    }
}

/// The address of job number `index`.
pub(crate) fn at(index: u64) -> JobRef {
    JobRef { run: vec![7; 16], generation: 4, index }
}

/// Its ticket.
pub(crate) fn ticket(index: u64) -> Vec<u8> {
    u128::from(index).to_be_bytes().to_vec()
}

/// A connection within the process.
pub(crate) fn duplex()
-> (tokio::io::DuplexStream, impl Stream<Item = io::Result<tokio::io::DuplexStream>>) {
    let (client, server) = tokio::io::duplex(1 << 16);
    (client, tokio_stream::once(Ok(server)))
}
