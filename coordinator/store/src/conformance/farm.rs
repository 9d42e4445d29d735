//! The model as a store that several coordinators in the same process share, like a server.

mod times;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::broadcast;
use tokio::time::Instant;

use self::times::Times;
use super::model::Model;
use super::refusal::Refusal;
use crate::membership::StoreChange;
use crate::operation::FoldResults;
use crate::{
    AfterFold, StoreAnswer, StoreBackend, StoreCall, StoreError, StoreOperation, StoreVerdict,
};

/// The number of changes that a listener can be behind before it misses some.
const CHANGES_KEPT: usize = 1024;

/// The store's place in errors.
const PLACE: &str = "the model";

/// The contract's [`Model`] as a store in memory: a handle, such as a process would have.
///
/// Leases, claims and announcements end on tokio's clock, or on the clock of a simulation, which
/// sets it by [`set_time`](Self::set_time): each of its hosts has a tokio clock of its own, which
/// begins at the real time of the host's start. Nothing depends on chance, so the same calls at the
/// same times have the same answers.
#[derive(Debug)]
pub struct ModelStore {
    /// Shared by all handles: each operation locks it, does everything and lets go, and waits for
    /// nothing meanwhile.
    farm: Arc<Mutex<Farm>>,
    changes: broadcast::Sender<StoreChange>,
    handle: u64,
}

/// The data that all handles share.
#[derive(Debug)]
struct Farm {
    model: Model,
    times: Times,
    clock: ModelClock,
    /// The beginning of a simulation; which instant it is does not matter.
    beginning: Instant,
    is_down: bool,
    /// The senders of changes, by handle.
    listeners: BTreeMap<u64, broadcast::Sender<StoreChange>>,
    next_handle: u64,
}

/// The clock on which leases, claims and announcements end.
#[derive(Clone, Copy, Debug)]
enum ModelClock {
    /// Tokio's.
    Tokio,
    /// That of a simulation.
    Set(Instant),
}

/// The source of the errors while the store is down.
#[derive(Debug, thiserror::Error)]
#[error("it is down")]
struct Down;

impl ModelStore {
    /// Creates an empty store.
    #[must_use]
    pub fn new() -> Self {
        // Any secret is as good as another in a simulation, and the same one each time is better.
        let model = Model { secret: [0x5e; 32], ..Model::default() };
        let farm = Farm {
            model,
            times: Times::default(),
            clock: ModelClock::Tokio,
            beginning: Instant::now(),
            is_down: false,
            listeners: BTreeMap::new(),
            next_handle: 0,
        };
        Self::handle(Arc::new(Mutex::new(farm)))
    }

    /// Creates another handle on the same data, as another process has one.
    #[must_use]
    pub fn another(&self) -> Self {
        Self::handle(Arc::clone(&self.farm))
    }

    /// Takes the store down for all handles, or brings it back: while it is down every operation
    /// fails with [`StoreError::Unavailable`] and does nothing.
    pub fn set_down(&self, is_down: bool) {
        self.farm().is_down = is_down;
    }

    /// Sets the time since the beginning, for all handles and until it is set again.
    pub fn set_time(&self, elapsed: Duration) {
        let mut farm = self.farm();
        farm.clock = ModelClock::Set(farm.beginning + elapsed);
    }

    /// Ends all leases now, as their time does.
    pub fn end_leases(&self) {
        self.farm().model.end_leases();
    }

    /// Executes an operation, without waiting.
    ///
    /// # Errors
    /// The errors of [`Store::execute`](crate::Store::execute).
    pub fn ask<Op: StoreOperation>(&self, operation: Op) -> Result<Op::Answer, StoreError> {
        let mut farm = self.farm();
        if farm.is_down {
            return Err(StoreError::Unavailable {
                place: PLACE.to_owned(),
                source: Box::new(Down),
            });
        }
        let now = match farm.clock {
            ModelClock::Tokio => Instant::now(),
            ModelClock::Set(now) => now,
        };
        let call = operation.into();
        let answer = farm.answer(&call, now).map_err(|refusal| farm.model.error(&call, refusal))?;
        if let Some(bell) = bell(&call, &answer) {
            for (_, changes) in farm.listeners.iter().filter(|(handle, _)| **handle != self.handle)
            {
                // Nobody has to listen.
                changes.send(bell).unwrap_or_default();
            }
        }
        Op::parse(answer)
    }

    fn handle(shared: Arc<Mutex<Farm>>) -> Self {
        let (changes, _) = broadcast::channel(CHANGES_KEPT);
        let mut farm = shared.lock().expect("nobody panics with it");
        let handle = farm.next_handle;
        farm.next_handle += 1;
        farm.listeners.insert(handle, changes.clone());
        drop(farm);
        Self { farm: shared, changes, handle }
    }

    fn farm(&self) -> MutexGuard<'_, Farm> {
        self.farm.lock().expect("nobody panics with it")
    }
}

impl Default for ModelStore {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for ModelStore {
    fn drop(&mut self) {
        self.farm().listeners.remove(&self.handle);
    }
}

#[async_trait]
impl StoreBackend for ModelStore {
    async fn execute(&self, call: StoreCall) -> Result<StoreAnswer, StoreError> {
        self.ask(call)
    }

    fn changes(&self) -> broadcast::Receiver<StoreChange> {
        self.changes.subscribe()
    }
}

impl Farm {
    fn answer(&mut self, call: &StoreCall, now: Instant) -> Result<StoreAnswer, Refusal> {
        self.times.expire(&mut self.model, now);
        // Handed out once each, although most calls take none.
        self.model.next_token.count += 1;
        let answer = self.model.execute(call.clone())?;
        self.times.note(call, &answer, now);
        Ok(answer)
    }
}

/// Returns the bell that rings in the other handles, if any does.
fn bell(call: &StoreCall, answer: &StoreAnswer) -> Option<StoreChange> {
    let run = call.run()?;
    match answer {
        StoreAnswer::RetryJobs(0) => None,
        StoreAnswer::DisownResults(invalidated) if invalidated.is_empty() => None,
        StoreAnswer::EnqueueAndLease(_)
        | StoreAnswer::ReleaseJobs(())
        | StoreAnswer::DisownResults(_)
        | StoreAnswer::RetryJobs(_) => Some(StoreChange::Ready(run)),
        StoreAnswer::CompleteJobs(verdicts) => {
            verdicts.contains(&StoreVerdict::Accepted).then_some(StoreChange::Results(run))
        }
        StoreAnswer::ParkJob(()) | StoreAnswer::SkipJobs(()) => Some(StoreChange::Results(run)),
        StoreAnswer::FoldResults(()) => ends(call).then_some(StoreChange::State(run)),
        StoreAnswer::CreateRun(_)
        | StoreAnswer::DeleteRun(())
        | StoreAnswer::RewindRun(())
        | StoreAnswer::PauseRun(())
        | StoreAnswer::FailRun(())
        | StoreAnswer::SteerRun(_) => Some(StoreChange::State(run)),
        _ => None,
    }
}

/// Returns true for the fold that ends a run.
fn ends(call: &StoreCall) -> bool {
    match call {
        StoreCall::FoldResults(FoldResults { fold, .. }) => {
            matches!(fold.then, AfterFold::Done { .. })
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use ulid::Ulid;

    use super::super::play::{ANN, BEN};
    use super::*;
    use crate::membership::PRESENCE_TTL;
    use crate::operation::{
        AnnounceCoordinator, ClaimRun, CreateRun, EnqueueAndLease, LeaseJobs, ListCoordinators,
        ReadClaim, RenewLeases, TakeLead,
    };
    use crate::{CoordinatorId, EnqueueBatch, JobId, LEASE_TTL, RunId};

    const RUN: RunId = RunId(Ulid(1));
    const THIRD: CoordinatorId = CoordinatorId(7);
    const SHORT: Duration = Duration::from_millis(1);

    /// A store whose clock the test moves.
    struct Timed {
        store: ModelStore,
        now: Instant,
    }

    impl Timed {
        fn new() -> Self {
            let timed = Self { store: ModelStore::new(), now: Instant::now() };
            let (record, checkpoint) = (vec![], vec![]);
            timed.ask(CreateRun { run: RUN, record, checkpoint, summary: vec![], parts: vec![] });
            let lead = timed.ask(TakeLead { run: RUN }).lead;
            let (jobs, table) = (vec![vec![0], vec![1]], vec![]);
            let enqueue = EnqueueBatch { jobs, table, ..EnqueueBatch::default() };
            timed.ask(EnqueueAndLease { lead, enqueue, consumer: ANN, most: 0 });
            timed
        }

        fn ask<Op: StoreOperation>(&self, operation: Op) -> Op::Answer {
            let answer = self.store.farm().answer(&operation.into(), self.now);
            Op::parse(answer.unwrap()).unwrap()
        }

        fn claim(&self, coordinator: CoordinatorId) -> bool {
            self.ask(ClaimRun { run: RUN, coordinator, progress: vec![] })
        }

        fn n_leased(&self, consumer: CoordinatorId) -> usize {
            self.ask(LeaseJobs { run: RUN, consumer, most: 9 }).len()
        }
    }

    #[test]
    fn a_lease_ends_unless_it_is_renewed() {
        let mut timed = Timed::new();
        assert_eq!(timed.n_leased(ANN), 2);
        timed.now += LEASE_TTL - SHORT;
        assert_eq!(timed.n_leased(BEN), 0);
        let jobs = vec![JobId { generation: 0, index: 1 }];
        let renew = || RenewLeases { run: RUN, consumer: ANN, jobs: jobs.clone() };
        assert_eq!(timed.ask(renew()), []);
        timed.now += SHORT;
        assert_eq!(timed.n_leased(BEN), 1);
        assert_eq!(timed.ask(renew()), []);
        timed.now += LEASE_TTL;
        assert_eq!(timed.ask(renew()), jobs);
        assert_eq!(timed.n_leased(THIRD), 2);
    }

    #[test]
    fn claims_and_announcements_end_unless_they_are_renewed() {
        let mut timed = Timed::new();
        timed.ask(AnnounceCoordinator { coordinator: THIRD, announcement: vec![] });
        assert!(timed.claim(ANN));
        timed.now += PRESENCE_TTL - SHORT;
        assert!(!timed.claim(BEN));
        assert!(timed.claim(ANN));
        timed.now += SHORT;
        assert_eq!(timed.ask(ListCoordinators), []);
        assert!(!timed.claim(BEN));
        timed.now += PRESENCE_TTL;
        assert_eq!(timed.ask(ReadClaim { run: RUN }), None);
        assert!(timed.claim(BEN));
    }

    #[test]
    fn nothing_answers_while_it_is_down() {
        let store = ModelStore::new();
        let other = store.another();
        store.set_down(true);
        let refused = other.ask(TakeLead { run: RUN });
        assert!(matches!(refused, Err(StoreError::Unavailable { .. })), "{refused:?}");
        other.set_down(false);
        let refused = store.ask(TakeLead { run: RUN });
        assert!(matches!(refused, Err(StoreError::NoRun { .. })), "{refused:?}");
    }
}
