//! The messages of a job table to the coordinator.

use hatchery_proto::v1::{self, Release, Results, Want, to_coordinator};
use hatchery_proto::{MAX_BATCH_BYTES, MAX_BATCH_ITEMS};
use prost::Message;

use super::{EntryStage, JobEntry, JobIntake, JobTable, MIN_HELD_JOBS};
use crate::ids::JobKey;

impl JobTable {
    /// Returns true if [`Self::next_message`] has something to send.
    pub(crate) fn has_message(&self, intake: JobIntake) -> bool {
        let wants_jobs = intake == JobIntake::Open && self.new_credits() != 0;
        !self.unsent.is_empty() || !self.releases.is_empty() || wants_jobs
    }

    /// Takes the next message to send: results, then jobs to give back, then credits for new jobs
    /// if the intake is open.
    pub(crate) fn next_message(&mut self, intake: JobIntake) -> Option<to_coordinator::Message> {
        let results = self.next_results();
        if !results.is_empty() {
            return Some(to_coordinator::Message::Results(Results { results }));
        }
        if !self.releases.is_empty() {
            let n = self.releases.len().min(MAX_BATCH_ITEMS);
            let refs = self.releases.drain(..n).map(JobKey::to_wire).collect();
            return Some(to_coordinator::Message::Release(Release { refs }));
        }
        let n_credits = self.new_credits();
        if intake == JobIntake::Closed || n_credits == 0 {
            return None;
        }
        self.credits += n_credits;
        let credits = u32::try_from(n_credits).expect("a few per slot");
        Some(to_coordinator::Message::Want(Want { credits }))
    }

    /// Returns the number of jobs that there is room for beyond the credits that are out.
    fn new_credits(&self) -> usize {
        if self.is_full() {
            return 0;
        }
        let max_unfinished = self.max_unfinished();
        let max_held = (2 * max_unfinished).max(MIN_HELD_JOBS);
        let room = max_unfinished.saturating_sub(self.n_unfinished());
        let room_with_results = max_held.saturating_sub(self.jobs.len());
        room.min(room_with_results).saturating_sub(self.credits)
    }

    /// Takes the next results that fit into a message, with the tickets of their jobs.
    fn next_results(&mut self) -> Vec<v1::Result> {
        let (mut results, mut n_bytes) = (Vec::new(), 0);
        while let Some(&key) = self.unsent.front()
            && results.len() < MAX_BATCH_ITEMS
        {
            if let Some(JobEntry { ticket, stage: EntryStage::Done { result, is_queued, .. } }) =
                self.jobs.get_mut(&key)
                && *is_queued
            {
                n_bytes += result.encoded_len();
                if MAX_BATCH_BYTES < n_bytes && !results.is_empty() {
                    break;
                }
                *is_queued = false;
                results.push(v1::Result { ticket: ticket.to_wire(), ..(**result).clone() });
            }
            self.unsent.pop_front();
        }
        results
    }
}
