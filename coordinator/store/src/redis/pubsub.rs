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

use super::connection::{CALL_DEADLINE, PING_AFTER, PING_DEADLINE, RedisConnection, in_time};
use super::error::RedisFailure;
use super::keys::BELL;
use super::server::{self, AofRewrite};
use crate::RunId;
use crate::membership::StoreChange;

/// The number of changes after which a slow listener misses some; then it looks anyway.
const CHANGES_KEPT: usize = 1024;

/// The waits before connecting again: the first, and the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// The interval between looks whether the server has become a replica.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// The interval between attempts to have a server's append-only file rewritten.
const UPKEEP_EVERY: Duration = Duration::from_millis(100);

/// The pause while such a rewrite runs, or cannot begin because the disk is full.
const REWRITE_PAUSE: Duration = Duration::from_millis(500);

/// The changes made by other processes, received as long as this value lives.
#[derive(Debug)]
pub(super) struct ChangeSubscriptions {
    sender: broadcast::Sender<StoreChange>,
    listener: AbortHandle,
}

impl ChangeSubscriptions {
    /// Subscribes to all changes that `me` does not make, from now on, over the channel with this
    /// suffix. The server's append-only file is kept in order over `control`.
    pub(super) async fn listen(
        client: Client,
        me: Ulid,
        suffix: String,
        control: Arc<RedisConnection>,
    ) -> Result<Self, RedisFailure> {
        let (sender, _) = broadcast::channel(CHANGES_KEPT);
        let bell = BellChannel { client, name: format!("{BELL}{suffix}"), me };
        let first = bell.subscribe().await?;
        let listener = tokio::spawn(keep_listening(bell, first, control, sender.clone()));
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

/// The channel of changes.
#[derive(Debug)]
struct BellChannel {
    client: Client,
    name: String,
    /// The caller whose own changes are not passed on.
    me: Ulid,
}

impl BellChannel {
    async fn subscribe(&self) -> Result<SubscriberSet, RedisFailure> {
        let subscribe = async {
            let (mut sink, heard) = self.client.get_async_pubsub().await?.split();
            sink.subscribe(&self.name).await?;
            Ok((sink, heard))
        };
        in_time(CALL_DEADLINE, subscribe).await
    }
}

async fn keep_listening(
    bell: BellChannel,
    first: SubscriberSet,
    control: Arc<RedisConnection>,
    sender: broadcast::Sender<StoreChange>,
) -> Infallible {
    let mut ears = Ok(first);
    let mut pause = FIRST_PAUSE;
    loop {
        let deaf = match ears {
            Ok(ears) => {
                pause = FIRST_PAUSE;
                hear(ears, bell.me, &control, &sender).await
            }
            Err(trouble) => SubscriptionLost::Trouble(trouble),
        };
        info!(error = %deaf, "change notifications were lost; subscribing again");
        sleep(pause).await;
        pause = LONGEST_PAUSE.min(pause * 2);
        ears = bell.subscribe().await;
        if ears.is_ok() {
            sender.send(StoreChange::Missed).ok();
        }
    }
}

/// The reason that a connection ended.
#[derive(Debug, thiserror::Error)]
enum SubscriptionLost {
    #[error(transparent)]
    Trouble(#[from] RedisFailure),
    #[error("the server closed the connection")]
    Closed,
    #[error("the server is no longer the master")]
    HandedOver,
}

/// Passes on changes until the connection ends.
async fn hear(
    (mut sink, mut heard): SubscriberSet,
    me: Ulid,
    control: &RedisConnection,
    sender: &broadcast::Sender<StoreChange>,
) -> SubscriptionLost {
    let (mut ping, mut look) = (interval(PING_AFTER), interval(LOOK_EVERY));
    let mut upkeep = interval(UPKEEP_EVERY);
    for timer in [&mut ping, &mut look, &mut upkeep] {
        timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
    }
    let mut rewrite = AofRewrite::Unknown;
    let signals = control.signals();
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
                let ping = async { Ok(sink.ping::<()>().await?) };
                if let Err(trouble) = in_time(PING_DEADLINE, ping).await {
                    return SubscriptionLost::Trouble(trouble);
                }
            }
            _ = look.tick() => {
                if server::is_replica(control).await.unwrap_or(false) {
                    control.leave_replica();
                }
            }
            () = signals.handed_over.notified() => return SubscriptionLost::HandedOver,
            _ = upkeep.tick(), if signals.write_failed() || rewrite != AofRewrite::Done => {
                rewrite = maintain_aof(control, rewrite).await;
                if signals.write_failed() || rewrite == AofRewrite::Requested {
                    upkeep.reset_after(REWRITE_PAUSE);
                }
            }
        }
    }
}

/// Takes the next step towards an append-only file that lets the server start again. The other
/// connection may not have noticed yet that the server was started anew: then the step fails and is
/// taken again.
async fn maintain_aof(control: &RedisConnection, rewrite: AofRewrite) -> AofRewrite {
    if control.signals().write_failed() {
        return match server::repair_aof(control).await {
            Ok(()) => AofRewrite::Unknown,
            Err(_) => rewrite,
        };
    }
    server::rewrite_aof(control, rewrite).await.unwrap_or(rewrite)
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
