//! Features of a draft of the first settlements: its offers to each seat.
//!
//! The 76 features do not depend on the order of the seats. The features in this module depend on
//! that order through a simple draft: seats 1 to 4, then 4 to 1, each take the free node with the
//! most pips around it. No paper has these features; this project added them.

use super::nodes::{pips_around, pips_on};
use crate::board::{Node, NodeSet};
use crate::map::Map;
use crate::resource::Resource;

/// The number of features of the draft.
pub const N_DRAFT_FEATURES: usize = 20;

const N_SEATS: usize = 4;
const N_PICKS: usize = 2 * N_SEATS;

/// Returns the features of the draft:
///
/// - 8: for each pick, the pips around the node that the seat takes
/// - 4: for each seat, the income of its two nodes
/// - 4: for each seat, the number of resources of its two nodes
/// - 4: for each seat, the largest income of any two nodes that are free at the seat's first pick
///
/// The income of two nodes is the sum over resources of the square root of their pips: it grows
/// with pips, and for equal pips with the number of resources. Ties go to the larger income
/// together with the seat's earlier node, then to the node that comes first on the canonical form
/// of the map, so that all images of a map have the same features.
#[must_use]
pub fn draft_features(map: &Map) -> [f64; N_DRAFT_FEATURES] {
    let map = map.canonical();
    let yields = Node::ALL.map(|node| ResourcePips::of(&map, node));
    let (mut free, mut picks) = (NodeSet::ALL, [Node::ALL[0]; N_PICKS]);
    let mut all = [0.0; N_DRAFT_FEATURES];
    for pick in 0..N_PICKS {
        let earlier = (N_SEATS <= pick).then(|| yields[picks[partner(pick)].index()]);
        if pick < N_SEATS {
            all[N_PICKS + 2 * N_SEATS + pick] = best_income(&yields, free);
        }
        let node = best_node(&map, &yields, free, earlier.unwrap_or_default());
        picks[pick] = node;
        free = free.minus(node.near());
        all[pick] = f64::from(pips_around(&map, node));
    }
    for seat in 0..N_SEATS {
        let [first, second] = [picks[seat], picks[partner(seat)]].map(|node| yields[node.index()]);
        let both = first.and(second);
        all[N_PICKS + seat] = both.income();
        all[N_PICKS + N_SEATS + seat] = both.n_resources();
    }
    all
}

/// Returns the other pick of the seat that has pick number `pick`.
const fn partner(pick: usize) -> usize {
    N_PICKS - 1 - pick
}

fn best_node(
    map: &Map,
    yields: &[ResourcePips; Node::COUNT],
    free: NodeSet,
    earlier: ResourcePips,
) -> Node {
    let mut best = (0, -1.0, Node::ALL[0]);
    for node in free {
        let n_pips = pips_around(map, node);
        let income = yields[node.index()].and(earlier).income();
        if best.0 < n_pips || (best.0 == n_pips && best.1 < income) {
            best = (n_pips, income, node);
        }
    }
    best.2
}

/// Returns the largest income of two free nodes that are not neighbors.
fn best_income(yields: &[ResourcePips; Node::COUNT], free: NodeSet) -> f64 {
    let mut best = 0.0;
    for first in free {
        for second in free.minus(first.near()) {
            if first < second {
                let income = yields[first.index()].and(yields[second.index()]).income();
                best = if best < income { income } else { best };
            }
        }
    }
    best
}

/// The number of pips per resource.
#[derive(Clone, Copy, Default)]
struct ResourcePips([u8; Resource::COUNT]);

impl ResourcePips {
    fn of(map: &Map, node: Node) -> Self {
        let mut pips = [0; Resource::COUNT];
        for &hex in node.hexes() {
            if let Some(resource) = map.terrain(hex).resource() {
                pips[resource.index()] += pips_on(map, hex);
            }
        }
        Self(pips)
    }

    fn and(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] + other.0[i]))
    }

    fn income(self) -> f64 {
        // Summed in order of size, so that equal pips give equal sums, whatever their resources.
        let mut pips = self.0;
        pips.sort_unstable();
        pips.iter().map(|&pips| f64::from(pips).sqrt()).sum()
    }

    fn n_resources(self) -> f64 {
        self.0.iter().map(|&pips| f64::from(u8::from(pips != 0))).sum()
    }
}
