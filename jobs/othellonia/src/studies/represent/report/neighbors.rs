//! The table of neighbors: which pieces have vectors alike, and what they have in common.

use std::collections::BTreeMap;

use hatchery_core::IntervalEstimate;
use hatchery_core::findings::FindingBlock;
use hatchery_core::table::{DataTable, TableColumns};
use hatchery_core::text::counted;
use hatchery_stats::error::ErrorRate;
use hatchery_stats::wilson_interval;

use crate::pool::{PieceDefinition, PiecePool};
use crate::rules::{Attribute, EffectKind, PieceId};
use crate::trial::results::PieceNeighbors;

/// The least placements of a piece that counts in shares.
pub(super) const LEAST_PLACED: u32 = 10;

/// The most pieces in the report.
const REPORTED: usize = 20;

/// The neighbors of every piece, with the pieces' definitions.
pub(super) struct NeighborTable<'a> {
    rows: Vec<PieceRow<'a>>,
}

/// A piece with its neighbors.
struct PieceRow<'a> {
    piece: u16,
    placed: u32,
    definition: &'a PieceDefinition,
    /// The neighbors with their cosines.
    nearest: Vec<(u16, f32, &'a PieceDefinition)>,
}

impl<'a> NeighborTable<'a> {
    /// Returns the table of pieces of `pool`; other pieces, which a worker with a defect has sent,
    /// are left out.
    pub(super) fn new(pool: &'a PiecePool, neighbors: &[PieceNeighbors]) -> Self {
        let rows = neighbors.iter().filter_map(|it| {
            let nearest = it.nearest.iter().filter_map(|&(piece, cosine)| {
                Some((piece, cosine, pool.definition(PieceId(piece))?))
            });
            Some(PieceRow {
                piece: it.piece,
                placed: it.placed,
                definition: pool.definition(PieceId(it.piece))?,
                nearest: nearest.collect(),
            })
        });
        Self { rows: rows.collect() }
    }

    /// Returns the rows whose pieces count in shares.
    fn counted(&self) -> impl Iterator<Item = &PieceRow<'a>> {
        self.rows
            .iter()
            .filter(|row| LEAST_PLACED <= row.placed && effects(row.definition).next().is_some())
    }

    /// Returns how often nearest neighbors have something in common, and how often any two pieces
    /// have something in common, as shares. `None` if no pieces count.
    pub(super) fn shares(&self) -> Option<NeighborShares> {
        let near: Vec<_> = self
            .counted()
            .filter_map(|row| Some([row.definition, row.nearest.first()?.2]))
            .collect();
        let all = PairShares::of(self.counted().map(|row| row.definition))?;
        let effect = |[a, b]: &[&PieceDefinition; 2]| common(a, b).next().is_some();
        let attribute = |[a, b]: &[&PieceDefinition; 2]| a.attribute == b.attribute;
        (!near.is_empty()).then(|| NeighborShares {
            near_effect: estimate_that(&near, effect),
            all_effect: all.common_effect,
            near_attribute: estimate_that(&near, attribute),
            all_attribute: all.same_attribute,
        })
    }

    /// Returns all neighbors of all pieces.
    pub(super) fn neighbors(&self) -> Vec<NeighborRow<'_>> {
        self.rows.iter().flat_map(PieceRow::neighbors).collect()
    }

    /// Returns the pieces that were placed most often, with their neighbors.
    pub(super) fn block(&self) -> FindingBlock {
        let mut rows: Vec<_> = self.counted().filter_map(|row| row.neighbors().next()).collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.of.placed));
        rows.truncate(REPORTED);
        let caption = format!(
            "The {} that were placed most often, and the pieces whose vectors are nearest. The \
             cosine is 1 for vectors of the same direction.",
            counted(rows.len(), "piece")
        );
        neighbor_columns(&rows).block(caption)
    }
}

impl<'a> PieceRow<'a> {
    fn neighbors(&self) -> impl Iterator<Item = NeighborRow<'_>> {
        (1..).zip(&self.nearest).map(|(rank, &(piece, cosine, definition))| NeighborRow {
            of: self,
            rank,
            piece,
            cosine,
            definition,
        })
    }
}

/// A neighbor of a piece.
pub(super) struct NeighborRow<'a> {
    of: &'a PieceRow<'a>,
    /// 1 for the nearest neighbor.
    rank: u32,
    piece: u16,
    cosine: f32,
    definition: &'a PieceDefinition,
}

/// Returns a row for each neighbor. The page shows nearest neighbors only, and has the names of the
/// others in their last column. The file separates effects by spaces.
pub(super) fn neighbor_columns<'a>(
    rows: &'a [NeighborRow<'a>],
) -> TableColumns<'a, NeighborRow<'a>> {
    let own = |row: &NeighborRow<'a>| row.of.definition;
    let next = |row: &NeighborRow<'_>| {
        let next = row.of.nearest.iter().skip(1);
        let next = next.map(|(_, cosine, other)| format!("{} ({cosine:.2})", other.name));
        Some(next.collect::<Vec<_>>().join(", ")).filter(|names| !names.is_empty())
    };
    DataTable::of(rows)
        .count("piece", |row| row.of.piece)
        .text(("name", "Piece"), |row| &own(row).name)
        .text("attribute", |row| own(row).attribute.name())
        .text("effects", |row| names(effects(own(row))))
        .text(("", "Effects"), |row| effect_words(own(row)))
        .count(("placed", "Placed"), |row| row.of.placed)
        .count("rank", |row| row.rank)
        .count("neighbor", |row| row.piece)
        .text(("neighbor_name", "Nearest piece"), |row| &row.definition.name)
        .text("neighbor_attribute", |row| row.definition.attribute.name())
        .text("neighbor_effects", |row| names(effects(row.definition)))
        .text(("", "Its effects"), |row| effect_words(row.definition))
        .number("cosine", 4, |row| row.cosine)
        .number(("", "Cosine"), 2, |row| row.cosine)
        .text(("", "Next"), next)
        .text("common_effects", |row| names(common(own(row), row.definition)))
        .count("same_attribute", |row| u8::from(own(row).attribute == row.definition.attribute))
}

/// Shares of pairs of pieces that have something in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct NeighborShares {
    /// The share of pieces whose nearest neighbor has an effect in common with the piece.
    pub(super) near_effect: IntervalEstimate,
    /// The share of all pairs of pieces that have an effect in common.
    pub(super) all_effect: f64,
    /// The share of pieces whose nearest neighbor has the piece's attribute.
    pub(super) near_attribute: IntervalEstimate,
    /// The share of all pairs of pieces that have the same attribute.
    pub(super) all_attribute: f64,
}

/// Returns the kinds of the effects of a piece's skills.
fn effects(piece: &PieceDefinition) -> impl Iterator<Item = EffectKind> {
    [&piece.skill, &piece.combo].into_iter().flatten().map(|effect| effect.kind)
}

/// Returns the kinds of effects that two pieces have in common.
fn common(a: &PieceDefinition, b: &PieceDefinition) -> impl Iterator<Item = EffectKind> {
    let [first, second] = [a, b].map(|piece| effects(piece).collect::<Vec<_>>());
    let kinds = EffectKind::ALL.into_iter();
    kinds.filter(move |kind| first.contains(kind) && second.contains(kind))
}

fn effect_words(piece: &PieceDefinition) -> String {
    let names: Vec<_> = effects(piece).map(|kind| kind.name().replace('_', " ")).collect();
    names.join(", ")
}

/// Returns names with spaces between them, or a dash for none.
fn names(effects: impl Iterator<Item = EffectKind>) -> String {
    let names: Vec<_> = effects.map(EffectKind::name).collect();
    if names.is_empty() { "-".to_owned() } else { names.join(" ") }
}

/// Shares among all pairs of pieces.
#[derive(Debug, PartialEq)]
struct PairShares {
    common_effect: f64,
    same_attribute: f64,
}

impl PairShares {
    /// Returns the shares among all pairs of `pieces`; `None` if there are no pairs.
    ///
    /// Counts pieces by their effects, so that pairs are multiplied and not listed: pieces of the
    /// largest pool have 2 * 10^8 pairs, but at most 301 sets of effects.
    fn of<'a>(pieces: impl Iterator<Item = &'a PieceDefinition>) -> Option<Self> {
        let mut by_effects: BTreeMap<u32, u64> = BTreeMap::new();
        let mut by_attribute: BTreeMap<Attribute, u64> = BTreeMap::new();
        let mut n_pieces = 0;
        for piece in pieces {
            let mask = effects(piece).fold(0, |mask, kind| mask | 1 << kind.index());
            *by_effects.entry(mask).or_default() += 1;
            *by_attribute.entry(piece.attribute).or_default() += 1;
            n_pieces += 1;
        }
        let all = pairs_among(n_pieces);
        let same_attribute = by_attribute.values().map(|&n| pairs_among(n)).sum();
        let mut common_effect = 0;
        for (mask, n) in &by_effects {
            if *mask != 0 {
                common_effect += pairs_among(*n);
            }
            let others = by_effects.range(..mask).filter(|(other, _)| *other & mask != 0);
            common_effect += others.map(|(_, others)| n * others).sum::<u64>();
        }
        (all != 0).then(|| Self {
            common_effect: share(common_effect, all),
            same_attribute: share(same_attribute, all),
        })
    }
}

/// Returns the number of pairs among `n` things.
const fn pairs_among(n: u64) -> u64 {
    n * n.saturating_sub(1) / 2
}

/// Returns the share of those for which `is_one` holds, with the interval of Wilson.
fn estimate_that<T>(all: &[T], is_one: impl Fn(&T) -> bool) -> IntervalEstimate {
    let found = all.iter().filter(|it| is_one(it)).count() as u64;
    let share = wilson_interval(found, all.len() as u64, ErrorRate::FIVE_PERCENT);
    share.expect("those found are among all")
}

#[expect(clippy::cast_precision_loss, reason = "far fewer than 2^53 pairs")]
const fn share(part: u64, all: u64) -> f64 {
    part as f64 / all as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{PoolSettings, generate_pieces};

    /// The shares equal the shares in a list of all pairs.
    #[test]
    fn pairs_that_are_multiplied_are_those_of_a_list() {
        let pieces = generate_pieces(&PoolSettings::default());
        for n in [2, 3, 40, 300] {
            let pieces = &pieces[pieces.len() - n..];
            let pairs: Vec<_> = (0..n).flat_map(|a| (0..a).map(move |b| [a, b])).collect();
            let share = |is_one: fn(&PieceDefinition, &PieceDefinition) -> bool| {
                let found = pairs.iter().filter(|[a, b]| is_one(&pieces[*a], &pieces[*b])).count();
                share(found as u64, pairs.len() as u64)
            };
            let expected = PairShares {
                common_effect: share(|a, b| common(a, b).next().is_some()),
                same_attribute: share(|a, b| a.attribute == b.attribute),
            };
            assert_eq!(PairShares::of(pieces.iter()), Some(expected), "{n} pieces");
        }
        assert_eq!(PairShares::of(pieces[..1].iter()), None);
    }

    /// As many pieces as a piece's number can tell apart are counted at once.
    #[test]
    fn many_pieces_take_no_list_of_pairs() {
        let pieces = generate_pieces(&PoolSettings::default());
        let many = pieces.iter().cycle().take(1 << 16);
        let PairShares { common_effect, same_attribute } = PairShares::of(many).unwrap();
        assert!(0.0 < common_effect && common_effect < same_attribute && same_attribute < 1.0);
    }
}
