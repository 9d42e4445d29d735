//! The table of neighbors: which pieces have vectors alike, and what they have in common.

use std::fmt::Write as _;

use hatchery_core::text::TAKES_ALL;

use crate::experiment::csv_text::quoted;
use crate::pool::{PieceDefinition, PiecePool};
use crate::results::PieceNeighbors;
use crate::rules::{EffectKind, PieceId};

/// The columns. Effects are separated by spaces.
const COLUMNS: &str = "piece,name,attribute,effects,placed,rank,neighbor,neighbor_name,\
                       neighbor_attribute,neighbor_effects,cosine,common_effects,same_attribute\n";

/// The least placements of a piece that counts in shares.
const LEAST_PLACED: u32 = 10;

/// The most pieces in the report.
const REPORTED: usize = 12;

/// The neighbors of all pieces, with their definitions.
pub(super) struct NeighborTable<'a> {
    rows: Vec<PieceRow<'a>>,
}

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

    /// Returns the share of nearest neighbors with a common effect, and of the same attribute, each
    /// followed by that of all pairs of pieces; none if no pieces count.
    pub(super) fn shares(&self) -> Vec<(&'static str, f64)> {
        let counted: Vec<_> = self.counted().map(|row| row.definition).collect();
        let near: Vec<_> = self
            .counted()
            .filter_map(|row| Some([row.definition, row.nearest.first()?.2]))
            .collect();
        let all: Vec<_> = (0..counted.len())
            .flat_map(|a| (0..a).map(move |b| [a, b]))
            .map(|pair| pair.map(|at| counted[at]))
            .collect();
        if near.is_empty() || all.is_empty() {
            return Vec::new();
        }
        let effect = |[a, b]: &[&PieceDefinition; 2]| common(a, b).next().is_some();
        let attribute = |[a, b]: &[&PieceDefinition; 2]| a.attribute == b.attribute;
        vec![
            ("neighbors_with_common_effect", share(&near, effect)),
            ("pairs_with_common_effect", share(&all, effect)),
            ("neighbors_of_same_attribute", share(&near, attribute)),
            ("pairs_of_same_attribute", share(&all, attribute)),
        ]
    }

    /// Returns the table as CSV.
    pub(super) fn csv(&self) -> String {
        let mut text = COLUMNS.to_owned();
        for PieceRow { piece, placed, definition, nearest } in &self.rows {
            for (rank, (neighbor, cosine, other)) in (1..).zip(nearest) {
                let common: Vec<_> = common(definition, other).map(EffectKind::name).collect();
                let same = u8::from(definition.attribute == other.attribute);
                writeln!(
                    text,
                    "{piece},{},{},{},{placed},{rank},{neighbor},{},{},{},{cosine:.4},{},{same}",
                    quoted(&definition.name),
                    definition.attribute,
                    effect_names(definition),
                    quoted(&other.name),
                    other.attribute,
                    effect_names(other),
                    joined(&common),
                )
                .expect(TAKES_ALL);
            }
        }
        text
    }

    /// Returns the pieces that were placed most often, as a table of Markdown.
    pub(super) fn markdown(&self) -> String {
        let mut rows: Vec<_> = self.counted().filter(|row| !row.nearest.is_empty()).collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.placed));
        let mut text = "\n| piece | effects | placed | nearest | its effects | cosine |\n\
                        |---|---|---|---|---|---|\n"
            .to_owned();
        for PieceRow { definition, placed, nearest, .. } in rows.into_iter().take(REPORTED) {
            let (_, cosine, other) = &nearest[0];
            writeln!(
                text,
                "| {} | {} | {placed} | {} | {} | {cosine:.2} |",
                definition.name.replace('|', "/"),
                effect_names(definition),
                other.name.replace('|', "/"),
                effect_names(other),
            )
            .expect(TAKES_ALL);
        }
        text
    }
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

fn effect_names(piece: &PieceDefinition) -> String {
    let names: Vec<_> = effects(piece).map(EffectKind::name).collect();
    joined(&names)
}

fn joined(names: &[&str]) -> String {
    if names.is_empty() { "-".to_owned() } else { names.join(" ") }
}

#[expect(clippy::cast_precision_loss, reason = "for display")]
fn share<T>(all: &[T], is_one: impl Fn(&T) -> bool) -> f64 {
    all.iter().filter(|it| is_one(it)).count() as f64 / all.len().max(1) as f64
}
