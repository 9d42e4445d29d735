//! Effects as data: kind, magnitude, target, duration, condition and scaling.

use hatchery_core::{DecodeError, InvalidValue, WireElement, WireValue};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::attribute::Attribute;
use super::condition::Condition;

/// An effect of a skill or combo skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, WireValue)]
#[serde(deny_unknown_fields)]
#[wire(check)]
pub struct Effect {
    /// The kind.
    #[wire(tag = 1)]
    pub kind: EffectKind,
    /// The magnitude, from 1 on: HP, basis points (1/10,000), a number of pieces, or the number of
    /// a piece, as the kind says.
    #[serde(default = "one")]
    #[wire(tag = 2)]
    pub magnitude: u32,
    /// The attacks that the effect bears on, for kinds that bear on attacks.
    #[serde(default)]
    #[wire(tag = 3)]
    pub target: EffectTarget,
    /// The number of turns that the effect runs, for kinds that run; 0: until its piece is flipped.
    #[serde(default)]
    #[wire(tag = 4)]
    pub turns: u8,
    /// The condition under which the effect fires.
    #[serde(default)]
    #[wire(tag = 5)]
    pub condition: Condition,
    /// The number that the magnitude is multiplied by.
    #[serde(default)]
    #[wire(tag = 6)]
    pub scaling: EffectScaling,
}

fn one() -> u32 {
    1
}

/// The kind of an effect.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
    WireElement,
)]
#[serde(rename_all = "snake_case")]
pub enum EffectKind {
    /// The attack of this placement is stronger by the magnitude.
    Strike,
    /// The attack of this placement ignores guards and is stronger by the magnitude.
    Pierce,
    /// The skill of the piece whose number is the magnitude fires as well.
    Echo,
    /// Ends what runs on the enemy's first pieces, as many as the magnitude.
    Dispel,
    /// Special damage of the magnitude.
    Bolt,
    /// Special damage of a share of the enemy's HP.
    Ruin,
    /// Special damage of the magnitude, which heals by the HP that the enemy loses.
    Drain,
    /// Special damage of a share of the HP that the player has lost.
    Vengeance,
    /// Heals by the magnitude.
    Heal,
    /// Heals a share of the HP that the player has lost.
    Mend,
    /// Raises HP and the highest HP by the magnitude.
    Bloom,
    /// Ends the player's bad states: weaken, curse and seal.
    Cleanse,
    /// Runs on its piece: heals by the magnitude at the start of the player's turns.
    Regen,
    /// Runs on its piece: attacks on the player are weaker by the magnitude.
    Guard,
    /// Runs on its piece: special damage to the player is less by the magnitude.
    Ward,
    /// Runs on its piece: attacks of the player are stronger by the magnitude.
    Banner,
    /// Runs on its piece: the enemy loses the magnitude at the end of its turns.
    Poison,
    /// Runs on its piece: an attack on the player returns a share of its damage.
    Counter,
    /// Runs on its piece: the attack that flips the piece returns a share of its damage.
    Trap,
    /// Runs on its piece: the enemy that flips the piece loses the magnitude.
    Thorns,
    /// A state of the enemy: its attacks are weaker by the magnitude.
    Weaken,
    /// A state of the enemy: it loses the magnitude at the start of its turns.
    Curse,
    /// A state of the player: its attacks are stronger by the magnitude.
    Charge,
    /// A state of the enemy: its skills and combo skills do not fire.
    Seal,
}

/// The unit of a magnitude.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MagnitudeUnit {
    /// HP.
    Hp,
    /// Basis points: 1/10,000.
    BasisPoints,
    /// A number of pieces.
    Pieces,
    /// The number of a piece in its pool.
    PieceNumber,
    /// No magnitude: it is 1.
    None,
}

/// The holder of an effect that has fired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EffectScope {
    /// It acts during the placement, and is over.
    Placement,
    /// It runs on its piece.
    Piece,
    /// It is a state of the player that placed.
    OwnState,
    /// It is a state of the enemy.
    EnemyState,
}

/// The attacks that an effect bears on: those of pieces of one attribute, or all.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, WireElement,
)]
#[serde(rename_all = "snake_case")]
pub enum EffectTarget {
    /// All attacks.
    #[default]
    All,
    /// Attacks of pieces of the attribute god.
    God,
    /// Attacks of pieces of the attribute demon.
    Demon,
    /// Attacks of pieces of the attribute dragon.
    Dragon,
}

/// The number that a magnitude is multiplied by.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, WireElement,
)]
#[serde(rename_all = "snake_case")]
pub enum EffectScaling {
    /// 1.
    #[default]
    None,
    /// The number of pieces flipped.
    Flips,
    /// The number of the player's pieces that stand, the new one among them.
    OwnPieces,
    /// The number of whole tenths of its highest HP that the player lacked at the start of the
    /// turn.
    LostTenths,
    /// The number of the player's turn.
    Turns,
}

impl EffectKind {
    /// All kinds, in their order.
    pub const ALL: [Self; 24] = [
        Self::Strike,
        Self::Pierce,
        Self::Echo,
        Self::Dispel,
        Self::Bolt,
        Self::Ruin,
        Self::Drain,
        Self::Vengeance,
        Self::Heal,
        Self::Mend,
        Self::Bloom,
        Self::Cleanse,
        Self::Regen,
        Self::Guard,
        Self::Ward,
        Self::Banner,
        Self::Poison,
        Self::Counter,
        Self::Trap,
        Self::Thorns,
        Self::Weaken,
        Self::Curse,
        Self::Charge,
        Self::Seal,
    ];

    /// Returns its index in [`ALL`](Self::ALL).
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the name, as in specs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Strike => "strike",
            Self::Pierce => "pierce",
            Self::Echo => "echo",
            Self::Dispel => "dispel",
            Self::Bolt => "bolt",
            Self::Ruin => "ruin",
            Self::Drain => "drain",
            Self::Vengeance => "vengeance",
            Self::Heal => "heal",
            Self::Mend => "mend",
            Self::Bloom => "bloom",
            Self::Cleanse => "cleanse",
            Self::Regen => "regen",
            Self::Guard => "guard",
            Self::Ward => "ward",
            Self::Banner => "banner",
            Self::Poison => "poison",
            Self::Counter => "counter",
            Self::Trap => "trap",
            Self::Thorns => "thorns",
            Self::Weaken => "weaken",
            Self::Curse => "curse",
            Self::Charge => "charge",
            Self::Seal => "seal",
        }
    }

    /// Returns where an effect of this kind goes.
    #[must_use]
    pub const fn scope(self) -> EffectScope {
        match self {
            Self::Strike
            | Self::Pierce
            | Self::Echo
            | Self::Dispel
            | Self::Bolt
            | Self::Ruin
            | Self::Drain
            | Self::Vengeance
            | Self::Heal
            | Self::Mend
            | Self::Bloom
            | Self::Cleanse => EffectScope::Placement,
            Self::Regen
            | Self::Guard
            | Self::Ward
            | Self::Banner
            | Self::Poison
            | Self::Counter
            | Self::Trap
            | Self::Thorns => EffectScope::Piece,
            Self::Charge => EffectScope::OwnState,
            Self::Weaken | Self::Curse | Self::Seal => EffectScope::EnemyState,
        }
    }

    /// Returns the unit of its magnitude.
    #[must_use]
    pub const fn unit(self) -> MagnitudeUnit {
        match self {
            Self::Bolt
            | Self::Drain
            | Self::Heal
            | Self::Bloom
            | Self::Regen
            | Self::Poison
            | Self::Thorns
            | Self::Curse => MagnitudeUnit::Hp,
            Self::Strike
            | Self::Pierce
            | Self::Ruin
            | Self::Vengeance
            | Self::Mend
            | Self::Guard
            | Self::Ward
            | Self::Banner
            | Self::Counter
            | Self::Trap
            | Self::Weaken
            | Self::Charge => MagnitudeUnit::BasisPoints,
            Self::Dispel => MagnitudeUnit::Pieces,
            Self::Echo => MagnitudeUnit::PieceNumber,
            Self::Cleanse | Self::Seal => MagnitudeUnit::None,
        }
    }

    /// Returns the largest magnitude, in a definition and after scaling: a multiple of what pieces
    /// have, so that numbers stay small whatever a pool holds.
    #[must_use]
    pub const fn largest(self) -> u32 {
        match self {
            // Stronger by at most 400 %.
            Self::Strike | Self::Pierce | Self::Banner | Self::Charge => 40_000,
            // Weaker by at most 90 %: no attack is without any effect.
            Self::Guard | Self::Ward | Self::Weaken => 9_000,
            // The whole.
            Self::Ruin | Self::Vengeance | Self::Mend => 10_000,
            // Twice the damage received.
            Self::Counter | Self::Trap => 20_000,
            Self::Bolt
            | Self::Drain
            | Self::Heal
            | Self::Bloom
            | Self::Regen
            | Self::Poison
            | Self::Thorns
            | Self::Curse => 9_999,
            Self::Dispel => 36,
            Self::Echo => u16::MAX as u32,
            Self::Cleanse | Self::Seal => 1,
        }
    }

    /// Returns true if effects of this kind bear on attacks, so that a target says on which.
    #[must_use]
    pub const fn has_target(self) -> bool {
        matches!(self, Self::Guard | Self::Banner | Self::Counter | Self::Weaken | Self::Charge)
    }

    /// Returns true if the magnitude can be scaled.
    #[must_use]
    pub const fn can_scale(self) -> bool {
        matches!(
            self.unit(),
            MagnitudeUnit::Hp | MagnitudeUnit::BasisPoints | MagnitudeUnit::Pieces
        )
    }
}

impl EffectTarget {
    /// Returns true if the effect bears on attacks of pieces of `attribute`.
    #[must_use]
    pub fn includes(self, attribute: Attribute) -> bool {
        match self {
            Self::All => true,
            Self::God => attribute == Attribute::God,
            Self::Demon => attribute == Attribute::Demon,
            Self::Dragon => attribute == Attribute::Dragon,
        }
    }
}

impl EffectScaling {
    /// Returns the name, as in specs.
    const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Flips => "flips",
            Self::OwnPieces => "own_pieces",
            Self::LostTenths => "lost_tenths",
            Self::Turns => "turns",
        }
    }
}

impl From<Attribute> for EffectTarget {
    fn from(attribute: Attribute) -> Self {
        match attribute {
            Attribute::God => Self::God,
            Attribute::Demon => Self::Demon,
            Attribute::Dragon => Self::Dragon,
        }
    }
}

impl Effect {
    /// Checks the effect by itself.
    ///
    /// # Errors
    /// If a field is out of the range that the kind has for it.
    pub fn check(&self) -> Result<(), EffectError> {
        let Self { kind, magnitude, target, turns, condition, scaling } = *self;
        let wrong = |field, found: String, expected: String| {
            Err(EffectError { field, kind, found, expected })
        };
        if magnitude == 0 || kind.largest() < magnitude {
            let expected = format!("from 1 to {}", kind.largest());
            return wrong("magnitude", magnitude.to_string(), expected);
        }
        if target != EffectTarget::All && !kind.has_target() {
            return wrong("target", format!("{target:?}").to_lowercase(), "all".to_owned());
        }
        let (least, most) = match kind.scope() {
            EffectScope::Placement => (0, 0),
            EffectScope::Piece => (0, MAX_TURNS),
            EffectScope::OwnState | EffectScope::EnemyState => (1, MAX_TURNS),
        };
        if turns < least || most < turns {
            return wrong("turns", turns.to_string(), format!("from {least} to {most}"));
        }
        if scaling != EffectScaling::None && !kind.can_scale() {
            return wrong("scaling", scaling.name().to_owned(), "none".to_owned());
        }
        if let Some([found, expected]) = condition.violation() {
            return wrong("condition", found, expected);
        }
        Ok(())
    }
}

/// The most turns that an effect runs: as many as a player has without passes.
pub const MAX_TURNS: u8 = 16;

/// An effect that the rules do not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field} of {} is {found}, but must be {expected}", kind.name())]
pub struct EffectError {
    /// The field.
    pub field: &'static str,
    /// The kind of the effect.
    pub kind: EffectKind,
    /// The field's value.
    pub found: String,
    /// The values allowed.
    pub expected: String,
}

impl From<EffectError> for DecodeError {
    fn from(EffectError { field, kind: _, found, expected }: EffectError) -> Self {
        InvalidValue::new(field, &found, expected).into()
    }
}
