//! The parameters of a planner.

use hatchery_core::{WireElement, WireValue};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The way a planner chooses what to build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, WireElement)]
#[serde(rename_all = "kebab-case")]
pub enum PlannerVariant {
    /// By its value in points, which shrinks with the time until it is ready.
    #[wire(number = 1)]
    Value,
    /// By the time until it is ready.
    Fast,
}

/// The way a planner places its first settlements and roads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, WireElement)]
#[serde(rename_all = "kebab-case")]
pub enum PlannerOpening {
    /// By the value player's score of the position.
    #[wire(number = 1)]
    Value,
    /// At the pair of nodes that builds fastest.
    BuildingTimes,
    /// At any place, with equal probability.
    Random,
}

/// The resource cards in other hands that a planner sees.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, WireElement,
)]
#[serde(rename_all = "kebab-case")]
pub enum HandVisibility {
    /// All hands, stolen cards too.
    #[default]
    All,
    /// The cards that can be counted: all but those that other players steal from each other. Of
    /// an opponent's hand the planner reckons only with the cards that are certain; see
    /// [`CardCounter`](crate::players::CardCounter).
    Public,
}

impl HandVisibility {
    /// Returns true for [`HandVisibility::All`], which specs leave out.
    fn is_all(&self) -> bool {
        *self == Self::All
    }
}

/// The parameters of a planner. On the wire, the numbers 1, 3 and 7 to 10 are reserved.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema, WireValue)]
#[serde(deny_unknown_fields, default)]
pub struct PlannerParams {
    /// The way the planner chooses what to build.
    #[wire(tag = 12)]
    pub variant: PlannerVariant,
    /// True if the planner trades with other players.
    #[wire(tag = 2)]
    pub trade: bool,
    /// The way the planner places its first settlements and roads.
    #[wire(tag = 13)]
    pub opening: PlannerOpening,
    /// Settlements of the setup are drawn at random among those that are at most this much worse
    /// than the best, in hundredths of a point of the score (`opening = "value"`), or in throws
    /// until one of each piece, in total (`"building-times"`). With 0, a map has a single opening.
    #[schemars(range(max = 1000))]
    #[wire(tag = 11)]
    pub opening_slack: u16,
    /// The most offers that the planner makes in a turn.
    #[schemars(range(max = 100))]
    #[wire(tag = 4)]
    pub offers_per_turn: u8,
    /// Players that could win in fewer throws than this get no trade.
    #[schemars(range(max = 1000))]
    #[wire(tag = 5)]
    pub wary_below: u16,
    /// Throws by which an additional development card may delay the plan.
    #[schemars(range(max = 1000))]
    #[wire(tag = 6)]
    pub card_delay: u16,
    /// The resource cards of other players that the planner sees, by which it chooses partners and
    /// offers. Without it, all.
    #[serde(skip_serializing_if = "HandVisibility::is_all")]
    #[wire(tag = 14)]
    pub sees: HandVisibility,
}

impl PlannerParams {
    /// The value variant.
    pub const VALUE: Self = Self {
        variant: PlannerVariant::Value,
        trade: true,
        opening: PlannerOpening::Value,
        opening_slack: 0,
        offers_per_turn: 9,
        wary_below: 25,
        card_delay: 10,
        sees: HandVisibility::All,
    };

    /// The fast variant.
    pub const FAST: Self = Self { variant: PlannerVariant::Fast, ..Self::VALUE };
}

impl Default for PlannerParams {
    /// Returns the value variant.
    fn default() -> Self {
        Self::VALUE
    }
}
