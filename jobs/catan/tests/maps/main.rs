//! Maps: their texts, their ids, and how they are drawn.

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

/// Maps of the policies that are drawn fast.
fn maps() -> impl Strategy<Value = Map> {
    let policies = prop_oneof![
        Just(MapPolicy::Free),
        Just(MapPolicy::OfficialSpiral),
        Just(MapPolicy::RandomNoRedAdjacent)
    ];
    (policies, any::<u64>()).prop_map(|(policy, seed)| policy.draw(&mut rng(seed)))
}
