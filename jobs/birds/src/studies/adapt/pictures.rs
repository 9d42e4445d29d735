//! The pictures of `birds-adapt`, after Figs. 2 to 4 of Kaidan et al.

use hatchery_figures::{
    ForestChart, ForestRow, MeasuredPoint, PointAxis, PointChart, PointSeries, Quantity,
    ReferenceLine, SeriesForm,
};
use hatchery_stats::error::CONFIDENCE;
use hatchery_stats::normal;

use super::spec::LevelCondition;
use super::summary::AdaptSummary;
use crate::studies::mean_estimate::MeanEstimate;

/// The alpha whose subject is shown in `pigs.svg` (Kaidan et al., Fig. 4).
const SHOWN_ALPHA: f64 = 0.5;

/// The distance of points of the same level in `pigs.svg`.
const POINT_STEP: f64 = 0.12;

/// Returns the ideal number of pigs by round: Fig. 3.
pub(super) fn pigs_by_round(summary: &AdaptSummary<'_>) -> PointChart {
    let series = summary.alphas().map(|(number, alpha)| {
        let points = summary.mean_pigs(number).into_iter().zip(1..).map(
            |(mean, round): (MeanEstimate, u32)| MeasuredPoint {
                x: f64::from(round),
                y: mean.quantity(),
            },
        );
        PointSeries {
            name: format!("alpha {alpha}"),
            form: SeriesForm::JoinedPoints,
            points: points.collect(),
        }
    });
    PointChart {
        title: format!(
            "Ideal number of pigs after each round: mean of {} subjects, with 95 % intervals",
            summary.spec.n_subjects()
        ),
        x_label: "round".to_owned(),
        y_label: "ideal number of pigs, P".to_owned(),
        x_axis: PointAxis::Numbers,
        y_shown: vec![0.0],
        reference: None,
        series: series.collect(),
    }
}

/// Returns the fitness by generation: Fig. 2.
pub(super) fn fitness(summary: &AdaptSummary<'_>) -> PointChart {
    let generations = &summary.state.history.generations;
    let z = normal::quantile(f64::midpoint(1.0, CONFIDENCE));
    let point = |generation: u32, y: f64, error: Option<f64>| MeasuredPoint {
        x: f64::from(generation),
        y: error.map_or(Quantity::Exact(y), |error| {
            Quantity::estimate(y, [y - z * error, y + z * error])
        }),
    };
    let means = generations.iter().zip(1..);
    let means = means.map(|(sums, it)| point(it, sums.mean_fitness(), Some(sums.standard_error())));
    let bests = generations.iter().zip(1..).map(|(sums, it)| point(it, sums.mean_best(), None));
    let n = generations.first().map_or(0, |sums| sums.n);
    PointChart {
        title: format!(
            "Fitness by generation: mean of {n} evolutions, with 95 % intervals of the means of \
             populations"
        ),
        x_label: "generation".to_owned(),
        y_label: "fitness, which is minimized".to_owned(),
        x_axis: PointAxis::Numbers,
        y_shown: vec![0.0],
        reference: None,
        series: vec![
            PointSeries {
                name: "mean of the population".to_owned(),
                form: SeriesForm::Line,
                points: means.collect(),
            },
            PointSeries {
                name: "best of the population".to_owned(),
                form: SeriesForm::Line,
                points: bests.collect(),
            },
        ],
    }
}

/// Returns the clear rate under each condition.
pub(super) fn clear_rates(summary: &AdaptSummary<'_>) -> ForestChart {
    let alphas = &summary.spec.adaptation.alphas;
    let rows = summary.clear_rates().into_iter().filter_map(|rates| {
        let name = rates.condition.words(alphas);
        Some(ForestRow { name, quantity: rates.mean()?.quantity().scaled(100.0) })
    });
    ForestChart {
        title: "Share of levels cleared (95 % intervals)".to_owned(),
        x_label: "levels cleared, %".to_owned(),
        x_shown: vec![0.0, 100.0],
        reference: None,
        rows: rows.collect(),
    }
}

/// Returns a subject, the number of an alpha, and the subject's P_player with that alpha. They
/// represent the single subject of Fig. 4. The alpha is .5 if the spec has it, or else the first
/// alpha. The subject's P_player is the nearest to the shown P.
pub(super) fn shown_subject(summary: &AdaptSummary<'_>) -> Option<(usize, usize, f64)> {
    let (spec, state) = (summary.spec, summary.state);
    let alphas = &spec.adaptation.alphas;
    let alpha = alphas.iter().position(|alpha| alpha.total_cmp(&SHOWN_ALPHA).is_eq()).unwrap_or(0);
    let far = |pigs: f64| (pigs - spec.shown_pigs).abs();
    (0..spec.n_subjects())
        .map(|subject| (subject, alpha, state.player_pigs(spec, subject, alpha)))
        .min_by(|a, b| far(a.2).total_cmp(&far(b.2)))
}

/// Returns the chart of pigs in levels at the shown ideal number, and in the levels of a single
/// subject: Fig. 4.
pub(super) fn pigs(summary: &AdaptSummary<'_>) -> PointChart {
    let (spec, shown) = (summary.spec, &summary.state.shown);
    let mut series = vec![
        counts(format!("adapted, P = {}", spec.shown_pigs), &shown.adapted),
        counts("conventional".to_owned(), &shown.conventional),
    ];
    if let Some((subject, alpha, ideal)) = shown_subject(summary) {
        for condition in [LevelCondition::Adapted(alpha), LevelCondition::Conventional] {
            let plays = summary.plays_of(subject).filter(|play| play.condition == condition);
            let pigs: Vec<u32> = plays.map(|play| play.pigs).collect();
            let name = condition.name(&spec.adaptation.alphas);
            let name = match condition {
                LevelCondition::Adapted(_) => format!("{name}, P = {ideal:.2}"),
                LevelCondition::Conventional => name,
            };
            series.push(counts(format!("subject {}, {name}", subject + 1), &pigs));
        }
    }
    spread(&mut series);
    PointChart {
        title: "Pigs of levels".to_owned(),
        x_label: "level".to_owned(),
        y_label: "pigs".to_owned(),
        x_axis: PointAxis::Numbers,
        y_shown: vec![0.0],
        reference: Some(ReferenceLine {
            name: format!("P = {}", spec.shown_pigs),
            y: spec.shown_pigs,
        }),
        series,
    }
}

/// Moves each series of points to the side, so that no series hides another.
fn spread(series: &mut [PointSeries]) {
    let middle = (to_f64(series.len()) - 1.0) / 2.0;
    for (number, series) in series.iter_mut().enumerate() {
        let shift = POINT_STEP * (to_f64(number) - middle);
        series.points.iter_mut().for_each(|point| point.x += shift);
    }
}

#[expect(clippy::cast_precision_loss, reason = "four series")]
fn to_f64(n: usize) -> f64 {
    n as f64
}

fn counts(name: String, pigs: &[u32]) -> PointSeries {
    let points = pigs.iter().zip(1..).map(|(&pigs, level): (&u32, u32)| MeasuredPoint {
        x: f64::from(level),
        y: Quantity::Exact(f64::from(pigs)),
    });
    PointSeries { name, form: SeriesForm::Points, points: points.collect() }
}
