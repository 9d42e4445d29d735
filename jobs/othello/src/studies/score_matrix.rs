//! Matches as a table of scores in colors.

use hatchery_core::text::{counted, rounded};
use hatchery_figures::{DivergingScale, MatrixCell, MatrixChart};
use hatchery_stats::PairCounts;

use super::crosstable::game_score;

/// Returns the scores between agents in percent: each row has its own agent's scores. Matches
/// without games are left out.
pub(super) fn score_matrix<'a>(
    names: Vec<String>,
    matches: impl Iterator<Item = ([usize; 2], &'a PairCounts)>,
) -> MatrixChart {
    let mut cells = Vec::new();
    for ([first, second], counts) in matches {
        let games = counts.games();
        let [losses, draws, wins] = games;
        for (row, column, games) in [(first, second, games), (second, first, [wins, draws, losses])]
        {
            let Some(score) = game_score(games) else { continue };
            let (percent, n) = (100.0 * score, games.iter().sum::<u64>());
            let text = rounded(percent, 0);
            let hover = format!(
                "{} against {}: {} % of the points in {}",
                names[row],
                names[column],
                rounded(percent, 1),
                counted(n, "game")
            );
            cells.push(MatrixCell { row, column, value: percent, text, hover });
        }
    }
    MatrixChart {
        title: "Score of each agent against each other one".to_owned(),
        x_label: "opponent".to_owned(),
        y_label: "agent".to_owned(),
        legend_label: "score, %".to_owned(),
        rows: names.clone(),
        columns: names,
        cells,
        scale: DivergingScale::around(50.0, 50.0),
    }
}
