//! Refusals of requests: a message for the client; details go to the log.

use std::error::Error;

use hatchery_core::error_chain;
use hatchery_store::{RunId, RunState, StoreError};
use tonic::Status;

/// The longest message: it travels in a header, where one byte may be encoded as three, and clients
/// accept 16 KiB.
const MAX_MESSAGE_BYTES: usize = 3 << 10;

/// Returns the refusal for a store error.
pub(super) fn store(error: StoreError) -> Status {
    match error {
        StoreError::NoRun { run } => Status::not_found(format!("there is no run {run}")),
        // The places of others are for operators.
        error @ StoreError::Damaged { .. } => {
            tracing::error!(error = error_chain(&error), "the store is corrupt");
            Status::data_loss(
                "the farm's store is corrupt: restore it from a backup; the coordinator's log has \
                 the place",
            )
        }
        error if let Some(remedy) = error.remedy() => {
            tracing::error!(error = error_chain(&error), "stored data of a run is lost or damaged");
            Status::data_loss(shortened(&format!("{error}; {remedy}")))
        }
        error => {
            tracing::warn!(error = &error as &dyn Error, "a request failed with the store");
            Status::unavailable(
                "the farm's store cannot be used now; nothing that was acknowledged is lost",
            )
        }
    }
}

/// Returns the refusal to change a run that is in `state`.
pub(super) fn not_now(run: RunId, state: &RunState, change: &str) -> Status {
    let state = match state {
        RunState::Active => "active",
        RunState::Paused => "paused",
        RunState::Done => "done",
        RunState::Failed { .. } => "failed",
        RunState::Cancelled => "cancelled",
    };
    Status::failed_precondition(format!("run {run} is {state} and cannot be {change}"))
}

/// Returns the refusal of an invalid request.
pub(super) fn invalid(message: &str) -> Status {
    Status::invalid_argument(shortened(message))
}

/// Returns the refusal of a request above its limit of concurrency.
pub(super) fn busy(act: &str, most: usize) -> Status {
    Status::resource_exhausted(format!(
        "{most} clients {act} at this coordinator already: try another, or again later"
    ))
}

/// Returns the refusal of a coordinator that shuts down.
pub(super) fn closing() -> Status {
    Status::unavailable("the coordinator is shutting down")
}

/// Returns the refusal for stored data that this build cannot decode.
pub(super) fn unreadable(run: RunId, what: &'static str, error: &(dyn Error + 'static)) -> Status {
    tracing::error!(%run, what, error, "stored data is not readable");
    Status::data_loss(format!("the stored {what} of run {run} is not readable by this build"))
}

fn shortened(message: &str) -> String {
    match message.len() <= MAX_MESSAGE_BYTES {
        true => message.to_owned(),
        false => {
            let end = message.floor_char_boundary(MAX_MESSAGE_BYTES);
            format!("{} ... (shortened)", &message[..end])
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use hatchery_core::Part;

    use super::*;

    #[test]
    fn clients_are_told_what_they_can_act_on() {
        let run = RunId(ulid::Ulid(7));
        let missing = store(StoreError::NoRun { run });
        assert_eq!(missing.code(), tonic::Code::NotFound);
        let source = fs::read("/no/such/file").unwrap_err();
        let place = "redis://secret.example".to_owned();
        let down = store(StoreError::Unavailable { place, source: Box::new(source) });
        assert_eq!(down.code(), tonic::Code::Unavailable);
        assert!(!down.message().contains("secret.example"), "{down:?}");
        let part = Part::of(b"bytes");
        let file = "/parts/file".to_owned();
        let lost = store(StoreError::PartLost { run, part, file: file.clone() });
        let what = "5 bytes with the hash 7".into();
        let damaged = StoreError::PartDamaged { run, part, file: Some(file.into()), what };
        for (status, what) in [(lost, "is lost: /parts"), (store(damaged), "is damaged: /parts")] {
            assert_eq!(status.code(), tonic::Code::DataLoss);
            assert!(status.message().contains(what), "{status:?}");
            assert!(status.message().ends_with("; put the file back, as from a backup"));
        }
        let refused = not_now(run, &RunState::Done, "paused");
        assert!(refused.message().ends_with("is done and cannot be paused"), "{refused:?}");
    }

    #[test]
    fn messages_fit_a_header() {
        let status = invalid(&"é".repeat(MAX_MESSAGE_BYTES));
        assert!(status.message().len() < MAX_MESSAGE_BYTES + 32);
        assert!(status.message().ends_with("é ... (shortened)"));
    }
}
