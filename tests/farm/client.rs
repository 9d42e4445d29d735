//! A worker made by hand, for messages that a real worker never sends.

use std::time::Duration;

use hatchery_catalog::CATALOG;
use hatchery_proto::PROTOCOL;
use hatchery_proto::v1::worker_plane_client::WorkerPlaneClient;
use hatchery_proto::v1::{
    ExperimentVersion, Heartbeat, Hello, ToCoordinator, ToWorker, to_coordinator, to_worker,
};
use hatchery_test_redis::PATIENCE;
use hatchery_worker::CallCredentials;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::{Channel, Endpoint};
use tonic::{Status, Streaming};

/// Far below the time after which a coordinator gives up a silent worker.
const BEAT_EVERY: Duration = Duration::from_secs(1);

/// One session.
pub(crate) struct Client {
    pub(crate) say: mpsc::Sender<ToCoordinator>,
    pub(crate) hear: Streaming<ToWorker>,
}

/// A connection to the coordinator at `url`.
pub(crate) async fn channel(url: &str) -> Channel {
    let endpoint = Endpoint::from_shared(url.to_owned()).unwrap().tcp_nodelay(true);
    endpoint.connect().await.unwrap()
}

/// A Hello that is right.
pub(crate) fn hello(incarnation: u128) -> Hello {
    let known = CATALOG.experiments().map(|experiment| ExperimentVersion {
        experiment: experiment.name().to_owned(),
        version: experiment.version(),
    });
    Hello {
        protocol: PROTOCOL,
        worker: format!("client-{incarnation}"),
        incarnation: incarnation.to_be_bytes().to_vec(),
        build: "test".to_owned(),
        experiments: known.collect(),
        slots: 1,
        held: Vec::new(),
        proof: Vec::new(),
        takes_self_tests: true,
    }
}

impl Client {
    /// Opens a session that begins with `first`.
    pub(crate) async fn open(
        channel: Channel,
        first: to_coordinator::Message,
    ) -> Result<Self, Status> {
        Self::open_with(channel, CallCredentials::default(), first).await
    }

    /// Opens a session that begins with `first`, with a token.
    pub(crate) async fn open_with(
        channel: Channel,
        credentials: CallCredentials,
        first: to_coordinator::Message,
    ) -> Result<Self, Status> {
        let (say, messages) = mpsc::channel(1024);
        say.send(ToCoordinator { message: Some(first) }).await.unwrap();
        let mut client = WorkerPlaneClient::with_interceptor(channel, credentials);
        let hear = client.session(ReceiverStream::new(messages)).await?.into_inner();
        Ok(Self { say, hear })
    }

    /// Sends heartbeats until the session ends, however long the rest of the client takes.
    pub(crate) fn keep_alive(&self) {
        let say = self.say.clone();
        tokio::spawn(async move {
            let mut beats = tokio::time::interval(BEAT_EVERY);
            loop {
                beats.tick().await;
                let beat = to_coordinator::Message::Heartbeat(Heartbeat::default());
                if say.send(ToCoordinator { message: Some(beat) }).await.is_err() {
                    return;
                }
            }
        });
    }

    pub(crate) async fn say(&self, message: to_coordinator::Message) {
        // A session that was ended can't be talked to; what it heard says why.
        self.say.send(ToCoordinator { message: Some(message) }).await.unwrap_or(());
    }

    /// The next message, which is sure to come.
    pub(crate) async fn hear(&mut self) -> Result<Option<to_worker::Message>, Status> {
        let message = tokio::time::timeout(PATIENCE, self.hear.message()).await;
        Ok(message.expect("the coordinator answers")?.and_then(|message| message.message))
    }

    /// Hears until the session ends; how it ended.
    pub(crate) async fn end(mut self) -> Status {
        loop {
            match self.hear().await {
                Ok(Some(_)) => {}
                Ok(None) => return Status::ok(""),
                Err(status) => return status,
            }
        }
    }
}
