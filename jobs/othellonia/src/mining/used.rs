//! Decks that players used.

use super::error::MiningError;
use crate::pool::{CostCap, DeckDefinition, PieceDefinition, PiecePool};
use crate::rules::Attribute;

/// The most used decks: with this many decks, the distances between all pairs take some seconds.
pub const MAX_USED_DECKS: usize = 1_000;

/// A deck that players used, and its results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsedDeck {
    /// The deck. It may cost more than the decks that mining makes.
    pub definition: DeckDefinition,
    /// The games that it won. A draw is no win.
    pub wins: u32,
    /// The games that it played.
    pub games: u32,
}

/// Used decks, checked, with what the pool says of their pieces.
pub(super) struct UsedTable<'a> {
    pub(super) decks: &'a [UsedDeck],
    pieces: &'a [PieceDefinition],
}

impl<'a> UsedTable<'a> {
    /// Checks the decks.
    ///
    /// # Errors
    /// If there are none or too many, one is no deck of the pool, or won more than it played.
    pub(super) fn new(decks: &'a [UsedDeck], pool: &'a PiecePool) -> Result<Self, MiningError> {
        let found = decks.len();
        if found == 0 || MAX_USED_DECKS < found {
            return Err(MiningError::DeckCount { found, most: MAX_USED_DECKS });
        }
        for (deck, UsedDeck { definition, wins, games }) in decks.iter().enumerate() {
            let built = definition.build(pool, CostCap(u32::MAX));
            built.map_err(|source| MiningError::Deck { deck, source })?;
            if games < wins {
                return Err(MiningError::Wins { deck, wins: *wins, games: *games });
            }
        }
        Ok(Self { decks, pieces: pool.definitions() })
    }

    /// Returns the weight of a deck: its wins and 1, so that one without wins still counts.
    pub(super) fn weight(&self, deck: usize) -> u64 {
        u64::from(self.decks[deck].wins) + 1
    }

    /// Returns the sum of the weights of decks.
    pub(super) fn weight_of(&self, decks: &[usize]) -> u64 {
        decks.iter().map(|&deck| self.weight(deck)).sum()
    }

    /// Returns true if the deck won more than half its games.
    pub(super) fn is_winner(&self, deck: usize) -> bool {
        let UsedDeck { wins, games, .. } = self.decks[deck];
        u64::from(games) < 2 * u64::from(wins)
    }

    /// Returns the cost of a piece.
    pub(super) fn cost(&self, piece: u32) -> u32 {
        self.pieces[piece as usize].cost
    }

    /// Returns the place of a piece's attribute in [`Attribute::ALL`].
    pub(super) fn attribute(&self, piece: u32) -> usize {
        let attribute = self.pieces[piece as usize].attribute;
        Attribute::ALL.iter().position(|it| *it == attribute).expect("all are there")
    }

    /// Returns a deck's numbers of pieces by attribute.
    pub(super) fn attributes(&self, deck: usize) -> [u32; 3] {
        let mut counts = [0; 3];
        for &piece in &self.decks[deck].definition.pieces {
            counts[self.attribute(piece)] += 1;
        }
        counts
    }
}
