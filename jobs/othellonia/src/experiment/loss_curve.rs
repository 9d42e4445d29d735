//! Curves of losses.

use std::fmt::Write as _;

use hatchery_core::text::TAKES_ALL;
use hatchery_figures::{MeasuredPoint, PointAxis, PointChart, PointSeries, Quantity, SeriesForm};

use crate::results::LossPoint;

/// A curve of losses with its name.
pub(super) struct NamedLosses {
    name: String,
    /// The steps until the end of each stretch, the rows in it and their mean loss.
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

/// Returns the curves as a table.
pub(super) fn losses_csv(curves: &[NamedLosses]) -> String {
    let mut text = "learner,steps,rows,mean_loss\n".to_owned();
    for NamedLosses { name, points } in curves {
        for (steps, rows, loss) in points {
            writeln!(text, "{name},{steps},{rows},{loss:.6}").expect(TAKES_ALL);
        }
    }
    text
}

/// Returns a chart of the curves.
#[expect(clippy::cast_precision_loss, reason = "for display")]
pub(super) fn losses_svg(title: &str, curves: &[NamedLosses]) -> String {
    let point = |&(steps, _, loss): &(u64, u64, f64)| MeasuredPoint {
        x: steps as f64,
        y: Quantity::Exact(loss),
    };
    let series = curves.iter().map(|NamedLosses { name, points }| PointSeries {
        name: name.clone(),
        form: SeriesForm::JoinedPoints,
        points: points.iter().map(point).collect(),
    });
    PointChart {
        title: title.to_owned(),
        x_label: "steps".to_owned(),
        y_label: "mean loss of a row".to_owned(),
        x_axis: PointAxis::Numbers,
        y_shown: vec![0.0],
        reference: None,
        series: series.collect(),
    }
    .to_svg()
}
