//! Streams stored events and the status of a run to a client.
//!
//! The watch polls the store, because any coordinator may lead the run. The end of a run that this
//! coordinator leads is reported at once.

use std::time::Duration;

use hatchery_proto::v1::{RunStatus, StoredEvent, WatchUpdate, watch_update};
use hatchery_store::RunId;
use hatchery_store::operation::ReadEvents;
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::sync::{OwnedSemaphorePermit, mpsc, watch as signal};
use tokio::time::{Instant, MissedTickBehavior};
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

use super::{refusal, status};
use crate::base::event::StampedEvent;
use crate::coordinator::Coordinator;

/// The interval at which new events are read: soon enough for a person.
const POLL: Duration = Duration::from_millis(250);

/// The shortest interval between two status updates: each takes a few reads.
const STATUS_EVERY: Duration = Duration::from_millis(500);

/// The time to wait for the last event of an ended run. The leader stores that event after the end,
/// and may have died in between.
const LAST_EVENT_GRACE: Duration = Duration::from_secs(1);

/// The most updates that wait for a slow client. The store keeps all updates, so none is lost.
const OUTBOUND_UPDATES: usize = 64;

/// Streams events of `run` from number `from` on, until the run ends, the client leaves or the
/// coordinator is `closing`. Holds the permit `place` meanwhile.
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
        let watcher = RunWatcher { coordinator, run, next: from, ends, updates: &updates };
        let ended = tokio::select! {
            ended = watcher.watch() => ended,
            () = updates.closed() => return,
            // The sender lives in the service, as long as any request.
            _ = closing.wait_for(|&closing| closing) => Err(WatchEnd::Failed(refusal::closing())),
        };
        if let Err(WatchEnd::Failed(status)) = ended {
            // The client may be gone.
            updates.send(Err(status)).await.unwrap_or(());
        }
    });
    ReceiverStream::new(outbound)
}

/// The reason why a watch ends before its run.
enum WatchEnd {
    Gone,
    Failed(Status),
}

struct RunWatcher<'a> {
    coordinator: Coordinator,
    run: RunId,
    /// The number of the next event.
    next: u64,
    /// The runs that end at this coordinator.
    ends: broadcast::Receiver<RunId>,
    updates: &'a mpsc::Sender<Result<WatchUpdate, Status>>,
}

impl RunWatcher<'_> {
    async fn watch(mut self) -> Result<(), WatchEnd> {
        let mut polls = tokio::time::interval(POLL);
        polls.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (mut shown, mut look_at) = (None, Instant::now());
        // Whether the last sent event is final, and when the run was seen to have ended.
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
            let now = now.map_err(|error| WatchEnd::Failed(refusal::store(error)))?;
            look_at = Instant::now() + STATUS_EVERY;
            if ends(&now) {
                let since = *ended_at.get_or_insert_with(Instant::now);
                if is_last || LAST_EVENT_GRACE <= since.elapsed() {
                    // Events stored between the last read and the end.
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

    /// Resolves when the run has ended at this coordinator, or may have.
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

    /// Sends new events. Returns whether the last new event ends the run, or `None` if there is no
    /// new event.
    async fn send_events(&mut self) -> Result<Option<bool>, WatchEnd> {
        let events = self
            .coordinator
            .views()
            .control()
            .execute(ReadEvents { run: self.run, from: self.next })
            .await;
        let events = events.map_err(|error| WatchEnd::Failed(refusal::store(error)))?;
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

    async fn send(&self, update: watch_update::Update) -> Result<(), WatchEnd> {
        let update = Ok(WatchUpdate { update: Some(update) });
        self.updates.send(update).await.map_err(|_| WatchEnd::Gone)
    }
}

fn ends(status: &RunStatus) -> bool {
    use hatchery_proto::v1::State;
    match status.state() {
        State::Unspecified | State::Active | State::Paused => false,
        State::Done | State::Failed | State::Cancelled => true,
    }
}

/// Returns whether this event is the last one, unless the run is resumed.
fn is_the_last(event: &[u8]) -> bool {
    serde_json::from_slice::<StampedEvent>(event).is_ok_and(|stamped| stamped.event.is_the_last())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hatchery_core::Catalog;
    use hatchery_store::conformance::ModelStore;
    use hatchery_store::operation::CreateRun;
    use hatchery_store::{SteerAction, Store};
    use tokio::sync::Semaphore;
    use tokio_stream::StreamExt;
    use ulid::Ulid;

    use super::*;
    use crate::base::compute_pool::ComputePool;
    use crate::coordinator::CoordinatorConfig;

    /// The clock is halted while any task can run, so no poll can have reported the end.
    #[tokio::test(start_paused = true)]
    async fn the_end_of_a_run_is_told_at_once() {
        const RUN: RunId = RunId(Ulid(1));
        const CATALOG: Catalog = Catalog(&[&hatchery_pig::EXPERIMENTS]);
        let store = Store::new(ModelStore::new());
        let config =
            CoordinatorConfig { compute_pool: ComputePool::Inline, ..CoordinatorConfig::default() };
        let coordinator = Coordinator::start(store, CATALOG, config).await.unwrap();
        coordinator
            .store()
            .execute(CreateRun {
                run: RUN,
                record: vec![],
                checkpoint: vec![],
                summary: vec![],
                parts: vec![],
            })
            .await
            .unwrap();
        let place = Arc::new(Semaphore::new(1)).acquire_owned().await.unwrap();
        let (_closing, closes) = signal::channel(false);
        let mut updates = start(coordinator.clone(), RUN, 0, closes, place);
        let mut next = async || updates.next().await.unwrap().unwrap().update.unwrap();

        let watch_update::Update::Status(status) = next().await else { panic!("no event yet") };
        assert!(!ends(&status), "{status:?}");
        let since = Instant::now();
        coordinator.steer(RUN, SteerAction::Cancel).await.unwrap();
        let watch_update::Update::Event(event) = next().await else { panic!("an event first") };
        assert!(is_the_last(event.json.as_bytes()), "{event:?}");
        let watch_update::Update::Status(status) = next().await else { panic!("then the status") };
        assert!(ends(&status), "{status:?}");
        assert_eq!(since.elapsed(), Duration::ZERO);
    }
}
