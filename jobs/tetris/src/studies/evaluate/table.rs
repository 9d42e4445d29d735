//! The scores as a table, in the form of Table 2 of Miyazaki & Arakawa.

use hatchery_core::text::grouped;
use hatchery_core::{Measure, MeasureValue};

use crate::dealing::PieceSequence;
use crate::studies::player_results::PlayerResults;
use crate::studies::wording::{STOPPED, lines, lines_estimate};
use crate::trial::setup::TetrisPlayer;

/// The columns; splitting estimates only the mean.
const COLUMNS: [(&str, &str); 3] =
    [("mean", "mean"), ("sd", "standard deviation"), ("median", "median")];

/// Returns the table with a row of lines for each combination, with intervals. If games were
/// stopped, it has their numbers, and says what that means for the others.
pub(super) fn markdown(players: &[(String, TetrisPlayer)], all: &[PlayerResults]) -> String {
    let played = || players.iter().zip(all);
    let is_stopped = played().any(|((_, player), played)| is_stopped(player, played));
    let rows = played().map(|((name, player), played)| {
        let measures = played.measures(&str::to_owned, player);
        let mut cells = COLUMNS.map(|(measure, _)| cell(&measures, measure)).to_vec();
        cells.extend(is_stopped.then(|| grouped(played.n_capped())));
        format!("| {name} | {} |\n", cells.join(" | "))
    });
    let mut heads = COLUMNS.map(|(_, head)| head).to_vec();
    heads.extend(is_stopped.then_some("stopped games"));
    let line = "|---".repeat(1 + heads.len());
    let head = format!("| lines | {} |\n{line}|\n", heads.join(" | "));
    let note = if is_stopped { format!("\n{STOPPED}\n") } else { String::new() };
    head + &rows.collect::<String>() + &note
}

/// Returns whether games were stopped that would have gone on: one that reaches the end of its list
/// of pieces is complete.
fn is_stopped(player: &TetrisPlayer, played: &PlayerResults) -> bool {
    !matches!(player.dealing, PieceSequence::Listed(_)) && played.n_capped() != 0
}

fn cell(measures: &[Measure], name: &str) -> String {
    // A game with fixed pieces has its lines in place of a mean.
    let is_meant = |it: &&Measure| it.name == name || (name == "mean" && it.name == "lines");
    let measure = measures.iter().find(is_meant);
    match measure.map(|measure| measure.value) {
        Some(MeasureValue::Estimate(estimate)) => lines_estimate(estimate).to_string(),
        Some(value) => lines(value.point()),
        None => "-".to_owned(),
    }
}
