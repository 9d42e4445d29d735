//! Fails runs whose stored data is lost or damaged: leading such a run again would not help.

use std::fmt::Display;

use hatchery_store::operation::{FailRun, TakeLead};
use hatchery_store::{DAMAGED_RUN_REMEDY, LeaderToken, RunId};

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
