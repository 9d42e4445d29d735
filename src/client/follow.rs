//! Following a run to its end, across coordinators that come and go.

use std::io;

use hatchery_proto::v1::watch_update::Update;
use hatchery_proto::v1::{RunStatus, State, StoredEvent, WatchRunRequest, WatchUpdate};
use tonic::{Code, Status, Streaming};

use super::farm::{CoordinatorClient, FIRST_PAUSE, FarmClient, is_unanswered};
use crate::error::CommandError;
use crate::terminal::escape_controls;

/// A receiver of what happens to a run; an error ends the following.
pub(crate) trait RunFollower {
    /// Takes the next event: each once, in order.
    fn event(&mut self, event: &StoredEvent) -> io::Result<()>;
    /// Takes the run's current status.
    fn status(&mut self, status: &RunStatus) -> io::Result<()>;
}

/// A follower that shows nothing.
pub(crate) struct SilentFollower;

impl RunFollower for SilentFollower {
    fn event(&mut self, _: &StoredEvent) -> io::Result<()> {
        Ok(())
    }

    fn status(&mut self, _: &RunStatus) -> io::Result<()> {
        Ok(())
    }
}

/// Follows `run` until it ends, and returns its last status. When a coordinator is gone, the next
/// coordinator takes over; if all coordinators are gone, waits for any coordinator. The process
/// that runs a run of this machine is not waited for.
pub(crate) async fn follow(
    farm: &mut FarmClient,
    run: &str,
    follower: &mut impl RunFollower,
) -> Result<RunStatus, CommandError> {
    let mut next = 0;
    let mut is_known = false;
    loop {
        let request = WatchRunRequest { run: run.to_owned(), from: next };
        let act = async |mut client: CoordinatorClient| client.watch_run(request.clone()).await;
        let updates = farm.try_call(farm.patience, act).await?;
        let mut updates = updates.map_err(|status| match is_known {
            true => stopped(run, &status),
            false => CommandError::refused(&status),
        })?;
        is_known = true;
        if let Some(end) = until_disconnected(run, &mut updates, &mut next, follower).await? {
            return Ok(end);
        }
        farm.next_endpoint();
        // A coordinator that is shutting down accepts a watch and ends it at once.
        tokio::time::sleep(FIRST_PAUSE).await;
    }
}

/// Passes updates on until the run ends, and returns its last status, or until the coordinator is
/// gone (`None`).
async fn until_disconnected(
    run: &str,
    updates: &mut Streaming<WatchUpdate>,
    next: &mut u64,
    follower: &mut impl RunFollower,
) -> Result<Option<RunStatus>, CommandError> {
    loop {
        match updates.message().await {
            Ok(Some(WatchUpdate { update: Some(Update::Event(event)) })) => {
                *next = event.number.saturating_add(1);
                follower.event(&event).map_err(CommandError::Output)?;
            }
            Ok(Some(WatchUpdate { update: Some(Update::Status(status)) })) => {
                follower.status(&status).map_err(CommandError::Output)?;
                if has_ended(&status) {
                    return Ok(Some(status));
                }
            }
            // An update of a later version.
            Ok(Some(WatchUpdate { update: None })) => {}
            Ok(None) => return Ok(None),
            Err(status) if is_unanswered(&status) => {
                tracing::info!(%status, "the coordinator is gone; trying another");
                return Ok(None);
            }
            Err(status) => return Err(stopped(run, &status)),
        }
    }
}

/// Converts the status that a coordinator returned when it stopped reporting on a known run.
fn stopped(run: &str, status: &Status) -> CommandError {
    match status.code() {
        Code::NotFound => CommandError::RunGone { run: escape_controls(run) },
        _ => CommandError::refused(status),
    }
}

/// Returns true if a run is over, unless a person resumes it.
pub(crate) fn has_ended(status: &RunStatus) -> bool {
    match status.state() {
        State::Unspecified | State::Active | State::Paused => false,
        State::Done | State::Failed | State::Cancelled => true,
    }
}
