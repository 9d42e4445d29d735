//! Children of maps that compete: maps that differ from them in one swap.

use std::collections::BTreeSet;

use hatchery_core::GenerationSeed;

use super::history::{Origin, Simulated};
use super::spec::RoundParams;
use crate::map::{Map, Policy};
use crate::results::Results;

/// Swaps that are tried for each child: policies allow few of them, and many lead to maps that are
/// there already.
const TRIES: u32 = 200;

/// `parents`, then the children of each. No two maps are the same; a child that no try finds is
/// left out.
pub(super) fn with_children(
    mut parents: Vec<Simulated>,
    round: &RoundParams,
    policy: Policy,
    seed: &GenerationSeed,
) -> Vec<Simulated> {
    let mut known: BTreeSet<Map> = parents.iter().map(|parent| parent.map).collect();
    let mut rng = seed.stream("children");
    let mut children = Vec::new();
    for parent in &parents {
        let origin = child_of(parent);
        for _ in 0..round.children {
            let mut tries = (0..TRIES).map(|_| round.swap.kind().apply(&parent.map, &mut rng));
            let new = tries.find(|map| policy.allows(map) && !known.contains(map));
            children.extend(new.map(|map| {
                known.insert(map);
                Simulated { map, origin: origin.clone(), results: Results::default() }
            }));
        }
    }
    parents.append(&mut children);
    parents
}

fn child_of(parent: &Simulated) -> Origin {
    match parent.origin {
        Origin::Bred { founder, swaps } => Origin::Bred { founder, swaps: swaps + 1 },
        _ => Origin::Bred { founder: parent.map, swaps: 1 },
    }
}

/// The map that `simulated` descends from; itself if it is nobody's child. Maps of the same founder
/// are a family.
pub(super) fn founder(simulated: &Simulated) -> Map {
    match simulated.origin {
        Origin::Bred { founder, .. } => founder,
        _ => simulated.map,
    }
}
