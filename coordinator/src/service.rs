//! The gRPC service that workers talk to: checks what comes in and passes it to dispatch.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use hatchery_core::Digest;
use hatchery_proto::v1::worker_plane_server::WorkerPlane;
use hatchery_proto::v1::{
    BlobChunk, GetBlobRequest, Hello, ToCoordinator, ToWorker, Welcome, to_coordinator, to_worker,
};
use hatchery_proto::{BLOB_CHUNK_BYTES, MAX_BATCH_ITEMS, MAX_SLOTS, PROTOCOL};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tokio_stream::{Stream, StreamExt};
use tonic::{Request, Response, Status, Streaming};

use crate::dispatch::{Join, Message, SessionId};
use crate::store::Store;
use crate::wire::id;

/// How long a worker may take to say Hello.
const HELLO_DEADLINE: Duration = Duration::from_secs(10);

/// How many messages may wait for one worker: far more than its credits can cause.
const OUTBOUND_MESSAGES: usize = 4096;

/// The most experiments in a Hello, and the longest name in it.
const MAX_EXPERIMENTS: usize = 1024;
const MAX_NAME_BYTES: usize = 256;

/// The service; one for all sessions of a coordinator.
#[derive(Debug)]
pub struct WorkerService {
    store: Arc<dyn Store>,
    dispatch: mpsc::Sender<Message>,
}

impl WorkerService {
    pub(crate) fn new(store: Arc<dyn Store>, dispatch: mpsc::Sender<Message>) -> Self {
        Self { store, dispatch }
    }
}

type Outbound<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

#[tonic::async_trait]
impl WorkerPlane for WorkerService {
    type SessionStream = Outbound<ToWorker>;
    type GetBlobStream = Outbound<BlobChunk>;

    async fn session(
        &self,
        request: Request<Streaming<ToCoordinator>>,
    ) -> Result<Response<Self::SessionStream>, Status> {
        let (outbound, messages) = mpsc::channel(OUTBOUND_MESSAGES);
        let dispatch = self.dispatch.clone();
        // The answer's stream must be returned before the request's can be read to its end.
        tokio::spawn(async move {
            if let Err(status) = session(request.into_inner(), &outbound, &dispatch).await {
                tracing::warn!(%status, "session refused or broken");
                // A worker that is gone can't be told.
                outbound.send(Err(status)).await.unwrap_or(());
            }
        });
        Ok(Response::new(Box::pin(ReceiverStream::new(messages))))
    }

    async fn get_blob(
        &self,
        request: Request<GetBlobRequest>,
    ) -> Result<Response<Self::GetBlobStream>, Status> {
        let hash = Digest::from_bytes(&request.get_ref().hash)
            .ok_or_else(|| Status::invalid_argument("a blob's hash has 32 bytes"))?;
        let blob = self.store.blob(hash).await.map_err(|error| {
            tracing::warn!(%error, "blob not read");
            Status::unavailable("the store can't be read now")
        })?;
        let blob = blob.ok_or_else(|| Status::not_found(format!("no blob {hash}")))?;
        let chunks: Vec<_> = blob
            .chunks(BLOB_CHUNK_BYTES)
            .map(|chunk| Ok(BlobChunk { data: chunk.to_vec() }))
            .collect();
        Ok(Response::new(Box::pin(tokio_stream::iter(chunks))))
    }
}

async fn session(
    mut inbound: Streaming<ToCoordinator>,
    outbound: &mpsc::Sender<Result<ToWorker, Status>>,
    dispatch: &mpsc::Sender<Message>,
) -> Result<(), Status> {
    let hello = tokio::time::timeout(HELLO_DEADLINE, inbound.next()).await;
    let hello = hello.map_err(|_| Status::deadline_exceeded("no Hello came"))?;
    let Some(to_coordinator::Message::Hello(hello)) = hello.transpose()?.and_then(|m| m.message)
    else {
        return Err(Status::invalid_argument("a session begins with Hello"));
    };
    let session: SessionId = ulid::Ulid::generate().0;
    let join = join(session, hello, outbound)?;
    let welcome = Welcome { session: session.to_be_bytes().to_vec() };
    let message = Some(to_worker::Message::Welcome(welcome));
    let gone = |_| Status::unavailable("the coordinator is ending");
    outbound.send(Ok(ToWorker { message })).await.map_err(|_| Status::cancelled("worker gone"))?;
    dispatch.send(Message::Join(join)).await.map_err(gone)?;

    let mut goodbye = false;
    let outcome = loop {
        let message = match inbound.next().await {
            Some(Ok(ToCoordinator { message: Some(message) })) => message,
            Some(Ok(_)) => break Err(Status::invalid_argument("an empty message")),
            Some(Err(status)) => break Err(status),
            None => break Ok(()),
        };
        match to_message(session, message) {
            Ok(Some(message)) => dispatch.send(message).await.map_err(gone)?,
            Ok(None) => {
                goodbye = true;
                break Ok(());
            }
            Err(status) => break Err(status),
        }
    };
    dispatch.send(Message::Leave { session, goodbye }).await.map_err(gone)?;
    outcome
}

/// Checks a Hello.
fn join(
    session: SessionId,
    hello: Hello,
    outbound: &mpsc::Sender<Result<ToWorker, Status>>,
) -> Result<Join, Status> {
    let Hello { protocol, worker, incarnation, build: _, experiments, slots } = hello;
    if protocol != PROTOCOL {
        return Err(Status::failed_precondition(format!(
            "worker {worker:?} speaks protocol {protocol}, this coordinator {PROTOCOL}: \
             install the same release on both"
        )));
    }
    if id(&incarnation).is_none() {
        return Err(Status::invalid_argument("an incarnation has 16 bytes"));
    }
    if !(1..=MAX_SLOTS).contains(&slots) {
        return Err(Status::invalid_argument(format!(
            "{slots} slots, but must be 1 to {MAX_SLOTS}"
        )));
    }
    let long = |name: &str| MAX_NAME_BYTES < name.len();
    if long(&worker)
        || MAX_EXPERIMENTS < experiments.len()
        || experiments.iter().any(|known| long(&known.experiment))
    {
        return Err(Status::invalid_argument("a name is too long, or there are too many"));
    }
    let experiments: BTreeMap<_, _> =
        experiments.into_iter().map(|known| (known.experiment, known.version)).collect();
    Ok(Join { session, worker, slots, experiments, outbound: outbound.clone() })
}

/// The message for dispatch; `None` for a goodbye.
fn to_message(
    session: SessionId,
    message: to_coordinator::Message,
) -> Result<Option<Message>, Status> {
    let fits = |n_items: usize| match n_items <= MAX_BATCH_ITEMS {
        true => Ok(()),
        false => Err(Status::invalid_argument(format!(
            "{n_items} items in a message, but at most {MAX_BATCH_ITEMS} are allowed"
        ))),
    };
    Ok(Some(match message {
        to_coordinator::Message::Hello(_) => {
            return Err(Status::invalid_argument("Hello comes once"));
        }
        to_coordinator::Message::Want(want) => Message::Want(session, want),
        to_coordinator::Message::Results(results) => {
            fits(results.results.len())?;
            Message::Results(session, results)
        }
        to_coordinator::Message::Release(release) => {
            fits(release.refs.len())?;
            Message::Release(session, release)
        }
        to_coordinator::Message::Goodbye(_) => return Ok(None),
    }))
}
