//! The pieces and sets that make up a deck, in the order of the attempts to use them.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::clusters::DeckCluster;
use super::sets::strength;
use super::used::UsedTable;

/// The pieces and sets of used decks with their weights.
#[derive(Clone, Debug)]
pub(super) struct UsedPieces {
    /// The pieces with the weights of the decks that have them, in tiers: all pieces in a tier come
    /// before the pieces in the next tier.
    pieces: Vec<Vec<(u32, u64)>>,
    /// The sets with their strengths, the strongest first.
    sets: Vec<(Vec<u32>, u64)>,
    /// The weights of the decks that a piece led, by tier.
    leaders: BTreeMap<u32, [u64; 2]>,
}

/// Pieces and sets in the order of the attempts to use them.
#[derive(Clone, Debug)]
pub(super) struct DeckSource {
    pub(super) sets: Vec<Vec<u32>>,
    pub(super) pieces: Vec<u32>,
    /// The weights of the decks that a piece led: first the cluster's decks, then all decks.
    pub(super) leaders: BTreeMap<u32, [u64; 2]>,
}

impl UsedPieces {
    /// Returns a cluster's pieces and sets.
    pub(super) fn new(table: &UsedTable<'_>, cluster: &DeckCluster) -> Self {
        let mut weights: BTreeMap<u32, u64> = BTreeMap::new();
        let mut leaders: BTreeMap<u32, [u64; 2]> = BTreeMap::new();
        for &deck in &cluster.decks {
            let (definition, weight) = (&table.decks[deck].definition, table.weight(deck));
            for &piece in &definition.pieces {
                *weights.entry(piece).or_default() += weight;
            }
            leaders.entry(definition.leader).or_default()[0] += weight;
        }
        let mut pieces: Vec<(u32, u64)> = weights.into_iter().collect();
        pieces.sort_by_key(|(piece, weight)| (Reverse(*weight), *piece));
        let sets = cluster.sets.iter().map(|set| (set.items.clone(), strength(set))).collect();
        Self { pieces: vec![pieces], sets, leaders }
    }

    /// Returns these with the pieces of others as another tier.
    pub(super) fn followed_by(mut self, others: &Self) -> Self {
        let own = &self.pieces[0];
        let is_new = |(piece, _): &&(u32, u64)| own.iter().all(|(other, _)| other != piece);
        let next = others.pieces[0].iter().filter(is_new).copied().collect();
        self.pieces.push(next);
        for (leader, [weight, _]) in &others.leaders {
            self.leaders.entry(*leader).or_default()[1] += weight;
        }
        self
    }
}

impl DeckSource {
    /// Returns the strongest sets and pieces first; of equal pieces, the one with the smaller
    /// number.
    pub(super) fn strongest(used: &UsedPieces) -> Self {
        Self::in_order(used, |weights| (0..weights.len()).collect())
    }

    /// Returns the sets and every tier's pieces in orders that `order` draws for weights.
    pub(super) fn drawn(used: &UsedPieces, order: impl FnMut(&[u64]) -> Vec<usize>) -> Self {
        Self::in_order(used, order)
    }

    fn in_order(used: &UsedPieces, mut order: impl FnMut(&[u64]) -> Vec<usize>) -> Self {
        let UsedPieces { pieces: tiers, sets, leaders } = used;
        let weights: Vec<u64> = sets.iter().map(|(_, weight)| *weight).collect();
        let sets = order(&weights).into_iter().map(|at| sets[at].0.clone()).collect();
        let mut pieces = Vec::new();
        for tier in tiers {
            let weights: Vec<u64> = tier.iter().map(|(_, weight)| *weight).collect();
            pieces.extend(order(&weights).into_iter().map(|at| tier[at].0));
        }
        Self { sets, pieces, leaders: leaders.clone() }
    }
}
