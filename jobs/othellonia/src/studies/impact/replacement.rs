//! Decks that a new piece enters: which piece it replaces, and the deck with the new one in its
//! place, so that games with the same shuffles draw it where they drew the old one.

use crate::params::deck_param::NamedDeck;
use crate::pool::{CostCap, PiecePool, PoolError};
use crate::rules::PieceId;
use crate::trial::results::PieceNeighbors;

/// Returns `deck` with the piece `new` in the place of `old`.
///
/// # Errors
/// If the deck then costs more than `cap`, or has the new piece twice.
pub(super) fn replaced(
    deck: &NamedDeck,
    pool: &PiecePool,
    [old, new]: [u32; 2],
    cap: CostCap,
) -> Result<NamedDeck, PoolError> {
    let NamedDeck { name, definition, .. } = deck;
    let mut definition = definition.clone();
    for piece in definition.pieces.iter_mut().filter(|piece| **piece == old) {
        *piece = new;
    }
    let deck = definition.build(pool, cap)?;
    Ok(NamedDeck { name: format!("{name}-new"), definition, deck })
}

/// Returns the pieces of `deck` that the piece `new` may replace: pieces with the same cost, or
/// with a lower cost if there are none and `cap` allows it; never the leader.
pub(super) fn candidates(deck: &NamedDeck, pool: &PiecePool, new: u32, cap: CostCap) -> Vec<u32> {
    let others = deck.definition.pieces.iter().copied();
    let others: Vec<u32> = others.filter(|piece| *piece != deck.definition.leader).collect();
    let of_cost = |is_one: fn(u32, u32) -> bool| -> Vec<u32> {
        let allowed = |old: &&u32| replaced(deck, pool, [**old, new], cap).is_ok();
        let those = others.iter().filter(|old| is_one(cost(pool, **old), cost(pool, new)));
        those.filter(allowed).copied().collect()
    };
    let same = of_cost(|old, new| old == new);
    if same.is_empty() { of_cost(|old, new| old < new) } else { same }
}

/// Returns the candidate whose vector is most like that of the piece `new`, the first of equals, by
/// the neighbors that its training listed; `None` without candidates.
pub(super) fn most_similar(
    deck: &NamedDeck,
    pool: &PiecePool,
    new: u32,
    cap: CostCap,
    neighbors: &[PieceNeighbors],
) -> Option<u32> {
    let cosine = |old: u32| {
        let row = neighbors.iter().find(|row| u32::from(row.piece) == old)?;
        let found = row.nearest.iter().find(|(piece, _)| u32::from(*piece) == new);
        found.map(|(_, cosine)| *cosine)
    };
    let mut best: Option<(u32, f32)> = None;
    for old in candidates(deck, pool, new, cap) {
        let cosine = cosine(old).unwrap_or(f32::NEG_INFINITY);
        if best.is_none_or(|(_, other)| other < cosine) {
            best = Some((old, cosine));
        }
    }
    best.map(|(old, _)| old)
}

/// Returns `deck` with the piece `new` in the place of the one whose cost is nearest, the first of
/// equals, but not of the leader. Returns the deck as it is if it has the piece, and `None` if the
/// piece is too expensive for it.
pub(super) fn entered(
    deck: &NamedDeck,
    pool: &PiecePool,
    new: u32,
    cap: CostCap,
) -> Option<NamedDeck> {
    if deck.definition.pieces.contains(&new) {
        return Some(deck.clone());
    }
    let others = deck.definition.pieces.iter().copied();
    let mut others: Vec<u32> = others.filter(|piece| *piece != deck.definition.leader).collect();
    others.sort_by_key(|&old| cost(pool, old).abs_diff(cost(pool, new)));
    others.into_iter().find_map(|old| replaced(deck, pool, [old, new], cap).ok())
}

/// Returns the cost of a piece of the pool.
fn cost(pool: &PiecePool, piece: u32) -> u32 {
    let id = u16::try_from(piece).ok().map(PieceId);
    id.and_then(|id| pool.definition(id)).map_or(0, |it| it.cost)
}
