//! Makes a deck of sets and pieces.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use hatchery_core::StreamRng;

use super::error::MiningError;
use super::used::UsedTable;
use crate::pool::{CostCap, DeckDefinition};
use crate::rules::{Attribute, DECK_PIECES};

/// The fewest pieces with the main attribute in a deck that is mainly of this attribute: more than
/// half.
const MAIN_PIECES: usize = 9;

/// The numbers of pieces per attribute in a balanced deck: a third of 16, or not far from it.
const BALANCED_PIECES: RangeInclusive<usize> = 4..=8;

/// Sets are added until they are so many pieces: half the deck.
const SET_PIECES: usize = DECK_PIECES / 2;

/// The least and the most pieces per attribute, in the order of [`Attribute::ALL`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Requirement([(usize, usize); 3]);

impl Requirement {
    /// Any attributes.
    pub(super) const NONE: Self = Self([(0, DECK_PIECES); 3]);

    /// A balance of the attributes.
    pub(super) const BALANCED: Self = Self([(*BALANCED_PIECES.start(), *BALANCED_PIECES.end()); 3]);

    /// Returns the requirement for a deck with mainly this attribute.
    pub(super) fn mainly(attribute: Attribute) -> Self {
        let least = |it: Attribute| if it == attribute { MAIN_PIECES } else { 0 };
        Self(Attribute::ALL.map(|it| (least(it), DECK_PIECES)))
    }

    /// Returns true if the mean deck meets the requirement, each deck with its weight.
    pub(super) fn is_met_by_mean(&self, table: &UsedTable<'_>, decks: &[usize]) -> bool {
        let mut sums = [0_u64; 3];
        for &deck in decks {
            for (sum, count) in sums.iter_mut().zip(table.attributes(deck)) {
                *sum += table.weight(deck) * u64::from(count);
            }
        }
        let total = table.weight_of(decks);
        let meets = |((least, most), sum): (&(usize, usize), u64)| {
            (*least as u64 * total..=*most as u64 * total).contains(&sum)
        };
        self.0.iter().zip(sums).all(meets)
    }
}

/// A deck in the making, which can always be completed.
pub(super) struct DeckBuilder<'a> {
    table: &'a UsedTable<'a>,
    requirement: Requirement,
    cap: u32,
    /// The available pieces by attribute, the cheapest first.
    available: [Vec<u32>; 3],
    pieces: Vec<u32>,
}

impl<'a> DeckBuilder<'a> {
    /// Returns an empty deck that will be made of `available`, which are different pieces.
    ///
    /// # Errors
    /// If no deck can be made from the pieces.
    pub(super) fn new(
        table: &'a UsedTable<'a>,
        available: &[u32],
        requirement: Requirement,
        CostCap(cap): CostCap,
    ) -> Result<Self, MiningError> {
        let of = |attribute: usize| {
            let is_of = |piece: &u32| table.attribute(*piece) == attribute;
            let mut pieces: Vec<u32> = available.iter().copied().filter(is_of).collect();
            pieces.sort_by_key(|piece| (table.cost(*piece), *piece));
            pieces
        };
        let available = [0, 1, 2].map(of);
        let builder = Self { table, requirement, cap, available, pieces: Vec::new() };
        match builder.cheapest_with(&[]) {
            Some(cost) if cost <= cap => Ok(builder),
            Some(cost) => Err(MiningError::Cost { cost, cap }),
            None => Err(builder.too_few()),
        }
    }

    /// Adds sets in their order, each as a whole if the deck can still be completed, until they are
    /// half the deck.
    pub(super) fn add_sets(&mut self, sets: &[Vec<u32>]) {
        for set in sets {
            let is_new = |piece: &u32| !self.pieces.contains(piece);
            let new: Vec<u32> = set.iter().copied().filter(is_new).collect();
            if self.pieces.len() + new.len() <= SET_PIECES && self.fits(&new) {
                self.pieces.extend(new);
            }
        }
    }

    /// Completes the deck with pieces in their order, each if the deck can still be completed.
    /// They are all that are available.
    pub(super) fn fill(&mut self, pieces: &[u32]) {
        for piece in pieces {
            if self.pieces.len() < DECK_PIECES
                && !self.pieces.contains(piece)
                && self.fits(&[*piece])
            {
                self.pieces.push(*piece);
            }
        }
    }

    /// Returns the deck. Its leader is the piece with the largest weights as a leader; of equals,
    /// the dearest, then the one with the smallest number.
    pub(super) fn finish(self, leaders: &BTreeMap<u32, [u64; 2]>) -> DeckDefinition {
        let rank = |piece: &u32| {
            let weights = leaders.get(piece).copied().unwrap_or_default();
            (weights, self.table.cost(*piece), Reverse(*piece))
        };
        let leader = self.pieces.iter().copied().max_by_key(rank).expect("a deck is never empty");
        DeckDefinition { pieces: self.pieces, leader }
    }

    fn fits(&self, new: &[u32]) -> bool {
        self.cheapest_with(new).is_some_and(|cost| cost <= self.cap)
    }

    /// Returns the cost of the cheapest deck with the pieces so far and `new` ones that meets the
    /// requirement; `None` if there is none.
    fn cheapest_with(&self, new: &[u32]) -> Option<u32> {
        let left = DECK_PIECES.checked_sub(self.pieces.len() + new.len())?;
        let (mut spent, mut counts) = (0, [0_usize; 3]);
        for &piece in self.pieces.iter().chain(new) {
            spent += self.table.cost(piece);
            counts[self.table.attribute(piece)] += 1;
        }
        // The costs of the cheapest 0, 1, 2 and so on of each attribute.
        let sums = self.available.each_ref().map(|available| {
            let is_left = |piece: &&u32| !self.pieces.contains(piece) && !new.contains(piece);
            let mut sums = vec![0];
            for piece in available.iter().filter(is_left).take(left) {
                sums.push(sums.last().copied().unwrap_or(0) + self.table.cost(*piece));
            }
            sums
        });
        let added = |attribute: usize, n: usize| {
            let (least, most) = self.requirement.0[attribute];
            let cost = sums[attribute].get(n)?;
            (least..=most).contains(&(counts[attribute] + n)).then_some(*cost)
        };
        let mut cheapest: Option<u32> = None;
        for (first, second) in (0..=left).flat_map(|a| (0..=left - a).map(move |b| (a, b))) {
            let costs = [added(0, first), added(1, second), added(2, left - first - second)];
            if let [Some(a), Some(b), Some(c)] = costs {
                let cost = spent + a + b + c;
                cheapest = Some(cheapest.map_or(cost, |least| least.min(cost)));
            }
        }
        cheapest
    }

    /// Returns the error for pieces that cannot meet the requirement in any deck.
    fn too_few(&self) -> MiningError {
        let found = self.available.each_ref().map(Vec::len);
        for (attribute, (needed, _)) in self.requirement.0.into_iter().enumerate() {
            if found[attribute] < needed {
                let (attribute, found) = (Attribute::ALL[attribute], found[attribute]);
                return MiningError::Attribute { attribute, found, needed };
            }
        }
        let places = self.requirement.0.iter().zip(found).map(|((_, most), n)| n.min(*most));
        MiningError::Balance { found: places.sum(), needed: DECK_PIECES }
    }
}

/// Draws a random order; larger weights tend to come first. The order is by u^(1/weight),
/// for u uniform (Efraimidis and Spirakis 2006).
pub(super) fn weighted_order(weights: &[u64], rng: &mut StreamRng) -> Vec<usize> {
    #[expect(clippy::cast_precision_loss, reason = "rounded weights are weights as well")]
    // 1 - u is never 0.
    let key = |weight: &u64| -libm::log(1.0 - rng.unit_f64()) / *weight as f64;
    let keys: Vec<f64> = weights.iter().map(key).collect();
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by(|a, b| keys[*a].total_cmp(&keys[*b]).then(a.cmp(b)));
    order
}
