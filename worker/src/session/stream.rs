//! The connection of a session, from Hello to Goodbye.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use hatchery_proto::v1::worker_plane_client::WorkerPlaneClient;
use hatchery_proto::v1::{
    Goodbye, Hello, Leaving, SelfTested, ToCoordinator, ToWorker, Welcome, to_coordinator,
    to_worker,
};
use hatchery_proto::{MAX_SESSION_MESSAGE_BYTES, RETRY_PUSHBACK};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Status, Streaming};

use super::delivery::DeliveryTask;
use super::dial::{DialError, Dialer, SessionCalls};
use super::fetch::InputFetch;
use super::heartbeat::{HeartbeatInterval, HeartbeatThread};
use crate::config::ExecutionMode;
use crate::ids::RunId;
use crate::input::{InputKey, PartialInput};
use crate::job_table::{JobIntake, JobTable};
use crate::text::printable;

/// The longest wait that a coordinator can ask for before the next session.
pub(super) const LONGEST_RECONNECT: Duration = Duration::from_secs(300);

/// The longest time from dialing to Welcome: a coordinator that takes longer is not healthy.
const OPEN_DEADLINE: Duration = Duration::from_secs(15);

/// The longest time to say goodbye to a coordinator that may no longer listen.
const GOODBYE_DEADLINE: Duration = Duration::from_secs(2);

/// The number of messages that may wait to be sent. Results wait in the job table, so a few are
/// enough; each can take half a MiB.
const OUTBOUND_MESSAGES: usize = 16;

/// The reason for which a session ended or could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The coordinator cannot be reached.
    #[error("no connection to the coordinator")]
    Dial(#[from] DialError),
    /// The coordinator did not send Welcome in time.
    #[error("no welcome within {} s", OPEN_DEADLINE.as_secs())]
    Silent,
    /// The coordinator can never work with this worker.
    #[error("refused: {reason}")]
    Refused {
        /// The coordinator's reason.
        reason: String,
    },
    /// The coordinator does not accept this worker's token, or no longer does.
    #[error("access denied: {reason}")]
    Unauthorized {
        /// The coordinator's reason.
        reason: String,
    },
    /// The coordinator refused the session for now, or the connection broke.
    #[error("the session with the coordinator failed: {}", .0.message())]
    Status(#[from] Box<Status>),
    /// The coordinator closed the session without a reason.
    #[error("the coordinator closed the session")]
    Closed,
    /// The coordinator does not follow the protocol.
    #[error("the coordinator violated the protocol: {what}")]
    Violation {
        /// The violation.
        what: &'static str,
    },
    /// The thread for heartbeats cannot be started.
    #[error("cannot start the heartbeat thread")]
    Heartbeat(#[from] std::io::Error),
}

impl SessionError {
    /// Returns the wait that the coordinator asks for before the next attempt.
    pub(crate) fn pushback(&self) -> Option<Duration> {
        let Self::Status(status) = self else { return None };
        let ms = status.metadata().get(RETRY_PUSHBACK)?.to_str().ok()?.parse().ok()?;
        Some(Duration::from_millis(ms).min(LONGEST_RECONNECT))
    }
}

/// The two directions of a session that a coordinator has welcomed.
#[derive(Debug)]
pub(crate) struct SessionStream {
    calls: SessionCalls,
    pub(crate) outbound: mpsc::Sender<ToCoordinator>,
    pub(crate) inbound: Streaming<ToWorker>,
    pub(crate) fetch: InputFetch,
    pub(crate) delivery: DeliveryTask,
    /// The results of self-tests, until they are sent.
    pub(crate) self_tested: VecDeque<SelfTested>,
    pub(crate) heartbeat_thread: Option<HeartbeatThread>,
    /// The interval of heartbeats that the session's own task has to send, and the time of the
    /// next.
    pub(crate) inline_heartbeat: Option<(HeartbeatInterval, Instant)>,
    /// Set once the worker has told the coordinator that it leaves.
    announced_leaving: bool,
    /// Set once the coordinator has said that no more jobs come.
    pub(crate) is_drained: bool,
}

impl SessionStream {
    /// Opens a session with the coordinator at `endpoint`.
    pub(crate) async fn open(
        dialer: Arc<dyn Dialer>,
        endpoint: String,
        hello: Hello,
    ) -> Result<(Self, Welcome), SessionError> {
        let opened = timeout(OPEN_DEADLINE, Self::handshake(dialer, endpoint, hello)).await;
        opened.unwrap_or(Err(SessionError::Silent))
    }

    async fn handshake(
        dialer: Arc<dyn Dialer>,
        endpoint: String,
        hello: Hello,
    ) -> Result<(Self, Welcome), SessionError> {
        let channel = dialer.dial(&endpoint).await?;
        let mut client = WorkerPlaneClient::with_interceptor(channel, dialer.credentials())
            .max_decoding_message_size(MAX_SESSION_MESSAGE_BYTES);
        let (outbound, messages) = mpsc::channel(OUTBOUND_MESSAGES);
        let hello = ToCoordinator { message: Some(to_coordinator::Message::Hello(hello)) };
        outbound.try_send(hello).map_err(|_| SessionError::Closed)?;
        let answer = client.session(ReceiverStream::new(messages)).await;
        let mut inbound = answer.map_err(status_error)?.into_inner();
        let Some(ToWorker { message: Some(to_worker::Message::Welcome(welcome)) }) =
            inbound.message().await.map_err(status_error)?
        else {
            return Err(SessionError::Violation { what: "a session begins with Welcome" });
        };
        let stream = Self {
            calls: SessionCalls { client, session: welcome.session.clone() },
            outbound,
            inbound,
            fetch: InputFetch::default(),
            delivery: DeliveryTask::default(),
            self_tested: VecDeque::new(),
            heartbeat_thread: None,
            inline_heartbeat: None,
            announced_leaving: false,
            is_drained: false,
        };
        Ok((stream, welcome))
    }

    /// Sends pending messages, as far as the queue has room. A worker that takes no more jobs says
    /// so first.
    pub(crate) fn send_pending(&mut self, jobs: &mut JobTable, intake: JobIntake) {
        while let Ok(permit) = self.outbound.try_reserve() {
            let message = if self.must_announce_leaving(intake) {
                self.announced_leaving = true;
                Some(to_coordinator::Message::Leaving(Leaving {}))
            } else if let Some(self_tested) = self.self_tested.pop_front() {
                Some(to_coordinator::Message::SelfTested(self_tested))
            } else {
                jobs.next_message(intake)
            };
            match message {
                Some(message) => permit.send(ToCoordinator { message: Some(message) }),
                None => return,
            }
        }
    }

    /// Starts to fetch `input` for `run`, unless another fetch is in progress.
    pub(crate) fn fetch_input(
        &mut self,
        input: InputKey,
        run: RunId,
        execution: ExecutionMode,
        partial: &PartialInput,
    ) {
        self.fetch.start(&self.calls, input, run, execution, partial);
    }

    /// Starts the next delivery, unless one is in progress. That of a job that was cancelled is
    /// aborted.
    pub(crate) fn start_delivery(&mut self, jobs: &mut JobTable) {
        self.delivery.abort_unless(|key| jobs.needs_delivery(key));
        if !self.delivery.is_busy()
            && let Some(delivery) = jobs.next_delivery()
        {
            self.delivery.start(&self.calls, delivery);
        }
    }

    /// Returns true if [`Self::send_pending`] has something to send.
    pub(crate) fn has_pending(&self, jobs: &JobTable, intake: JobIntake) -> bool {
        self.must_announce_leaving(intake)
            || !self.self_tested.is_empty()
            || jobs.has_message(intake)
    }

    /// Returns true if the coordinator may still assign jobs that the worker does not want.
    fn must_announce_leaving(&self, intake: JobIntake) -> bool {
        intake == JobIntake::Closed && !self.announced_leaving && !self.is_drained
    }

    /// Sends the last messages and Goodbye, closes the worker's side, and takes verdicts until the
    /// coordinator closes its own.
    pub(crate) async fn say_goodbye(mut self, jobs: &mut JobTable) {
        let farewell = async {
            while let Some(message) = jobs.next_message(JobIntake::Closed) {
                self.send(message).await;
            }
            self.send(to_coordinator::Message::Goodbye(Goodbye {})).await;
            let Self { inbound, outbound, heartbeat_thread, .. } = &mut self;
            *heartbeat_thread = None;
            // Without a sender the stream to the coordinator ends.
            *outbound = mpsc::channel(1).0;
            while let Ok(Some(ToWorker { message })) = inbound.message().await {
                if let Some(to_worker::Message::Verdicts(verdicts)) = message {
                    jobs.apply_verdicts(&verdicts);
                }
            }
        };
        if timeout(GOODBYE_DEADLINE, farewell).await.is_err() {
            tracing::debug!("the coordinator did not close the session in time");
        }
    }

    async fn send(&self, message: to_coordinator::Message) {
        // Nothing is lost if the coordinator is gone: results stay in the job table.
        self.outbound.send(ToCoordinator { message: Some(message) }).await.unwrap_or_default();
    }
}

/// Returns the error of a session that `status` ended or did not let begin.
pub(crate) fn status_error(status: Status) -> SessionError {
    match status.code() {
        Code::FailedPrecondition => SessionError::Refused { reason: printable(status.message()) },
        Code::Unauthenticated | Code::PermissionDenied => {
            SessionError::Unauthorized { reason: printable(status.message()) }
        }
        _ => SessionError::Status(Box::new(status)),
    }
}
