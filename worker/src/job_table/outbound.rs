//! What a desk has to say to a coordinator.

use hatchery_proto::v1::{self, Release, Results, Want, to_coordinator};
use hatchery_proto::{MAX_BATCH_BYTES, MAX_BATCH_ITEMS};
use prost::Message;

use super::{EntryStage, IN_HAND_AT_LEAST, JobEntry, JobTable};
use crate::ids::JobKey;

impl JobTable {
    /// Whether something is to be said; `open` as in [`Self::next_message`].
    pub(crate) fn has_message(&self, open: bool) -> bool {
        !self.unsent.is_empty() || !self.releases.is_empty() || (open && self.room() != 0)
    }

    /// What is to be said next: results, jobs to give back, and, if `open` for more work, credits.
    pub(crate) fn next_message(&mut self, open: bool) -> Option<to_coordinator::Message> {
        let results = self.next_results();
        if !results.is_empty() {
            return Some(to_coordinator::Message::Results(Results { results }));
        }
        if !self.releases.is_empty() {
            let n = self.releases.len().min(MAX_BATCH_ITEMS);
            let refs = self.releases.drain(..n).map(JobKey::to_wire).collect();
            return Some(to_coordinator::Message::Release(Release { refs }));
        }
        let room = self.room();
        if !open || room == 0 {
            return None;
        }
        self.granted += room;
        let credits = u32::try_from(room).expect("a few per slot");
        Some(to_coordinator::Message::Want(Want { credits }))
    }

    /// How many more jobs there is room for that nobody was told of.
    fn room(&self) -> usize {
        let most_at_work = self.most_at_work();
        let most_in_hand = (2 * most_at_work).max(IN_HAND_AT_LEAST);
        let at_work = most_at_work.saturating_sub(self.n_at_work());
        let in_hand = most_in_hand.saturating_sub(self.jobs.len());
        at_work.min(in_hand).saturating_sub(self.granted)
    }

    fn next_results(&mut self) -> Vec<v1::Result> {
        let (mut results, mut n_bytes) = (Vec::new(), 0);
        while let Some(&key) = self.unsent.front()
            && results.len() < MAX_BATCH_ITEMS
        {
            if let Some(JobEntry { ticket, stage: EntryStage::Done { result, queued } }) =
                self.jobs.get_mut(&key)
                && *queued
            {
                n_bytes += result.encoded_len();
                if MAX_BATCH_BYTES < n_bytes && !results.is_empty() {
                    break;
                }
                *queued = false;
                results.push(v1::Result { ticket: ticket.to_wire(), ..(**result).clone() });
            }
            self.unsent.pop_front();
        }
        results
    }
}
