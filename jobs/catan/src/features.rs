//! Features of maps, to learn which maps are balanced: the 76 features of Hwang & Kaneko (Table 2),
//! and besides them the offers of a [draft](draft_features) to each seat.
//!
//! | from | group | what |
//! |---|---|---|
//! | 0 | 24 | distances between tiles of the same resource, ascending per resource |
//! | 24 | 18 | distances from the tiles of a resource to its special port, ascending per resource |
//! | 42 | 7 | nodes by the pips around them |
//! | 49 | 2 | nodes with two equal tiles, with three |
//! | 51 | 25 | tiles per resource and pips of their token, 1 to 5 |
//!
//! Resources come in the order of [`Resource::ALL`]. Three of the groups can be read in several
//! ways, hence [`FeatureReadings`].

mod distances;
mod draft;
mod nodes;

use crate::board::Hex;
use crate::map::{Map, Terrain, pips};
use crate::resource::Resource;

pub use draft::{N_DRAFT_FEATURES, draft_features};

/// The number of features.
pub const N_FEATURES: usize = 76;

/// The readings of Table 2 where it can be read in several ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FeatureReadings {
    /// Group 2: the distance of a tile from a port.
    pub port_distance: PortDistance,
    /// Group 3: the statistics of the pips around nodes.
    pub node_pips: NodePips,
    /// Group 4: the nodes that can have two equal tiles.
    pub two_equal: TwoEqual,
}

/// A measure of the distance of a tile from a port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PortDistance {
    /// Steps from hex to hex to the sea hex of the port, 1 to 5.
    #[default]
    Hexes,
    /// Edges from the nearest node of the tile to the nearer node of the port, from 0.
    Edges,
}

/// Statistics of the pips around nodes: the sum over a node's tiles, 0 to 15.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NodePips {
    /// The numbers of the 54 nodes with 0-2, 3-4, 5-6, 7-8, 9-10, 11-12, 13-15.
    #[default]
    Histogram,
    /// The numbers of nodes with exactly 9, 10, 11, 12, 13, 14, 15.
    From9To15,
    /// The numbers of nodes with exactly 7, 8, 9, 10, 11, 12, 13; 13 is the most if reds are apart.
    From7To13,
    /// The seven largest sums, descending.
    Largest,
}

/// The nodes that can have two equal tiles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TwoEqual {
    /// All nodes, including those on the coast with only two tiles.
    #[default]
    AllNodes,
    /// Nodes with three tiles.
    Inland,
}

/// Returns the features of a map, which are the same for all its images under the symmetries of the
/// board.
///
/// Over all maps the features span only 66 dimensions: the histogram sums to 54, and the 25 have
/// fixed sums per resource and per number of pips. Learning from them needs regularization.
#[must_use]
pub fn features(map: &Map, readings: FeatureReadings) -> [u8; N_FEATURES] {
    let mut all = Vec::with_capacity(N_FEATURES);
    all.extend(Resource::ALL.into_iter().flat_map(|resource| distances::between(map, resource)));
    for resource in Resource::ALL {
        all.extend(distances::to_port(map, resource, readings.port_distance));
    }
    all.extend(nodes::by_pips(map, readings.node_pips));
    all.extend(nodes::with_equal_tiles(map, readings.two_equal));
    for resource in Resource::ALL {
        all.extend((1..=5).map(|n_pips| tiles_with(map, resource, n_pips)));
    }
    full(all)
}

fn full<T>(list: Vec<T>) -> [T; N_FEATURES] {
    let full = list.try_into().ok();
    full.expect("the base game fixes the number of tiles of each resource, thus of all features")
}

/// Returns the tiles of a resource in order.
fn tiles(map: &Map, resource: Resource) -> impl Iterator<Item = Hex> {
    Hex::ALL.into_iter().filter(move |&hex| map.terrain(hex) == Terrain::Land(resource))
}

fn pips_on(map: &Map, hex: Hex) -> u8 {
    map.token(hex).map_or(0, pips)
}

fn tiles_with(map: &Map, resource: Resource, n_pips: u8) -> u8 {
    tiles(map, resource).map(|hex| u8::from(pips_on(map, hex) == n_pips)).sum()
}
