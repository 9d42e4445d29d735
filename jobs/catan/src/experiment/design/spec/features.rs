//! The features in a spec.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::features::{FeatureReadings, NodePips, PortDistance, TwoEqual};

/// The features of a map that a learner sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FeatureParams {
    /// The set of features.
    #[schemars(extend("x-source" = "Hwang & Kaneko, Table 2: paper"))]
    pub set: FeatureSetParam,
    /// The distance of a tile from a port.
    #[schemars(extend("x-source" = "ours: the paper does not say"))]
    pub port_distance: PortDistanceParam,
    /// The seven features of the probabilities around nodes.
    #[schemars(extend("x-source" = "ours: the paper does not say"))]
    pub node_pips: NodePipsParam,
    /// The nodes that can have two equal tiles.
    #[schemars(extend("x-source" = "ours: the paper does not say"))]
    pub two_equal: TwoEqualParam,
    /// The scaling of the features.
    #[schemars(extend("x-source" = "ours: the paper does not say"))]
    pub scaling: ScalingParam,
}

/// The set of features.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FeatureSetParam {
    /// The 76 of Table 2.
    #[default]
    Paper,
    /// The 20 features of a simple draft of settlements, by seat.
    Draft,
    /// All 96.
    Both,
}

/// The distance of a tile from a port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PortDistanceParam {
    /// Steps from hex to hex to the port's hex in the sea.
    #[default]
    Hexes,
    /// Edges from the nearest node of the tile to the nearer node of the port.
    Edges,
}

/// The seven features of the probabilities around nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NodePipsParam {
    /// The numbers of nodes with 0-2, 3-4, 5-6, 7-8, 9-10, 11-12, 13-15 pips.
    #[default]
    Histogram,
    /// The numbers of nodes with exactly 9, 10, 11, 12, 13, 14, 15 pips.
    #[serde(rename = "from-9-to-15")]
    From9To15,
    /// The numbers of nodes with exactly 7, 8, 9, 10, 11, 12, 13 pips.
    #[serde(rename = "from-7-to-13")]
    From7To13,
    /// The seven largest sums of pips.
    Largest,
}

/// The nodes that can have two equal tiles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TwoEqualParam {
    /// All nodes, including those on the coast with only two tiles.
    #[default]
    AllNodes,
    /// Nodes with three tiles.
    Inland,
}

/// The scaling of the features.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ScalingParam {
    /// Minus their mean and divided by their standard deviation, both over the unlabelled maps.
    #[default]
    Standard,
    /// None.
    None,
}

impl FeatureParams {
    /// Returns the readings of Table 2.
    pub(in super::super) fn readings(self) -> FeatureReadings {
        FeatureReadings {
            port_distance: match self.port_distance {
                PortDistanceParam::Hexes => PortDistance::Hexes,
                PortDistanceParam::Edges => PortDistance::Edges,
            },
            node_pips: match self.node_pips {
                NodePipsParam::Histogram => NodePips::Histogram,
                NodePipsParam::From9To15 => NodePips::From9To15,
                NodePipsParam::From7To13 => NodePips::From7To13,
                NodePipsParam::Largest => NodePips::Largest,
            },
            two_equal: match self.two_equal {
                TwoEqualParam::AllNodes => TwoEqual::AllNodes,
                TwoEqualParam::Inland => TwoEqual::Inland,
            },
        }
    }
}
