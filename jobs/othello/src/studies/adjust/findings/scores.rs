//! Scores against BOTs and simulated people, and the ladder of opponents.

use hatchery_core::findings::{FindingBlock, FindingSection, RichText};
use hatchery_core::text::grouped;
use hatchery_core::{DataTable, IntervalEstimate};
use hatchery_figures::{
    MeasuredPoint, PointAxis, PointChart, PointSeries, Quantity, ReferenceLine, SeriesForm,
};

use super::super::arms::ArmKind;
use super::super::summary::AdjustSummary;
use super::super::tables::{self, score_text};
use super::super::verdicts::EVEN;
use crate::studies::wording;

/// Returns the section of the scores against BOTs: Fig. 6 of the paper.
pub(super) fn scores(summary: &AdjustSummary<'_>) -> FindingSection {
    let caption = format!(
        "The score of each arm against each BOT in percent, with {} % intervals: points per game, \
         one half for a draw. At least {} games count for each point. An arm that adjusts should \
         lie on the line of even games; in the paper it scores about 50 % against every BOT, and a \
         little over 60 % against depth 5 (Takagi et al., §4.3, Fig. 6).",
        summary.percent(),
        grouped(summary.spec.games)
    );
    let bots = summary.bots(ArmKind::Fixed).map(|it| summary.opponent(it).name());
    let table = DataTable::on_page(&summary.kinds())
        .text("arm", |kind| kind.name())
        .each(bots.enumerate(), |table, (at, bot)| {
            let score = move |kind: &ArmKind| score_text(summary.bots(*kind).nth(at)?);
            table.words(format!("{bot}, score"), score)
        })
        .block(RichText::default());
    let about = RichText::default().code("winrates.csv").plain(" has the scores by color.");
    FindingSection::new(
        "Scores",
        vec![
            FindingBlock::figure("winrates", winrates(summary).picture(), caption),
            table,
            FindingBlock::Text(about),
        ],
    )
}

/// Returns the section of the strength of opponents.
pub(super) fn ladder(summary: &AdjustSummary<'_>) -> FindingSection {
    let about = RichText::new("The strength of each opponent relative to the control ")
        .code("fixed")
        .plain(format!(
            " of depth {}. Without a spread here, no arm has anything to adjust to.",
            summary.spec.fixed
        ));
    let table = DataTable::on_page(&summary.ladder())
        .text("opponent", |(opponent, _)| opponent.name())
        .words("Elo", |(_, elo)| wording::match_elo(*elo))
        .block(RichText::default());
    let mut blocks = vec![FindingBlock::Text(about), table];
    blocks.extend(judge(summary).map(FindingBlock::Text));
    FindingSection::new("Ladder", blocks)
}

fn judge(summary: &AdjustSummary<'_>) -> Option<RichText> {
    let (opponent, strength) = summary.judge()?;
    let IntervalEstimate { low, high, .. } = strength.elo;
    let place = match (0.0 < low, high < 0.0) {
        (true, _) => "above it",
        (_, true) => "below it",
        _ => "not shown to be above or below it",
    };
    let playouts = grouped(summary.spec.judge.playouts);
    Some(
        RichText::new(format!("The judge of moves, with {playouts} playouts a move, scores "))
            .join(RichText::percent(strength.score.interval))
            .plain(format!(" against {}: ", opponent.name()))
            .join(wording::match_elo(strength.elo))
            .plain(format!(" Elo, {place}.")),
    )
}

/// Returns the section of the scores against simulated people; `None` without them.
pub(super) fn people(summary: &AdjustSummary<'_>) -> Option<FindingSection> {
    let people = tables::people_rows(summary);
    let caption = "Agents that stand for the three people of the paper (Takagi et al., §4.4).";
    let table = || tables::winrates(summary, &people).block(caption);
    (!people.is_empty()).then(|| FindingSection::new("Simulated people", vec![table()]))
}

/// Returns the picture: percents with intervals.
fn winrates(summary: &AdjustSummary<'_>) -> PointChart {
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
