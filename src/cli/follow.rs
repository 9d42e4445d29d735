//! Following a run to its end.

use std::future::Future;
use std::io;

use hatchery_coordinator::StampedEvent;
use hatchery_proto::v1::{RunStatus, StoredEvent};

use crate::client::RunFollower;
use crate::error::CommandError;
use crate::format::unix_ms;
use crate::progress::{ProgressDisplay, ProgressUpdate};
use crate::report::farm::{ReportedState, RunDocument};
use crate::signals::interrupted;
use crate::terminal::{escape_controls, print_status};

/// Runs `act` until it ends or is interrupted.
pub(super) async fn unless_interrupted<T>(
    act: impl Future<Output = Result<T, CommandError>>,
) -> Result<T, CommandError> {
    tokio::select! {
        outcome = act => outcome,
        () = interrupted() => Err(CommandError::Interrupted),
    }
}

/// Returns the error, and so the exit code, of a run that has ended so.
pub(super) fn outcome(end: &RunDocument) -> Result<(), CommandError> {
    match end.state {
        ReportedState::Failed => {
            Err(CommandError::RunFailed { reason: end.error.clone().unwrap_or_default() })
        }
        ReportedState::Cancelled => Err(CommandError::RunCancelled),
        ReportedState::Interrupted => Err(CommandError::RunInterrupted),
        ReportedState::Unknown
        | ReportedState::Active
        | ReportedState::Paused
        | ReportedState::Done => Ok(()),
    }
}

/// A follower that shows progress on standard error.
pub(super) struct ProgressFollower {
    display: Option<ProgressDisplay>,
    live: bool,
    /// The last reason that was shown why the run waits, without its duration.
    waiting_for: String,
}

impl ProgressFollower {
    /// Creates a follower, which shows nothing if `quiet`.
    pub(super) fn new(quiet: bool) -> Self {
        Self { display: ProgressDisplay::new(quiet), live: false, waiting_for: String::new() }
    }

    /// Removes the progress bar, so that it does not mix with later output.
    pub(super) fn finish(&self) {
        if let Some(display) = &self.display {
            display.finish();
        }
    }
}

impl RunFollower for ProgressFollower {
    fn event(&mut self, event: &StoredEvent) -> io::Result<()> {
        let Some(display) = &mut self.display else { return Ok(()) };
        // An event of a later version is not shown.
        let Ok(stamped) = serde_json::from_str::<StampedEvent>(&event.json) else { return Ok(()) };
        match self.live {
            true => display.apply(&ProgressUpdate::from(&stamped)),
            false => display.catch_up(&ProgressUpdate::from(&stamped)),
        }
        Ok(())
    }

    fn status(&mut self, status: &RunStatus) -> io::Result<()> {
        self.live = true;
        let Some(display) = &mut self.display else { return Ok(()) };
        display.apply(&ProgressUpdate::from_status(unix_ms(), status));
        let meaning = without_duration(&status.waiting_for);
        if self.waiting_for != meaning {
            self.waiting_for = meaning;
            let note = match status.waiting_for.as_str() {
                "" => "the run continues".to_owned(),
                reason => format!("the run is waiting: {}", escape_controls(reason)),
            };
            print_status(&note);
        }
        Ok(())
    }
}

/// Returns the reason why a run waits, without its changing duration (", for 1m12s").
fn without_duration(reason: &str) -> String {
    let Some((before, after)) = reason.split_once(", for ") else { return reason.to_owned() };
    let (age, rest) = after.split_at(after.find(';').unwrap_or(after.len()));
    // `for 3 users` is no duration; `for 12 s` is what coordinators of earlier versions say.
    match humantime::parse_duration(age) {
        Ok(_) => format!("{before}{rest}"),
        Err(_) => reason.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use hatchery_proto::v1::State;

    use super::*;

    #[test]
    fn a_reason_that_only_grows_older_is_the_same() {
        let outage = |age| {
            without_duration(&format!("the store is full, for {age}; nothing acknowledged is lost"))
        };
        assert_eq!(outage("9s"), "the store is full; nothing acknowledged is lost");
        assert_eq!(outage("9s"), outage("1m10s"));
        for reason in ["no worker is connected", "one, for s", "one, for you", "one, for 3 users"] {
            assert_eq!(without_duration(reason), reason);
        }
    }

    #[test]
    fn the_exit_code_tells_how_a_run_ended() {
        let end = |state: State| {
            RunDocument::from(RunStatus { state: state.into(), ..RunStatus::default() })
        };
        assert!(outcome(&end(State::Done)).is_ok());
        assert_eq!(outcome(&end(State::Failed)).unwrap_err().exit_code(), 3);
        assert_eq!(outcome(&end(State::Cancelled)).unwrap_err().exit_code(), 5);
    }
}
