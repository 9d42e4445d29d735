//! The dealing of pieces: drawn, from a list, or by a seed.

use std::sync::Arc;

use hatchery_core::StreamRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::batch::PieceDealer;
use crate::rules::{Piece, PieceWeights};

/// The longest list of pieces.
pub const MAX_LISTED_PIECES: usize = 100_000;

/// The sequence of pieces in a player's games.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PieceSequence {
    /// Drawn from the random stream of each game.
    #[default]
    Drawn,
    /// The pieces of a list, which are at least one: each game has the same ones, and ends with the
    /// list at the latest.
    Listed(Arc<[Piece]>),
    /// Drawn by xoshiro256++, seeded with this number through SplitMix64, as in the golden games of
    /// the reference simulator: each game has the same ones.
    Seeded(u64),
}

/// A list of pieces that cannot be dealt.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PieceListError {
    /// A list without pieces.
    #[error("the list is empty")]
    Empty,
    /// A list with more than [`MAX_LISTED_PIECES`].
    #[error("the list has {n_pieces} pieces, expected at most {MAX_LISTED_PIECES}")]
    Long {
        /// The number of pieces.
        n_pieces: usize,
    },
    /// A character that is no piece.
    #[error("{letter:?} is the letter of no piece, at place {place}")]
    Letter {
        /// The character.
        letter: char,
        /// Its place, counted from 1.
        place: usize,
    },
}

impl PieceSequence {
    /// Creates the sequence of the pieces with these `letters`.
    ///
    /// # Errors
    /// If there are none, more than [`MAX_LISTED_PIECES`], or others than `IOTZSJL`.
    pub fn listed(letters: &str) -> Result<Self, PieceListError> {
        let n_pieces = letters.chars().count();
        match n_pieces {
            0 => return Err(PieceListError::Empty),
            _ if MAX_LISTED_PIECES < n_pieces => return Err(PieceListError::Long { n_pieces }),
            _ => {}
        }
        let piece = |(letter, place)| {
            let piece = Piece::ALL.into_iter().find(|piece| piece.letter() == letter);
            piece.ok_or(PieceListError::Letter { letter, place })
        };
        letters.chars().zip(1..).map(piece).collect::<Result<_, _>>().map(Self::Listed)
    }

    /// Returns true if all games have the same pieces.
    #[must_use]
    pub fn is_fixed(&self) -> bool {
        *self != Self::Drawn
    }
}

/// The pieces of a player's games, ready to be dealt.
pub(crate) struct PieceTickets<'a> {
    dealing: &'a PieceSequence,
    /// The pieces by ticket number.
    tickets: Vec<Piece>,
}

impl<'a> PieceTickets<'a> {
    pub(crate) fn new(dealing: &'a PieceSequence, pieces: PieceWeights) -> Self {
        let tickets = (0..pieces.sum()).map(|ticket| pieces.piece(ticket)).collect();
        Self { dealing, tickets }
    }

    /// Returns the dealer of a game that has the stream `rng`.
    pub(crate) fn dealer(&self, mut rng: StreamRng) -> PieceDealer<'_> {
        let n_tickets = u32::try_from(self.tickets.len()).expect("at most seven times 1,000");
        match self.dealing {
            PieceSequence::Drawn => Box::new(move || self.tickets[rng.below(n_tickets) as usize]),
            PieceSequence::Listed(pieces) => {
                let mut rest = pieces.iter();
                Box::new(move || *rest.next().expect("no game is longer than its list"))
            }
            PieceSequence::Seeded(seed) => {
                let mut rng = Xoshiro256PlusPlus::seed_from_u64(*seed);
                Box::new(move || {
                    let ticket = ((rng.next_u64() >> 32) * u64::from(n_tickets)) >> 32;
                    self.tickets[usize::try_from(ticket).expect("below the number of tickets")]
                })
            }
        }
    }
}
