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
mod readings;

use crate::map::Map;
use crate::resource::Resource;

pub use draft::{N_DRAFT_FEATURES, draft_features};
pub use readings::{FeatureReadings, NodePips, PortDistance, TwoEqual};

/// The number of features.
pub const N_FEATURES: usize = 76;

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
        all.extend((1..=5).map(|n_pips| nodes::n_with_pips(map, resource, n_pips)));
    }
    full(all)
}

fn full<T>(list: Vec<T>) -> [T; N_FEATURES] {
    let full = list.try_into().ok();
    full.expect("the base game fixes the number of tiles of each resource, thus of all features")
}
