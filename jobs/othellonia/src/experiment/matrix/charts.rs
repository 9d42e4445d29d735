//! `matrix.svg`: the scores of decks against each other.

use hatchery_figures::{DivergingScale, MatrixCell, MatrixChart};

use super::spec::CheckedMatrix;
use super::state::MatrixState;

/// The difference from 50 % at which the colors end: decks beyond have as good as no chance.
const REACH: f64 = 30.0;

/// The most decks with a decimal place in the cells.
const MAX_DETAILED: usize = 16;

/// Returns the picture: a cell for each ordered pair of decks, in percent.
pub(super) fn matrix_svg(checked: &CheckedMatrix, state: &MatrixState) -> String {
    let decks = &checked.decks;
    let digits = usize::from(decks.len() <= MAX_DETAILED);
    let mut cells = Vec::new();
    for (subject, (&[a, b], matchup)) in checked.matchups.iter().zip(&state.matchups).enumerate() {
        // A deck against itself has no score.
        let Some(score) = matchup.score(checked).filter(|_| a != b) else { continue };
        let percent = [score.interval.mean, score.interval.low, score.interval.high];
        let [mean, low, high] = percent.map(|share| 100.0 * share);
        let mut cell = |[row, column]: [usize; 2], [value, low, high]: [f64; 3]| {
            let hover = format!(
                "{} against {}: {value:.1} % ({low:.1} to {high:.1}), {} pairs of games, \
                 trial 0/{subject}/0",
                decks[row].name,
                decks[column].name,
                matchup.counts.pairs(),
            );
            let text = format!("{value:.digits$}");
            cells.push(MatrixCell { row, column, value, text, hover });
        };
        cell([a, b], [mean, low, high]);
        cell([b, a], [100.0 - mean, 100.0 - high, 100.0 - low]);
    }
    let chart = MatrixChart {
        title: "Score of decks against each other".to_owned(),
        x_label: "enemy".to_owned(),
        y_label: "deck".to_owned(),
        legend_label: "score of the deck of the row, %".to_owned(),
        names: decks.iter().map(|deck| deck.name.clone()).collect(),
        cells,
        scale: DivergingScale::around(50.0, REACH),
    };
    chart.to_svg()
}
