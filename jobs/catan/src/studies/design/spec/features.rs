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
    pub port_distance: PortDistance,
    /// The seven features of the probabilities around nodes.
    #[schemars(extend("x-source" = "ours: the paper does not say"))]
    pub node_pips: NodePips,
    /// The nodes that can have two equal tiles.
    #[schemars(extend("x-source" = "ours: the paper does not say"))]
    pub two_equal: TwoEqual,
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
        let Self { port_distance, node_pips, two_equal, .. } = self;
        FeatureReadings { port_distance, node_pips, two_equal }
    }
}
