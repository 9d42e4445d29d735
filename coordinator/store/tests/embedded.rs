//! The embedded store keeps the contract, whatever happens to its process and its file; and the
//! suite finds the faults of a store.

mod embedded {
    mod crash;
    mod damage;
    pub(crate) mod fault;
    pub(crate) mod faulty;
    mod foreign;
    mod full;
    pub(crate) mod media;
    mod parts;
    mod reading;
    mod script;
    mod space;
    mod upgrade;
}

use std::thread::{self, ScopedJoinHandle};

use hatchery_store::conformance;

use embedded::fault::Fault;
use embedded::faulty::Faulty;
use embedded::media::{Disk, Memory, Routed, Shared};

/// The number of random sequences that are played to find a fault, as in the suite.
const N_RANDOM: u32 = 500;

/// A fault, and the two halves of the suite while they look for it.
type Check<'scope> = (Fault, ScopedJoinHandle<'scope, ()>, Option<ScopedJoinHandle<'scope, bool>>);

#[test]
fn the_embedded_store_keeps_the_contract_in_memory() {
    conformance::check_all(Memory::default);
}

#[test]
fn the_embedded_store_keeps_the_contract_on_disk() {
    conformance::check_points(Disk::default);
    conformance::check_random(Disk::default, 10);
}

#[test]
fn a_store_of_stores_keeps_the_contract() {
    conformance::check_all(Routed::default);
}

/// The model keeps the contract that it spells out: the points say the same as the model.
#[test]
fn the_model_keeps_the_contract() {
    conformance::check_all(|| Faulty::new(None));
}

#[test]
fn the_model_store_keeps_the_contract() {
    conformance::check_all(Shared::default);
}

/// Both halves of the suite see every fault by themselves, as far as they can.
#[test]
fn the_suite_sees_every_fault() {
    let unseen: Vec<_> = thread::scope(|scope| {
        let check = |fault: Fault| {
            let make = move || Faulty::new(Some(fault));
            // All at once: some only show in that nothing happens for a while.
            let points = scope.spawn(move || conformance::check_points(make));
            let differs = move || conformance::differs_at_random(make, N_RANDOM);
            let random = fault.is_seen_at_random().then(|| scope.spawn(differs));
            (fault, points, random)
        };
        let checks: Vec<_> = Fault::ALL.iter().map(|fault| check(*fault)).collect();
        let outcome = |(fault, points, random): Check<'_>| {
            let is_missed = points.join().is_ok();
            // A store that panics is seen as well.
            let is_missed_at_random =
                random.is_some_and(|random| matches!(random.join(), Ok(false)));
            (is_missed || is_missed_at_random).then_some((fault, is_missed, is_missed_at_random))
        };
        checks.into_iter().filter_map(outcome).collect()
    });
    assert!(unseen.is_empty(), "missed by points, at random: {unseen:?}");
}
