//! The embedded store keeps the contract, whatever happens to its process and its file; and the
//! suite that says so sees what a store does wrong.

mod store {
    mod crash;
    mod damage;
    pub(crate) mod fault;
    pub(crate) mod faulty;
    mod full;
    pub(crate) mod media;
    mod script;
}

use std::panic::catch_unwind;

use hatchery_coordinator::store::conformance;

use store::fault::Fault;
use store::faulty::Faulty;
use store::media::{Disk, Memory};

#[test]
fn the_embedded_store_keeps_the_contract_in_memory() {
    conformance::check_all(Memory::default);
}

#[test]
fn the_embedded_store_keeps_the_contract_on_disk() {
    conformance::check_points(Disk::default);
    conformance::check_random(Disk::default, 10);
}

/// The model keeps the contract that it spells out: the points say the same as the model.
#[test]
fn the_model_keeps_the_contract() {
    conformance::check_all(|| Faulty::new(None));
}

/// Both halves of the suite see every fault by themselves.
#[test]
fn the_suite_sees_every_fault() {
    let mut unseen = Vec::new();
    for fault in Fault::ALL {
        let make = || Faulty::new(Some(fault));
        if catch_unwind(|| conformance::check_points(make)).is_ok() {
            unseen.push((fault, "points"));
        }
        if catch_unwind(|| conformance::check_random(make, 100)).is_ok() {
            unseen.push((fault, "random"));
        }
    }
    assert!(unseen.is_empty(), "{unseen:?}");
}
