//! The exhibits of a run: vectors, neighbors and losses.

mod neighbors;

use std::fmt::Write as _;

use hatchery_core::text::TAKES_ALL;
use hatchery_core::{Exhibit, Measure};

use self::neighbors::NeighborTable;
use super::spec::RepresentSpec;
use super::state::RepresentState;
use crate::experiment::loss_curve::{losses_csv, losses_svg, named_losses};
use crate::model::file;

/// Returns the numbers of a state.
pub(super) fn measures(spec: &RepresentSpec, state: &RepresentState) -> Vec<Measure> {
    let mut measures = Vec::new();
    if !state.neighbors.is_empty() {
        let games = spec.checked();
        let table = NeighborTable::new(&games.pool, &state.neighbors);
        for (name, share) in table.shares() {
            measures.push(Measure::new(name, "", share));
        }
    }
    if let Some(last) = state.curve.last() {
        measures.push(Measure::new("loss", "", last.mean_loss()));
    }
    let games: u64 = state.games.iter().map(|games| games.games).sum();
    let placements: u64 = state.games.iter().map(|games| games.placements).sum();
    measures.push(Measure::new("steps", "steps", state.steps()));
    measures.push(Measure::new("games", "games", games));
    measures.push(Measure::new("placements", "placements", placements));
    measures
}

/// Returns the files of a state.
pub(super) fn exhibits(spec: &RepresentSpec, state: &RepresentState) -> Vec<Exhibit> {
    let games = spec.checked();
    let table = NeighborTable::new(&games.pool, &state.neighbors);
    let curves = [named_losses("prediction", &state.curve)];
    let title = "Losses of the prediction of outcomes";
    let mut exhibits = vec![
        Exhibit::new("report.md", "text/markdown", report(spec, state, &table)),
        Exhibit::new("losses.svg", "image/svg+xml", losses_svg(title, &curves)),
        Exhibit::table("losses.csv", losses_csv(&curves)),
        Exhibit::table("neighbors.csv", table.csv()),
    ];
    if let Some(learner) = &state.learner {
        exhibits.push(Exhibit::new("vectors.safetensors", file::MEDIA_TYPE, learner.model));
    }
    exhibits
}

fn report(spec: &RepresentSpec, state: &RepresentState, table: &NeighborTable<'_>) -> String {
    let mut text = "# Vectors of pieces\n\n".to_owned();
    let games: u64 = state.games.iter().map(|games| games.games).sum();
    let placements: u64 = state.games.iter().map(|games| games.placements).sum();
    let mut line = |line: String| writeln!(text, "- {line}").expect(TAKES_ALL);
    line(format!("games: {games} with {placements} placements"));
    line(format!("steps: {} of {}", state.steps(), spec.learn.all_steps()));
    if let (Some(first), Some(last)) = (state.curve.first(), state.curve.last()) {
        let (first, last) = (first.mean_loss(), last.mean_loss());
        line(format!("loss: {first:.3} in the first stretch, {last:.3} in the last one"));
    }
    if let Some(failure) = &state.failure {
        line(format!("**learning ended early**: {failure}"));
    }
    if state.neighbors.is_empty() {
        text.push_str("\nNeighbors are shown after the last period.\n");
        return text;
    }
    text.push_str(
        "\n## Neighbors\n\nThe paper says that pieces that do alike get alike vectors (8.3), \
         without numbers. Here: the share of the nearest neighbors by cosine that have an effect \
         in common, beside that of any two pieces. Pieces without a skill are left out, and so \
         are those that were placed fewer than 10 times.\n\n",
    );
    for (name, share) in table.shares() {
        writeln!(text, "- {}: {:.1} %", name.replace('_', " "), 100.0 * share).expect(TAKES_ALL);
    }
    text.push_str(&table.markdown());
    text
}
