//! Changes that other processes publish, received over a separate connection.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use redis::aio::{PubSubSink, PubSubStream};
use redis::{Client, Msg};
use tokio::sync::broadcast;
use tokio::task::AbortHandle;
use tokio::time::{MissedTickBehavior, interval, sleep};
use tokio_stream::StreamExt;
use tracing::info;
use ulid::{ULID_LEN, Ulid};

use super::connection::{RedisConnection, in_time};
use super::error::RedisFailure;
use super::keys::BELL;
use super::server;
use crate::store::RunId;
use crate::store::membership::StoreChange;

/// The number of changes after which a slow listener misses some; then it looks anyway.
const CHANGES_KEPT: usize = 1024;

/// The waits before connecting again: the first, and the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// The interval between pings to the server: a broken connection is silent.
const PING_EVERY: Duration = Duration::from_secs(5);

/// The interval between attempts to tidy a restarted server.
const TIDY_EVERY: Duration = Duration::from_millis(100);

/// The changes made by other processes, received as long as this value lives.
#[derive(Debug)]
pub(super) struct ChangeSubscriptions {
    sender: broadcast::Sender<StoreChange>,
    listener: AbortHandle,
}

impl ChangeSubscriptions {
    /// Subscribes to all changes that `me` does not make, from now on. A restarted server is tidied
    /// over `control`.
    pub(super) async fn listen(
        client: Client,
        me: Ulid,
        control: Arc<RedisConnection>,
    ) -> Result<Self, RedisFailure> {
        let (sender, _) = broadcast::channel(CHANGES_KEPT);
        let first = subscribe(&client).await?;
        let listener = tokio::spawn(keep_listening(client, first, me, control, sender.clone()));
        Ok(Self { sender, listener: listener.abort_handle() })
    }

    /// Subscribes to all changes from now on.
    pub(super) fn subscribe(&self) -> broadcast::Receiver<StoreChange> {
        self.sender.subscribe()
    }
}

impl Drop for ChangeSubscriptions {
    fn drop(&mut self) {
        self.listener.abort();
    }
}

/// The two halves of a connection that receives changes.
type SubscriberSet = (PubSubSink, PubSubStream);

async fn subscribe(client: &Client) -> Result<SubscriberSet, RedisFailure> {
    let subscribe = async {
        let (mut sink, heard) = client.get_async_pubsub().await?.split();
        sink.subscribe(BELL).await?;
        Ok((sink, heard))
    };
    in_time(subscribe).await
}

async fn keep_listening(
    client: Client,
    first: SubscriberSet,
    me: Ulid,
    control: Arc<RedisConnection>,
    sender: broadcast::Sender<StoreChange>,
) -> Infallible {
    let mut ears = Ok(first);
    let mut pause = FIRST_PAUSE;
    loop {
        let deaf = match ears {
            Ok(ears) => {
                pause = FIRST_PAUSE;
                hear(ears, me, &control, &sender).await
            }
            Err(trouble) => SubscriptionLost::Trouble(trouble),
        };
        info!(error = %deaf, "change notifications were lost; subscribing again");
        sleep(pause).await;
        pause = LONGEST_PAUSE.min(pause * 2);
        ears = subscribe(&client).await;
    }
}

/// The reason that a connection ended.
#[derive(Debug, thiserror::Error)]
enum SubscriptionLost {
    #[error(transparent)]
    Trouble(#[from] RedisFailure),
    #[error("the server closed the connection")]
    Closed,
}

/// Passes on changes until the connection ends.
async fn hear(
    (mut sink, mut heard): SubscriberSet,
    me: Ulid,
    control: &RedisConnection,
    sender: &broadcast::Sender<StoreChange>,
) -> SubscriptionLost {
    let (mut ping, mut tidying) = (interval(PING_EVERY), interval(TIDY_EVERY));
    ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
    tidying.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut is_tidy = false;
    loop {
        tokio::select! {
            message = heard.next() => match message {
                Some(message) => if let Some(bell) = parse(&message, me) {
                    // Nobody may be listening here: then nobody misses it.
                    sender.send(bell).ok();
                },
                None => return SubscriptionLost::Closed,
            },
            _ = ping.tick() => {
                if let Err(trouble) = in_time(async { Ok(sink.ping::<()>().await?) }).await {
                    return SubscriptionLost::Trouble(trouble);
                }
            }
            // The other connection may not have noticed yet that the server was started anew.
            _ = tidying.tick(), if !is_tidy => is_tidy = server::tidy(control).await.is_ok(),
        }
    }
}

/// Parses a bell of another process: its sender, a letter for the change, and the run.
fn parse(message: &Msg, me: Ulid) -> Option<StoreChange> {
    let payload = str::from_utf8(message.get_payload_bytes()).ok()?;
    let (from, rest) = payload.split_at_checked(ULID_LEN)?;
    let (kind, run) = rest.split_at_checked(1)?;
    let (from, run) = (from.parse::<Ulid>().ok()?, RunId(run.parse().ok()?));
    let bell = match kind {
        "R" => StoreChange::Ready(run),
        "P" => StoreChange::Results(run),
        "S" => StoreChange::State(run),
        _ => return None,
    };
    (from != me).then_some(bell)
}
