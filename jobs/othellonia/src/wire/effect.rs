//! Effects on the wire.

use hatchery_core::DecodeError;

use crate::rules::{
    Attribute, CellClass, Condition, Effect, EffectChain, EffectKind, EffectScaling, EffectTarget,
    MAX_CHAIN,
};

/// An [`Effect`] on the wire.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct EffectMessage {
    #[prost(uint32, tag = "1")]
    kind: u32,
    #[prost(uint32, tag = "2")]
    magnitude: u32,
    #[prost(uint32, tag = "3")]
    target: u32,
    #[prost(uint32, tag = "4")]
    turns: u32,
    #[prost(message, optional, tag = "5")]
    condition: Option<ConditionMessage>,
    #[prost(uint32, tag = "6")]
    scaling: u32,
}

/// A [`Condition`] on the wire.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct ConditionMessage {
    /// The number of the condition's name, in the order in which they are declared.
    #[prost(uint32, tag = "1")]
    name: u32,
    /// Its number, if it has one.
    #[prost(uint32, tag = "2")]
    number: u32,
    /// The number of its attribute or class of cells, if it has one.
    #[prost(uint32, tag = "3")]
    choice: u32,
}

const TARGETS: [EffectTarget; 4] =
    [EffectTarget::All, EffectTarget::God, EffectTarget::Demon, EffectTarget::Dragon];

const SCALINGS: [EffectScaling; 5] = [
    EffectScaling::None,
    EffectScaling::Flips,
    EffectScaling::OwnPieces,
    EffectScaling::LostTenths,
    EffectScaling::Turns,
];

const CLASSES: [CellClass; 4] =
    [CellClass::Corner, CellClass::Edge, CellClass::X, CellClass::Inner];

impl From<&Effect> for EffectMessage {
    fn from(effect: &Effect) -> Self {
        let Effect { kind, magnitude, target, turns, condition, scaling } = *effect;
        Self {
            kind: number_of(&EffectKind::ALL, &kind),
            magnitude,
            target: number_of(&TARGETS, &target),
            turns: turns.into(),
            condition: Some((&condition).into()),
            scaling: number_of(&SCALINGS, &scaling),
        }
    }
}

impl From<&Condition> for ConditionMessage {
    fn from(condition: &Condition) -> Self {
        let (name, number, choice) = match *condition {
            Condition::Always => (0, 0, 0),
            Condition::FlipsAtLeast(n) => (1, n, 0),
            Condition::FlipsExactly(n) => (2, n, 0),
            Condition::OnCell(class) => (3, 0, number_of(&CLASSES, &class)),
            Condition::HpAtMost(share) => (4, share, 0),
            Condition::HpAtLeast(share) => (5, share, 0),
            Condition::AttributeAtLeast(attribute, n) => {
                (6, n, number_of(&Attribute::ALL, &attribute))
            }
            Condition::MonoDeck(attribute) => (7, 0, number_of(&Attribute::ALL, &attribute)),
            Condition::TurnAtMost(n) => (8, n, 0),
            Condition::TurnAtLeast(n) => (9, n, 0),
            Condition::CombosAtLeast(n) => (10, n, 0),
        };
        Self { name, number: number.into(), choice }
    }
}

impl ConditionMessage {
    fn checked(self) -> Result<Condition, DecodeError> {
        let Self { name, number, choice } = self;
        let n = u8::try_from(number)
            .map_err(|_| DecodeError::field("condition", &number, "a number below 256"))?;
        let attribute = || one_of("condition", &Attribute::ALL, choice);
        Ok(match name {
            0 => Condition::Always,
            1 => Condition::FlipsAtLeast(n),
            2 => Condition::FlipsExactly(n),
            3 => Condition::OnCell(one_of("condition", &CLASSES, choice)?),
            4 => Condition::HpAtMost(n),
            5 => Condition::HpAtLeast(n),
            6 => Condition::AttributeAtLeast(attribute()?, n),
            7 => Condition::MonoDeck(attribute()?),
            8 => Condition::TurnAtMost(n),
            9 => Condition::TurnAtLeast(n),
            10 => Condition::CombosAtLeast(n),
            name => return Err(DecodeError::field("condition", &name, "a name below 11")),
        })
    }
}

impl EffectMessage {
    fn checked(self) -> Result<Effect, DecodeError> {
        let Self { kind, magnitude, target, turns, condition, scaling } = self;
        let missing = || DecodeError::field("condition", &"missing", "a condition");
        let effect = Effect {
            kind: one_of("kind", &EffectKind::ALL, kind)?,
            magnitude,
            target: one_of("target", &TARGETS, target)?,
            turns: u8::try_from(turns)
                .map_err(|_| DecodeError::field("turns", &turns, "below 256"))?,
            condition: condition.ok_or_else(missing)?.checked()?,
            scaling: one_of("scaling", &SCALINGS, scaling)?,
        };
        effect
            .check()
            .map_err(|error| DecodeError::field(error.field, &error.found, error.expected))?;
        Ok(effect)
    }
}

/// Returns the messages of a chain of effects.
pub(super) fn chain_messages(chain: &EffectChain) -> Vec<EffectMessage> {
    chain.iter().map(EffectMessage::from).collect()
}

/// Returns the chain of effects of messages.
pub(super) fn checked_chain(
    field: &'static str,
    messages: Vec<EffectMessage>,
) -> Result<EffectChain, DecodeError> {
    let n = messages.len();
    let wrong = || {
        let expected = format!("at most {MAX_CHAIN} effects: echoes, and another one at the end");
        DecodeError::field(field, &format!("a chain of {n}"), expected)
    };
    if MAX_CHAIN < n {
        return Err(wrong());
    }
    let effects =
        messages.into_iter().map(EffectMessage::checked).collect::<Result<Vec<_>, _>>()?;
    EffectChain::new(&effects).ok_or_else(wrong)
}

/// Returns the number of a choice on the wire.
pub(super) fn number_of<T: PartialEq>(values: &[T], value: &T) -> u32 {
    values.iter().zip(0..).find(|(known, _)| *known == value).map_or(u32::MAX, |(_, number)| number)
}

/// Returns the value that a number stands for.
pub(super) fn one_of<T: Copy>(
    field: &'static str,
    values: &[T],
    number: u32,
) -> Result<T, DecodeError> {
    values
        .get(number as usize)
        .copied()
        .ok_or_else(|| DecodeError::field(field, &number, format!("below {}", values.len())))
}
