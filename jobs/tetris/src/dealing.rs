//! The dealing of pieces: drawn, from a list, or by a seed.

use std::sync::Arc;

use hatchery_core::text::counted;
use hatchery_core::wire::WireElement;
use hatchery_core::{InvalidValue, StreamRng, WireValue};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::batch::PieceDealer;
use crate::rules::{Piece, PieceWeights, QueueRules, Randomizer};

/// The longest list of pieces.
pub const MAX_LISTED_PIECES: usize = 100_000;

/// The sequence of pieces in a player's games.
#[derive(Clone, Debug, Default, PartialEq, Eq, WireValue)]
pub enum PieceSequence {
    /// Each game draws its pieces from its own random stream.
    #[default]
    #[wire(absent)]
    Drawn,
    /// The pieces of a list: each game has the same ones, and ends with the list at the latest.
    #[wire(tag = 10)]
    Listed(PieceList),
    /// Drawn by xoshiro256++, seeded with this number through SplitMix64, as in the golden games of
    /// the reference simulator: each game has the same ones.
    #[wire(tag = 11)]
    Seeded(u64),
}

/// The pieces of a game: at least one, and at most [`MAX_LISTED_PIECES`].
#[derive(Clone, Debug, PartialEq, Eq, WireElement)]
#[wire(try_from = String)]
pub struct PieceList(Arc<[Piece]>);

impl PieceList {
    /// Returns the number of pieces.
    fn n_pieces(&self) -> u64 {
        self.0.len() as u64
    }

    /// Returns the most pieces that a game with this list can place.
    ///
    /// # Errors
    /// If the pieces are to come from a bag, or the list has none to be placed.
    pub(crate) fn n_placed(&self, queue: QueueRules) -> Result<u64, InvalidValue> {
        if queue.randomizer == Randomizer::Bag {
            let expected = "independent with a list, which has its own order";
            return Err(InvalidValue::new("queue.randomizer", "bag", expected));
        }
        let n_placed = self.n_pieces().saturating_sub(queue.n_ahead());
        if n_placed == 0 {
            let found = counted(self.0.len(), "piece");
            let expected =
                format!("at least {}: with the known and held ones", queue.n_ahead() + 1);
            return Err(InvalidValue::new("list", &found, expected));
        }
        Ok(n_placed)
    }
}

/// The letters of the pieces.
impl From<&PieceList> for String {
    fn from(PieceList(pieces): &PieceList) -> Self {
        pieces.iter().map(|piece| piece.letter()).collect()
    }
}

impl TryFrom<String> for PieceList {
    type Error = InvalidValue;

    fn try_from(letters: String) -> Result<Self, InvalidValue> {
        let refused = |found: String| {
            let expected = "1 to 100,000 letters of pieces: I, O, T, Z, S, J, L";
            InvalidValue::new("", &found, expected)
        };
        let n_pieces = letters.chars().count();
        match n_pieces {
            0 => return Err(refused("\"\"".to_owned())),
            _ if MAX_LISTED_PIECES < n_pieces => return Err(refused(counted(n_pieces, "letter"))),
            _ => {}
        }
        let piece = |(letter, place)| {
            let piece = Piece::ALL.into_iter().find(|piece| piece.letter() == letter);
            piece.ok_or_else(|| refused(format!("{letter:?} at place {place}")))
        };
        letters.chars().zip(1..).map(piece).collect::<Result<_, _>>().map(Self)
    }
}

impl PieceSequence {
    /// Creates the sequence of the pieces with these `letters`.
    ///
    /// # Errors
    /// If there are none, more than [`MAX_LISTED_PIECES`], or others than `IOTZSJL`.
    pub fn listed(letters: &str) -> Result<Self, InvalidValue> {
        PieceList::try_from(letters.to_owned()).map(Self::Listed)
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
            PieceSequence::Listed(PieceList(pieces)) => {
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
