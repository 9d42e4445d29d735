//! The coordinators of a farm, asked one after the other until one answers.

use std::error::Error;
use std::time::Duration;

use hatchery_proto::v1::control_client::ControlClient;
use hatchery_proto::v1::{
    BlobChunk, ExportRunRequest, GetRunRequest, GetStateRequest, ListRunsRequest, RunExport,
    RunStatus,
};
use hatchery_worker::{AuthChannel, Dialer, TcpDialer};
use prost::Message;
use tokio::time::Instant;
use tonic::{Code, Response, Status, Streaming};

use super::select;
use crate::failure::{Failure, Unanswered};
use crate::terminal::{escape_controls, print_status};

/// How long a call may take: a coordinator gives up on its store after seconds, and a long list
/// takes many reads.
const CALL_DEADLINE: Duration = Duration::from_secs(30);

/// How long something large may take to come, over a thin line.
const TRANSFER_DEADLINE: Duration = Duration::from_secs(600);

/// How long a farm may be away before whoever waits for it gives up: long enough for all of its
/// coordinators to be replaced.
const PATIENCE: Duration = Duration::from_secs(120);

/// How long the first and the longest pause between attempts is.
pub(super) const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// The largest answer: a list of many runs.
const MAX_ANSWER_BYTES: usize = 16 << 20;

/// The largest export or state.
const MAX_TRANSFER_BYTES: usize = 1 << 30;

/// How many runs a selector is looked for among: all that a coordinator lists.
const SELECTED_RUNS: u32 = 1000;

/// A coordinator's client.
pub(crate) type Client = ControlClient<AuthChannel>;

/// A farm's coordinators.
#[derive(Debug)]
pub(crate) struct Farm {
    pub(super) endpoints: Vec<String>,
    /// How they are reached.
    dial: TcpDialer,
    /// The endpoint to begin with.
    first: usize,
    /// The connection to it, if there is one.
    client: Option<Client>,
}

/// For how long the coordinators are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asking {
    /// Each once.
    Once,
    /// Again and again, until one answers or [`PATIENCE`] is over.
    Patiently,
}

impl Farm {
    /// A client of the coordinators at `endpoints`; nothing is connected yet.
    pub(super) fn new(endpoints: Vec<String>, dial: TcpDialer) -> Self {
        Self { endpoints, dial, first: 0, client: None }
    }

    /// What `act` gives at the first coordinator that answers.
    pub(crate) async fn call<T>(
        &mut self,
        act: impl AsyncFn(Client) -> Result<Response<T>, Status>,
    ) -> Result<T, Failure> {
        self.ask(Asking::Once, act).await?.map_err(|status| Failure::refused(&status))
    }

    /// As [`call`](Self::call), but tells a refusal from a failure to get an answer.
    pub(crate) async fn ask<T>(
        &mut self,
        asking: Asking,
        act: impl AsyncFn(Client) -> Result<Response<T>, Status>,
    ) -> Result<Result<T, Status>, Failure> {
        let act = async |client| act(client).await.map(Response::into_inner);
        self.ask_within(CALL_DEADLINE, asking, act).await
    }

    /// Run `run` with all that the farm has of it but its states.
    pub(crate) async fn export(&mut self, asking: Asking, run: &str) -> Result<RunExport, Failure> {
        let request = ExportRunRequest { run: run.to_owned() };
        let act = async |mut client: Client| {
            collect(client.export_run(request.clone()).await?.into_inner()).await
        };
        let bytes = self.ask_within(TRANSFER_DEADLINE, asking, act).await?;
        let bytes = bytes.map_err(|status| Failure::refused(&status))?;
        RunExport::decode(bytes.as_slice()).map_err(|_| {
            Failure::OtherVersion(format!(
                "what the coordinator says of run {run} is not readable by this build: use the \
                 coordinator's"
            ))
        })
    }

    /// The state that `generation` of `run` started from.
    pub(crate) async fn state(&mut self, run: &str, generation: u32) -> Result<Vec<u8>, Failure> {
        let request = GetStateRequest { run: run.to_owned(), generation };
        let act = async |mut client: Client| {
            collect(client.get_state(request.clone()).await?.into_inner()).await
        };
        let state = self.ask_within(TRANSFER_DEADLINE, Asking::Once, act).await?;
        state.map_err(|status| Failure::refused(&status))
    }

    /// The run that `selector` means: an id, its beginning or end, a name, or `last`.
    pub(crate) async fn select(&mut self, selector: &str) -> Result<RunStatus, Failure> {
        if let Some(run) = select::full_id(selector) {
            let request = GetRunRequest { run };
            return self.call(async |mut client| client.get_run(request.clone()).await).await;
        }
        let request = ListRunsRequest { most: SELECTED_RUNS };
        let listed = self.call(async |mut client| client.list_runs(request).await).await?;
        select::choose(listed.runs, selector)
    }

    /// The id of the run that `selector` means; a whole one is taken at its word.
    pub(crate) async fn name(&mut self, selector: &str) -> Result<String, Failure> {
        match select::full_id(selector) {
            Some(run) => Ok(run),
            None => Ok(self.select(selector).await?.run),
        }
    }

    /// Begins with the coordinator at `endpoint`, if it is one of those that are known.
    pub(crate) fn begin_at(&mut self, endpoint: &str) {
        let known = self.endpoints.iter().position(|known| known == endpoint);
        if let Some(idx) = known.filter(|&idx| idx != self.first) {
            (self.first, self.client) = (idx, None);
        }
    }

    /// Asks each coordinator, beginning with the one that answered last, until one answers.
    async fn ask_within<T>(
        &mut self,
        deadline: Duration,
        asking: Asking,
        act: impl AsyncFn(Client) -> Result<T, Status>,
    ) -> Result<Result<T, Status>, Failure> {
        let (began, mut pause) = (Instant::now(), FIRST_PAUSE);
        loop {
            let mut unanswered = Vec::new();
            for _ in 0..self.endpoints.len() {
                match self.ask_one(deadline, &act).await {
                    Ok(answer) => return Ok(answer),
                    Err(one) => {
                        unanswered.push(one);
                        self.turn_away();
                    }
                }
            }
            if asking == Asking::Once || PATIENCE < began.elapsed() {
                return Err(Failure::NoCoordinator(unanswered));
            }
            if pause == FIRST_PAUSE {
                let failure = Failure::NoCoordinator(unanswered);
                print_status(&format!("{failure}\nasking again for {} s", PATIENCE.as_secs()));
            }
            tokio::time::sleep(pause).await;
            pause = LONGEST_PAUSE.min(pause * 2);
        }
    }

    /// What the current coordinator answers, or why it does not.
    async fn ask_one<T>(
        &mut self,
        deadline: Duration,
        act: impl AsyncFn(Client) -> Result<T, Status>,
    ) -> Result<Result<T, Status>, Unanswered> {
        let endpoint = &self.endpoints[self.first];
        let silent = |cause| Unanswered { endpoint: endpoint.clone(), is_there: false, cause };
        let client = match &self.client {
            Some(client) => client.clone(),
            None => {
                let channel = self.dial.dial(endpoint).await;
                let channel = channel.map_err(|error| silent(innermost(&error)))?;
                let client = ControlClient::with_interceptor(channel, self.dial.credential());
                self.client.insert(client.max_decoding_message_size(MAX_ANSWER_BYTES)).clone()
            }
        };
        match tokio::time::timeout(deadline, act(client)).await {
            Ok(Err(status)) if is_no_answer(&status) => {
                let is_there = is_its_word(&status);
                Err(Unanswered { is_there, ..silent(escape_controls(&cause(&status))) })
            }
            Ok(answer) => Ok(answer),
            Err(_) => Err(silent(format!("no answer in {} s", deadline.as_secs()))),
        }
    }

    /// Goes to another coordinator for the next call.
    pub(super) fn turn_away(&mut self) {
        self.client = None;
        self.first = (self.first + 1) % self.endpoints.len();
    }
}

/// Whether another coordinator may give what this one did not.
pub(super) fn is_no_answer(status: &Status) -> bool {
    !is_its_word(status)
        || matches!(
            status.code(),
            Code::Unavailable
                | Code::DeadlineExceeded
                | Code::ResourceExhausted
                | Code::Cancelled
                | Code::Unknown
        )
}

/// Whether a coordinator said that itself: what befell the connection has a source.
fn is_its_word(status: &Status) -> bool {
    status.source().is_none()
}

fn cause(status: &Status) -> String {
    match status.source() {
        Some(source) => innermost(source),
        None => status.message().to_owned(),
    }
}

/// What went wrong at the bottom: "connection refused", not "transport error".
fn innermost(error: &(dyn Error + 'static)) -> String {
    let chain = std::iter::successors(Some(error), |&error| error.source());
    chain.last().unwrap_or(error).to_string()
}

/// All pieces of a stream.
async fn collect(mut chunks: Streaming<BlobChunk>) -> Result<Vec<u8>, Status> {
    let mut whole = Vec::new();
    while let Some(chunk) = chunks.message().await? {
        whole.extend_from_slice(&chunk.data);
        if MAX_TRANSFER_BYTES < whole.len() {
            return Err(Status::out_of_range(format!("more than {MAX_TRANSFER_BYTES} bytes came")));
        }
    }
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_farm_that_is_not_there_is_named_with_the_causes() {
        let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("http://{}", taken.local_addr().unwrap());
        drop(taken);
        let mut farm = Farm::new(vec![endpoint.clone()], TcpDialer::default());
        let failure = farm.select("last").await.unwrap_err();
        assert_eq!(failure.exit_code(), 10);
        let text = failure.to_string();
        assert!(text.starts_with(&format!("no coordinator answers at {endpoint}\n")), "{text}");
        assert!(text.to_lowercase().contains("refused"), "{text}");
    }
}
