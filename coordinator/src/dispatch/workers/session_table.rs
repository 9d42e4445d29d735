//! The sessions of a coordinator: by worker, and by the experiments that the workers compute.

use std::collections::{BTreeMap, BTreeSet};

use hatchery_store::{RunId, SessionId, WorkerId};
use tokio::time::Instant;

use super::health::HealthTable;
use super::session::{Clearance, WorkerSession};
use crate::run::record::AnnouncedWorker;

/// The sessions of a coordinator; each worker has at most one.
#[derive(Debug, Default)]
pub(crate) struct SessionTable {
    sessions: BTreeMap<SessionId, WorkerSession>,
    /// The session of a worker, by worker.
    of_workers: BTreeMap<WorkerId, SessionId>,
    /// The sessions of the workers that compute each experiment, by its version.
    able: BTreeMap<String, BTreeMap<u32, AbleSessions>>,
}

/// The sessions of the workers that compute a version of an experiment.
#[derive(Debug, Default)]
struct AbleSessions {
    /// All sessions, untested ones included.
    all: BTreeSet<SessionId>,
    untested: BTreeSet<SessionId>,
    cleared: BTreeSet<SessionId>,
}

impl AbleSessions {
    /// Moves a session to where its clearance belongs.
    fn set(&mut self, id: SessionId, clearance: Clearance) {
        let keep = |in_it, set: &mut BTreeSet<_>| match in_it {
            true => _ = set.insert(id),
            false => _ = set.remove(&id),
        };
        keep(clearance.is_able(), &mut self.all);
        keep(clearance == Clearance::Untested, &mut self.untested);
        keep(clearance == Clearance::Cleared, &mut self.cleared);
    }
}

impl SessionTable {
    pub(crate) fn get(&self, id: SessionId) -> Option<&WorkerSession> {
        self.sessions.get(&id)
    }

    pub(crate) fn get_mut(&mut self, id: SessionId) -> Option<&mut WorkerSession> {
        self.sessions.get_mut(&id)
    }

    /// Adds the session of a worker that has none.
    pub(crate) fn insert(&mut self, session: WorkerSession) {
        self.of_workers.insert(session.worker(), session.id());
        self.sessions.insert(session.id(), session);
    }

    pub(crate) fn remove(&mut self, id: SessionId) -> Option<WorkerSession> {
        let session = self.sessions.remove(&id)?;
        self.of_workers.remove(&session.worker());
        self.able.retain(|_, versions| {
            versions.retain(|_, able| {
                able.set(id, Clearance::Refused);
                !able.all.is_empty()
            });
            !versions.is_empty()
        });
        Some(session)
    }

    /// Sets whether a session's worker gets jobs of an experiment that it announced.
    pub(crate) fn set_clearance(&mut self, id: SessionId, experiment: &str, clearance: Clearance) {
        let Some(session) = self.sessions.get_mut(&id) else { return };
        if let Some(version) = session.set_clearance(experiment, clearance) {
            let versions = self.able.entry(experiment.to_owned()).or_default();
            versions.entry(version).or_default().set(id, clearance);
        }
    }

    /// Returns the experiments that workers have announced.
    pub(crate) fn experiments(&self) -> impl Iterator<Item = &str> {
        self.able.keys().map(String::as_str)
    }

    /// Returns the sessions of the workers that compute a version of an experiment, including
    /// untested workers.
    pub(crate) fn able(
        &self,
        experiment: &str,
        version: u32,
    ) -> impl Iterator<Item = (SessionId, &WorkerSession)> {
        self.all_of(self.sessions_of(experiment, version).map(|able| &able.all))
    }

    /// Returns the sessions that are cleared for a version of an experiment.
    pub(crate) fn cleared(
        &self,
        experiment: &str,
        version: u32,
    ) -> impl Iterator<Item = (SessionId, &WorkerSession)> {
        self.all_of(self.sessions_of(experiment, version).map(|able| &able.cleared))
    }

    /// Returns the sessions whose workers are not tested for a version of an experiment.
    pub(crate) fn untested(&self, experiment: &str, version: u32) -> Vec<SessionId> {
        let able = self.sessions_of(experiment, version).map(|able| &able.untested);
        able.into_iter().flatten().copied().collect()
    }

    fn all_of(
        &self,
        ids: Option<&BTreeSet<SessionId>>,
    ) -> impl Iterator<Item = (SessionId, &WorkerSession)> {
        ids.into_iter().flatten().filter_map(|&id| Some((id, self.sessions.get(&id)?)))
    }

    fn sessions_of(&self, experiment: &str, version: u32) -> Option<&AbleSessions> {
        self.able.get(experiment)?.get(&version)
    }

    pub(crate) fn len(&self) -> usize {
        self.sessions.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (SessionId, &WorkerSession)> {
        self.sessions.iter().map(|(&id, session)| (id, session))
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut WorkerSession> {
        self.sessions.values_mut()
    }

    /// Returns the session of a worker.
    pub(crate) fn of_worker(&self, worker: WorkerId) -> Option<SessionId> {
        self.of_workers.get(&worker).copied()
    }

    /// Returns the number of places: jobs held plus credits, over all workers.
    pub(crate) fn n_places(&self) -> usize {
        self.sessions.values().map(WorkerSession::n_places).sum()
    }

    /// Returns the number of slots that the jobs of a run may use at the workers of `sessions`.
    pub(crate) fn slots_of(&self, run: RunId, sessions: &BTreeSet<SessionId>) -> usize {
        let sessions = sessions.iter().filter_map(|id| self.sessions.get(id));
        let slots = |session: &WorkerSession| session.held().of_run(run).n_slots(session.slots());
        sessions.map(|session| slots(session) as usize).sum()
    }

    /// Returns the announcements of all workers.
    pub(crate) fn announcement(&self, now: Instant, health: &HealthTable) -> Vec<AnnouncedWorker> {
        let worker = |session: &WorkerSession| {
            session.announcement(now, health.pause(now, session.worker()).unwrap_or_default())
        };
        self.sessions.values().map(worker).collect()
    }
}
