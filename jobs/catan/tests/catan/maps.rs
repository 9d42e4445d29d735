//! Checks of maps: formats, ids, and draws.

mod formats;
mod hostile;
mod policies;
mod swaps;

use hatchery_catan::map::{Map, MapPolicy};
use hatchery_core::{RunSeed, StreamRng};
use proptest::prelude::{Just, Strategy, any, prop_oneof};

fn rng(seed: u64) -> StreamRng {
    RunSeed::new("catan maps", seed).generation(0).stream("test")
}

/// Returns maps of the policies that are fast to draw from.
fn maps() -> impl Strategy<Value = Map> {
    let policies = prop_oneof![
        Just(MapPolicy::Free),
        Just(MapPolicy::OfficialSpiral),
        Just(MapPolicy::RandomNoRedAdjacent)
    ];
    (policies, any::<u64>()).prop_map(|(policy, seed)| policy.draw(&mut rng(seed)))
}
