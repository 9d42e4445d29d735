//! The pieces to come in today's games: bags of seven, known next pieces, and a held piece. The
//! benchmark of the literature has none of them.

use hatchery_core::text::grouped;
use hatchery_core::wire::WireElement;
use hatchery_core::{InvalidValue, WireValue};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BoardSize, Piece, PieceWeights, Placement};

/// The largest number of next pieces that a player knows.
pub const MAX_PREVIEW: u32 = 5;

/// The most boards that the search for a single move values, on average: about a second and a half.
const MAX_BOARDS_PER_MOVE: f64 = 1e7;

/// All pieces, a bit for each.
const FULL_BAG: u8 = 0b111_1111;

/// The rules for the pieces to come.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, WireValue,
)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "QueueParams", description = "The pieces to come, as in today's games.")]
pub struct QueueRules {
    /// The way pieces are drawn.
    #[wire(tag = 1)]
    pub randomizer: Randomizer,
    /// The number of next pieces that the player knows. The search places the known pieces one
    /// after the other, and no others.
    #[schemars(range(max = 5))]
    #[wire(tag = 2)]
    pub preview: u32,
    /// True if the player may hold the current piece and place the piece held before, or the next
    /// one. Needs a preview: otherwise the first piece would be held for an unknown one.
    #[wire(tag = 3)]
    pub hold: bool,
}

/// The way pieces are drawn.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, WireElement,
)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "RandomizerParam")]
pub enum Randomizer {
    /// Each piece independently of the pieces before it.
    #[default]
    Independent,
    /// From a bag of the seven pieces, which is filled again once it is empty.
    Bag,
}

impl QueueRules {
    /// Returns true if these are the rules of the benchmark, where nothing is known of the pieces
    /// to come.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Returns true if the player knows a next piece.
    #[must_use]
    pub fn has_preview(&self) -> bool {
        self.preview != 0
    }

    /// Returns the number of pieces that are dealt but never placed, at most.
    #[must_use]
    pub fn n_ahead(&self) -> u64 {
        u64::from(self.preview) + u64::from(self.hold)
    }

    /// Checks the rules for games on a board of `size` with pieces of these frequencies.
    ///
    /// # Errors
    /// If the preview is longer than [`MAX_PREVIEW`] or than a search can place, a piece can be
    /// held without a preview, or the seven pieces of a bag are not equally frequent.
    pub fn check(&self, size: BoardSize, pieces: PieceWeights) -> Result<(), InvalidValue> {
        InvalidValue::check_range("preview", &self.preview, &0, &MAX_PREVIEW)?;
        if self.hold && !self.has_preview() {
            let expected = "false without a preview: the piece in place of the first held one \
                            would be unknown";
            return Err(InvalidValue::new("hold", "true", expected));
        }
        let weights = pieces.weights();
        if self.randomizer == Randomizer::Bag && weights.iter().any(|it| *it != weights[0]) {
            let expected = "independent with pieces of different frequencies: a bag has each of \
                            the seven pieces once";
            return Err(InvalidValue::new("randomizer", "bag", expected));
        }
        let fits = |preview: &u32| self.boards_per_move(*preview, size) <= MAX_BOARDS_PER_MOVE;
        match (1..=self.preview).rev().find(fits) {
            Some(most) if most != self.preview => {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "< 1e13"
                )]
                let boards = self.boards_per_move(self.preview, size) as u64;
                let expected = format!(
                    "at most {most} on {} columns{}: the search would value {} boards per move",
                    size.width(),
                    if self.hold { " with hold" } else { "" },
                    grouped(boards)
                );
                Err(InvalidValue::new("preview", &self.preview, expected))
            }
            _ => Ok(()),
        }
    }

    /// Returns the mean number of boards that the search for a move values with so many known
    /// pieces: at each level the placements of a piece, or of two with hold.
    fn boards_per_move(&self, preview: u32, size: BoardSize) -> f64 {
        // The seven pieces have 19 w - 28 placements on w columns: 162 on 10.
        let n_placements = f64::from(19 * size.width() - 28) / 7.0;
        let n_pieces = if self.hold { 2.0 } else { 1.0 };
        (0..=preview).fold(1.0, |boards, _| boards * n_pieces * n_placements)
    }
}

/// A player's choice for its current piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// True if the player holds the current piece, and places the one held before or, if it held
    /// none, the next one.
    pub holds: bool,
    /// The placement of the piece.
    pub placement: Placement,
}

impl From<Placement> for Turn {
    /// Creates the turn that places the current piece.
    fn from(placement: Placement) -> Self {
        Self { holds: false, placement }
    }
}

/// The pieces of a game that are decided and not placed yet, except the current one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieceSupply {
    rules: QueueRules,
    /// The known next pieces; the first `n_known` count.
    known: [Piece; MAX_PREVIEW as usize],
    n_known: usize,
    held: Option<Piece>,
    /// The pieces left in the bag, a bit for each.
    bag: u8,
}

impl PieceSupply {
    /// Creates the supply at the beginning of a game.
    #[must_use]
    pub fn new(rules: QueueRules) -> Self {
        let known = [Piece::I; MAX_PREVIEW as usize];
        Self { rules, known, n_known: 0, held: None, bag: 0 }
    }

    /// Returns the rules.
    #[must_use]
    pub fn rules(&self) -> QueueRules {
        self.rules
    }

    /// Returns the known next pieces, the nearest first.
    #[must_use]
    pub fn known(&self) -> &[Piece] {
        &self.known[..self.n_known]
    }

    /// Returns the held piece.
    #[must_use]
    pub fn held(&self) -> Option<Piece> {
        self.held
    }

    /// Returns the weights of the pieces that an unknown draw can bring: the rest of the bag.
    /// `None` if draws are independent.
    #[must_use]
    pub fn rest_of_bag(&self) -> Option<PieceWeights> {
        let bag = if self.bag == 0 { FULL_BAG } else { self.bag };
        let weight = |piece: Piece| u32::from(bag >> (piece as usize) & 1);
        match self.rules.randomizer {
            Randomizer::Independent => None,
            Randomizer::Bag => PieceWeights::new(Piece::ALL.map(weight)).ok(),
        }
    }

    /// Returns the next piece, and draws as many as the player is to know from `dealer`. With a
    /// bag, pieces from `dealer` that are no longer in the bag are passed over, so it must go on to
    /// deal all seven.
    #[inline(always)]
    pub fn take(&mut self, mut dealer: impl FnMut() -> Piece) -> Piece {
        if self.rules.preview == 0 {
            return self.draw(&mut dealer);
        }
        while self.n_known < self.rules.preview as usize {
            self.known[self.n_known] = self.draw(&mut dealer);
            self.n_known += 1;
        }
        let next = self.known[0];
        self.known[..self.n_known].rotate_left(1);
        self.known[self.n_known - 1] = self.draw(&mut dealer);
        next
    }

    /// Holds `piece` and returns the piece held before or, if there is none, the next one.
    pub fn hold(&mut self, piece: Piece, dealer: impl FnMut() -> Piece) -> Piece {
        self.held.replace(piece).unwrap_or_else(|| self.take(dealer))
    }

    #[inline(always)]
    fn draw(&mut self, dealer: &mut impl FnMut() -> Piece) -> Piece {
        if self.rules.randomizer == Randomizer::Independent {
            return dealer();
        }
        if self.bag == 0 {
            self.bag = FULL_BAG;
        }
        // Independent draws that are not in the bag are passed over: the rest of the bag is then
        // drawn with equal chances.
        loop {
            let piece = dealer();
            let left = self.bag & !(1 << (piece as usize));
            if left != self.bag {
                self.bag = left;
                return piece;
            }
        }
    }
}
