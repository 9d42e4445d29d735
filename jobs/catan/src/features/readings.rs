//! Readings of the features of Table 2, which the paper leaves open.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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

/// The distance of a tile from a port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "PortDistanceParam")]
pub enum PortDistance {
    /// Steps from hex to hex to the port's hex in the sea.
    // From 1 to 5.
    #[default]
    Hexes,
    /// Edges from the nearest node of the tile to the nearer node of the port.
    Edges,
}

/// The seven features of the probabilities around nodes.
// A node has the sum of the pips of its tiles, 0 to 15.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "NodePipsParam")]
pub enum NodePips {
    /// The numbers of nodes with 0-2, 3-4, 5-6, 7-8, 9-10, 11-12, 13-15 pips.
    #[default]
    Histogram,
    /// The numbers of nodes with exactly 9, 10, 11, 12, 13, 14, 15 pips.
    #[serde(rename = "from-9-to-15")]
    From9To15,
    /// The numbers of nodes with exactly 7, 8, 9, 10, 11, 12, 13 pips.
    // The most is 13 if reds are apart.
    #[serde(rename = "from-7-to-13")]
    From7To13,
    /// The seven largest sums of pips.
    // In descending order.
    Largest,
}

/// The nodes that can have two equal tiles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "TwoEqualParam")]
pub enum TwoEqual {
    /// All nodes, including those on the coast with only two tiles.
    #[default]
    AllNodes,
    /// Nodes with three tiles.
    Inland,
}
