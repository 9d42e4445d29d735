//! What a person writes of features.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::features::{FeatureReadings, NodePips, PortDistance, TwoEqual};

/// What a learner sees of a map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FeatureParams {
    /// Which features.
    #[schemars(extend("x-source" = "Hwang & Kaneko, Table 2: paper"))]
    pub set: SetParam,
    /// How far a tile is from a port.
    #[schemars(extend("x-source" = "ours: the paper does not say"))]
    pub port_distance: PortDistanceParam,
    /// What the seven features of the probabilities around nodes are.
    #[schemars(extend("x-source" = "ours: the paper does not say"))]
    pub node_pips: NodePipsParam,
    /// Which nodes can have two equal tiles.
    #[schemars(extend("x-source" = "ours: the paper does not say"))]
    pub two_equal: TwoEqualParam,
    /// How features are brought to one scale.
    #[schemars(extend("x-source" = "ours: the paper does not say"))]
    pub scaling: ScalingParam,
}

/// Which features.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SetParam {
    /// The 76 of Table 2.
    #[default]
    Paper,
    /// The 20 that say what a plain draft of settlements gives each seat.
    Draft,
    /// All 96.
    Both,
}

/// How far a tile is from a port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PortDistanceParam {
    /// Steps from hex to hex to the port's hex in the sea.
    #[default]
    Hexes,
    /// Edges from the nearest node of the tile to the nearer node of the port.
    Edges,
}

/// What the seven features of the probabilities around nodes are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NodePipsParam {
    /// How many nodes have 0-2, 3-4, 5-6, 7-8, 9-10, 11-12, 13-15 pips.
    #[default]
    Histogram,
    /// How many nodes have exactly 9, 10, 11, 12, 13, 14, 15 pips.
    #[serde(rename = "from-9-to-15")]
    From9To15,
    /// How many nodes have exactly 7, 8, 9, 10, 11, 12, 13 pips.
    #[serde(rename = "from-7-to-13")]
    From7To13,
    /// The seven largest sums of pips.
    Largest,
}

/// Which nodes can have two equal tiles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TwoEqualParam {
    /// All, also those on the coast with only two tiles.
    #[default]
    AllNodes,
    /// Those with three tiles.
    Inland,
}

/// How features are brought to one scale.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ScalingParam {
    /// Less their mean, by their standard deviation, both over the unlabelled maps.
    #[default]
    Standard,
    /// As they are.
    None,
}

impl FeatureParams {
    /// How Table 2 is read.
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
