//! Conditions of effects.

use hatchery_core::wire::{WireChoice, choice_of};
use hatchery_core::{DecodeError, WireValue};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::attribute::Attribute;
use crate::rules::CellClass;

/// The condition under which an effect fires. All of it is about the player that places.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, WireValue,
)]
#[serde(rename_all = "snake_case")]
#[wire(try_from = ConditionForm)]
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
    /// The attribute that all pieces in the player's deck share, if there is such an attribute.
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

/// A [`Condition`] on the wire.
#[derive(WireValue)]
struct ConditionForm {
    /// The number of the condition's name, in the order of the declarations.
    #[wire(tag = 1, range(max = 10))]
    name: u32,
    /// Its number, if it has one.
    #[wire(tag = 2)]
    number: u8,
    /// The number of its attribute or class of cells, if it has one.
    #[wire(tag = 3)]
    choice: u32,
}

impl From<&Condition> for ConditionForm {
    fn from(condition: &Condition) -> Self {
        let (name, number, choice) = match condition {
            Condition::Always => (0, 0, 0),
            Condition::FlipsAtLeast(n) => (1, *n, 0),
            Condition::FlipsExactly(n) => (2, *n, 0),
            Condition::OnCell(class) => (3, 0, class.to_number()),
            Condition::HpAtMost(share) => (4, *share, 0),
            Condition::HpAtLeast(share) => (5, *share, 0),
            Condition::AttributeAtLeast(attribute, n) => (6, *n, attribute.to_number()),
            Condition::MonoDeck(attribute) => (7, 0, attribute.to_number()),
            Condition::TurnAtMost(n) => (8, *n, 0),
            Condition::TurnAtLeast(n) => (9, *n, 0),
            Condition::CombosAtLeast(n) => (10, *n, 0),
        };
        Self { name, number, choice }
    }
}

impl TryFrom<ConditionForm> for Condition {
    type Error = DecodeError;

    fn try_from(
        ConditionForm { name, number, choice }: ConditionForm,
    ) -> Result<Self, DecodeError> {
        let attribute = || choice_of("choice", choice);
        Ok(match name {
            0 => Self::Always,
            1 => Self::FlipsAtLeast(number),
            2 => Self::FlipsExactly(number),
            3 => Self::OnCell(choice_of("choice", choice)?),
            4 => Self::HpAtMost(number),
            5 => Self::HpAtLeast(number),
            6 => Self::AttributeAtLeast(attribute()?, number),
            7 => Self::MonoDeck(attribute()?),
            8 => Self::TurnAtMost(number),
            9 => Self::TurnAtLeast(number),
            _ => Self::CombosAtLeast(number),
        })
    }
}
