//! What happens to a run, sent to whoever watches: stored events, and how the run is.
//!
//! The store is asked again and again, as a run may be led by any coordinator. Of the end of a run
//! that this one leads it is told.

use std::time::Duration;

use hatchery_proto::v1::{RunStatus, StoredEvent, WatchUpdate, watch_update};
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::sync::{OwnedSemaphorePermit, mpsc, watch as signal};
use tokio::time::{Instant, MissedTickBehavior};
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

use super::{refusal, status};
use crate::coordinator::Coordinator;
use crate::event::Stamped;
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
    let ends = coordinator.ends();
    tokio::spawn(async move {
        let _place = place;
        let watcher = Watcher { coordinator, run, next: from, ends, updates: &updates };
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
    /// The runs that end by this coordinator.
    ends: broadcast::Receiver<RunId>,
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
            tokio::select! {
                _ = polls.tick() => {}
                () = self.ended() => look_at = Instant::now(),
            }
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

    /// Resolves when the run ends by this coordinator, or may have.
    async fn ended(&mut self) {
        loop {
            match self.ends.recv().await {
                Ok(run) if run == self.run => return,
                Ok(_) => {}
                Err(RecvError::Lagged(_)) => return,
                Err(RecvError::Closed) => std::future::pending().await,
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
    serde_json::from_slice::<Stamped>(event).is_ok_and(|stamped| stamped.event.is_the_last())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hatchery_core::{Catalog, erased};
    use hatchery_pig::Pig;
    use tokio::sync::Semaphore;
    use tokio_stream::StreamExt;
    use ulid::Ulid;

    use super::*;
    use crate::coordinator::Config;
    use crate::hands::Hands;
    use crate::store::Steer;
    use crate::store::conformance::ModelStore;

    /// The clock stands still while anything can be done, so that no poll can have told of it.
    #[tokio::test(start_paused = true)]
    async fn the_end_of_a_run_is_told_at_once() {
        const RUN: RunId = RunId(Ulid(1));
        const CATALOG: Catalog = Catalog(&[erased::<Pig>()]);
        let store = Arc::new(ModelStore::new());
        let config = Config { hands: Hands::Inline, ..Config::default() };
        let coordinator = Coordinator::start(store, CATALOG, config).await.unwrap();
        coordinator.store().create(RUN, b"", b"").await.unwrap();
        let place = Arc::new(Semaphore::new(1)).acquire_owned().await.unwrap();
        let (_closing, closes) = signal::channel(false);
        let mut updates = start(coordinator.clone(), RUN, 0, closes, place);
        let mut next = async || updates.next().await.unwrap().unwrap().update.unwrap();

        let watch_update::Update::Status(status) = next().await else { panic!("no event yet") };
        assert!(!ends(&status), "{status:?}");
        let since = Instant::now();
        coordinator.steer(RUN, Steer::Cancel).await.unwrap();
        let watch_update::Update::Event(event) = next().await else { panic!("an event first") };
        assert!(is_the_last(event.json.as_bytes()), "{event:?}");
        let watch_update::Update::Status(status) = next().await else { panic!("then the status") };
        assert!(ends(&status), "{status:?}");
        assert_eq!(since.elapsed(), Duration::ZERO);
    }
}
