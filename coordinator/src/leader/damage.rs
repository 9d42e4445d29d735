//! Repairs runs whose queue is damaged, and fails runs whose other stored data is lost or damaged:
//! leading such a run again would not help.

use std::fmt::Display;
use std::mem;

use hatchery_store::operation::{FailRun, TakeLead};
use hatchery_store::{DAMAGED_RUN_REMEDY, LeaderToken, RunId, StoreError};

use super::event_writer::EventWriter;
use super::outcome::{LeadError, RunOutcome};
use crate::base::context::CoordinatorContext;
use crate::base::event::Event;

impl LeadError {
    /// Returns the error to name: the error of the store, if it is one.
    pub(crate) fn cause(&self) -> &(dyn Display + Sync) {
        match self {
            Self::Store(error) => error,
            error => error,
        }
    }

    /// Returns the remedy if the error is about lost or damaged data of the run; `None` for other
    /// errors.
    pub(crate) fn remedy(&self) -> Option<&'static str> {
        match self {
            Self::Store(error) => error.remedy().filter(|_| error.is_of_run()),
            Self::Decode { .. } => Some(DAMAGED_RUN_REMEDY),
            Self::Open(error) => error.is_unreadable().then_some(DAMAGED_RUN_REMEDY),
        }
    }
}

/// The repair of a run whose data is damaged: the current generation begins anew, with an empty
/// queue. Data that only the queue had is computed again.
///
/// A server that refuses a command in the middle of a script leaves the first half of the script
/// done (a permission that is taken away), and Redis 7.0 can bring half a transaction back after a
/// power cut. Then the entries of the queue are ahead of their run.
#[derive(Debug, Default)]
pub(super) struct QueueRepair {
    /// The latest generation whose queue the leader found damaged.
    damaged: Option<u32>,
    is_due: bool,
}

impl QueueRepair {
    /// Returns whether a repair is due, once.
    pub(super) fn take(&mut self) -> bool {
        mem::take(&mut self.is_due)
    }

    /// Returns true if a repair may help against `error`, which ended the lead that began in
    /// `generation`: if the run's data is damaged, and no repair was made there before. The repair
    /// is due then.
    pub(super) fn may_help(&mut self, generation: u32, error: &LeadError) -> bool {
        let LeadError::Store(StoreError::RunDamaged { run, what }) = error else { return false };
        if self.damaged == Some(generation) {
            return false;
        }
        tracing::warn!(%run, generation, what, "damaged data: the generation begins anew");
        (self.damaged, self.is_due) = (Some(generation), true);
        true
    }
}

/// Ends a run for such an error, with its remedy.
pub(super) async fn fail(
    context: &CoordinatorContext,
    event_writer: &mut EventWriter,
    lead: LeaderToken,
    (error, remedy): (&(dyn Display + Sync), &str),
) -> Result<RunOutcome, LeadError> {
    let reason = format!("run {}: {error}; {remedy}, and resume the run", lead.run);
    context.store.leader().execute(FailRun { lead, reason: reason.clone() }).await?;
    let event = Event::RunFailed { reason: reason.clone(), trial: None };
    event_writer.keep(event).await?;
    Ok(RunOutcome::Failed { reason })
}

/// Ends a run that has no leader, because of such an error, with its remedy.
pub(crate) async fn fail_unled(
    context: &CoordinatorContext,
    run: RunId,
    because: (&(dyn Display + Sync), &str),
) -> Result<(), LeadError> {
    let lead = context.store.leader().execute(TakeLead { run }).await?.lead;
    let mut event_writer = EventWriter::new(context, run);
    fail(context, &mut event_writer, lead, because).await?;
    event_writer.finish().await?;
    Ok(())
}
