//! The state as pictures.

use hatchery_core::text::counted;
use hatchery_core::{GenerationMeasures, IntervalEstimate};
use hatchery_figures::{
    ForestChart, ForestRow, MatrixChart, MeasuredPoint, PointAxis, PointChart, PointSeries,
    Quantity, ReferenceValue, SeriesForm,
};
use hatchery_stats::EloSprt;

use super::measures::LOG_LIKELIHOOD_RATIO;
use super::summary::MatchSummary;
use crate::studies::score_matrix::score_matrix;

/// The most agents with a course of their own: more lines could not be told apart.
const MAX_COURSES: usize = 6;

/// Returns the ratings, the strongest first.
pub(super) fn ratings(summary: &MatchSummary<'_>) -> ForestChart {
    let row = |(agent, elo): (usize, IntervalEstimate)| ForestRow {
        name: summary.name(agent).to_owned(),
        quantity: elo.into(),
    };
    let rated = summary.ranking().into_iter();
    let rated = rated.filter_map(|(agent, rating)| Some((agent, rating.rated()?)));
    ForestChart {
        title: format!("Elo of each agent ({} % intervals)", summary.percent()),
        x_label: "Elo points above the mean".to_owned(),
        x_shown: vec![0.0],
        reference: Some(ReferenceValue { name: "mean".to_owned(), value: 0.0 }),
        rows: rated.map(row).collect(),
    }
}

/// Returns the scores between all agents.
pub(super) fn crosstable(summary: &MatchSummary<'_>) -> MatrixChart {
    let names = summary.spec.agents.iter().map(|agent| agent.name().to_owned()).collect();
    score_matrix(names, summary.counts())
}

/// Returns the course of the test or of the ratings over the looks; `None` before the second look.
pub(super) fn course(
    summary: &MatchSummary<'_>,
    history: &[GenerationMeasures],
) -> Option<PointChart> {
    if history.len() < 2 {
        return None;
    }
    let is_single = summary.state.pairings.len() == 1;
    let series = match is_single {
        true => likelihood_series(summary, history),
        false => {
            let strongest = summary.ranking().into_iter().take(MAX_COURSES);
            let of_agent = |(agent, _)| {
                let name = summary.name(agent);
                measured(history, name, &format!("{name}/elo"))
            };
            // An agent may have had no finite rating after any look.
            strongest.map(of_agent).filter(|series| !series.points.is_empty()).collect()
        }
    };
    let (what, y_label) = match is_single {
        true => ("Log-likelihood ratio", "log-likelihood ratio"),
        false => ("Elo", "Elo points above the mean"),
    };
    let pairs = counted(summary.spec.pairs, "pair");
    Some(PointChart {
        title: format!("{what} after each look"),
        x_label: format!("look, {pairs} of games each"),
        y_label: y_label.to_owned(),
        x_axis: PointAxis::Numbers,
        y_shown: vec![0.0],
        reference: None,
        series,
    })
}

/// Returns the log-likelihood ratio and the bounds at which the test ends.
fn likelihood_series(
    summary: &MatchSummary<'_>,
    history: &[GenerationMeasures],
) -> Vec<PointSeries> {
    let ratio = measured(history, "log-likelihood ratio", LOG_LIKELIHOOD_RATIO);
    let ends = || [ratio.points.first(), ratio.points.last()].into_iter().flatten();
    let bound = |name: &str, y: f64| PointSeries {
        name: name.to_owned(),
        form: SeriesForm::Line,
        points: ends().map(|point| MeasuredPoint { x: point.x, y: Quantity::Exact(y) }).collect(),
    };
    let bounds = summary.checked.sprt.as_ref().map(EloSprt::bounds);
    let bounds = bounds.map(|(low, high)| [bound("lower bound", low), bound("upper bound", high)]);
    std::iter::once(ratio.clone()).chain(bounds.into_iter().flatten()).collect()
}

/// Returns the course of a measure.
fn measured(history: &[GenerationMeasures], name: &str, measure: &str) -> PointSeries {
    let points = history.iter().filter_map(|generation| {
        let found = generation.measures.iter().find(|it| it.name == measure)?;
        let x = f64::from(generation.generation) + 1.0;
        Some(MeasuredPoint { x, y: found.value.into() })
    });
    PointSeries { name: name.to_owned(), form: SeriesForm::Line, points: points.collect() }
}
