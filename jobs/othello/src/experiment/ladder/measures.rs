//! The state as numbers.

use hatchery_core::Measure;

use super::summary::LadderSummary;

/// Returns the ratings, their span, the scores against the deepest agent, and the playouts of a
/// move, each by depth.
///
/// A depth that won or lost all its games has `elo_at_least` or `elo_at_most` in place of `elo`.
/// Then there is no `span`: the report says why.
pub(super) fn measures(summary: &LadderSummary<'_>) -> Vec<Measure> {
    let depths = || summary.depths.iter();
    let name = |depth: u32, what: &str| format!("depth-{depth}/{what}");
    let elos = depths().filter_map(|one| one.rating.measure(&format!("depth-{}", one.depth)));
    let span = summary.span().filter(|_| summary.unrated().is_empty());
    let n_differences = summary.checked.matches.len() as u64;
    let span = span.map(|span| {
        // It is the largest of all differences.
        Measure::new("span", "Elo", span.difference).selected_from(n_differences)
    });
    let scores = depths().filter_map(|one| {
        Some(Measure::new(name(one.depth, "score_against_deepest"), "", one.score?))
    });
    let playouts = depths().filter_map(|one| {
        let effort = one.effort.as_ref()?;
        Some(Measure::new(name(one.depth, "playouts_per_move"), "playouts", effort.playouts))
    });
    elos.chain(span).chain(scores).chain(playouts).collect()
}
