//! What `tetris-compare` shows: learning curves.

use hatchery_core::{Estimate, Exhibit, Measure};
use hatchery_evolve::MeanScore;
use hatchery_figures::{CurveChart, CurvePoint, NamedCurve};
use hatchery_stats::replicates_estimate;

use super::runner::Runner;
use super::spec::Spec;

/// A learning curve: points that all repetitions of a search have reached and played.
struct Learning<'a> {
    name: &'a str,
    points: Vec<(u64, Estimate)>,
}

/// The mean score of each search at the last point of its curve.
pub(super) fn measures(spec: &Spec, runners: &[Runner]) -> Vec<Measure> {
    let curves = learning(spec, runners);
    let last = curves.iter().filter_map(|curve| Some((curve.name, curve.points.last()?)));
    let measures = last.flat_map(|(name, &(pieces, lines))| {
        let named = |what: &str| format!("{name}/{what}");
        [Measure::new(named("mean"), "lines", lines), Measure::new(named("at"), "pieces", pieces)]
    });
    measures.collect()
}

/// The learning curves as numbers and as a picture.
pub(super) fn exhibits(spec: &Spec, runners: &[Runner]) -> Vec<Exhibit> {
    let curves = learning(spec, runners);
    let mut rows = vec!["search,pieces,replicates,lines,low,high".to_owned()];
    for Learning { name, points } in &curves {
        rows.extend(points.iter().map(|(pieces, Estimate { mean, low, high, n, .. })| {
            format!("{name},{pieces},{n},{mean:.3},{low:.3},{high:.3}")
        }));
    }
    let svg = chart(spec, &curves).to_svg();
    vec![
        Exhibit::new("learning-curves.svg", "image/svg+xml", svg),
        Exhibit::new("learning-curves.csv", "text/csv", rows.join("\n") + "\n"),
    ]
}

fn learning<'a>(spec: &'a Spec, runners: &[Runner]) -> Vec<Learning<'a>> {
    let replicates = runners.chunks(spec.replicates as usize);
    let curve = |(search, runners): (&'a super::SearchParams, &[Runner])| {
        let point = |idx| {
            let score = |runner: &Runner| {
                runner
                    .points()
                    .iter()
                    .find(|point| point.idx == idx)
                    .and_then(super::runner::Point::score)
            };
            let scores: Option<Vec<_>> = runners.iter().map(score).collect();
            let means: Vec<_> = scores?.into_iter().map(mean).collect();
            Some((spec.budget(idx), replicates_estimate(&means)))
        };
        Learning { name: &search.name, points: (0..spec.points).filter_map(point).collect() }
    };
    spec.searches.iter().zip(replicates).map(curve).collect()
}

/// The mean; where no line was removed, as if it had been one in all games: the scale is
/// logarithmic.
fn mean(score: MeanScore) -> f64 {
    MeanScore { total: score.total.max(1), ..score }.mean()
}

fn chart<'a>(spec: &Spec, curves: &[Learning<'a>]) -> CurveChart<'a> {
    let curve = |Learning { name, points }: &Learning<'a>| {
        let point = |(pieces, Estimate { mean, low, high, .. }): &(u64, Estimate)| {
            #[expect(clippy::cast_precision_loss, reason = "for display")]
            let x = *pieces as f64;
            CurvePoint { x, y: *mean, low: *low, high: *high }
        };
        NamedCurve { name, points: points.iter().map(point).collect() }
    };
    CurveChart {
        title: format!(
            "Mean lines of what each search has come to ({} repetitions, 95 % interval)",
            spec.replicates
        ),
        x_label: "pieces spent by each repetition".to_owned(),
        y_label: "lines".to_owned(),
        curves: curves.iter().map(curve).collect(),
    }
}
