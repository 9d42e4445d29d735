//! Charts of win rates by games.

use hatchery_figures::{
    MeasuredPoint, PointAxis, PointChart, PointSeries, Quantity, ReferenceLine, SeriesForm,
};

use super::arms::{ArmCurve, ArmLook};
use crate::experiment::selfplay::spec::CheckedSelfplay;

/// The most curves of a chart: more cannot be told apart.
const MAX_CURVES: usize = 6;

/// Returns the charts with the names of their files: one of all arms and opponents, or one for each
/// opponent where that would be too many curves.
pub(super) fn charts(checked: &CheckedSelfplay, curves: &[ArmCurve<'_>]) -> Vec<(String, String)> {
    let opponents: Vec<_> = checked.opponents.iter().map(|it| it.name.as_str()).collect();
    if curves.len() * opponents.len() <= MAX_CURVES {
        let series = opponents.iter().enumerate().flat_map(|(at, opponent)| {
            let name = move |arm: &str| match curves.len() {
                1 => format!("against {opponent}"),
                _ => format!("{arm}, against {opponent}"),
            };
            curves.iter().map(move |curve| series(name(&arm_name(curve)), curve, at))
        });
        let title = match curves {
            [curve] => format!("Win rates with {}", arm_name(curve)),
            _ => "Win rates".to_owned(),
        };
        return vec![("learning-curves.svg".to_owned(), svg(title, series.collect()))];
    }
    let chart = |(at, opponent): (usize, &&str)| {
        let series = curves.iter().map(|curve| series(arm_name(curve), curve, at));
        let title = format!("Win rate against the agent {opponent}");
        (format!("learning-curves-{opponent}.svg"), svg(title, series.collect()))
    };
    opponents.iter().enumerate().map(chart).collect()
}

fn arm_name(curve: &ArmCurve<'_>) -> String {
    curve.arm.name().replace('_', "-")
}

fn series(name: String, curve: &ArmCurve<'_>, opponent: usize) -> PointSeries {
    #[expect(clippy::cast_precision_loss, reason = "for display")]
    let point = |look: &ArmLook| {
        let rate = look.rate(opponent)?;
        Some(MeasuredPoint {
            x: look.games as f64,
            y: Quantity::estimate(rate.mean, [rate.low, rate.high]).scaled(100.0),
        })
    };
    let points = curve.looks.iter().filter_map(point).collect();
    PointSeries { name, form: SeriesForm::JoinedPoints, points }
}

fn svg(title: String, series: Vec<PointSeries>) -> String {
    PointChart {
        title,
        x_label: "games to learn from".to_owned(),
        y_label: "games won, %".to_owned(),
        x_axis: PointAxis::Numbers,
        y_shown: vec![0.0, 100.0],
        reference: Some(ReferenceLine { name: "50 %".to_owned(), y: 50.0 }),
        series,
    }
    .to_svg()
}
