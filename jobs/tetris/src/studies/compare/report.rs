//! The report of `tetris-compare`: learning curves.

use hatchery_core::{DataTable, Exhibit, IntervalEstimate, Measure};
use hatchery_evolve::MeanScore;
use hatchery_figures::{CurveChart, CurvePoint, NamedCurve};
use hatchery_stats::replicates_estimate;

use super::repetition::SearchRepetition;
use super::spec::CompareSpec;

/// A learning curve: the points that all repetitions of a search have reached and played.
pub(super) struct LearningCurve<'a> {
    pub(super) name: &'a str,
    /// The pieces that were spent, ascending, and the mean lines then.
    pub(super) points: Vec<(u64, IntervalEstimate)>,
}

/// Returns every search's mean score at the last point on its curve.
pub(super) fn measures(spec: &CompareSpec, repetitions: &[SearchRepetition]) -> Vec<Measure> {
    let curves = learning_curves(spec, repetitions);
    let last = curves.iter().filter_map(|curve| Some((curve.name, curve.points.last()?)));
    let measures = last.flat_map(|(name, &(pieces, lines))| {
        let named = |what: &str| format!("{name}/{what}");
        [Measure::new(named("mean"), "lines", lines), Measure::new(named("at"), "pieces", pieces)]
    });
    measures.collect()
}

/// Returns the learning curves as numbers and as a picture.
pub(super) fn exhibits(spec: &CompareSpec, repetitions: &[SearchRepetition]) -> Vec<Exhibit> {
    let curves = learning_curves(spec, repetitions);
    let points = curves
        .iter()
        .flat_map(|curve| curve.points.iter().map(|&(pieces, lines)| (curve.name, pieces, lines)));
    let table = DataTable::of(&points.collect::<Vec<_>>())
        .text("search", |(name, ..)| *name)
        .count("pieces", |(_, pieces, _)| *pieces)
        .count("replicates", |(.., lines)| lines.n)
        .estimate(["lines", "low", "high"], 3, |(.., lines)| *lines)
        .csv("learning-curves.csv");
    let svg = chart(spec, &curves).to_svg();
    vec![Exhibit::new("learning-curves.svg", "image/svg+xml", svg), table]
}

/// Returns every search's curve.
pub(super) fn learning_curves<'a>(
    spec: &'a CompareSpec,
    repetitions: &[SearchRepetition],
) -> Vec<LearningCurve<'a>> {
    let replicates = repetitions.chunks(spec.replicates as usize);
    let curve = |(search, repetitions): (&'a super::SearchParams, &[SearchRepetition])| {
        let point = |idx| {
            let score = |repetition: &SearchRepetition| {
                repetition
                    .points()
                    .iter()
                    .find(|point| point.idx == idx)
                    .and_then(super::repetition::LearningCurvePoint::score)
            };
            let scores: Option<Vec<_>> = repetitions.iter().map(score).collect();
            let means: Vec<_> = scores?.into_iter().map(mean).collect();
            Some((spec.budget(idx), replicates_estimate(&means)))
        };
        LearningCurve { name: &search.name, points: (0..spec.points).filter_map(point).collect() }
    };
    spec.searches.iter().zip(replicates).map(curve).collect()
}

/// Returns the mean; where no line was removed in any game, as if one had been: the scale is
/// logarithmic.
fn mean(score: MeanScore) -> f64 {
    MeanScore { total: score.total.max(1), ..score }.mean()
}

/// Returns the curves as a chart.
pub(super) fn chart<'a>(spec: &CompareSpec, curves: &[LearningCurve<'a>]) -> CurveChart<'a> {
    let curve = |LearningCurve { name, points }: &LearningCurve<'a>| {
        let point =
            |(pieces, IntervalEstimate { mean, low, high, .. }): &(u64, IntervalEstimate)| {
                #[expect(clippy::cast_precision_loss, reason = "for display")]
                let x = *pieces as f64;
                CurvePoint { x, y: *mean, low: *low, high: *high }
            };
        NamedCurve { name, points: points.iter().map(point).collect() }
    };
    CurveChart {
        title: format!(
            "Mean lines of each search's result ({} repetitions, 95 % interval)",
            spec.replicates
        ),
        x_label: "pieces spent by each repetition".to_owned(),
        y_label: "lines".to_owned(),
        curves: curves.iter().map(curve).collect(),
    }
}
