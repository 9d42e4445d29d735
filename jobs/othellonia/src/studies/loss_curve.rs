//! Curves of losses.

use hatchery_core::{DataTable, Exhibit};
use hatchery_figures::{MeasuredPoint, PointAxis, PointChart, PointSeries, Quantity, SeriesForm};

use crate::trial::results::LossPoint;

/// A curve of losses with its name.
pub(super) struct NamedLosses {
    name: String,
    /// For each stretch: the steps until its end, its number of rows and their mean loss.
    points: Vec<(u64, u64, f64)>,
}

/// Returns the curve of a learner.
pub(super) fn named_losses(name: impl Into<String>, curve: &[LossPoint]) -> NamedLosses {
    let mut steps = 0;
    let points = curve.iter().map(|point| {
        steps += point.steps;
        (steps, point.rows, point.mean_loss())
    });
    NamedLosses { name: name.into(), points: points.collect() }
}

/// Returns the curves as the file `losses.csv`.
pub(super) fn loss_table(curves: &[NamedLosses]) -> Exhibit {
    let rows = curves.iter().flat_map(|curve| curve.points.iter().map(|it| (&curve.name, *it)));
    DataTable::of(&rows.collect::<Vec<_>>())
        .text("learner", |(name, _)| *name)
        .count("steps", |(_, (steps, ..))| *steps)
        .count("rows", |(_, (_, rows, _))| *rows)
        .number("mean_loss", 6, |(_, (.., loss))| *loss)
        .exhibit("losses.csv")
}

/// Returns a chart of curves of the same kind of loss: losses of different kinds have no common
/// axis.
pub(super) fn loss_chart(title: &str, curves: &[NamedLosses]) -> PointChart {
    let series = curves.iter().map(|NamedLosses { name, points }| {
        loss_series(name, points.iter().map(|&(steps, _, loss)| (steps, loss)))
    });
    loss_curves(title, "steps of learning", series.collect())
}

/// Returns a curve. Each point is a number of steps or games, and the loss after them.
#[expect(clippy::cast_precision_loss, reason = "for display")]
pub(super) fn loss_series(name: &str, points: impl Iterator<Item = (u64, f64)>) -> PointSeries {
    let points = points.map(|(x, loss)| MeasuredPoint { x: x as f64, y: Quantity::Exact(loss) });
    PointSeries { name: name.to_owned(), form: SeriesForm::JoinedPoints, points: points.collect() }
}

/// Returns the chart of curves of losses.
pub(super) fn loss_curves(title: &str, x_label: &str, series: Vec<PointSeries>) -> PointChart {
    PointChart {
        title: title.to_owned(),
        x_label: x_label.to_owned(),
        y_label: "mean loss of a row".to_owned(),
        x_axis: PointAxis::Numbers,
        y_shown: vec![0.0],
        reference: None,
        series,
    }
}

/// Returns how a loss moved from the first stretch of steps to the last one, such as
/// `2.500 in the first stretch of steps, 0.800 in the last one`; none without losses.
pub(super) fn loss_words(curve: &[LossPoint]) -> Option<String> {
    let [first, last] = [curve.first()?, curve.last()?].map(LossPoint::mean_loss);
    Some(format!("{first:.3} in the first stretch of steps, {last:.3} in the last one"))
}
