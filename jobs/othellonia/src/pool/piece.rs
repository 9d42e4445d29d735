//! Pieces as people write them.

use hatchery_core::text::{counted, excerpt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::PoolError;
use crate::rules::{
    Attribute, CellClass, Condition, Effect, EffectKind, EffectScaling, EffectTarget, MAX_ATTACK,
    MAX_PIECE_HP, MagnitudeUnit,
};

/// A kind of piece.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PieceDefinition {
    /// The name: 1 to 40 characters.
    #[schemars(length(min = 1, max = 40))]
    pub name: String,
    /// The attribute.
    pub attribute: Attribute,
    /// The cost in a deck.
    #[schemars(range(min = 0, max = 1000))]
    pub cost: u32,
    /// The HP that the piece adds to its deck's.
    #[schemars(range(min = 1, max = 9999))]
    pub hp: u32,
    /// The attack.
    #[schemars(range(min = 0, max = 9999))]
    pub attack: u32,
    /// The effect of its skill, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<Effect>,
    /// The effect of its combo skill, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub combo: Option<Effect>,
}

/// The most characters of a name.
const MAX_NAME: usize = 40;

/// The largest cost of a piece.
const MAX_COST: u32 = 1_000;

impl PieceDefinition {
    /// Checks the piece by itself; `number` is its number in the pool.
    ///
    /// # Errors
    /// If a field is out of its range.
    pub(super) fn check(&self, number: usize) -> Result<(), PoolError> {
        let Self { name, attribute: _, cost, hp, attack, skill, combo } = self;
        let wrong = |field, found: String, expected: String| {
            Err(PoolError::Piece { piece: number, field, found, expected })
        };
        let n_characters = name.chars().count();
        if n_characters == 0 || MAX_NAME < n_characters || name.chars().any(char::is_control) {
            let found = excerpt(name);
            let expected = format!("1 to {MAX_NAME} characters, none of them a control character");
            return wrong("name", format!("\"{found}\""), expected);
        }
        for (field, found, least, most) in [
            ("cost", cost, 0, MAX_COST),
            ("hp", hp, 1, MAX_PIECE_HP),
            ("attack", attack, 0, MAX_ATTACK),
        ] {
            if *found < least || most < *found {
                return wrong(field, found.to_string(), format!("from {least} to {most}"));
            }
        }
        for (name, effect) in [("skill", skill), ("combo", combo)] {
            if let Some(Err(source)) = effect.as_ref().map(Effect::check) {
                return Err(PoolError::Effect { piece: number, skill: name, source });
            }
        }
        Ok(())
    }
}

/// Describes pieces and effects to a person.
#[derive(Clone, Copy, Debug)]
pub struct PieceText;

impl PieceText {
    /// Describes a piece but for its name: its numbers and its skills.
    #[must_use]
    pub fn piece(piece: &PieceDefinition) -> String {
        let PieceDefinition { name: _, attribute, cost, hp, attack, skill, combo } = piece;
        let numbers = format!("{attribute}, cost {cost}, HP {hp}, attack {attack}");
        let skill = skill.as_ref().map(Self::effect);
        let combo = combo.as_ref().map(|effect| format!("combo: {}", Self::effect(effect)));
        [Some(numbers), skill, combo].into_iter().flatten().collect::<Vec<_>>().join("; ")
    }

    /// Describes an effect, such as `bolt 600 if flips >= 2`.
    #[must_use]
    pub fn effect(effect: &Effect) -> String {
        let Effect { kind, magnitude, target, turns, condition, scaling } = *effect;
        let mut text = kind.name().to_owned();
        text.push_str(&Self::magnitude(kind, magnitude));
        text.push_str(match scaling {
            EffectScaling::None => "",
            EffectScaling::Flips => " per flip",
            EffectScaling::OwnPieces => " per own piece",
            EffectScaling::LostTenths => " per tenth of lost HP",
            EffectScaling::Turns => " per turn",
        });
        text.push_str(match target {
            EffectTarget::All => "",
            EffectTarget::God => " (god)",
            EffectTarget::Demon => " (demon)",
            EffectTarget::Dragon => " (dragon)",
        });
        if turns != 0 {
            text.push_str(" for ");
            text.push_str(&counted(turns, "turn"));
        }
        text.push_str(&Self::condition(condition));
        text
    }

    /// Describes a magnitude, such as ` 600`; nothing if its kind has none.
    #[must_use]
    pub fn magnitude(kind: EffectKind, magnitude: u32) -> String {
        match kind.unit() {
            MagnitudeUnit::Hp | MagnitudeUnit::Pieces => format!(" {magnitude}"),
            MagnitudeUnit::BasisPoints => format!(" {}", Self::percent(magnitude)),
            MagnitudeUnit::PieceNumber => format!(" of piece {magnitude}"),
            MagnitudeUnit::None => String::new(),
        }
    }

    /// Describes a condition, such as ` if flips >= 2`; nothing if it always holds.
    fn condition(condition: Condition) -> String {
        match condition {
            Condition::Always => String::new(),
            Condition::FlipsAtLeast(n) => format!(" if flips >= {n}"),
            Condition::FlipsExactly(n) => format!(" if flips = {n}"),
            Condition::OnCell(CellClass::Corner) => " if on a corner".to_owned(),
            Condition::OnCell(CellClass::Edge) => " if on an edge".to_owned(),
            Condition::OnCell(CellClass::X) => " if on an X cell".to_owned(),
            Condition::OnCell(CellClass::Inner) => " if on an inner cell".to_owned(),
            Condition::HpAtMost(share) => format!(" if HP <= {share} %"),
            Condition::HpAtLeast(share) => format!(" if HP >= {share} %"),
            Condition::AttributeAtLeast(attribute, n) => format!(" if {attribute}s >= {n}"),
            Condition::MonoDeck(attribute) => format!(" if all are {attribute}s"),
            Condition::TurnAtMost(n) => format!(" if turn <= {n}"),
            Condition::TurnAtLeast(n) => format!(" if turn >= {n}"),
            Condition::CombosAtLeast(n) => format!(" if combos >= {n}"),
        }
    }

    /// Writes basis points as percent.
    fn percent(basis_points: u32) -> String {
        match basis_points % 100 {
            0 => format!("{} %", basis_points / 100),
            _ => format!("{}.{:02} %", basis_points / 100, basis_points % 100),
        }
    }
}
