//! Decks as people write them.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::PoolError;
use super::piece_pool::PiecePool;
use crate::rules::{DECK_PIECES, GameDeck, GamePiece, PieceId};

/// The sum that the costs of a deck's pieces may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CostCap(pub u32);

/// A deck: 16 different pieces of a pool, one of them the leader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeckDefinition {
    /// The numbers of its pieces in the pool.
    #[schemars(length(min = 16, max = 16))]
    pub pieces: Vec<u32>,
    /// The number of the leader in the pool.
    pub leader: u32,
}

impl DeckDefinition {
    /// Returns the deck as the rules see it.
    ///
    /// # Errors
    /// If it is no deck of the pool, or costs more than `cap`.
    pub fn build(&self, pool: &PiecePool, CostCap(cap): CostCap) -> Result<GameDeck, PoolError> {
        let Self { pieces, leader } = self;
        if pieces.len() != DECK_PIECES {
            return Err(PoolError::DeckSize { found: pieces.len(), expected: DECK_PIECES });
        }
        let mut seen = BTreeSet::new();
        if let Some(&piece) = pieces.iter().find(|piece| !seen.insert(**piece)) {
            return Err(PoolError::Twice { piece });
        }
        let mut cost = 0;
        let mut game_pieces = Vec::new();
        for &piece in pieces {
            let id = u16::try_from(piece).map(PieceId).ok();
            let found = id.and_then(|id| Some((pool.definition(id)?, pool.piece(id)?)));
            let last = pool.len() - 1;
            let (definition, game_piece) = found.ok_or(PoolError::Unknown { piece, last })?;
            cost += definition.cost;
            game_pieces.push(game_piece.clone());
        }
        let place = pieces.iter().position(|piece| piece == leader);
        let leader = place.ok_or(PoolError::Leader { leader: *leader })?;
        if cap < cost {
            return Err(PoolError::Cost { cost, cap });
        }
        Ok(game_deck(game_pieces, leader))
    }
}

/// Returns the deck with these pieces. The caller has checked their number and every piece.
fn game_deck(pieces: Vec<GamePiece>, leader: usize) -> GameDeck {
    let pieces = pieces.try_into().expect("the number was checked");
    GameDeck::new(pieces, leader).expect("different pieces, each checked by the pool")
}
