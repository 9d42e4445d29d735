//! Deliveries that come before a result: its parts, and the result itself if it is too large for a
//! message of the session.
//!
//! ```text
//! finish -> Parts -> delivered -> Nothing: sent in the session -> verdict
//!              \            \-> Result -> delivered ------------> verdict
//!               +--- parts are missing: again <-----------------------+
//! ```

use hatchery_core::PartSet;
use hatchery_proto::MAX_BATCH_BYTES;
use hatchery_proto::v1;
use prost::Message;
use prost::bytes::Bytes;

use crate::ids::{JobKey, Ticket};

/// The delivery that a result needs before it can be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DeliveryNeed {
    /// Nothing: the result is sent in the session.
    Nothing,
    /// The parts that the result names.
    Parts,
    /// The result itself.
    Result,
}

impl DeliveryNeed {
    /// Returns the need of `result`, whose trials wrote `parts`.
    pub(super) fn of(result: &v1::Result, parts: &PartSet) -> Self {
        match () {
            () if !parts.is_empty() => Self::Parts,
            // The ticket is added later.
            () if MAX_BATCH_BYTES < result.encoded_len() => Self::Result,
            () => Self::Nothing,
        }
    }
}

/// A delivery to make.
#[derive(Clone, Debug)]
pub(crate) struct Delivery {
    /// The job.
    pub(crate) key: JobKey,
    /// The proof that the job was assigned to this worker.
    pub(crate) ticket: Ticket,
    /// Its content.
    pub(crate) content: DeliveryContent,
}

/// The content of a delivery.
#[derive(Clone, Debug)]
pub(crate) enum DeliveryContent {
    /// The parts that the job's trials wrote.
    Parts(PartSet),
    /// Its encoded result.
    Result(Bytes),
}
