//! Conditions of effects.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::attribute::Attribute;
use super::cell::CellClass;

/// The condition under which an effect fires. All of it is about the player that places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// Always.
    #[default]
    Always,
    /// The placement flips at least so many pieces.
    FlipsAtLeast(u8),
    /// The placement flips exactly so many pieces.
    FlipsExactly(u8),
    /// The piece is placed on a cell of this class.
    OnCell(CellClass),
    /// The HP at the start of the turn is at most so many percent of the highest HP.
    HpAtMost(u8),
    /// The HP at the start of the turn is at least so many percent of the highest HP.
    HpAtLeast(u8),
    /// At least so many pieces of the attribute stand for the player, the new one among them.
    AttributeAtLeast(Attribute, u8),
    /// All pieces of the player's deck are of the attribute.
    MonoDeck(Attribute),
    /// The number of the player's turn is at most so many.
    TurnAtMost(u8),
    /// The number of the player's turn is at least so many.
    TurnAtLeast(u8),
    /// At least so many pieces with a combo skill are anchors of the placement.
    CombosAtLeast(u8),
}

/// The facts that conditions and scaling depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacementFacts {
    /// The number of pieces flipped.
    pub flips: u32,
    /// The class of the cell.
    pub class: CellClass,
    /// The player's HP at the start of its turn.
    pub latched_hp: u32,
    /// The player's highest HP.
    pub highest_hp: u32,
    /// The player's standing pieces by attribute, the new one among them.
    pub standing: [u32; 3],
    /// The attribute of all pieces of the player's deck, if they have one.
    pub deck_attribute: Option<Attribute>,
    /// The number of the player's turn, from 1 on.
    pub turn: u32,
    /// The anchors that have a combo skill.
    pub combos: u32,
}

impl Condition {
    /// Returns true if the condition holds.
    #[must_use]
    pub fn holds(self, facts: &PlacementFacts) -> bool {
        let percent = u64::from(facts.latched_hp) * 100;
        let of = |share: u8| u64::from(share) * u64::from(facts.highest_hp);
        match self {
            Self::Always => true,
            Self::FlipsAtLeast(n) => u32::from(n) <= facts.flips,
            Self::FlipsExactly(n) => u32::from(n) == facts.flips,
            Self::OnCell(class) => class == facts.class,
            Self::HpAtMost(share) => percent <= of(share),
            Self::HpAtLeast(share) => of(share) <= percent,
            Self::AttributeAtLeast(attribute, n) => {
                u32::from(n) <= facts.standing[attribute as usize]
            }
            Self::MonoDeck(attribute) => facts.deck_attribute == Some(attribute),
            Self::TurnAtMost(n) => facts.turn <= u32::from(n),
            Self::TurnAtLeast(n) => u32::from(n) <= facts.turn,
            Self::CombosAtLeast(n) => u32::from(n) <= facts.combos,
        }
    }

    /// Returns the name, as in specs.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::FlipsAtLeast(_) => "flips_at_least",
            Self::FlipsExactly(_) => "flips_exactly",
            Self::OnCell(_) => "on_cell",
            Self::HpAtMost(_) => "hp_at_most",
            Self::HpAtLeast(_) => "hp_at_least",
            Self::AttributeAtLeast(..) => "attribute_at_least",
            Self::MonoDeck(_) => "mono_deck",
            Self::TurnAtMost(_) => "turn_at_most",
            Self::TurnAtLeast(_) => "turn_at_least",
            Self::CombosAtLeast(_) => "combos_at_least",
        }
    }

    /// Returns the condition as it is and the values allowed, if its number is out of its range.
    pub(super) fn violation(self) -> Option<[String; 2]> {
        let name = self.name();
        let range = |found: u8, least: u8, most: u8| {
            let is_wrong = found < least || most < found;
            is_wrong
                .then(|| [format!("{name} = {found}"), format!("{name} from {least} to {most}")])
        };
        match self {
            Self::Always | Self::OnCell(_) | Self::MonoDeck(_) => None,
            Self::FlipsAtLeast(n) | Self::FlipsExactly(n) => range(n, 1, 20),
            Self::HpAtMost(share) | Self::HpAtLeast(share) => range(share, 1, 99),
            Self::AttributeAtLeast(_, n) | Self::TurnAtMost(n) | Self::TurnAtLeast(n) => {
                range(n, 1, 16)
            }
            Self::CombosAtLeast(n) => range(n, 1, 8),
        }
    }
}
