//! Pieces, and the effects that their skills fire.

use hatchery_core::wire::{MessageReader, MessageWriter, WireField};
use hatchery_core::{DecodeError, InvalidValue, WireElement, WireValue};

use super::attribute::Attribute;
use super::effect::{Effect, EffectKind};

/// The number of a kind of piece in its pool. The plain piece has no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, WireElement)]
pub struct PieceId(pub u16);

/// A piece as the rules see it.
#[derive(Clone, Debug, PartialEq, Eq, WireValue)]
pub struct GamePiece {
    /// Its number.
    #[wire(tag = 1)]
    pub id: PieceId,
    /// Its attribute.
    #[wire(tag = 2)]
    pub attribute: Attribute,
    /// The HP that it adds to its deck's.
    #[wire(tag = 3, range(min = 1, max = MAX_PIECE_HP))]
    pub hp: u32,
    /// Its attack.
    #[wire(tag = 4, range(max = MAX_ATTACK))]
    pub attack: u32,
    /// The effects of its skill; none if it has no skill.
    #[wire(tag = 5)]
    pub skill: EffectChain,
    /// The effects of its combo skill; none if it has none.
    #[wire(tag = 6)]
    pub combo: EffectChain,
}

/// The effects that a skill fires one after the other: an echo, then the skill that it echoes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EffectChain {
    effects: [Option<Effect>; MAX_CHAIN],
}

/// The most effects of a chain: three echoes and what they come to.
pub const MAX_CHAIN: usize = 4;

impl EffectChain {
    /// No skill.
    pub const NONE: Self = Self { effects: [None; MAX_CHAIN] };

    /// Returns the chain of `effects`; `None` if there are too many, or if it does not consist of
    /// echoes and one other effect at its end. No effects are no skill.
    #[must_use]
    pub fn new(effects: &[Effect]) -> Option<Self> {
        let mut chain = Self::NONE;
        if MAX_CHAIN < effects.len() || effects.iter().any(|effect| effect.check().is_err()) {
            return None;
        }
        for (at, effect) in effects.iter().enumerate() {
            let is_last = at + 1 == effects.len();
            if (effect.kind == EffectKind::Echo) == is_last {
                return None;
            }
            chain.effects[at] = Some(*effect);
        }
        Some(chain)
    }

    /// Iterates over the effects.
    pub fn iter(&self) -> impl Iterator<Item = &Effect> {
        self.effects.iter().flatten()
    }

    /// Returns the first effect, whose condition is that of the skill; `None` without a skill.
    #[must_use]
    pub const fn first(&self) -> Option<&Effect> {
        self.effects[0].as_ref()
    }

    /// Returns true if there is no skill.
    #[must_use]
    pub const fn is_none(&self) -> bool {
        self.effects[0].is_none()
    }
}

/// The effects, as a list of messages.
impl WireField for EffectChain {
    fn write_field(&self, tag: u32, message: &mut MessageWriter) {
        self.iter().for_each(|effect| effect.write(tag, message));
    }

    fn read_field(
        tag: u32,
        name: &'static str,
        message: &mut MessageReader<'_>,
    ) -> Result<Self, DecodeError> {
        let effects = Effect::read_list(tag, name, message)?;
        let found = || format!("a chain of {}", effects.len());
        let expected =
            || format!("at most {MAX_CHAIN} effects: echoes, and another one at the end");
        Self::new(&effects).ok_or_else(|| DecodeError::field(name, &found(), expected()))
    }
}

/// The number of pieces of a deck.
pub const DECK_PIECES: usize = 16;

/// The largest HP of a piece.
pub const MAX_PIECE_HP: u32 = 9_999;

/// The largest attack of a piece.
pub const MAX_ATTACK: u32 = 9_999;

/// A deck as the rules see it.
#[derive(Clone, Debug, PartialEq, Eq, WireValue)]
#[wire(try_from = DeckForm)]
pub struct GameDeck {
    pieces: [GamePiece; DECK_PIECES],
    leader: usize,
    attribute: Option<Attribute>,
}

impl GameDeck {
    /// Returns the deck of these pieces, whose leader has the index `leader`; `None` if a piece is
    /// there twice, or a number is out of its range.
    #[must_use]
    pub fn new(pieces: [GamePiece; DECK_PIECES], leader: usize) -> Option<Self> {
        let in_range = |piece: &GamePiece| {
            (1..=MAX_PIECE_HP).contains(&piece.hp) && piece.attack <= MAX_ATTACK
        };
        let is_again = |at: usize| pieces[..at].iter().any(|earlier| earlier.id == pieces[at].id);
        if DECK_PIECES <= leader || !pieces.iter().all(in_range) || (0..DECK_PIECES).any(is_again) {
            return None;
        }
        let first = pieces[0].attribute;
        let attribute = pieces.iter().all(|piece| piece.attribute == first).then_some(first);
        Some(Self { pieces, leader, attribute })
    }

    /// Returns the pieces.
    #[must_use]
    pub const fn pieces(&self) -> &[GamePiece; DECK_PIECES] {
        &self.pieces
    }

    /// Returns the index of the leader.
    #[must_use]
    pub const fn leader(&self) -> usize {
        self.leader
    }

    /// Returns the attribute that all pieces share, if there is such an attribute.
    #[must_use]
    pub const fn attribute(&self) -> Option<Attribute> {
        self.attribute
    }

    /// Returns the player's HP at the start: the sum of the pieces' HP (Kono et al., 2.1).
    #[must_use]
    pub fn hp(&self) -> u32 {
        self.pieces.iter().map(|piece| piece.hp).sum()
    }
}

/// A [`GameDeck`] on the wire.
#[derive(WireValue)]
struct DeckForm {
    #[wire(tag = 1)]
    pieces: [GamePiece; DECK_PIECES],
    #[wire(tag = 2, range(max = 15))]
    leader: usize,
}

impl From<&GameDeck> for DeckForm {
    fn from(GameDeck { pieces, leader, attribute: _ }: &GameDeck) -> Self {
        Self { pieces: pieces.clone(), leader: *leader }
    }
}

impl TryFrom<DeckForm> for GameDeck {
    type Error = InvalidValue;

    fn try_from(DeckForm { pieces, leader }: DeckForm) -> Result<Self, InvalidValue> {
        let same = || InvalidValue::new("pieces", "a list with one piece twice", "different");
        Self::new(pieces, leader).ok_or_else(same)
    }
}
