//! The model as a backend: a store without a disk, which may have a fault.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use hatchery_store::conformance::{Medium, Model, Run};
use hatchery_store::membership::StoreChange;
use hatchery_store::{
    RunId, Store, StoreAnswer, StoreBackend, StoreCall, StoreError, StoreOperation as _,
};
use tokio::sync::broadcast;

use super::fault::Fault;

/// The number of changes that a test may be behind.
const CHANGES_KEPT: usize = 64;

/// A medium that keeps the model, and breaks at most one rule of the model.
#[derive(Clone, Debug)]
pub(crate) struct Faulty {
    broken: Arc<Mutex<Broken>>,
    changes: broadcast::Sender<StoreChange>,
    fault: Option<Fault>,
}

/// The model, and the data that a fault keeps beside it.
#[derive(Debug, Default)]
pub(crate) struct Broken {
    pub(crate) model: Model,
    pub(crate) deleted: BTreeMap<RunId, Run>,
    n_open: usize,
}

/// The store among several that is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Alone,
    First,
    Second,
}

/// A store on the model.
#[derive(Debug)]
struct OpenRun {
    faulty: Faulty,
    /// True if another store was open when this store was opened.
    is_second: bool,
}

impl Faulty {
    pub(crate) fn new(fault: Option<Fault>) -> Self {
        let model = Model { secret: [1; 32], ..Model::default() };
        let broken = Broken { model, ..Broken::default() };
        let (changes, _) = broadcast::channel(CHANGES_KEPT);
        Self { broken: Arc::new(Mutex::new(broken)), changes, fault }
    }

    fn broken(&self) -> MutexGuard<'_, Broken> {
        self.broken.lock().expect("nobody panics with it")
    }
}

#[async_trait]
impl Medium for Faulty {
    async fn open(&self) -> Store {
        let mut broken = self.broken();
        if self.fault != Some(Fault::KeepsLeasesOverRestart) {
            broken.model.end_leases();
        }
        if let Some(fault) = self.fault {
            fault.at_restart(&mut broken.model);
        }
        broken.n_open += 1;
        Store::new(OpenRun { faulty: self.clone(), is_second: broken.n_open == 2 })
    }

    fn shared(&self) -> bool {
        true
    }
}

impl Drop for OpenRun {
    fn drop(&mut self) {
        self.faulty.broken().n_open -= 1;
    }
}

#[async_trait]
impl StoreBackend for OpenRun {
    async fn execute(&self, call: StoreCall) -> Result<StoreAnswer, StoreError> {
        self.answer(call)
    }

    fn changes(&self) -> broadcast::Receiver<StoreChange> {
        self.faulty.changes.subscribe()
    }
}

impl OpenRun {
    fn answer(&self, mut call: StoreCall) -> Result<StoreAnswer, StoreError> {
        let mut broken = self.faulty.broken();
        let place = match (broken.n_open, self.is_second) {
            (1, _) => Place::Alone,
            (_, true) => Place::Second,
            (_, false) => Place::First,
        };
        broken.model.next_token.count += 1;
        let before = self.faulty.fault.map(|_| broken.model.clone());
        if let Some(fault) = self.faulty.fault {
            fault.before(&mut broken.model, &mut call, place);
        }
        let mut answer = broken.model.execute(call.clone());
        if let (Some(fault), Some(before)) = (self.faulty.fault, before) {
            fault.after(&before, &mut broken, &call, &mut answer);
        }
        let answer = answer.map_err(|refusal| broken.model.error(&call, refusal))?;
        let bell = match &call {
            StoreCall::EnqueueAndLease(_) => call.run().map(StoreChange::Ready),
            StoreCall::CompleteJobs(_) => call.run().map(StoreChange::Results),
            StoreCall::SteerRun(_) => call.run().map(StoreChange::State),
            _ => None,
        };
        let rings = |bell: &StoreChange| self.faulty.fault.is_none_or(|fault| fault.rings(*bell));
        if let Some(bell) = bell.filter(rings) {
            // Nobody has to listen.
            self.faulty.changes.send(bell).unwrap_or_default();
        }
        Ok(answer)
    }
}
