//! `winrates.svg`: each arm's score against each BOT, as in Fig. 6 of Takagi et al.

use hatchery_figures::{
    MeasuredPoint, PointAxis, PointChart, PointSeries, Quantity, ReferenceLine, SeriesForm,
};

use super::summary::AdjustSummary;
use super::verdicts::EVEN;

/// Returns the picture: percents with intervals.
pub(super) fn winrates(summary: &AdjustSummary<'_>) -> PointChart {
    let bots: Vec<u32> = summary.spec.bots.iter().filter_map(|bot| bot.depth()).collect();
    let place = |depth: u32| (0_u32..).zip(&bots).find(|(_, bot)| **bot == depth);
    let series = summary.kinds().into_iter().map(|kind| {
        let points = summary.bots(kind).filter_map(|cell| {
            let score = cell.score?.interval;
            let (x, _) = place(summary.opponent(cell).agent.depth())?;
            Some(MeasuredPoint {
                x: f64::from(x),
                y: Quantity::estimate(score.mean, [score.low, score.high]).scaled(100.0),
            })
        });
        PointSeries {
            name: kind.name().to_owned(),
            form: SeriesForm::JoinedPoints,
            points: points.collect(),
        }
    });
    PointChart {
        title: format!("Score of each arm against each BOT ({} % intervals)", summary.percent()),
        x_label: "depth of the BOT, plies".to_owned(),
        y_label: "score, %".to_owned(),
        x_axis: PointAxis::Categories(bots.iter().map(u32::to_string).collect()),
        y_shown: vec![0.0, 100.0],
        reference: Some(ReferenceLine { name: "even games".to_owned(), y: 100.0 * EVEN }),
        series: series.collect(),
    }
}
