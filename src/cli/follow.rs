//! A run of a farm, followed to its end.

use std::future::Future;
use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

use hatchery_coordinator::Stamped;
use hatchery_proto::v1::{RunStatus, State, StoredEvent};

use crate::client::Follower;
use crate::failure::Failure;
use crate::progress::Display;
use crate::signals::interrupted;
use crate::terminal::escape_controls;

/// What `act` comes to, unless somebody interrupts it.
pub(super) async fn unless_interrupted(
    act: impl Future<Output = Result<(), Failure>>,
) -> Result<(), Failure> {
    tokio::select! {
        outcome = act => outcome,
        () = interrupted() => Err(Failure::Interrupted),
    }
}

/// What a run that ended so is for the exit code.
pub(super) fn outcome(end: &RunStatus) -> Result<(), Failure> {
    match end.state() {
        State::Failed => Err(Failure::RunFailed { reason: escape_controls(&end.reason) }),
        State::Cancelled => Err(Failure::RunCancelled),
        State::Unspecified | State::Active | State::Paused | State::Done => Ok(()),
    }
}

/// The progress of a run on a farm, on standard error.
pub(super) struct Remote {
    display: Option<Display>,
    live: bool,
    waiting_for: String,
}

impl Remote {
    /// A display; one that shows nothing if `quiet`.
    pub(super) fn new(quiet: bool) -> Self {
        Self { display: Display::new(quiet), live: false, waiting_for: String::new() }
    }

    /// Takes the bar away, so that what follows stands alone.
    pub(super) fn finish(&self) {
        if let Some(display) = &self.display {
            display.finish();
        }
    }
}

impl Follower for Remote {
    fn event(&mut self, event: &StoredEvent) -> io::Result<()> {
        let Some(display) = &mut self.display else { return Ok(()) };
        // An event of a later version is nothing to show.
        let Ok(stamped) = serde_json::from_str::<Stamped>(&event.json) else { return Ok(()) };
        match self.live {
            true => display.apply(&stamped),
            false => display.catch_up(&stamped),
        }
        Ok(())
    }

    fn status(&mut self, status: &RunStatus) -> io::Result<()> {
        self.live = true;
        let Some(display) = &mut self.display else { return Ok(()) };
        display.observe(now_ms(), status);
        if self.waiting_for != status.waiting_for {
            self.waiting_for.clone_from(&status.waiting_for);
            match self.waiting_for.is_empty() {
                true => display.note("the run goes on"),
                false => {
                    display.note(&format!("the run waits: {}", escape_controls(&self.waiting_for)))
                }
            }
        }
        Ok(())
    }
}

fn now_ms() -> u64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since_1970.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exit_code_says_how_a_run_ended() {
        let end = |state: State| RunStatus { state: state.into(), ..RunStatus::default() };
        assert!(outcome(&end(State::Done)).is_ok());
        assert_eq!(outcome(&end(State::Failed)).unwrap_err().exit_code(), 3);
        assert_eq!(outcome(&end(State::Cancelled)).unwrap_err().exit_code(), 5);
    }
}
