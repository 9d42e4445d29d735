//! Children of competing maps, which differ from them in one swap.

use std::collections::BTreeSet;

use hatchery_core::GenerationSeed;

use super::entrants::Entrant;
use super::history::MapOrigin;
use super::spec::RoundParams;
use crate::map::{Map, MapPolicy};

/// Swaps that are tried for each child. Policies allow few swaps, and many swaps lead to known
/// maps.
const TRIES: u32 = 200;

/// Returns `parents`, followed by each parent's children. No two maps are the same. A child is left
/// out if no try finds a new map.
pub(super) fn with_children(
    mut parents: Vec<Entrant>,
    round: &RoundParams,
    policy: MapPolicy,
    seed: &GenerationSeed,
) -> Vec<Entrant> {
    let mut known: BTreeSet<Map> = parents.iter().map(|parent| parent.map).collect();
    let mut rng = seed.stream("children");
    let mut children = Vec::new();
    for parent in &parents {
        let origin = child_of(parent);
        for _ in 0..round.children {
            let mut tries = (0..TRIES).map(|_| round.swap.apply(&parent.map, &mut rng));
            let new = tries.find(|map| policy.allows(map) && !known.contains(map));
            children.extend(new.map(|map| {
                known.insert(map);
                Entrant::new(map, origin.clone(), parent.results.len())
            }));
        }
    }
    parents.append(&mut children);
    parents
}

fn child_of(parent: &Entrant) -> MapOrigin {
    match parent.origin {
        MapOrigin::Bred { founder, swaps } => MapOrigin::Bred { founder, swaps: swaps + 1 },
        _ => MapOrigin::Bred { founder: parent.map, swaps: 1 },
    }
}
