//! Delivers what results need, and records how a delivery ended.

use hatchery_core::PartSet;
use hatchery_proto::v1::{self, JobFailure, result};
use prost::Message;

use super::delivery::{Delivery, DeliveryContent, DeliveryNeed};
use super::{EntryStage, JobEntry, JobTable};
use crate::ids::JobKey;

/// The bytes of results and parts in hand from which on a worker takes no more jobs.
const MAX_DONE_BYTES: u64 = 512 << 20;

impl JobTable {
    /// Takes the next delivery to make.
    pub(crate) fn next_delivery(&mut self) -> Option<Delivery> {
        while let Some(key) = self.deliveries.pop_front() {
            let Some(JobEntry { ticket, stage: EntryStage::Done { result, parts, need, .. } }) =
                self.jobs.get(&key)
            else {
                continue;
            };
            let content = match need {
                DeliveryNeed::Nothing => continue,
                DeliveryNeed::Parts => DeliveryContent::Parts(parts.clone()),
                DeliveryNeed::Result => {
                    let result = v1::Result { ticket: ticket.to_wire(), ..(**result).clone() };
                    DeliveryContent::Result(result.encode_to_vec().into())
                }
            };
            return Some(Delivery { key, ticket: ticket.clone(), content });
        }
        None
    }

    /// Returns true if the result of a job needs a delivery; false of a job that was cancelled.
    pub(crate) fn needs_delivery(&self, key: JobKey) -> bool {
        let stage = self.jobs.get(&key).map(|entry| &entry.stage);
        matches!(stage, Some(EntryStage::Done { need, .. }) if *need != DeliveryNeed::Nothing)
    }

    /// Records that a delivery has arrived.
    pub(crate) fn delivered(&mut self, key: JobKey) {
        let Some(JobEntry { stage: EntryStage::Done { result, is_queued, need, .. }, .. }) =
            self.jobs.get_mut(&key)
        else {
            return;
        };
        *is_queued = false;
        if *need == DeliveryNeed::Parts {
            *need = DeliveryNeed::of(result, &PartSet::default());
            self.queue_result(key);
        }
    }

    /// Delivers the parts of a job again: the store has lost them.
    pub(super) fn deliver_again(&mut self, key: JobKey) {
        if let Some(JobEntry { stage: EntryStage::Done { is_queued, parts, need, .. }, .. }) =
            self.jobs.get_mut(&key)
            && !parts.is_empty()
        {
            (*is_queued, *need) = (false, DeliveryNeed::Parts);
            self.queue_result(key);
        } else {
            tracing::warn!(job = %key, "result rejected: it names parts that no trial wrote");
            self.remove(key);
        }
    }

    /// Gives a job back whose delivery did not arrive in time.
    pub(crate) fn give_up_delivery(&mut self, key: JobKey) {
        if self.jobs.contains_key(&key) {
            self.remove(key);
            self.queue_release(key);
        }
    }

    /// Gives all jobs back that wait for their deliveries.
    pub(crate) fn give_up_deliveries(&mut self) {
        self.release(|entry| match &entry.stage {
            EntryStage::Done { need, .. } => *need != DeliveryNeed::Nothing,
            EntryStage::Waiting(_) | EntryStage::Running { .. } => false,
        });
    }

    /// Reports a job as failed whose delivery was refused.
    pub(crate) fn fail_delivery(&mut self, key: JobKey, failure: JobFailure) {
        let Some(JobEntry { stage: EntryStage::Done { result, is_queued, parts, need }, .. }) =
            self.jobs.get_mut(&key)
        else {
            return;
        };
        result.outcome = Some(result::Outcome::Failure(failure));
        (*is_queued, *parts, *need) = (false, PartSet::default(), DeliveryNeed::Nothing);
        self.queue_result(key);
    }

    /// Returns true if the worker has more bytes of results and parts in hand than it should.
    pub(super) fn is_full(&self) -> bool {
        let n_bytes = |entry: &JobEntry| match &entry.stage {
            EntryStage::Done { result, parts, need, .. } if *need != DeliveryNeed::Nothing => {
                parts.n_bytes() + result.encoded_len() as u64
            }
            EntryStage::Done { parts, .. } => parts.n_bytes(),
            EntryStage::Waiting(_) | EntryStage::Running { .. } => 0,
        };
        MAX_DONE_BYTES < self.jobs.values().map(n_bytes).sum()
    }
}
