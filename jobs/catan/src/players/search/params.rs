//! The parameters of the tree search player.

use hatchery_core::WireValue;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The parameters of the tree search player. The defaults are those of Szita, Chaslot & Spronck,
/// "Monte-Carlo tree search in Settlers of Catan" (2009).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema, WireValue)]
#[serde(deny_unknown_fields, default)]
pub struct MctsParams {
    /// Playouts per decision among at least two actions.
    #[schemars(range(min = 1, max = 100_000), extend("x-source" = "Szita et al.: 1,000"))]
    #[wire(tag = 1)]
    pub playouts: u32,
    /// The weight C of exploration in UCB1: frequency of wins + C sqrt(ln N / n).
    #[schemars(range(min = 0.0, max = 1000.0), extend("x-source" = "Szita et al.: 2"))]
    #[wire(tag = 2)]
    pub exploration: f64,
    /// Virtual wins that a settlement after the setup starts with.
    #[schemars(range(max = 1000), extend("x-source" = "Szita et al.: 20"))]
    #[wire(tag = 3)]
    pub settlement_wins: u32,
    /// Virtual wins that a city starts with.
    #[schemars(range(max = 1000), extend("x-source" = "Szita et al.: 10"))]
    #[wire(tag = 4)]
    pub city_wins: u32,
}

impl Default for MctsParams {
    fn default() -> Self {
        Self { playouts: 1_000, exploration: 2.0, settlement_wins: 20, city_wins: 10 }
    }
}
