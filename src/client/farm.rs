//! A client of a farm: a call goes to its coordinators one by one until one answers.

use std::cell::Cell;
use std::error::Error;
use std::pin::Pin;
use std::time::Duration;

use hatchery_core::Digest;
use hatchery_proto::MAX_PART_BYTES;
use hatchery_proto::v1::control_client::ControlClient;
use hatchery_proto::v1::{
    ByteChunk, ExportRunRequest, GetPartRequest, GetRunRequest, ListOrder, ListRunsRequest,
    RunExport, RunStatus,
};
use hatchery_store::RunId;
use hatchery_worker::{AuthChannel, Dialer, TcpDialer};
use prost::Message;
use prost::bytes::Bytes;
use tokio::time::Instant;
use tonic::{Code, Response, Status, Streaming};

use super::select::{self, SelectedRuns};
use crate::control_socket::SocketDialer;
use crate::error::{CommandError, EndpointError, SelectionError, VersionError};
use crate::selector::LAST;
use crate::sweep::{MAX_RUNS, SweepPoint};
use crate::terminal::{escape_controls, print_status};

/// The time for a call: a coordinator gives up on its store after seconds, and a long list takes
/// many reads.
pub(super) const CALL_DEADLINE: Duration = Duration::from_secs(30);

/// The time for the transfer of something large over a slow network.
pub(super) const TRANSFER_DEADLINE: Duration = Duration::from_secs(600);

/// The time without a coordinator after which a command that waits gives up: long enough to replace
/// all coordinators.
const OUTAGE_TIMEOUT: Duration = Duration::from_secs(120);

/// The time for which a client retries a call that a coordinator cannot serve now: the store fails
/// over, or the machine is too busy for the store to answer in time.
const UNAVAILABLE_TIMEOUT: Duration = Duration::from_secs(10);

/// The first and the longest pause between rounds of attempts.
pub(super) const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// The largest response: a list of many runs.
const MAX_RESPONSE_BYTES: usize = 16 << 20;

/// The largest export.
const MAX_TRANSFER_BYTES: usize = 1 << 30;

/// The number of runs on a page of the runs that a selector is compared with.
const SELECTED_RUNS: u32 = 1000;

/// The most runs of a sweep that are listed: it may have been submitted several times.
const MAX_LISTED: usize = 10 * MAX_RUNS;

/// A client of a single coordinator.
pub(crate) type CoordinatorClient = ControlClient<AuthChannel>;

/// A client of a farm, which uses any of its coordinators.
pub(crate) struct FarmClient {
    pub(super) endpoints: Vec<String>,
    dial: Box<dyn Dialer>,
    /// How long a call that follows a run is retried.
    pub(super) patience: FailoverPolicy,
    /// The endpoint to try first.
    current: usize,
    /// The connection to it, if there is one.
    client: Option<CoordinatorClient>,
}

/// How long a call is retried when no coordinator serves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FailoverPolicy {
    /// For [`UNAVAILABLE_TIMEOUT`] if one answers that it cannot serve the call now; not at all if
    /// none answers.
    RetryUnavailable,
    /// For [`OUTAGE_TIMEOUT`].
    RetryOutage,
}

/// A call in progress; it stores its response itself.
type Attempt<'a> = Pin<Box<dyn Future<Output = Result<(), Status>> + 'a>>;

impl FarmClient {
    /// Creates a client of the coordinators at `endpoints`; nothing is connected yet.
    pub(super) fn new(endpoints: Vec<String>, dial: TcpDialer) -> Self {
        let (dial, patience) = (Box::new(dial), FailoverPolicy::RetryOutage);
        Self { endpoints, dial, patience, current: 0, client: None }
    }

    /// Creates a client of the process that runs the run of a folder, which `dial` reaches; nothing
    /// is connected yet. No other process takes over once that one is gone.
    pub(crate) fn of_run(dial: SocketDialer) -> Self {
        let endpoints = vec![dial.endpoint()];
        let (dial, patience) = (Box::new(dial), FailoverPolicy::RetryUnavailable);
        Self { endpoints, dial, patience, current: 0, client: None }
    }

    /// Makes a call with `act` at the first coordinator that answers.
    pub(crate) async fn call<T>(
        &mut self,
        act: impl AsyncFn(CoordinatorClient) -> Result<Response<T>, Status>,
    ) -> Result<T, CommandError> {
        self.try_call(FailoverPolicy::RetryUnavailable, act)
            .await?
            .map_err(|status| CommandError::refused(&status))
    }

    /// Makes a call as [`call`](Self::call) does, but returns a refusal as a status.
    pub(crate) async fn try_call<T>(
        &mut self,
        failover: FailoverPolicy,
        act: impl AsyncFn(CoordinatorClient) -> Result<Response<T>, Status>,
    ) -> Result<Result<T, Status>, CommandError> {
        let act = async |client| act(client).await.map(Response::into_inner);
        self.call_within(CALL_DEADLINE, failover, act).await
    }

    /// Downloads everything that the farm stores of a run except the states of past generations.
    pub(crate) async fn export(
        &mut self,
        failover: FailoverPolicy,
        run: &str,
    ) -> Result<RunExport, CommandError> {
        let request = ExportRunRequest { run: run.to_owned() };
        let act = async |mut client: CoordinatorClient| {
            let chunks = client.export_run(request.clone()).await?.into_inner();
            collect(chunks, MAX_TRANSFER_BYTES).await
        };
        let bytes = self.call_within(TRANSFER_DEADLINE, failover, act).await?;
        let bytes = bytes.map_err(|status| CommandError::refused(&status))?;
        RunExport::decode(bytes.as_slice())
            .map_err(|_| VersionError::Export { run: run.to_owned() }.into())
    }

    /// Downloads the part of `run` with this hash; `None` if the run does not have it, or other
    /// bytes came.
    pub(crate) async fn part(
        &mut self,
        run: RunId,
        hash: Digest,
    ) -> Result<Option<Bytes>, CommandError> {
        let run = run.to_bytes().to_vec();
        let hash_bytes = hash.as_bytes().to_vec();
        let request = GetPartRequest { hash: hash_bytes, run, ..GetPartRequest::default() };
        let act = async |mut client: CoordinatorClient| {
            let chunks = client.get_part(request.clone()).await?.into_inner();
            collect(chunks, MAX_PART_BYTES).await
        };
        let part =
            self.call_within(TRANSFER_DEADLINE, FailoverPolicy::RetryUnavailable, act).await?;
        match part {
            Ok(bytes) => Ok(Some(Bytes::from(bytes)).filter(|bytes| Digest::of(bytes) == hash)),
            Err(status) if status.code() == Code::NotFound => Ok(None),
            Err(status) => Err(CommandError::refused(&status)),
        }
    }

    /// Finds the run that `selector` names: an id, its beginning or end, a name, or `last`.
    pub(crate) async fn select(&mut self, selector: &str) -> Result<RunStatus, CommandError> {
        if let Some(run) = select::full_id(selector) {
            let request = GetRunRequest { run };
            return self.call(async |mut client| client.get_run(request.clone()).await).await;
        }
        // Of all pages, the first error lists the latest runs.
        let mut unknown = None;
        let chosen = self.first_page_with(|runs| match select::choose(runs, selector) {
            Err(error @ SelectionError::UnknownRun { .. }) => {
                unknown.get_or_insert(error);
                None
            }
            chosen => Some(chosen),
        });
        let chosen = chosen.await?;
        Ok(chosen.unwrap_or_else(|| Err(unknown.unwrap_or(SelectionError::NoRuns)))?)
    }

    /// Returns what `find` finds in a page of all runs, the latest page first and the oldest run of
    /// a page first. Older pages are only read if it finds nothing.
    async fn first_page_with<T>(
        &mut self,
        mut find: impl FnMut(Vec<RunStatus>) -> Option<T>,
    ) -> Result<Option<T>, CommandError> {
        let mut request = ListRunsRequest { most: SELECTED_RUNS, ..ListRunsRequest::default() };
        loop {
            let act = async |mut client: CoordinatorClient| client.list_runs(request.clone()).await;
            let page = self.call(act).await?;
            let found = find(page.runs);
            request.after = page.next;
            if found.is_some() || request.after.is_empty() {
                return Ok(found);
            }
        }
    }

    /// Finds the sweep that is called `selector`, or one run as in [`select`](Self::select). A
    /// slash at the end says that it is a sweep.
    pub(crate) async fn select_run_or_sweep(
        &mut self,
        selector: &str,
    ) -> Result<SelectedRuns, CommandError> {
        let (name, is_sweep) = match selector.strip_suffix('/') {
            Some(name) => (name, true),
            None => (selector, false),
        };
        let runs = match select::full_id(name) {
            None if name != LAST => self.runs_of_sweep(name).await?,
            _ => Vec::new(),
        };
        let selector = selector.to_owned();
        match (runs.is_empty(), is_sweep) {
            (true, true) => Err(SelectionError::UnknownSweep { selector }.into()),
            (true, false) => self.select(&selector).await.map(Box::new).map(SelectedRuns::One),
            (false, false) if self.has_run(name).await? => {
                Err(SelectionError::RunAndSweep { selector }.into())
            }
            (false, _) => Ok(SelectedRuns::Sweep(name.to_owned(), runs)),
        }
    }

    /// Returns true if a run has this name.
    async fn has_run(&mut self, name: &str) -> Result<bool, CommandError> {
        let called = |runs: Vec<RunStatus>| runs.iter().any(|run| run.name == name).then_some(());
        Ok(self.first_page_with(called).await?.is_some())
    }

    /// Returns the runs of a sweep, the oldest first.
    async fn runs_of_sweep(&mut self, sweep: &str) -> Result<Vec<RunStatus>, CommandError> {
        let mut request = ListRunsRequest {
            most: SELECTED_RUNS,
            order: ListOrder::OldestFirst.into(),
            sweep: sweep.to_owned(),
            ..ListRunsRequest::default()
        };
        let mut runs = Vec::new();
        // An empty name would mean all runs.
        while !sweep.is_empty() {
            let act = async |mut client: CoordinatorClient| client.list_runs(request.clone()).await;
            let page = self.call(act).await?;
            // A coordinator of an earlier version does not know sweeps, and lists all runs.
            let of_sweep = page.runs.into_iter().filter(|run| SweepPoint::is_of(&run.name, sweep));
            runs.extend(of_sweep);
            request.after = page.next;
            if request.after.is_empty() || MAX_LISTED < runs.len() {
                break;
            }
        }
        Ok(runs)
    }

    /// Returns the id of the run that `selector` names; a complete id is not looked up.
    pub(crate) async fn resolve_id(&mut self, selector: &str) -> Result<String, CommandError> {
        match select::full_id(selector) {
            Some(run) => Ok(run),
            None => Ok(self.select(selector).await?.run),
        }
    }

    /// Sends the next call to the coordinator at `endpoint` first, if it is a known one.
    pub(crate) fn prefer(&mut self, endpoint: &str) {
        let known = self.endpoints.iter().position(|known| known == endpoint);
        if let Some(idx) = known.filter(|&idx| idx != self.current) {
            (self.current, self.client) = (idx, None);
        }
    }

    /// Tries each coordinator, starting with the coordinator that answered last, until a
    /// coordinator answers.
    pub(super) async fn call_within<T>(
        &mut self,
        deadline: Duration,
        failover: FailoverPolicy,
        act: impl AsyncFn(CoordinatorClient) -> Result<T, Status>,
    ) -> Result<Result<T, Status>, CommandError> {
        let answer = Cell::new(None);
        let attempt = |client| -> Attempt<'_> {
            let (act, answer) = (&act, &answer);
            Box::pin(async move { act(client).await.map(|response| answer.set(Some(response))) })
        };
        let answered = self.attempt_within(deadline, failover, &attempt).await?;
        Ok(answered.map(|()| answer.take().expect("a successful attempt stores its response")))
    }

    /// As [`call_within`](Self::call_within), where `act` keeps the response. It is compiled once,
    /// not for each call.
    async fn attempt_within<'a>(
        &mut self,
        deadline: Duration,
        failover: FailoverPolicy,
        act: &dyn Fn(CoordinatorClient) -> Attempt<'a>,
    ) -> Result<Result<(), Status>, CommandError> {
        let (start, mut pause) = (Instant::now(), FIRST_PAUSE);
        loop {
            let mut unanswered = Vec::new();
            for _ in 0..self.endpoints.len() {
                match self.attempt_at_current(deadline, act).await {
                    Ok(answered) => return Ok(answered),
                    Err(one) => {
                        unanswered.push(one);
                        self.next_endpoint();
                    }
                }
            }
            let patience = match failover {
                FailoverPolicy::RetryOutage => OUTAGE_TIMEOUT,
                FailoverPolicy::RetryUnavailable if unanswered.iter().any(|one| one.responded) => {
                    UNAVAILABLE_TIMEOUT
                }
                FailoverPolicy::RetryUnavailable => Duration::ZERO,
            };
            if patience <= start.elapsed() {
                return Err(CommandError::NoCoordinator(unanswered));
            }
            if pause == FIRST_PAUSE && failover == FailoverPolicy::RetryOutage {
                let error = CommandError::NoCoordinator(unanswered);
                print_status(&format!("{error}\nretrying for {} s", OUTAGE_TIMEOUT.as_secs()));
            }
            tokio::time::sleep(pause).await;
            pause = LONGEST_PAUSE.min(pause * 2);
        }
    }

    /// Makes a call at the current coordinator.
    async fn attempt_at_current<'a>(
        &mut self,
        deadline: Duration,
        act: &dyn Fn(CoordinatorClient) -> Attempt<'a>,
    ) -> Result<Result<(), Status>, EndpointError> {
        let endpoint = &self.endpoints[self.current];
        let endpoint_error = |connected, cause| EndpointError {
            endpoint: endpoint.clone(),
            connected,
            responded: false,
            cause,
        };
        let client = match &self.client {
            Some(client) => client.clone(),
            None => {
                let channel = self.dial.dial(endpoint).await;
                let channel = channel.map_err(|error| endpoint_error(false, innermost(&error)))?;
                let client = ControlClient::with_interceptor(channel, self.dial.credentials());
                self.client.insert(client.max_decoding_message_size(MAX_RESPONSE_BYTES)).clone()
            }
        };
        match tokio::time::timeout(deadline, act(client)).await {
            Ok(Err(status)) if is_unanswered(&status) => {
                let responded = is_from_coordinator(&status);
                Err(EndpointError {
                    responded,
                    ..endpoint_error(true, escape_controls(&cause(&status)))
                })
            }
            Ok(answer) => Ok(answer),
            Err(_) => Err(endpoint_error(true, format!("no answer in {} s", deadline.as_secs()))),
        }
    }

    /// Moves on to another coordinator for the next call.
    pub(super) fn next_endpoint(&mut self) {
        self.client = None;
        self.current = (self.current + 1) % self.endpoints.len();
    }
}

/// Returns true if another coordinator may answer what this one did not.
pub(super) fn is_unanswered(status: &Status) -> bool {
    !is_from_coordinator(status)
        || matches!(
            status.code(),
            Code::Unavailable
                | Code::DeadlineExceeded
                | Code::ResourceExhausted
                | Code::Cancelled
                | Code::Unknown
        )
}

/// Returns true if the coordinator sent the status itself: a failed connection has a source.
fn is_from_coordinator(status: &Status) -> bool {
    status.source().is_none()
}

fn cause(status: &Status) -> String {
    match status.source() {
        Some(source) => innermost(source),
        None => status.message().to_owned(),
    }
}

/// Returns the root cause: "connection refused", not "transport error".
fn innermost(error: &(dyn Error + 'static)) -> String {
    let chain = std::iter::successors(Some(error), |&error| error.source());
    chain.last().unwrap_or(error).to_string()
}

/// Collects the chunks of a stream, at most `most` bytes.
async fn collect(mut chunks: Streaming<ByteChunk>, most: usize) -> Result<Vec<u8>, Status> {
    let mut whole = Vec::new();
    while let Some(chunk) = chunks.message().await? {
        whole.extend_from_slice(&chunk.data);
        if most < whole.len() {
            return Err(Status::out_of_range(format!("received more than {most} bytes")));
        }
    }
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_unreachable_farm_is_reported_with_the_causes() {
        let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("http://{}", taken.local_addr().unwrap());
        drop(taken);
        let mut farm = FarmClient::new(vec![endpoint.clone()], TcpDialer::default());
        let error = farm.select("last").await.unwrap_err();
        assert_eq!(error.exit_code(), 10);
        let text = error.to_string();
        assert!(text.starts_with(&format!("no coordinator answers at {endpoint}\n")), "{text}");
        assert!(text.to_lowercase().contains("refused"), "{text}");
    }
}
