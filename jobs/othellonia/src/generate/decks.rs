//! Generated decks.

use hatchery_core::{RunSeed, StreamRng};

use super::effects::kind_archetype;
use super::{Archetype, PoolSettings, generate_pieces};
use crate::pool::{CostCap, DeckDefinition, PieceDefinition, PiecePool, PoolError};
use crate::rules::DECK_PIECES;

/// The cost cap of decks: 16 pieces of 12.5 on average (our own choice).
pub const DEFAULT_COST_CAP: CostCap = CostCap(200);

/// The seeds of the shipped decks, by archetype: the most even decks among the archetypes' first
/// ten decks, by 2,000 games a match-up (`balance search` in the examples).
const SHIPPED_SEEDS: [u64; 3] = [3, 3, 1];

/// One deck in so many has pieces of its archetype's attribute alone.
const MONO_DECKS: u32 = 4;

/// Weights of pieces.
mod weight {
    /// A piece of the archetype's attribute, compared with another.
    pub(super) const ATTRIBUTE: f64 = 16.0;
    /// A skill of a kind that the archetype lives on, compared with others.
    pub(super) const KIND: f64 = 2.0;
    /// The weight of a piece is its cost to this power: so decks come close to the cap.
    pub(super) const COST_POWER: f64 = 1.3;
}

/// Generates a deck of an archetype: pieces are drawn by weight as the cap allows, and then swapped
/// for dearer ones as long as it allows that.
///
/// Nothing depends on HP and attacks: pools that differ only by factors have the same decks.
///
/// # Errors
/// If the pool has too few pieces, or its cheapest cost more than the cap together.
///
/// # Panics
/// Never: a pool's numbers are below [`MAX_KINDS`](crate::pool::MAX_KINDS).
pub fn generate_deck(
    pool: &PiecePool,
    archetype: Archetype,
    seed: u64,
    CostCap(cap): CostCap,
) -> Result<DeckDefinition, PoolError> {
    if pool.len() < DECK_PIECES {
        return Err(PoolError::DeckSize { found: pool.len(), expected: DECK_PIECES });
    }
    let mut rng = RunSeed::new("othellonia-deck", seed).generation(0).stream(archetype.name());
    let definitions = pool.definitions();
    let mut left = drawing_order(definitions, archetype, &mut rng);
    let mut pieces = Vec::new();
    let mut spent = 0;
    while pieces.len() < DECK_PIECES {
        let mut costs: Vec<_> = left.iter().map(|&piece| definitions[piece].cost).collect();
        costs.sort_unstable();
        costs.truncate(DECK_PIECES - pieces.len());
        let cheapest: u32 = costs.iter().sum();
        let dearest_of_them = costs.last().copied().unwrap_or(0);
        // With a dearer piece, the others can still be the cheapest.
        let fits = |&piece: &usize| {
            let dearer = definitions[piece].cost.saturating_sub(dearest_of_them);
            spent + cheapest + dearer <= cap
        };
        let at = left.iter().position(fits);
        let at = at.ok_or(PoolError::Cost { cost: spent + cheapest, cap })?;
        let piece = left.remove(at);
        spent += definitions[piece].cost;
        pieces.push(piece);
    }
    let cost = |piece: usize| definitions[piece].cost;
    while let Some([at, dearer]) = dearer_swap(&pieces, &left, cost, cap - spent) {
        spent += cost(left[dearer]) - cost(pieces[at]);
        std::mem::swap(&mut pieces[at], &mut left[dearer]);
    }
    // The leader is the dearest piece of the archetype's attribute; the first drawn of equals.
    let rank = |piece: usize| {
        let definition = &definitions[piece];
        (definition.attribute == archetype.attribute(), definition.cost)
    };
    let leader = pieces.iter().copied().rev().max_by_key(|&piece| rank(piece));
    let number = |piece: usize| u32::try_from(piece).expect("at most MAX_KINDS");
    let leader = number(leader.expect("16 pieces"));
    Ok(DeckDefinition { pieces: pieces.into_iter().map(number).collect(), leader })
}

/// Returns the three decks of the default pool, by archetype. They have no piece in common, and
/// each wins about half its games against the others, between standard agents.
///
/// # Panics
/// Never: the default pool is valid.
#[must_use]
pub fn shipped_decks() -> [DeckDefinition; 3] {
    let pieces = generate_pieces(&PoolSettings::default());
    let pool = PiecePool::new(pieces).expect("the default pool is valid");
    Archetype::ALL.map(|archetype| {
        let seed = SHIPPED_SEEDS[archetype as usize];
        let deck = generate_deck(&pool, archetype, seed, DEFAULT_COST_CAP);
        deck.expect("the default pool has pieces enough")
    })
}

/// Returns all pieces in a random order; pieces with more weight tend to come first. The order is
/// by u^(1/weight), for u uniform (Efraimidis and Spirakis 2006).
fn drawing_order(
    definitions: &[PieceDefinition],
    archetype: Archetype,
    rng: &mut StreamRng,
) -> Vec<usize> {
    let is_mono = rng.below(MONO_DECKS) == 0;
    let mut keyed: Vec<(bool, f64, usize)> = Vec::new();
    for (piece, definition) in definitions.iter().enumerate() {
        let fits = definition.attribute == archetype.attribute();
        let mut weight = libm::pow(f64::from(definition.cost.max(1)), weight::COST_POWER);
        if fits {
            weight *= weight::ATTRIBUTE;
        }
        for effect in [definition.skill, definition.combo].into_iter().flatten() {
            if kind_archetype(effect.kind) == Some(archetype) {
                weight *= weight::KIND;
            }
        }
        // 1 - u is never 0.
        let key = -libm::log(1.0 - rng.unit_f64()) / weight;
        keyed.push((is_mono && !fits, key, piece));
    }
    keyed.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
    keyed.into_iter().map(|(_, _, piece)| piece).collect()
}

/// Returns the indices of a piece of the deck and of a dearer one of `left`, the first for which
/// there is one, so that the deck costs more by at most `gap`.
fn dearer_swap(
    pieces: &[usize],
    left: &[usize],
    cost: impl Fn(usize) -> u32,
    gap: u32,
) -> Option<[usize; 2]> {
    left.iter().enumerate().find_map(|(dearer, &other)| {
        let fits = |&piece: &usize| {
            let [from, to] = [cost(piece), cost(other)];
            from < to && to - from <= gap
        };
        // The last drawn has the least weight.
        pieces.iter().rposition(fits).map(|at| [at, dearer])
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn decks_are_legal_and_of_their_archetype() {
        let pool = PiecePool::new(generate_pieces(&PoolSettings::default())).unwrap();
        let mut n_mono = 0;
        for archetype in Archetype::ALL {
            for seed in 0..20 {
                let deck = generate_deck(&pool, archetype, seed, DEFAULT_COST_CAP).unwrap();
                let built = deck.build(&pool, DEFAULT_COST_CAP).unwrap();
                let fits = built.pieces().iter().filter(|it| it.attribute == archetype.attribute());
                assert!(9 <= fits.count(), "{deck:?}");
                n_mono += u32::from(built.attribute().is_some());
            }
        }
        assert!((5..35).contains(&n_mono), "{n_mono} decks have one attribute");
    }

    #[test]
    fn shipped_decks_have_no_piece_in_common() {
        let decks = shipped_decks();
        let pieces: BTreeSet<_> = decks.iter().flat_map(|deck| &deck.pieces).collect();
        assert_eq!(pieces.len(), 3 * DECK_PIECES);
    }

    #[test]
    fn pools_without_a_deck_are_refused() {
        let pieces = generate_pieces(&PoolSettings::default());
        let pool = |kinds: usize| PiecePool::new(pieces[..kinds].to_vec()).unwrap();
        let deck = |kinds, cap| generate_deck(&pool(kinds), Archetype::Tricky, 1, CostCap(cap));
        assert!(matches!(deck(15, 200), Err(PoolError::DeckSize { found: 15, .. })));
        assert!(matches!(deck(924, 79), Err(PoolError::Cost { cost: 80, cap: 79 })));
        assert!(deck(924, 80).is_ok());
        assert!(deck(16, 1_000).is_ok());
    }
}
