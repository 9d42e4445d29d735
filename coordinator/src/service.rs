//! The gRPC service of workers: validates messages and passes them to dispatch.

mod keep_alive;
mod parts;
mod result_memory;
mod traffic;
mod turns;

use std::collections::BTreeSet;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hatchery_core::error_chain;
use hatchery_meters::CoordinatorMeters;
use hatchery_meters::labels::AuthFailure;
use hatchery_proto::v1::worker_plane_server::WorkerPlane;
use hatchery_proto::v1::{
    ByteChunk, GetPartRequest, Heartbeat, HeldJob, Hello, JobProgress, PutPartsRequest,
    PutPartsResponse, PutResultRequest, PutResultResponse, Release, ToCoordinator, ToWorker,
    Welcome, to_coordinator, to_worker,
};
use hatchery_proto::{MAX_BATCH_ITEMS, MAX_HELD_JOBS, MAX_SLOTS, MAX_WORKER_NAME_BYTES, PROTOCOL};
use hatchery_store::{CoordinatorId, SessionId, WorkerId};
use tokio::sync::{mpsc, oneshot};
use tokio_stream::wrappers::ReceiverStream;
use tokio_stream::{Stream, StreamExt};
use tonic::{Request, Response, Status, Streaming};

use crate::base::caller_limits::CallerAddress;
use crate::base::context::StoreViews;
use crate::base::identity;
use crate::base::job_ref;
use crate::base::opinions::WorkerHost;
use crate::base::user::AuthenticatedUser;
use crate::dispatch::{DispatchMessage, JoinRequest, ReportedProgress, SILENCE, WorkerMessage};
use crate::parts::PartReader;
use crate::self_tests::SelfTests;

use result_memory::ResultMemory;
use turns::{TransferPeer, TransferTurns};

/// The time within which a worker must send Hello.
const HELLO_DEADLINE: Duration = Duration::from_secs(10);

/// The interval of heartbeats: short enough that a heartbeat may be late, and that a long trial is
/// seen to make progress.
const HEARTBEAT: Duration = Duration::from_secs(2);

/// The most messages that wait for one worker: far more than its credits can cause.
const OUTBOUND_MESSAGES: usize = 4096;

/// The most turns to send a part at the same time, in all and for one worker. An address is the
/// worker where a call does not name its session: workers of earlier releases.
const MAX_PARTS_SENT: usize = 16;
const MAX_PARTS_SENT_TO_WORKER: usize = 8;

/// The most jobs whose parts are received at the same time, in all and from one worker. A chunk per
/// job is in memory.
const MAX_PARTS_TAKEN: usize = 16;
const MAX_PARTS_TAKEN_FROM_WORKER: usize = 4;

/// The most large results received at a time, in all and from one worker; all share a memory.
const MAX_RESULTS_TAKEN: usize = 8;
const MAX_RESULTS_TAKEN_FROM_WORKER: usize = 1;

/// The most experiments in a Hello, and the longest name in it.
const MAX_EXPERIMENTS: usize = 1024;

/// The service for all sessions of a coordinator.
#[derive(Debug)]
pub struct WorkerService {
    store: StoreViews,
    dispatch: mpsc::Sender<DispatchMessage>,
    self_tests: SelfTests,
    ids: Arc<SessionIds>,
    parts: Arc<PartReader>,
    /// The turns to send a part, to receive the parts of a job, and to receive a large result.
    sending: TransferTurns,
    taking: TransferTurns,
    taking_results: TransferTurns,
    result_memory: ResultMemory,
    meters: Arc<CoordinatorMeters>,
}

/// Generates session ids, unique and the same when a simulation is repeated. Keeps the ids of open
/// sessions.
#[derive(Debug)]
pub(crate) struct SessionIds {
    coordinator: CoordinatorId,
    n_sessions: AtomicU64,
    /// Behind a lock, because calls beside the sessions read the ids. A call holds the lock for a
    /// single lookup.
    open: Mutex<BTreeSet<SessionId>>,
}

impl SessionIds {
    /// Creates the generator of a coordinator's session ids.
    pub(crate) fn new(coordinator: CoordinatorId) -> Self {
        Self { coordinator, n_sessions: AtomicU64::new(0), open: Mutex::default() }
    }

    fn next(&self) -> SessionId {
        let number = self.n_sessions.fetch_add(1, Ordering::Relaxed);
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.coordinator.to_bytes()).update(&number.to_be_bytes());
        let mut id = [0; 16];
        hasher.finalize_xof().fill(&mut id);
        SessionId::from_bytes(&id).expect("it has 16 bytes")
    }

    /// Marks a session as open until the returned guard is dropped.
    fn open(&self, session: SessionId) -> OpenSession<'_> {
        self.lock().insert(session);
        OpenSession { ids: self, session }
    }

    /// Checks that a session is open.
    fn check_open(&self, session: SessionId) -> Result<(), Status> {
        match self.is_open(session) {
            true => Ok(()),
            false => Err(Status::aborted("the session has ended")),
        }
    }

    fn is_open(&self, session: SessionId) -> bool {
        self.lock().contains(&session)
    }

    /// Returns the worker that the limits of a fetch apply to: the session that the call names, or
    /// else the address.
    fn fetching_peer(&self, request: &Request<GetPartRequest>) -> TransferPeer {
        let named = SessionId::from_bytes(&request.get_ref().session);
        if let Some(session) = named.filter(|&session| self.is_open(session)) {
            return TransferPeer::Session(session);
        }
        match request.extensions().get::<CallerAddress>() {
            Some(address) => TransferPeer::Address(address.network()),
            None => TransferPeer::Own,
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeSet<SessionId>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A session that is open.
struct OpenSession<'a> {
    ids: &'a SessionIds,
    session: SessionId,
}

impl Drop for OpenSession<'_> {
    fn drop(&mut self) {
        self.ids.lock().remove(&self.session);
    }
}

impl WorkerService {
    pub(crate) fn new(
        store: StoreViews,
        dispatch: mpsc::Sender<DispatchMessage>,
        self_tests: SelfTests,
        ids: Arc<SessionIds>,
        meters: Arc<CoordinatorMeters>,
    ) -> Self {
        Self {
            parts: Arc::new(PartReader::new(store.clone())),
            store,
            dispatch,
            self_tests,
            ids,
            sending: TransferTurns::new(MAX_PARTS_SENT, MAX_PARTS_SENT_TO_WORKER),
            taking: TransferTurns::new(MAX_PARTS_TAKEN, MAX_PARTS_TAKEN_FROM_WORKER),
            taking_results: TransferTurns::new(MAX_RESULTS_TAKEN, MAX_RESULTS_TAKEN_FROM_WORKER),
            result_memory: ResultMemory::default(),
            meters,
        }
    }
}

type Outbound<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

#[tonic::async_trait]
impl WorkerPlane for WorkerService {
    type SessionStream = Outbound<ToWorker>;
    type GetPartStream = Outbound<ByteChunk>;

    async fn session(
        &self,
        request: Request<Streaming<ToCoordinator>>,
    ) -> Result<Response<Self::SessionStream>, Status> {
        let (outbound, messages) = mpsc::channel(OUTBOUND_MESSAGES);
        let address = request.extensions().get::<CallerAddress>().copied();
        let user = request.extensions().get::<AuthenticatedUser>().cloned();
        let session = NewSession {
            id: self.ids.next(),
            host: address.map(|address| WorkerHost::new(user, address)),
            outbound,
            dispatch: self.dispatch.clone(),
            self_tests: self.self_tests.clone(),
            ids: Arc::clone(&self.ids),
            meters: Arc::clone(&self.meters),
        };
        let (heard, said) = (Arc::clone(&self.meters), Arc::clone(&self.meters));
        // The response stream must be returned before the request stream can be read to its end.
        tokio::spawn(async move {
            let inbound = request.into_inner();
            let inbound = inbound.map(move |message| traffic::heard(&heard, message));
            if let Err(status) = session.run(inbound).await {
                tracing::warn!(%status, "session refused or broken");
                // The worker may be gone.
                session.outbound.send(Err(status)).await.unwrap_or(());
            }
        });
        let messages = keep_alive::kept_alive(ReceiverStream::new(messages));
        Ok(Response::new(Box::pin(messages.map(move |message| traffic::said(&said, message)))))
    }

    async fn get_part(
        &self,
        request: Request<GetPartRequest>,
    ) -> Result<Response<Self::GetPartStream>, Status> {
        let (run, hash) = crate::parts::requested(request.get_ref())?;
        let first_chunk = request.get_ref().first_chunk;
        let turn = self.sending.begin(self.ids.fetching_peer(&request)).await;
        let bytes = self.parts.read(run, hash).await.map_err(|error| {
            tracing::warn!(error = error_chain(&error), "part not read");
            match error {
                // Asking again does not bring it back.
                error if error.remedy().is_some() => Status::not_found(error.to_string()),
                _ => Status::unavailable("the store cannot be read now"),
            }
        })?;
        let bytes = bytes.ok_or_else(|| Status::not_found(format!("no part {hash}")))?;
        // One slot for a chunk, and one for the error that it took too long.
        let (send, chunks) = mpsc::channel(2);
        let (reader, n_bytes) = (Arc::clone(&self.parts), bytes.len());
        let part = parts::SentPart { reader, run, hash, n_bytes };
        tokio::spawn(parts::send_part(part, first_chunk, send, turn));
        Ok(Response::new(Box::pin(ReceiverStream::new(chunks))))
    }

    async fn put_parts(
        &self,
        request: Request<Streaming<PutPartsRequest>>,
    ) -> Result<Response<PutPartsResponse>, Status> {
        let mut messages = request.into_inner();
        // Calls that are refused wait for no turn.
        let admitted = parts::admit(&self.dispatch, &mut messages).await?;
        let turn = self.taking.begin(TransferPeer::Session(admitted.session())).await;
        parts::take_parts(self.store.dispatch(), admitted, messages, turn).await?;
        Ok(Response::new(PutPartsResponse {}))
    }

    async fn put_result(
        &self,
        request: Request<Streaming<PutResultRequest>>,
    ) -> Result<Response<PutResultResponse>, Status> {
        let mut messages = request.into_inner();
        let session = parts::result_session(&mut messages).await?;
        // A call without a session waits for no turn.
        self.ids.check_open(session)?;
        let turn = self.taking_results.begin(TransferPeer::Session(session)).await;
        let space = self.result_memory.begin();
        parts::take_result(&self.dispatch, session, messages, turn, space).await?;
        Ok(Response::new(PutResultResponse {}))
    }
}

/// A session that a worker has opened with its Hello.
struct NewSession {
    id: SessionId,
    /// The host of the worker, if it is known.
    host: Option<WorkerHost>,
    outbound: mpsc::Sender<Result<ToWorker, Status>>,
    dispatch: mpsc::Sender<DispatchMessage>,
    self_tests: SelfTests,
    ids: Arc<SessionIds>,
    meters: Arc<CoordinatorMeters>,
}

impl NewSession {
    /// Passes the worker's messages to dispatch until one side ends the session.
    async fn run(
        &self,
        mut inbound: impl Stream<Item = Result<ToCoordinator, Status>> + Unpin,
    ) -> Result<(), Status> {
        let Self { id: session, outbound, dispatch, .. } = self;
        let hello = tokio::time::timeout(HELLO_DEADLINE, inbound.next()).await;
        let hello = hello.map_err(|_| Status::deadline_exceeded("no Hello was received"))?;
        let Some(to_coordinator::Message::Hello(hello)) =
            hello.transpose()?.and_then(|m| m.message)
        else {
            return Err(Status::invalid_argument("a session must begin with Hello"));
        };
        let (end_session, mut session_ended) = oneshot::channel();
        let mut join = self.join(hello, end_session)?;
        if !join.takes_self_tests {
            join.welcome_tests = self.self_tests.all().await;
        }
        let welcome_tests = join.welcome_tests.iter().filter_map(|(_, test)| test.job());
        let welcome = Welcome {
            session: session.to_bytes().to_vec(),
            heartbeat_ms: millis(HEARTBEAT),
            silence_ms: millis(SILENCE),
            self_tests: welcome_tests.map(|self_test| self_test.test.clone()).collect(),
        };
        let message = Some(to_worker::Message::Welcome(welcome));
        // The worker may name the session as soon as it has its Welcome.
        let _open = self.ids.open(*session);
        let gone = |_| Status::unavailable("the coordinator is shutting down");
        outbound
            .send(Ok(ToWorker { message }))
            .await
            .map_err(|_| Status::cancelled("the worker is gone"))?;
        dispatch.send(DispatchMessage::Join(join)).await.map_err(gone)?;

        let mut goodbye = false;
        let outcome = loop {
            let message = tokio::select! {
                // In a fixed order, so that a simulation can be repeated.
                biased;
                session_ended = &mut session_ended => break match session_ended {
                    Ok(status) => Err(status),
                    // Dispatch has forgotten the session, or is gone.
                    Err(_) => Ok(()),
                },
                // A worker that does not read is dropped.
                () = outbound.closed() => break Ok(()),
                message = inbound.next() => message,
            };
            let message = match message {
                Some(Ok(ToCoordinator { message: Some(message) })) => message,
                Some(Ok(_)) => break Err(Status::invalid_argument("an empty message")),
                Some(Err(status)) => break Err(status),
                None => break Ok(()),
            };
            match said(message) {
                Ok(Some(said)) => {
                    dispatch
                        .send(DispatchMessage::FromWorker(*session, said))
                        .await
                        .map_err(gone)?;
                }
                Ok(None) => {
                    goodbye = true;
                    break Ok(());
                }
                Err(status) => break Err(status),
            }
        };
        dispatch.send(DispatchMessage::Leave { session: *session, goodbye }).await.map_err(gone)?;
        outcome
    }

    /// Validates a Hello.
    fn join(
        &self,
        hello: Hello,
        end_session: oneshot::Sender<Status>,
    ) -> Result<JoinRequest, Status> {
        let Hello {
            protocol,
            worker,
            incarnation,
            build,
            experiments,
            slots,
            held,
            proof,
            takes_self_tests,
        } = hello;
        if protocol != PROTOCOL {
            tracing::warn!(worker, build, protocol, ours = PROTOCOL, "worker of another protocol");
            return Err(Status::failed_precondition(format!(
                "worker {worker:?} (build {build}) speaks protocol {protocol}, this coordinator \
                 (build {}) {PROTOCOL}: install the same release on both",
                env!("CARGO_PKG_VERSION")
            )));
        }
        let incarnation = self.identify(&worker, &incarnation, &proof)?;
        if !(1..=MAX_SLOTS).contains(&slots) {
            return Err(Status::invalid_argument(format!(
                "{slots} slots, but must be 1 to {MAX_SLOTS}"
            )));
        }
        let long = |name: &str| MAX_WORKER_NAME_BYTES < name.len();
        if long(&worker)
            || long(&build)
            || MAX_EXPERIMENTS < experiments.len()
            || experiments.iter().any(|known| long(&known.experiment))
        {
            return Err(Status::invalid_argument("a name is too long, or there are too many"));
        }
        fits(held.len(), MAX_HELD_JOBS)?;
        let held = held.into_iter().filter_map(|HeldJob { r#ref, ticket }| {
            Some((job_ref::from_wire(r#ref.as_ref()).ok()?, ticket))
        });
        Ok(JoinRequest {
            session: self.id,
            worker,
            incarnation,
            host: self.host.clone(),
            build,
            slots,
            experiments: experiments.into_iter().map(|e| (e.experiment, e.version)).collect(),
            held: held.collect(),
            takes_self_tests,
            welcome_tests: Vec::new(),
            outbound: self.outbound.clone(),
            end_session,
        })
    }

    /// Returns the id of a worker, if the worker proves that the id is its own.
    fn identify(&self, worker: &str, id: &[u8], proof: &[u8]) -> Result<WorkerId, Status> {
        identity::verify(id, proof).map_err(|error| {
            if error.is_foreign() {
                let host = self.host.as_ref().map(tracing::field::display);
                self.meters.sessions.count_auth_failure(AuthFailure::Identity);
                tracing::warn!(worker, host, "worker refused: its id is not its own");
            }
            error.into()
        })
    }
}

/// Converts a message for dispatch; `None` for a goodbye.
fn said(message: to_coordinator::Message) -> Result<Option<WorkerMessage>, Status> {
    Ok(Some(match message {
        to_coordinator::Message::Hello(_) => {
            return Err(Status::invalid_argument("Hello comes once"));
        }
        to_coordinator::Message::Want(want) => WorkerMessage::Want(want.credits),
        to_coordinator::Message::Heartbeat(Heartbeat { running }) => {
            fits(running.len(), MAX_HELD_JOBS)?;
            let running = running.into_iter();
            let running = running.filter_map(|running| {
                let JobProgress { r#ref, trials_done, beats, share_ppm } = running;
                let n_signs = trials_done.saturating_add(beats);
                let key = job_ref::from_wire(r#ref.as_ref()).ok()?;
                Some(ReportedProgress { key, n_signs, share_ppm: share_ppm.min(1_000_000) })
            });
            WorkerMessage::Heartbeat(running.collect())
        }
        to_coordinator::Message::Results(results) => {
            fits(results.results.len(), MAX_BATCH_ITEMS)?;
            WorkerMessage::Results(results)
        }
        to_coordinator::Message::Release(Release { refs }) => {
            fits(refs.len(), MAX_BATCH_ITEMS)?;
            let keys = refs.iter().filter_map(|job| job_ref::from_wire(Some(job)).ok());
            WorkerMessage::Release(keys.collect())
        }
        to_coordinator::Message::SelfTested(tested) => {
            fits(tested.results.len(), MAX_EXPERIMENTS)?;
            WorkerMessage::SelfTested(tested)
        }
        to_coordinator::Message::Leaving(_) => WorkerMessage::Leaving,
        to_coordinator::Message::Goodbye(_) => return Ok(None),
    }))
}

fn fits(n_items: usize, most: usize) -> Result<(), Status> {
    match n_items <= most {
        true => Ok(()),
        false => Err(Status::invalid_argument(format!(
            "{n_items} items in a message, but at most {most} are allowed"
        ))),
    }
}

fn millis(duration: Duration) -> u32 {
    u32::try_from(duration.as_millis()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_behind_one_address_have_limits_of_their_own() {
        let ids = SessionIds::new(CoordinatorId(1));
        let address = CallerAddress([192, 0, 2, 7].into());
        let peer = |session: SessionId| {
            let session = session.to_bytes().to_vec();
            let mut request = Request::new(GetPartRequest { session, ..GetPartRequest::default() });
            request.extensions_mut().insert(address);
            ids.fetching_peer(&request)
        };
        let (first, second) = (ids.next(), ids.next());
        let open = [first, second].map(|session| ids.open(session));
        assert_eq!([first, second].map(peer), [first, second].map(TransferPeer::Session));
        drop(open);
        assert_eq!(peer(first), TransferPeer::Address(address.network()));
    }
}
