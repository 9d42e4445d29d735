//! Pieces, and the effects that their skills fire.

use super::attribute::Attribute;
use super::effect::{Effect, EffectKind};

/// The number of a kind of piece in its pool. The plain piece has no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PieceId(pub u16);

/// A piece as the rules see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GamePiece {
    /// Its number.
    pub id: PieceId,
    /// Its attribute.
    pub attribute: Attribute,
    /// The HP that it adds to its deck's.
    pub hp: u32,
    /// Its attack.
    pub attack: u32,
    /// The effects of its skill; none if it has no skill.
    pub skill: EffectChain,
    /// The effects of its combo skill; none if it has none.
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

/// The number of pieces of a deck.
pub const DECK_PIECES: usize = 16;

/// The largest HP of a piece.
pub const MAX_PIECE_HP: u32 = 9_999;

/// The largest attack of a piece.
pub const MAX_ATTACK: u32 = 9_999;

/// A deck as the rules see it.
#[derive(Clone, Debug, PartialEq, Eq)]
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

    /// Returns the attribute of all pieces, if they have one.
    #[must_use]
    pub const fn attribute(&self) -> Option<Attribute> {
        self.attribute
    }

    /// Returns the player's HP at the start: the sum of those of the pieces (Kono et al., 2.1).
    #[must_use]
    pub fn hp(&self) -> u32 {
        self.pieces.iter().map(|piece| piece.hp).sum()
    }
}
