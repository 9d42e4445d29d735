//! Decks drawn at random from a list of pieces.

use hatchery_core::RunSeed;

use super::deck::{CostCap, DeckDefinition};
use super::error::PoolError;
use super::piece_pool::PiecePool;
use crate::rules::DECK_PIECES;

/// The most draws of a deck until one is cheap enough.
pub const MAX_DRAWS: u32 = 1_000;

/// Draws deck number `number` of `seed`: every 16 of `pieces` that cost at most `cap` are equally
/// probable, and every piece in the deck is equally probable as the leader.
///
/// # Errors
/// If there are fewer than 16 pieces, one is not in the pool, or no draw is cheap enough.
pub fn draw_deck(
    pool: &PiecePool,
    pieces: &[u32],
    seed: u64,
    number: u32,
    cap: CostCap,
) -> Result<DeckDefinition, PoolError> {
    if pieces.len() < DECK_PIECES {
        return Err(PoolError::DeckSize { found: pieces.len(), expected: DECK_PIECES });
    }
    let mut rng = RunSeed::new("othellonia random decks", seed).generation(number).stream("deck");
    let mut drawn = pieces.to_vec();
    let mut refused = PoolError::Cost { cost: 0, cap: cap.0 };
    for _ in 0..MAX_DRAWS {
        for place in 0..DECK_PIECES {
            let rest = u32::try_from(drawn.len() - place).unwrap_or(u32::MAX);
            drawn.swap(place, place + rng.below(rest) as usize);
        }
        let deck = DeckDefinition { pieces: drawn[..DECK_PIECES].to_vec(), leader: drawn[0] };
        match deck.build(pool, cap) {
            Ok(_) => return Ok(deck),
            Err(error @ PoolError::Cost { .. }) => refused = error,
            Err(error) => return Err(error),
        }
    }
    Err(refused)
}
