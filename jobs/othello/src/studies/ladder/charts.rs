//! The state as pictures.

use hatchery_core::IntervalEstimate;
use hatchery_figures::{
    MatrixChart, MeasuredPoint, PointAxis, PointChart, PointSeries, Quantity, ReferenceLine,
    SeriesForm,
};
use hatchery_stats::{PolynomialDegree, PolynomialFit};

use super::summary::{DepthSummary, LadderSummary, SelfPlayEffort};
use crate::players::DepthReading;
use crate::studies::score_matrix::score_matrix;

/// The number of straight pieces that a fitted curve is drawn with.
const CURVE_STEPS: u32 = 100;

/// Returns the ratings over depth, with the straight line and the parabola that fit them best.
pub(super) fn ladder(summary: &LadderSummary<'_>) -> PointChart {
    let points = summary
        .depths
        .iter()
        .filter_map(|one| Some(measured(one.depth, one.rating.rated()?)))
        .collect();
    let mut series = vec![PointSeries { name: "Elo".to_owned(), form: SeriesForm::Points, points }];
    for (name, degree) in
        [("line", PolynomialDegree::Linear), ("parabola", PolynomialDegree::Quadratic)]
    {
        series.extend(summary.fit(degree).map(|fit| curve(summary, name, &fit)));
    }
    let unrated = summary.unrated();
    let unrated =
        unrated.iter().map(|one| format!("; depth {}: {}", one.depth, one.rating.standing()));
    PointChart {
        title: format!("Elo by depth{}{}", intervals(summary), unrated.collect::<String>()),
        x_label: "depth in plies".to_owned(),
        y_label: "Elo points above the mean".to_owned(),
        x_axis: PointAxis::Numbers,
        y_shown: vec![0.0],
        reference: None,
        series,
    }
}

/// Returns the playouts and nodes of a move over depth.
pub(super) fn effort(summary: &LadderSummary<'_>) -> PointChart {
    let series = |name: &str, part: fn(&SelfPlayEffort) -> IntervalEstimate| {
        let point = |one: &DepthSummary| Some(measured(one.depth, part(one.effort.as_ref()?)));
        let points = summary.depths.iter().filter_map(point).collect();
        PointSeries { name: name.to_owned(), form: SeriesForm::JoinedPoints, points }
    };
    let settings = &summary.spec.search;
    let budget = match settings.reading {
        // It depends on the depth.
        DepthReading::GrowingBudget => None,
        DepthReading::TreeCap | DepthReading::DepthReached | DepthReading::Horizon => {
            let y = f64::from(settings.playouts);
            Some(ReferenceLine { name: "playouts at most".to_owned(), y })
        }
    };
    PointChart {
        title: format!("Effort of a move in self-play{}", intervals(summary)),
        x_label: "depth in plies".to_owned(),
        y_label: "per searched move".to_owned(),
        x_axis: PointAxis::Numbers,
        y_shown: vec![0.0],
        reference: budget,
        series: vec![
            series("playouts", |effort| effort.playouts),
            series("nodes", |effort| effort.nodes),
        ],
    }
}

/// Returns the scores between all depths.
pub(super) fn crosstable(summary: &LadderSummary<'_>) -> MatrixChart {
    let names = summary.spec.depths.iter().map(|depth| format!("depth {depth}")).collect();
    score_matrix(names, summary.matches())
}

fn intervals(summary: &LadderSummary<'_>) -> String {
    format!(" ({} % intervals)", summary.percent())
}

fn curve(summary: &LadderSummary<'_>, name: &str, fit: &PolynomialFit) -> PointSeries {
    let depths = summary.spec.depths.iter().map(|&depth| f64::from(depth));
    let (low, high) = (depths.clone().fold(f64::INFINITY, f64::min), depths.fold(0.0, f64::max));
    let point = |step: u32| {
        let x = low + (high - low) * f64::from(step) / f64::from(CURVE_STEPS);
        MeasuredPoint { x, y: Quantity::Exact(fit.value_at(x)) }
    };
    let r_squared = summary.r_squared(fit).map(|r_squared| format!(", R\u{b2} {r_squared:.3}"));
    PointSeries {
        name: format!("{name}{}", r_squared.unwrap_or_default()),
        form: SeriesForm::Line,
        points: (0..=CURVE_STEPS).map(point).collect(),
    }
}

fn measured(depth: u32, it: IntervalEstimate) -> MeasuredPoint {
    MeasuredPoint { x: f64::from(depth), y: Quantity::estimate(it.mean, [it.low, it.high]) }
}
