//! The tables of a ladder, in files and in the findings.

use hatchery_core::table::{DataTable, TableColumns};
use hatchery_core::{Exhibit, SubjectTrial, TrialRow};

use super::summary::{DepthSummary, LadderSummary};
use crate::studies::crosstable::{self, MatchRow};

/// Returns each depth's rating, and its score against the deepest agent. A depth without a
/// finite rating says why in the column `rating`.
pub(super) fn ladder<'a>(summary: &'a LadderSummary<'_>) -> TableColumns<'a, DepthSummary> {
    let score_names = ["score_against_deepest", "score_low", "score_high"];
    let score_head = format!("score against depth {}", summary.deepest());
    DataTable::of(&summary.depths)
        .count(("depth", "depth"), |one| one.depth)
        .count(("games", "games"), |one| one.games)
        .text("rating", |one| one.rating.standing())
        .estimate(["elo", "low", "high"], 1, |one| one.rating.rated())
        .words(("", "Elo"), |one| one.rating.text())
        .share((score_names, score_head), 4, |one| one.score)
}

/// Returns the effort per search of each of `depths` in games against itself.
pub(super) fn effort<'a>(depths: &'a [&DepthSummary]) -> TableColumns<'a, &'a DepthSummary> {
    let playouts = |one: &&DepthSummary| Some(one.effort.as_ref()?.playouts);
    let nodes = |one: &&DepthSummary| Some(one.effort.as_ref()?.nodes);
    let deepest_leaf = |one: &&DepthSummary| Some(one.effort.as_ref()?.deepest_leaf);
    let leaf_names = ["deepest_leaf", "deepest_leaf_low", "deepest_leaf_high"];
    DataTable::of(depths)
        .count(("depth", "depth"), |one| one.depth)
        .count("pairs", |one| Some(playouts(one)?.n))
        .count(("searches", "searches"), |one| {
            one.effort.as_ref().map_or(0, |effort| effort.total.searches)
        })
        .estimate("playouts", 2, playouts)
        .estimate(("", "playouts a move"), 1, playouts)
        .estimate("nodes", 2, nodes)
        .estimate(("", "nodes a move"), 1, nodes)
        .estimate((leaf_names, "deepest leaf, plies"), 2, deepest_leaf)
        .count(("deepest_leaf_of_all", "deepest of all, plies"), |one| {
            Some(one.effort.as_ref()?.total.deepest_leaf)
        })
}

/// Returns each match as its shallower agent sees it.
pub(super) fn crosstable(summary: &LadderSummary<'_>) -> Exhibit {
    let name = |at: usize| format!("depth-{}", summary.spec.depths[at]);
    let rows = summary.matches().enumerate().map(|(subject, (depths, counts))| MatchRow {
        subject,
        names: depths.map(name),
        counts,
        strength: crosstable::strength(counts, summary.spec.error_rate),
    });
    crosstable::columns(&rows.collect::<Vec<_>>()).csv("crosstable.csv")
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
