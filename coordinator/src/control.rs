//! The gRPC control service: validates requests and answers them from the store.
//!
//! Any coordinator answers for every run of its store, whichever coordinator leads it: nothing here
//! depends on the other roles of this process.

mod dead;
mod explain;
mod export;
mod list;
mod refusal;
mod request;
mod status;
mod submit;
mod watch;
mod workers;

use std::pin::Pin;
use std::sync::Arc;

use hatchery_core::spec::MAX_SPEC_BYTES;
use hatchery_proto::PART_CHUNK_BYTES;
use hatchery_proto::v1::control_server::{Control, ControlServer};
use hatchery_proto::v1::{
    ByteChunk, DeleteRunRequest, DeleteRunResponse, DrainWorkerRequest, DrainWorkerResponse,
    ExplainRunRequest, ExportRunRequest, GetPartRequest, GetRunRequest, ListDeadRequest,
    ListDeadResponse, ListRunsRequest, ListRunsResponse, ListWorkersRequest, ListWorkersResponse,
    PutInputRequest, PutInputResponse, QuarantineWorkerRequest, QuarantineWorkerResponse,
    RetryDeadRequest, RetryDeadResponse, RunExplanation, RunStatus, SteerRunRequest, SubmitRequest,
    SubmitResponse, WatchRunRequest, WatchUpdate,
};
use hatchery_store::operation::{ControlView, DeleteRun, ReadPosition};
use hatchery_store::parts::read_whole;
use hatchery_store::{RunPosition, RunState, SteerAction, StoreView};
use prost::Message;
use tokio::sync::{Semaphore, watch as signal};
use tokio_stream::Stream;
use tonic::{Request, Response, Status, Streaming};

use crate::base::caller_limits::{Caller, CallerLimits};
use crate::base::user::AuthenticatedUser;
use crate::coordinator::Coordinator;
use crate::parts;

/// The largest request: a spec of the greatest length and its envelope.
pub const MAX_REQUEST_BYTES: usize = MAX_SPEC_BYTES + (64 << 10);

/// The longest submission that counts as small: many times the longest preset. A larger submission
/// takes more memory and has stricter limits.
pub const SMALL_SUBMISSION_BYTES: usize = 16 << 10;

/// The most clients that may watch runs at the same time: each costs a few store reads per second.
const MAX_WATCHERS: usize = 256;

/// The most exports and parts held in memory at the same time: each can take many megabytes.
const MAX_EXPORTS: usize = 4;

/// The most permits for opening specs, over all callers and per caller. A spec can take 20 MB as a
/// tree, twice while it is read, and a first state may occupy a core for a while. A small spec
/// takes one permit; a larger spec takes all permits of its caller.
const MAX_OPENINGS: usize = 3;
const MAX_CALLER_OPENINGS: u32 = 2;

/// The most submissions whose inputs are searched or received at the same time, over all callers
/// and per caller. Each submission holds a chunk in memory and keeps the store busy.
const MAX_INPUT_TRANSFERS: usize = 8;
const MAX_CALLER_INPUT_TRANSFERS: usize = 4;

/// The control service. Clones are handles to the same service.
#[derive(Clone, Debug)]
pub struct ControlService {
    coordinator: Coordinator,
    watchers: Arc<Semaphore>,
    exports: Arc<Semaphore>,
    openings: Arc<CallerLimits>,
    inputs: Arc<CallerLimits>,
    closing: Arc<signal::Sender<bool>>,
}

impl ControlService {
    /// Creates the service of `coordinator`.
    #[must_use]
    pub fn new(coordinator: Coordinator) -> Self {
        Self {
            coordinator,
            watchers: Arc::new(Semaphore::new(MAX_WATCHERS)),
            exports: Arc::new(Semaphore::new(MAX_EXPORTS)),
            openings: Arc::new(openings()),
            inputs: Arc::new(input_transfers()),
            closing: Arc::new(signal::Sender::new(false)),
        }
    }

    /// Returns the tonic service, with its message limits.
    #[must_use]
    pub fn server(&self) -> ControlServer<Self> {
        ControlServer::new(self.clone()).max_decoding_message_size(MAX_REQUEST_BYTES)
    }

    /// Ends all watches and refuses new ones: clients continue at another coordinator.
    pub fn close(&self) {
        self.closing.send_replace(true);
    }

    fn store(&self) -> StoreView<'_, ControlView> {
        self.coordinator.views().control()
    }
}

/// Creates the permits for opening specs.
fn openings() -> CallerLimits {
    CallerLimits::new(MAX_OPENINGS, MAX_CALLER_OPENINGS as usize)
}

/// Creates the permits for inputs.
fn input_transfers() -> CallerLimits {
    CallerLimits::new(MAX_INPUT_TRANSFERS, MAX_CALLER_INPUT_TRANSFERS)
}

/// Returns the number of permits that a spec of this length takes.
fn n_openings(n_bytes: usize) -> u32 {
    match n_bytes <= SMALL_SUBMISSION_BYTES {
        true => 1,
        false => MAX_CALLER_OPENINGS,
    }
}

type Outbound<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

#[tonic::async_trait]
impl Control for ControlService {
    type WatchRunStream = Outbound<WatchUpdate>;
    type ExportRunStream = Outbound<ByteChunk>;
    type GetPartStream = Outbound<ByteChunk>;

    async fn submit(
        &self,
        request: Request<SubmitRequest>,
    ) -> Result<Response<SubmitResponse>, Status> {
        let caller = Caller::of(request.extensions());
        let user = request.extensions().get::<AuthenticatedUser>().cloned();
        let n_openings = n_openings(request.get_ref().spec.len());
        let order = submit::ParsedSubmission::of(request.into_inner(), user)?;
        let permits = submit::SubmissionPermits {
            caller: &caller,
            openings: &self.openings,
            n_openings,
            inputs: &self.inputs,
        };
        submit::submit(&self.coordinator, order, permits).await.map(Response::new)
    }

    async fn put_input(
        &self,
        request: Request<Streaming<PutInputRequest>>,
    ) -> Result<Response<PutInputResponse>, Status> {
        let caller = Caller::of(request.extensions());
        let _permit = self.inputs.acquire(&caller, 1).await;
        submit::inputs::take(&self.coordinator, request.into_inner()).await?;
        Ok(Response::new(PutInputResponse {}))
    }

    async fn get_run(
        &self,
        request: Request<GetRunRequest>,
    ) -> Result<Response<RunStatus>, Status> {
        let run = request::run_id(&request.get_ref().run)?;
        status::status(&self.coordinator, run).await.map(Response::new).map_err(refusal::store)
    }

    async fn list_runs(
        &self,
        request: Request<ListRunsRequest>,
    ) -> Result<Response<ListRunsResponse>, Status> {
        list::list(&self.coordinator, request.get_ref()).await.map(Response::new)
    }

    async fn watch_run(
        &self,
        request: Request<WatchRunRequest>,
    ) -> Result<Response<Self::WatchRunStream>, Status> {
        let WatchRunRequest { run, from } = request.into_inner();
        let run = request::run_id(&run)?;
        let place = Arc::clone(&self.watchers).try_acquire_owned();
        let place = place.map_err(|_| refusal::busy("watch runs", MAX_WATCHERS))?;
        // An unknown run is refused at once, not in the stream.
        self.store().execute(ReadPosition { run }).await.map_err(refusal::store)?;
        let closing = self.closing.subscribe();
        let updates = watch::start(self.coordinator.clone(), run, from, closing, place);
        Ok(Response::new(Box::pin(updates)))
    }

    async fn steer_run(
        &self,
        request: Request<SteerRunRequest>,
    ) -> Result<Response<RunStatus>, Status> {
        let run = request::run_id(&request.get_ref().run)?;
        let steer = request::steer(request.get_ref().act())?;
        let state = self.coordinator.steer(run, steer).await.map_err(refusal::store)?;
        let wanted = match steer {
            SteerAction::Pause => RunState::Paused,
            SteerAction::Resume => RunState::Active,
            SteerAction::Cancel => RunState::Cancelled,
        };
        if state != wanted {
            return Err(refusal::not_now(run, &state, request::word(steer)));
        }
        tracing::info!(%run, act = request::word(steer), "run steered");
        status::status(&self.coordinator, run).await.map(Response::new).map_err(refusal::store)
    }

    async fn delete_run(
        &self,
        request: Request<DeleteRunRequest>,
    ) -> Result<Response<DeleteRunResponse>, Status> {
        let run = request::run_id(&request.get_ref().run)?;
        match self.store().execute(ReadPosition { run }).await {
            Ok(RunPosition { state, .. }) if !status::has_ended(&state) => {
                return Err(refusal::not_now(run, &state, "deleted: cancel it first"));
            }
            // A run whose data is damaged has failed.
            Err(error) if !error.is_of_run() => return Err(refusal::store(error)),
            Ok(_) | Err(_) => {}
        }
        self.store().execute(DeleteRun { run }).await.map_err(refusal::store)?;
        tracing::info!(%run, "run deleted");
        Ok(Response::new(DeleteRunResponse {}))
    }

    async fn export_run(
        &self,
        request: Request<ExportRunRequest>,
    ) -> Result<Response<Self::ExportRunStream>, Status> {
        let run = request::run_id(&request.get_ref().run)?;
        let place = Arc::clone(&self.exports).acquire_owned().await;
        let place = place.map_err(|_| refusal::closing())?;
        let export = export::run(&self.coordinator, run).await?;
        let chunks = export::chunks(export.encode_to_vec().into(), PART_CHUNK_BYTES, place);
        Ok(Response::new(Box::pin(chunks)))
    }

    async fn get_part(
        &self,
        request: Request<GetPartRequest>,
    ) -> Result<Response<Self::GetPartStream>, Status> {
        let (run, hash) = parts::requested(request.get_ref())?;
        let first_chunk = request.get_ref().first_chunk;
        let place = Arc::clone(&self.exports).acquire_owned().await;
        let place = place.map_err(|_| refusal::closing())?;
        let bytes = read_whole(self.store(), run, hash).await.map_err(refusal::store)?;
        let bytes =
            bytes.ok_or_else(|| Status::not_found(format!("run {run} has no part {hash}")))?;
        let start = (first_chunk as usize).saturating_mul(PART_CHUNK_BYTES).min(bytes.len());
        let chunks = export::chunks(bytes.slice(start..), PART_CHUNK_BYTES, place);
        Ok(Response::new(Box::pin(chunks)))
    }

    async fn list_dead(
        &self,
        request: Request<ListDeadRequest>,
    ) -> Result<Response<ListDeadResponse>, Status> {
        let run = request::run_id(&request.get_ref().run)?;
        dead::list(self.store(), run, request.get_ref().from)
            .await
            .map(Response::new)
            .map_err(refusal::store)
    }

    async fn retry_dead(
        &self,
        request: Request<RetryDeadRequest>,
    ) -> Result<Response<RetryDeadResponse>, Status> {
        let RetryDeadRequest { run, indices } = request.into_inner();
        let run = request::run_id(&run)?;
        request::indices(&indices)?;
        let wanted = Some(indices.as_slice()).filter(|indices| !indices.is_empty());
        let n_jobs = self.coordinator.retry(run, wanted).await.map_err(refusal::store)?;
        tracing::info!(%run, n_jobs, "dead jobs retried");
        Ok(Response::new(RetryDeadResponse { n_jobs }))
    }

    async fn explain_run(
        &self,
        request: Request<ExplainRunRequest>,
    ) -> Result<Response<RunExplanation>, Status> {
        let run = request::run_id(&request.get_ref().run)?;
        explain::explain(&self.coordinator, run).await.map(Response::new).map_err(refusal::store)
    }

    async fn list_workers(
        &self,
        _request: Request<ListWorkersRequest>,
    ) -> Result<Response<ListWorkersResponse>, Status> {
        workers::list(&self.coordinator).await.map(Response::new)
    }

    async fn drain_worker(
        &self,
        request: Request<DrainWorkerRequest>,
    ) -> Result<Response<DrainWorkerResponse>, Status> {
        workers::drain(&self.coordinator, &request.get_ref().worker).await?;
        Ok(Response::new(DrainWorkerResponse {}))
    }

    async fn quarantine_worker(
        &self,
        request: Request<QuarantineWorkerRequest>,
    ) -> Result<Response<QuarantineWorkerResponse>, Status> {
        let QuarantineWorkerRequest { worker, reason } = request.get_ref();
        workers::quarantine_worker(&self.coordinator, worker, reason).await?;
        Ok(Response::new(QuarantineWorkerResponse {}))
    }
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Poll, Waker};

    use super::*;
    use crate::base::caller_limits::CallerPermit;

    /// Acquires `n` permits at a time for a caller until none is free; returns how often.
    fn n_admitted(limits: &CallerLimits, address: u8, n: u32, held: &mut Vec<CallerPermit>) -> u32 {
        let caller = Caller::Network([192, 0, 2, address].into());
        for admitted in 0.. {
            let mut permit = Box::pin(limits.acquire(&caller, n));
            match permit.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                Poll::Ready(permit) => held.push(permit),
                Poll::Pending => return admitted,
            }
        }
        unreachable!("permits are limited")
    }

    /// docs/REFERENCE.md states these numbers.
    #[test]
    fn specs_are_opened_and_inputs_taken_a_few_at_a_time() {
        let (small, large) = (n_openings(16 << 10), n_openings((16 << 10) + 1));
        let (openings, mut held) = (openings(), Vec::new());
        assert_eq!(n_admitted(&openings, 1, small, &mut held), 2, "small specs of a caller");
        held.clear();
        assert_eq!(n_admitted(&openings, 1, large, &mut held), 1, "large specs of a caller");
        let (inputs, mut held) = (input_transfers(), Vec::new());
        assert_eq!([1, 2, 3].map(|at| n_admitted(&inputs, at, 1, &mut held)), [4, 4, 0]);
    }
}
