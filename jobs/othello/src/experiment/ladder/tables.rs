//! The state as tables of values separated by commas.

use hatchery_core::{Exhibit, IntervalEstimate, SubjectTrial, TrialRow};

use super::summary::{DepthSummary, LadderSummary};
use crate::experiment::crosstable::{self, interval_fields};

/// Returns each depth's rating, and its score against the deepest agent. A depth without a finite
/// rating says why in the column `rating`.
pub(super) fn ladder(summary: &LadderSummary<'_>) -> String {
    let row = |one: &DepthSummary| {
        let rating = one.rating.standing();
        let elo = fields(one.rating.rated(), 1);
        format!("{},{},{rating},{elo},{}", one.depth, one.games, fields(one.score, 4))
    };
    table(
        "depth,games,rating,elo,low,high,score_against_deepest,score_low,score_high",
        summary.depths.iter().map(row),
    )
}

/// Returns each depth's effort per search in games against itself.
pub(super) fn effort(summary: &LadderSummary<'_>) -> String {
    let row = |one: &DepthSummary| {
        let effort = one.effort.as_ref()?;
        let means = [effort.playouts, effort.nodes, effort.deepest_leaf];
        let means = means.map(|it| interval_fields(it, 2)).join(",");
        let total = &effort.total;
        let pairs = effort.playouts.n;
        Some(format!("{},{pairs},{},{means},{}", one.depth, total.searches, total.deepest_leaf))
    };
    table(
        "depth,pairs,searches,playouts,playouts_low,playouts_high,nodes,nodes_low,nodes_high,\
         deepest_leaf,deepest_leaf_low,deepest_leaf_high,deepest_leaf_of_all",
        summary.depths.iter().filter_map(row),
    )
}

/// Returns each match as its shallower agent sees it.
pub(super) fn crosstable(summary: &LadderSummary<'_>) -> String {
    let name = |at: usize| format!("depth-{}", summary.spec.depths[at]);
    let rows = summary.matches().map(|([a, b], counts)| {
        let names = [name(a), name(b)];
        crosstable::row(names.each_ref().map(String::as_str), counts, summary.spec.error_rate)
    });
    table(crosstable::COLUMNS, rows)
}

/// Returns the table of self-play, whose trials are subjects of their own: the score is the mean
/// number of playouts of a search, the length the number of searches. Of matches, states have sums.
/// `None` before the games.
pub(super) fn trials(summary: &LadderSummary<'_>) -> Option<Exhibit> {
    let mut subjects = summary.matches().count()..;
    let mut trials = Vec::new();
    for (depth, pairs) in summary.self_play() {
        let name = format!("depth-{depth}");
        trials.extend(pairs.iter().zip(&mut subjects).filter_map(|(effort, subject)| {
            Some((name.clone(), SubjectTrial::first_of(subject)?, effort))
        }));
    }
    let rows = trials.iter().map(|(name, trial, effort)| TrialRow {
        generation: 0,
        trial: *trial,
        subject: name,
        score: effort.mean().map(|mean| mean.playouts),
        length: Some(effort.searches),
    });
    (!trials.is_empty()).then(|| Exhibit::trials(rows))
}

fn table(head: &str, rows: impl Iterator<Item = String>) -> String {
    let lines: Vec<String> = std::iter::once(head.to_owned()).chain(rows).collect();
    lines.join("\n") + "\n"
}

fn fields(estimate: Option<IntervalEstimate>, digits: usize) -> String {
    estimate.map_or_else(|| ",,".to_owned(), |it| interval_fields(it, digits))
}
