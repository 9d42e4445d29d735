//! One connection to a coordinator, from Hello to Goodbye.

use std::sync::Arc;
use std::time::Duration;

use hatchery_proto::MAX_SESSION_MESSAGE_BYTES;
use hatchery_proto::v1::worker_plane_client::WorkerPlaneClient;
use hatchery_proto::v1::{
    Goodbye, Hello, Leaving, SelfTested, ToCoordinator, ToWorker, Welcome, to_coordinator,
    to_worker,
};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Status, Streaming};

use super::dial::{AuthChannel, DialError, Dialer};
use super::fetch::InputFetch;
use super::heartbeat::{HeartbeatInterval, HeartbeatThread};
use crate::executor::shared::SimulationKey;
use crate::ids::RunId;
use crate::job_table::JobTable;
use crate::text::printable;

/// How long it may take from dialing to Welcome: a coordinator that is slower is not well.
const OPEN_DEADLINE: Duration = Duration::from_secs(15);

/// How long to say goodbye to a coordinator that may not listen any more.
const GOODBYE_DEADLINE: Duration = Duration::from_secs(2);

/// How many messages may wait to be sent. Results wait on the desk, so a few are enough; each can
/// have half a MiB.
const OUTBOUND_MESSAGES: usize = 16;

/// Why a session ended, or did not come about.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The coordinator can't be reached.
    #[error("no connection")]
    Dial(#[from] DialError),
    /// There was no Welcome in time.
    #[error("no welcome within {} s", OPEN_DEADLINE.as_secs())]
    Silent,
    /// The coordinator says that it can never work with this worker.
    #[error("refused: {reason}")]
    Refused {
        /// What it says.
        reason: String,
    },
    /// The coordinator does not take this worker's token, or no more.
    #[error("not let in: {reason}")]
    Unauthorized {
        /// What it says.
        reason: String,
    },
    /// The coordinator refused the session for now, or broke it off.
    #[error("the session with the coordinator broke off: {}", .0.message())]
    Status(#[from] Box<Status>),
    /// The coordinator ended the stream without a word.
    #[error("the coordinator is gone")]
    Gone,
    /// The coordinator does not keep to the protocol.
    #[error("the coordinator breaks the protocol: {what}")]
    Violation {
        /// How.
        what: &'static str,
    },
    /// The system gives no thread for the heartbeat.
    #[error("no thread for the heartbeat")]
    Heartbeat(#[from] std::io::Error),
}

/// A session that was granted.
#[derive(Debug)]
pub(crate) struct SessionStream {
    client: WorkerPlaneClient<AuthChannel>,
    pub(crate) outbound: mpsc::Sender<ToCoordinator>,
    pub(crate) inbound: Streaming<ToWorker>,
    pub(crate) fetch: InputFetch,
    /// The answer to the self-tests, until it is sent.
    pub(crate) self_tested: Option<SelfTested>,
    pub(crate) pulse: Option<HeartbeatThread>,
    /// How often the session's own task has to beat, and when next.
    pub(crate) beat: Option<(HeartbeatInterval, Instant)>,
    /// Whether the coordinator was told that the worker leaves.
    said_leaving: bool,
    /// Whether it said that no more jobs come.
    pub(crate) is_drained: bool,
}

impl SessionStream {
    /// Opens a session with the coordinator at `endpoint`.
    pub(crate) async fn open(
        dialer: Arc<dyn Dialer>,
        endpoint: String,
        hello: Hello,
    ) -> Result<(Self, Welcome), SessionError> {
        let opened = timeout(OPEN_DEADLINE, Self::greet(dialer, endpoint, hello)).await;
        opened.unwrap_or(Err(SessionError::Silent))
    }

    async fn greet(
        dialer: Arc<dyn Dialer>,
        endpoint: String,
        hello: Hello,
    ) -> Result<(Self, Welcome), SessionError> {
        let channel = dialer.dial(&endpoint).await?;
        let mut client = WorkerPlaneClient::with_interceptor(channel, dialer.credential())
            .max_decoding_message_size(MAX_SESSION_MESSAGE_BYTES);
        let (outbound, messages) = mpsc::channel(OUTBOUND_MESSAGES);
        let hello = ToCoordinator { message: Some(to_coordinator::Message::Hello(hello)) };
        outbound.try_send(hello).map_err(|_| SessionError::Gone)?;
        let answer = client.session(ReceiverStream::new(messages)).await;
        let mut inbound = answer.map_err(refusal)?.into_inner();
        let Some(ToWorker { message: Some(to_worker::Message::Welcome(welcome)) }) =
            inbound.message().await.map_err(refusal)?
        else {
            return Err(SessionError::Violation { what: "a session begins with Welcome" });
        };
        let link = Self {
            client,
            outbound,
            inbound,
            fetch: InputFetch::default(),
            self_tested: None,
            pulse: None,
            beat: None,
            said_leaving: false,
            is_drained: false,
        };
        Ok((link, welcome))
    }

    /// Says what is to be said, as far as there is room; if not `open` for more work, that first.
    pub(crate) fn send(&mut self, desk: &mut JobTable, open: bool) {
        while let Ok(permit) = self.outbound.try_reserve() {
            let message = if self.has_to_leave(open) {
                self.said_leaving = true;
                Some(to_coordinator::Message::Leaving(Leaving {}))
            } else if let Some(self_tested) = self.self_tested.take() {
                Some(to_coordinator::Message::SelfTested(self_tested))
            } else {
                desk.next_message(open)
            };
            match message {
                Some(message) => permit.send(ToCoordinator { message: Some(message) }),
                None => return,
            }
        }
    }

    /// Starts to fetch the shared input `id` of `run`, unless another fetch is in progress.
    pub(crate) fn fetch_input(&mut self, id: SimulationKey, run: RunId) {
        self.fetch.start(&self.client, id, run);
    }

    /// Whether [`Self::send`] has something to say.
    pub(crate) fn has_message(&self, desk: &JobTable, open: bool) -> bool {
        self.has_to_leave(open) || self.self_tested.is_some() || desk.has_message(open)
    }

    /// Whether the coordinator may still give out jobs that are not wanted.
    fn has_to_leave(&self, open: bool) -> bool {
        !open && !self.said_leaving && !self.is_drained
    }

    /// Says the last things and Goodbye, closes the worker's side, and hears the coordinator out.
    pub(crate) async fn say_goodbye(mut self, desk: &mut JobTable) {
        let last_words = async {
            while let Some(message) = desk.next_message(false) {
                self.say(message).await;
            }
            self.say(to_coordinator::Message::Goodbye(Goodbye {})).await;
            let Self { inbound, outbound, pulse, .. } = &mut self;
            *pulse = None;
            // Without a sender the stream to the coordinator ends.
            *outbound = mpsc::channel(1).0;
            while let Ok(Some(ToWorker { message })) = inbound.message().await {
                if let Some(to_worker::Message::Verdicts(verdicts)) = message {
                    desk.resolve_all(&verdicts);
                }
            }
        };
        if timeout(GOODBYE_DEADLINE, last_words).await.is_err() {
            tracing::debug!("the coordinator did not say goodbye");
        }
    }

    async fn say(&self, message: to_coordinator::Message) {
        // A coordinator that is gone need not be told.
        self.outbound.send(ToCoordinator { message: Some(message) }).await.unwrap_or_default();
    }
}

/// What a status means for the session that it ends, or that did not come about.
pub(crate) fn refusal(status: Status) -> SessionError {
    match status.code() {
        Code::FailedPrecondition => SessionError::Refused { reason: printable(status.message()) },
        Code::Unauthenticated | Code::PermissionDenied => {
            SessionError::Unauthorized { reason: printable(status.message()) }
        }
        _ => SessionError::Status(Box::new(status)),
    }
}
