//! A run followed to its end, whichever coordinators come and go meanwhile.

use std::io;

use hatchery_proto::v1::watch_update::Update;
use hatchery_proto::v1::{RunStatus, State, StoredEvent, WatchRunRequest, WatchUpdate};
use tonic::Streaming;

use super::farm::{Asking, Client, FIRST_PAUSE, Farm, is_no_answer};
use crate::failure::Failure;

/// Who is told what happens to a run, and shows it; one that can't is told no more.
pub(crate) trait Follower {
    /// An event; each once, in order.
    fn event(&mut self, event: &StoredEvent) -> io::Result<()>;
    /// How the run is now.
    fn status(&mut self, status: &RunStatus) -> io::Result<()>;
}

/// Follows `run` until it ends, and returns how it is then. A coordinator that is gone is replaced
/// by another, and all of them are waited for.
pub(crate) async fn follow(
    farm: &mut Farm,
    run: &str,
    follower: &mut impl Follower,
) -> Result<RunStatus, Failure> {
    let mut next = 0;
    loop {
        let request = WatchRunRequest { run: run.to_owned(), from: next };
        let act = async |mut client: Client| client.watch_run(request.clone()).await;
        let updates = farm.ask(Asking::Patiently, act).await?;
        let mut updates = updates.map_err(|status| Failure::refused(&status))?;
        if let Some(end) = until_it_breaks(&mut updates, &mut next, follower).await? {
            return Ok(end);
        }
        farm.turn_away();
        // A coordinator that ends takes watches and breaks them off at once.
        tokio::time::sleep(FIRST_PAUSE).await;
    }
}

/// Passes on what comes, until the run ends (how it is then) or the coordinator is gone (`None`).
async fn until_it_breaks(
    updates: &mut Streaming<WatchUpdate>,
    next: &mut u64,
    follower: &mut impl Follower,
) -> Result<Option<RunStatus>, Failure> {
    loop {
        match updates.message().await {
            Ok(Some(WatchUpdate { update: Some(Update::Event(event)) })) => {
                *next = event.number.saturating_add(1);
                follower.event(&event).map_err(Failure::Output)?;
            }
            Ok(Some(WatchUpdate { update: Some(Update::Status(status)) })) => {
                follower.status(&status).map_err(Failure::Output)?;
                if has_ended(&status) {
                    return Ok(Some(status));
                }
            }
            // A later version may have more to say.
            Ok(Some(WatchUpdate { update: None })) => {}
            Ok(None) => return Ok(None),
            Err(status) if is_no_answer(&status) => {
                tracing::info!(%status, "the coordinator is gone; going on at another");
                return Ok(None);
            }
            Err(status) => return Err(Failure::refused(&status)),
        }
    }
}

/// Whether a run goes on no more, unless a person resumes it.
pub(crate) fn has_ended(status: &RunStatus) -> bool {
    match status.state() {
        State::Unspecified | State::Active | State::Paused => false,
        State::Done | State::Failed | State::Cancelled => true,
    }
}
