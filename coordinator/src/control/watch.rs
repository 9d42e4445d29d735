//! What happens to a run, sent to whoever watches: stored events, and how the run is.
//!
//! The store is asked again and again, as a run may be led by any coordinator.

use std::time::Duration;

use hatchery_proto::v1::{RunStatus, StoredEvent, WatchUpdate, watch_update};
use tokio::sync::{OwnedSemaphorePermit, mpsc, watch as signal};
use tokio::time::{Instant, MissedTickBehavior};
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

use super::{refusal, status};
use crate::coordinator::Coordinator;
use crate::event::{Event, Stamped};
use crate::store::RunId;

/// How often new events are looked for: soon enough for a person.
const POLL: Duration = Duration::from_millis(250);

/// How often it is looked how the run is, at most: that takes a few reads.
const STATUS_EVERY: Duration = Duration::from_millis(500);

/// How long the last event of a run that has ended is waited for: its leader stores it after the
/// end, and may have died in between.
const LAST_EVENT_GRACE: Duration = Duration::from_secs(1);

/// How many updates may wait for a slow client; the store has all others.
const OUTBOUND_UPDATES: usize = 64;

/// Sends what happens to `run` from event number `from` on, until it ends, the client leaves or
/// the coordinator is `closing`. Holds its `place` meanwhile.
pub(super) fn start(
    coordinator: Coordinator,
    run: RunId,
    from: u64,
    mut closing: signal::Receiver<bool>,
    place: OwnedSemaphorePermit,
) -> impl Stream<Item = Result<WatchUpdate, Status>> + Send + use<> {
    let (updates, outbound) = mpsc::channel(OUTBOUND_UPDATES);
    tokio::spawn(async move {
        let _place = place;
        let watcher = Watcher { coordinator, run, next: from, updates: &updates };
        let ended = tokio::select! {
            ended = watcher.watch() => ended,
            () = updates.closed() => return,
            // The sender lives in the service, as long as any request.
            _ = closing.wait_for(|&closing| closing) => Err(End::Failed(refusal::closing())),
        };
        if let Err(End::Failed(status)) = ended {
            // A client that is gone can't be told.
            updates.send(Err(status)).await.unwrap_or(());
        }
    });
    ReceiverStream::new(outbound)
}

/// Why a watch ends before its run.
enum End {
    Gone,
    Failed(Status),
}

struct Watcher<'a> {
    coordinator: Coordinator,
    run: RunId,
    /// The number of the next event.
    next: u64,
    updates: &'a mpsc::Sender<Result<WatchUpdate, Status>>,
}

impl Watcher<'_> {
    async fn watch(mut self) -> Result<(), End> {
        let mut polls = tokio::time::interval(POLL);
        polls.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (mut shown, mut look_at) = (None, Instant::now());
        // Whether the last event that was sent is a run's last, and when the run was seen to end.
        let (mut is_last, mut ended_at) = (false, None::<Instant>);
        loop {
            polls.tick().await;
            if let Some(last) = self.send_events().await? {
                is_last = last;
            }
            if Instant::now() < look_at {
                continue;
            }
            let now = status::status(&self.coordinator, self.run).await;
            let now = now.map_err(|error| End::Failed(refusal::store(error)))?;
            look_at = Instant::now() + STATUS_EVERY;
            if ends(&now) {
                let since = *ended_at.get_or_insert_with(Instant::now);
                if is_last || LAST_EVENT_GRACE <= since.elapsed() {
                    // What was stored between the last look at events and the end.
                    self.send_events().await?;
                    return self.send(watch_update::Update::Status(now)).await;
                }
            } else {
                ended_at = None;
                if shown.as_ref() != Some(&now) {
                    self.send(watch_update::Update::Status(now.clone())).await?;
                    shown = Some(now);
                }
            }
        }
    }

    /// Sends the events that are new; whether the last of them ends a run.
    async fn send_events(&mut self) -> Result<Option<bool>, End> {
        let events = self.coordinator.store().events(self.run, self.next).await;
        let events = events.map_err(|error| End::Failed(refusal::store(error)))?;
        let mut is_last = None;
        for event in events {
            is_last = Some(is_the_last(&event));
            let json = String::from_utf8_lossy(&event).into_owned();
            let number = self.next;
            self.next += 1;
            self.send(watch_update::Update::Event(StoredEvent { number, json })).await?;
        }
        Ok(is_last)
    }

    async fn send(&self, update: watch_update::Update) -> Result<(), End> {
        let update = Ok(WatchUpdate { update: Some(update) });
        self.updates.send(update).await.map_err(|_| End::Gone)
    }
}

fn ends(status: &RunStatus) -> bool {
    use hatchery_proto::v1::State;
    match status.state() {
        State::Unspecified | State::Active | State::Paused => false,
        State::Done | State::Failed | State::Cancelled => true,
    }
}

/// Whether nothing comes after this event, unless a person resumes the run.
fn is_the_last(event: &[u8]) -> bool {
    let event = serde_json::from_slice::<Stamped>(event).map(|stamped| stamped.event);
    matches!(event, Ok(Event::RunDone { .. } | Event::RunFailed { .. } | Event::RunCancelled))
}
