//! The embedded store keeps the contract, on disk and in memory.

mod store {
    pub(crate) mod media;
}

use hatchery_coordinator::store::conformance;

use store::media::{Disk, Memory};

#[test]
fn the_embedded_store_keeps_the_contract_in_memory() {
    conformance::check_all(Memory::default);
}

#[test]
fn the_embedded_store_keeps_the_contract_on_disk() {
    conformance::check_points(Disk::default);
}
