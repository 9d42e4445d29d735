//! Leases, claims and announcements of the model store, which end unless they are renewed.

use std::collections::BTreeMap;

use tokio::time::Instant;

use super::super::model::{JobState, Model};
use crate::membership::PRESENCE_TTL;
use crate::operation::{AnnounceCoordinator, ClaimRun, RenewLeases};
use crate::{CoordinatorId, LEASE_TTL, RunId, StoreAnswer, StoreCall, StoreOperation as _};

/// The times at which leases, claims and announcements were last renewed.
#[derive(Debug, Default)]
pub(super) struct Times {
    leases: BTreeMap<(RunId, u64), Instant>,
    claims: BTreeMap<RunId, Instant>,
    announced: BTreeMap<CoordinatorId, Instant>,
}

impl Times {
    /// Ends everything that was not renewed in time.
    pub(super) fn expire(&mut self, model: &mut Model, now: Instant) {
        self.leases.retain(|(run, index), since| {
            let job = model.runs.get_mut(run).and_then(|run| run.jobs.get_mut(index));
            let Some(job) = job.filter(|job| matches!(job.state, JobState::Leased(_))) else {
                return false;
            };
            let goes_on = now < *since + LEASE_TTL;
            if !goes_on {
                job.state = JobState::Ready;
            }
            goes_on
        });
        self.claims.retain(|_, since| now < *since + PRESENCE_TTL);
        model.claims.retain(|run, _| self.claims.contains_key(run));
        self.announced.retain(|_, since| now < *since + PRESENCE_TTL);
        model.announced.retain(|coordinator, _| self.announced.contains_key(coordinator));
    }

    /// Records the renewals of a call.
    pub(super) fn note(&mut self, call: &StoreCall, answer: &StoreAnswer, now: Instant) {
        match (call, answer) {
            (call, StoreAnswer::EnqueueAndLease(jobs))
            | (call, StoreAnswer::LeaseJobs(jobs))
            | (call, StoreAnswer::AdoptJobs(jobs)) => {
                let run = call.run();
                let leased = jobs.iter().filter_map(|job| Some((run?, job.id.index)));
                self.leases.extend(leased.map(|lease| (lease, now)));
            }
            (
                StoreCall::RenewLeases(RenewLeases { run, jobs, .. }),
                StoreAnswer::RenewLeases(lost),
            ) => {
                let held = jobs.iter().filter(|id| !lost.contains(id));
                self.leases.extend(held.map(|id| ((*run, id.index), now)));
            }
            (StoreCall::ClaimRun(ClaimRun { run, .. }), StoreAnswer::ClaimRun(true)) => {
                self.claims.insert(*run, now);
            }
            (StoreCall::AnnounceCoordinator(AnnounceCoordinator { coordinator, .. }), _) => {
                self.announced.insert(*coordinator, now);
            }
            _ => {}
        }
    }
}
