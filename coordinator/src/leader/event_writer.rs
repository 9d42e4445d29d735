//! Writes a run's events in order, beside its leader.

use hatchery_store::{RunId, StoreError};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::base::context::CoordinatorContext;
use crate::base::event::{Event, StampedEvent};

/// The most events that wait for the store before the leader waits too.
const EVENTS_WAITING: usize = 64;

/// Writes the events of a run: published at once and stored soon. Even after the writer is dropped,
/// accepted events are stored as long as the store takes them.
pub(super) struct EventWriter {
    context: CoordinatorContext,
    events: mpsc::Sender<StampedEvent>,
    /// `None` once the error of the task was returned.
    writing: Option<JoinHandle<Result<(), StoreError>>>,
}

impl EventWriter {
    /// Creates the writer of the events of `run`.
    pub(super) fn new(context: &CoordinatorContext, run: RunId) -> Self {
        let context = context.clone();
        let (events, told) = mpsc::channel(EVENTS_WAITING);
        let writing = Some(tokio::spawn(write(context.clone(), run, told)));
        Self { context, events, writing }
    }

    /// Publishes an event and queues it for the store.
    ///
    /// # Errors
    /// If an earlier event could not be stored. No later event is stored then. The error is
    /// returned once.
    pub(super) async fn keep(&mut self, event: Event) -> Result<(), StoreError> {
        let stamped = self.context.events.publish(event);
        match self.events.send(stamped).await {
            Ok(()) => Ok(()),
            Err(_) => written(self.writing.take()).await,
        }
    }

    /// Returns when all events are stored.
    ///
    /// # Errors
    /// If an event could not be stored.
    pub(super) async fn finish(self) -> Result<(), StoreError> {
        drop(self.events);
        written(self.writing).await
    }
}

async fn write(
    context: CoordinatorContext,
    run: RunId,
    mut told: mpsc::Receiver<StampedEvent>,
) -> Result<(), StoreError> {
    while let Some(stamped) = told.recv().await {
        context.store_event(run, &stamped).await?;
    }
    Ok(())
}

/// Returns the outcome of the writing task, unless it was returned before.
async fn written(writing: Option<JoinHandle<Result<(), StoreError>>>) -> Result<(), StoreError> {
    let Some(writing) = writing else { return Ok(()) };
    // It is never told to stop, so its only other end is a panic: a bug.
    writing.await.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
}
