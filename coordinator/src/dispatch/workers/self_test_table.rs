//! The self-tests that dispatch has, and the clearance of a new worker that follows from them.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use hatchery_core::Catalog;
use hatchery_store::SessionId;
use tokio::time::Instant;

use super::session::{Clearance, WorkerSession};
use crate::self_tests::{ComputedSelfTest, SelfTestPolicy};

/// The time for which a worker that computes a self-test counts as able to compute the experiment.
const PATIENCE: Duration = Duration::from_secs(60);

/// The self-tests of the experiments that have had runs here.
#[derive(Debug)]
pub(crate) struct SelfTestTable {
    policy: SelfTestPolicy,
    catalog: Catalog,
    states: BTreeMap<String, SelfTestState>,
    /// The self-tests that were sent to workers, in the order of their times, answered ones
    /// included.
    sent: VecDeque<SentSelfTest>,
}

/// A self-test that was sent to a worker.
#[derive(Debug)]
struct SentSelfTest {
    at: Instant,
    session: SessionId,
    experiment: String,
}

/// The self-test of an experiment.
#[derive(Debug)]
pub(crate) enum SelfTestState {
    Computing,
    Computed(ComputedSelfTest),
}

impl SelfTestTable {
    pub(crate) fn new(policy: SelfTestPolicy, catalog: Catalog) -> Self {
        Self { policy, catalog, states: BTreeMap::new(), sent: VecDeque::new() }
    }

    /// Returns whether workers are tested at all.
    pub(crate) fn tests_workers(&self) -> bool {
        self.policy == SelfTestPolicy::Required
    }

    /// Returns the self-test of an experiment; `None` if none was needed yet.
    pub(crate) fn get(&self, experiment: &str) -> Option<&SelfTestState> {
        self.states.get(experiment)
    }

    pub(crate) fn set(&mut self, experiment: String, state: SelfTestState) {
        self.states.insert(experiment, state);
    }

    /// Notes that a worker gets the self-test of an experiment.
    pub(crate) fn note_sent(&mut self, at: Instant, session: SessionId, experiment: String) {
        self.sent.push_back(SentSelfTest { at, session, experiment });
    }

    /// Takes the next self-test whose answer is due by now, whether or not the answer has come.
    pub(crate) fn next_overdue(&mut self, now: Instant) -> Option<(SessionId, String)> {
        let overdue = self.sent.pop_front_if(|sent| PATIENCE <= now - sent.at)?;
        Some((overdue.session, overdue.experiment))
    }

    /// Returns the version of an experiment in this build.
    pub(crate) fn version(&self, experiment: &str) -> Option<u32> {
        self.catalog.find(experiment).map(|known| known.version())
    }

    /// Returns the clearance of a new worker for an experiment that it announces.
    pub(crate) fn clearance(&self, experiment: &str, version: u32) -> Clearance {
        match self.version(experiment) {
            _ if !self.tests_workers() => Clearance::Cleared,
            // Runs of it are led by another coordinator, and not opened here.
            None => Clearance::Cleared,
            Some(ours) if ours == version => Clearance::Untested,
            Some(_) => Clearance::Refused,
        }
    }

    /// Notifies a worker of the experiments whose jobs it does not get because the versions differ.
    pub(crate) fn note_other_versions(&self, session: &mut WorkerSession) {
        if !self.tests_workers() {
            return;
        }
        for known in self.catalog.experiments() {
            let (experiment, ours) = (known.name(), known.version());
            let theirs = session.experiments().get(experiment).copied();
            if theirs == Some(ours) {
                continue;
            }
            let theirs = theirs.map_or_else(|| "none".to_owned(), |version| version.to_string());
            tracing::warn!(worker = session.name(), experiment, ours, theirs, "other version");
            session.notice(format!(
                "no jobs of {experiment}: the coordinator has version {ours}, this worker \
                 {theirs}; install the same release on both"
            ));
        }
    }
}
