//! Faults and their times, drawn from the seed.

use std::time::Duration;

use hatchery_core::RunSeed;
use hatchery_core::StreamRng;
use hatchery_store::conformance::ModelStore;
use hatchery_store::operation::{CreateRun, QuarantineWorker};
use hatchery_store::{RunId, WorkerId};
#[cfg(feature = "faults")]
use hatchery_worker::FaultMode;
use turmoil::Sim;

use crate::{COORDINATORS, WORKERS};

/// Faults end after this time, so that the run can.
const UNTIL: Duration = Duration::from_secs(120);

/// Something that is broken now.
#[derive(Clone, Copy, Debug)]
enum Fault {
    Crashed(&'static str),
    Cut(&'static str, &'static str),
    CutOneWay(&'static str, &'static str),
    Held(&'static str, &'static str),
    StoreDown,
}

/// The source of faults.
pub(crate) struct Nemesis {
    rng: StreamRng,
    store: ModelStore,
    /// The current faults, with the times of their repair.
    broken: Vec<(Duration, Fault)>,
    next: Duration,
    mix: WorkerMix,
}

impl Nemesis {
    pub(crate) fn new(seed: u64, mix: WorkerMix, store: &ModelStore) -> Self {
        let rng = RunSeed::new("nemesis", seed).generation(0).stream("faults");
        let store = store.another();
        Self { rng, store, broken: Vec::new(), next: Duration::from_secs(1), mix }
    }

    /// Breaks or mends something, if it is time to.
    pub(crate) fn act(&mut self, sim: &mut Sim<'_>) {
        let now = sim.elapsed();
        let due = self.broken.extract_if(.., |(until, _)| *until <= now);
        for (_, fault) in due.collect::<Vec<_>>() {
            self.mend(sim, fault);
        }
        if self.next <= now && now < UNTIL {
            self.next = now + Duration::from_millis(u64::from(self.below(3000)) + 200);
            let fault = self.draw();
            let is_spared = self.mix == WorkerMix::Mixed && isolates_good_worker(fault);
            if !is_spared && !self.broken.iter().any(|(_, other)| touches(*other, fault)) {
                let lasts = Duration::from_millis(u64::from(self.below(15_000)) + 100);
                self.break_(sim, fault);
                self.broken.push((now + lasts, fault));
            }
        }
    }

    /// Mends everything.
    pub(crate) fn heal(&mut self, sim: &mut Sim<'_>) {
        for (_, fault) in std::mem::take(&mut self.broken) {
            self.mend(sim, fault);
        }
    }

    pub(crate) fn store_is_down(&self) -> bool {
        self.broken.iter().any(|(_, fault)| matches!(fault, Fault::StoreDown))
    }

    fn draw(&mut self) -> Fault {
        let coordinator = COORDINATORS[self.below(3) as usize];
        let worker = WORKERS[self.below(4) as usize];
        match self.below(10) {
            0..3 => Fault::Crashed(worker),
            3..5 => Fault::Crashed(coordinator),
            5 => Fault::Cut(worker, coordinator),
            6 => Fault::CutOneWay(worker, coordinator),
            7 => Fault::CutOneWay(coordinator, worker),
            8 => Fault::Held(worker, coordinator),
            _ => Fault::StoreDown,
        }
    }

    fn break_(&self, sim: &mut Sim<'_>, fault: Fault) {
        match fault {
            Fault::Crashed(host) => sim.crash(host),
            Fault::Cut(a, b) => sim.partition(a, b),
            Fault::CutOneWay(from, to) => sim.partition_oneway(from, to),
            Fault::Held(a, b) => sim.hold(a, b),
            Fault::StoreDown => self.store.set_down(true),
        }
    }

    fn mend(&self, sim: &mut Sim<'_>, fault: Fault) {
        match fault {
            Fault::Crashed(host) => sim.bounce(host),
            Fault::Cut(a, b) => sim.repair(a, b),
            Fault::CutOneWay(from, to) => sim.repair_oneway(from, to),
            Fault::Held(a, b) => sim.release(a, b),
            Fault::StoreDown => self.store.set_down(false),
        }
    }

    fn below(&mut self, n: u32) -> u32 {
        self.rng.next_u32() % n
    }
}

/// The workers of a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WorkerMix {
    /// Every worker computes right.
    Good,
    /// The first worker computes right and stays; the faults of all other workers are drawn from
    /// the seed. All jobs are audited.
    Mixed,
}

/// The line of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineSpeed {
    Quick,
    /// Carries 5 kB/s each way.
    Slow,
}

/// Returns the line of a worker: one in four is slow. Values that are large come over quick lines
/// only, so the first worker has one. All have one where only the first worker is good: it may be
/// alone at its coordinator, and gets no jobs from a coordinator whose workers fetch for minutes.
pub(crate) fn line_of(seed: u64, idx: usize, mix: WorkerMix, values: ValueSize) -> LineSpeed {
    let mut rng = RunSeed::new("lines", seed).generation(0).stream(WORKERS[idx]);
    let is_slow = rng.next_u32().is_multiple_of(4);
    let needs_quick = idx == 0 || (mix, values) == (WorkerMix::Mixed, ValueSize::Large);
    if is_slow && !needs_quick { LineSpeed::Slow } else { LineSpeed::Quick }
}

/// The size of the values of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueSize {
    /// A value fits into a message.
    Small,
    /// Parts and results have transfers of their own, and other workers only ever hold transfers.
    Large,
}

/// Returns the size of the values of a history: they are large in one of three.
pub(crate) fn values_of(seed: u64) -> ValueSize {
    let mut rng = RunSeed::new("values", seed).generation(0).stream("size");
    match rng.next_u32().is_multiple_of(3) {
        true => ValueSize::Large,
        false => ValueSize::Small,
    }
}

/// Puts into the store what earlier times and strangers leave there: runs with records that nobody
/// can read, which it returns, and quarantined workers, by the thousand in one of four histories.
pub(crate) fn clutter(seed: u64, store: &ModelStore) -> Vec<RunId> {
    let mut rng = RunSeed::new("clutter", seed).generation(0).stream("store");
    let n_junk = rng.next_u32() % 4;
    // One comes before the run in all lists, and others after it.
    let runs: Vec<_> = (0..n_junk).map(|n| RunId(ulid::Ulid(u128::from(n) << 100))).collect();
    for &run in &runs {
        let junk = || vec![0xff; 20];
        let (record, checkpoint, summary) = (junk(), junk(), junk());
        let create = CreateRun { run, record, checkpoint, summary, parts: vec![] };
        store.ask(create).unwrap();
    }
    let n_quarantined = [0, 1, 20, 3000][rng.next_u32() as usize % 4];
    for n in 1..=n_quarantined {
        let (worker, reason) = (WorkerId(n << 64), "it lied".to_owned());
        store.ask(QuarantineWorker { worker, reason }).unwrap();
    }
    runs
}

/// Returns the fault of a worker.
#[cfg(feature = "faults")]
pub(crate) fn fault_of(mix: WorkerMix, seed: u64, idx: usize) -> Option<FaultMode> {
    let mut rng = RunSeed::new("bad workers", seed).generation(0).stream(WORKERS[idx]);
    let kind = rng.next_u32() % 6;
    if mix == WorkerMix::Good || idx == 0 {
        return None;
    }
    match kind {
        0 => None,
        1 => Some(FaultMode::FailAll),
        2 => Some(FaultMode::MalformAll),
        3 => Some(FaultMode::CorruptAll),
        4 => Some(FaultMode::CorruptAfter(u64::from(rng.next_u32() % 20))),
        _ => Some(FaultMode::CorruptShare(rng.next_u32() % 1_000_000)),
    }
}

/// True if a fault would leave coordinators without the only worker that is sure to be good: a run
/// that no worker can compute fails.
fn isolates_good_worker(fault: Fault) -> bool {
    match fault {
        Fault::Crashed(host) => host == WORKERS[0] || COORDINATORS.contains(&host),
        Fault::Cut(a, b) | Fault::CutOneWay(a, b) | Fault::Held(a, b) => {
            [a, b].contains(&WORKERS[0])
        }
        Fault::StoreDown => false,
    }
}

/// True if two faults would interfere.
fn touches(a: Fault, b: Fault) -> bool {
    let hosts = |fault| match fault {
        Fault::Crashed(host) => vec![host],
        Fault::Cut(a, b) | Fault::CutOneWay(a, b) | Fault::Held(a, b) => vec![a, b],
        Fault::StoreDown => vec!["store"],
    };
    hosts(a).iter().any(|host| hosts(b).contains(host))
}
