//! Features of the tiles around nodes; tiles by their resource, and the pips on them.

use super::readings::{NodePips, TwoEqual};
use crate::board::{Hex, Node};
use crate::map::{Map, Terrain, pips};
use crate::resource::Resource;

const N_BINS: usize = 7;

/// The largest sum that belongs to each bin of the histogram.
const BIN_ENDS: [u8; N_BINS] = [2, 4, 6, 8, 10, 12, 15];

/// Returns the sum of the pips around a node, 0 to 15.
pub(super) fn pips_around(map: &Map, node: Node) -> u8 {
    node.hexes().iter().map(|&hex| pips_on(map, hex)).sum()
}

pub(super) fn by_pips(map: &Map, how: NodePips) -> [u8; N_BINS] {
    let mut sums = Node::ALL.map(|node| pips_around(map, node));
    let count = |low: u8, high: u8| {
        sums.iter().map(|&sum| u8::from((low..=high).contains(&sum))).sum::<u8>()
    };
    match how {
        NodePips::Histogram => std::array::from_fn(|bin| count(bin_start(bin), BIN_ENDS[bin])),
        NodePips::From9To15 => [9, 10, 11, 12, 13, 14, 15].map(|sum| count(sum, sum)),
        NodePips::From7To13 => [7, 8, 9, 10, 11, 12, 13].map(|sum| count(sum, sum)),
        NodePips::Largest => {
            sums.sort_unstable_by(|a, b| b.cmp(a));
            std::array::from_fn(|place| sums[place])
        }
    }
}

fn bin_start(bin: usize) -> u8 {
    if bin == 0 { 0 } else { BIN_ENDS[bin - 1] + 1 }
}

/// Returns the numbers of nodes with exactly two equal tiles and with three.
pub(super) fn with_equal_tiles(map: &Map, which: TwoEqual) -> [u8; 2] {
    let (mut two, mut three) = (0, 0);
    for node in Node::ALL {
        match *node.hexes() {
            [a, b] if which == TwoEqual::AllNodes => {
                two += u8::from(map.terrain(a) == map.terrain(b));
            }
            [a, b, c] => {
                let [a, b, c] = [a, b, c].map(|hex| map.terrain(hex));
                let n_equal_pairs = [a == b, b == c, c == a].map(u8::from).iter().sum::<u8>();
                two += u8::from(n_equal_pairs == 1);
                three += u8::from(n_equal_pairs == 3);
            }
            _ => {}
        }
    }
    [two, three]
}

/// Returns the tiles of a resource in order.
pub(super) fn tiles(map: &Map, resource: Resource) -> impl Iterator<Item = Hex> {
    Hex::ALL.into_iter().filter(move |&hex| map.terrain(hex) == Terrain::Land(resource))
}

/// Returns the pips of the token on a hex, 0 without one.
pub(super) fn pips_on(map: &Map, hex: Hex) -> u8 {
    map.token(hex).map_or(0, pips)
}

/// Returns the number of tiles of a resource whose token has `n_pips` pips.
pub(super) fn n_with_pips(map: &Map, resource: Resource, n_pips: u8) -> u8 {
    tiles(map, resource).map(|hex| u8::from(pips_on(map, hex) == n_pips)).sum()
}
