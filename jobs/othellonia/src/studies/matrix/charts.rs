//! Pictures of the scores of decks, of the worths of pieces, and of looks.

use hatchery_core::{IntervalEstimate, RunHistory};
use hatchery_figures::{
    DivergingScale, ForestChart, ForestRow, MatrixCell, MatrixChart, MeasuredPoint, PointAxis,
    PointChart, PointSeries, Quantity, ReferenceValue, SeriesForm,
};

use super::measures::UNEVEN_MATCHUPS;
use super::pieces::PieceWorth;
use super::spec::CheckedMatrix;
use super::state::MatrixState;
use crate::studies::finding_parts::piece_name;

/// The difference from 50 % at which the colors end: decks beyond have as good as no chance.
const REACH: f64 = 30.0;

/// The most decks with a decimal place in the cells.
const MAX_DETAILED: usize = 16;

/// Returns the picture: a cell for each ordered pair of decks, in percent.
pub(super) fn matrix_chart(checked: &CheckedMatrix, state: &MatrixState) -> MatrixChart {
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
    let names: Vec<String> = decks.iter().map(|deck| deck.name.clone()).collect();
    MatrixChart {
        title: "Score of decks against each other".to_owned(),
        x_label: "enemy".to_owned(),
        y_label: "deck".to_owned(),
        legend_label: "score of the deck of the row, %".to_owned(),
        rows: names.clone(),
        columns: names,
        cells,
        scale: DivergingScale::around(50.0, REACH),
    }
}

/// Returns the chart of the scores in some match-ups, as the match-up's first deck sees the score.
pub(super) fn score_chart(
    checked: &CheckedMatrix,
    rows: &[([usize; 2], IntervalEstimate)],
) -> ForestChart {
    let row = |&([a, b], score): &([usize; 2], IntervalEstimate)| ForestRow {
        name: format!("{} against {}", checked.decks[a].name, checked.decks[b].name),
        quantity: Quantity::from(score).scaled(100.0),
    };
    ForestChart {
        title: "Scores of match-ups".to_owned(),
        x_label: "score of the first deck, %".to_owned(),
        x_shown: Vec::new(),
        reference: Some(ReferenceValue { name: "even".to_owned(), value: 50.0 }),
        rows: rows.iter().map(row).collect(),
    }
}

/// Returns the chart of the worths of some pieces.
pub(super) fn worth_chart(checked: &CheckedMatrix, worths: &[PieceWorth]) -> ForestChart {
    let row = |worth: &PieceWorth| ForestRow {
        name: piece_name(&checked.pool, worth.piece),
        quantity: Quantity::from(worth.interval).scaled(100.0),
    };
    ForestChart {
        title: "Worths of pieces".to_owned(),
        x_label: "worth, points of score".to_owned(),
        x_shown: vec![0.0],
        reference: Some(ReferenceValue {
            name: "dominant from here on".to_owned(),
            value: 100.0 * checked.spec.dominance_margin,
        }),
        rows: worths.iter().map(row).collect(),
    }
}

/// Returns the chart of the match-ups shown to be uneven, by look; `None` for fewer than two looks.
pub(super) fn look_chart(history: &RunHistory<'_>) -> Option<PointChart> {
    let looks = history.generations.iter().filter_map(|generation| {
        let measure = generation.measures.iter().find(|it| it.name == UNEVEN_MATCHUPS)?;
        let x = f64::from(generation.generation) + 1.0;
        Some(MeasuredPoint { x, y: measure.value.into() })
    });
    let points: Vec<_> = looks.collect();
    (1 < points.len()).then(|| PointChart {
        title: "Match-ups shown to be uneven by look".to_owned(),
        x_label: "look".to_owned(),
        y_label: "match-ups".to_owned(),
        x_axis: PointAxis::Numbers,
        y_shown: vec![0.0],
        reference: None,
        series: vec![PointSeries {
            name: "shown to be uneven".to_owned(),
            form: SeriesForm::Line,
            points,
        }],
    })
}
