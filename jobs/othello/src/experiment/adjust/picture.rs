//! `winrates.svg`: the score of each arm against each BOT, as in Fig. 6 of Takagi et al.

use hatchery_figures::{
    MeasuredPoint, PointAxis, PointChart, PointSeries, ReferenceLine, SeriesForm,
};

use super::summary::{AdjustSummary, EVEN};

/// Returns the picture: percents with intervals.
pub(super) fn winrates(summary: &AdjustSummary<'_>) -> String {
    let series = summary.kinds().into_iter().map(|kind| {
        let points = summary.bots(kind).filter_map(|cell| {
            let score = cell.score?;
            Some(MeasuredPoint {
                x: f64::from(summary.opponent(cell).agent.depth()),
                y: 100.0 * score.mean,
                interval: Some([100.0 * score.low, 100.0 * score.high]),
            })
        });
        PointSeries {
            name: kind.name().to_owned(),
            form: SeriesForm::JoinedPoints,
            points: points.collect(),
        }
    });
    let chart = PointChart {
        title: "Score of each arm against each BOT".to_owned(),
        x_label: "depth of the BOT, plies".to_owned(),
        y_label: "score, %".to_owned(),
        x_axis: PointAxis::Numbers,
        y_shown: vec![0.0, 100.0],
        reference: Some(ReferenceLine { name: "even games".to_owned(), y: 100.0 * EVEN }),
        series: series.collect(),
    };
    chart.to_svg()
}
