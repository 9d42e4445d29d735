//! Counts the messages of sessions.

use hatchery_meters::CoordinatorMeters;
use hatchery_meters::labels::MessageDirection;
use hatchery_proto::v1::{ToCoordinator, ToWorker, to_coordinator, to_worker};
use prost::Message;
use tonic::Status;

/// Counts a message from a worker.
pub(super) fn heard(
    meters: &CoordinatorMeters,
    message: Result<ToCoordinator, Status>,
) -> Result<ToCoordinator, Status> {
    if let Ok(known) = &message {
        let r#type = match &known.message {
            Some(to_coordinator::Message::Hello(_)) => "hello",
            Some(to_coordinator::Message::Want(_)) => "want",
            Some(to_coordinator::Message::Results(_)) => "results",
            Some(to_coordinator::Message::Release(_)) => "release",
            Some(to_coordinator::Message::Goodbye(_)) => "goodbye",
            Some(to_coordinator::Message::Heartbeat(_)) => "heartbeat",
            Some(to_coordinator::Message::SelfTested(_)) => "self_tested",
            Some(to_coordinator::Message::Leaving(_)) => "leaving",
            None => "unknown",
        };
        meters.sessions.count_message(MessageDirection::In, r#type, known.encoded_len());
    }
    message
}

/// Counts a message to a worker.
pub(super) fn said(
    meters: &CoordinatorMeters,
    message: Result<ToWorker, Status>,
) -> Result<ToWorker, Status> {
    if let Ok(known) = &message {
        let r#type = match &known.message {
            Some(to_worker::Message::Welcome(_)) => "welcome",
            Some(to_worker::Message::Assign(_)) => "assign",
            Some(to_worker::Message::Verdicts(_)) => "verdicts",
            Some(to_worker::Message::Cancel(_)) => "cancel",
            Some(to_worker::Message::Drain(_)) => "drain",
            Some(to_worker::Message::Notice(_)) => "notice",
            Some(to_worker::Message::Reconnect(_)) => "reconnect",
            Some(to_worker::Message::SelfTest(_)) => "self_test",
            None => "unknown",
        };
        meters.sessions.count_message(MessageDirection::Out, r#type, known.encoded_len());
    }
    message
}
