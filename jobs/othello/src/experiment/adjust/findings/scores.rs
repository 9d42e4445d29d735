//! Scores against BOTs and simulated people, and the ladder of opponents.

use hatchery_core::IntervalEstimate;
use hatchery_core::findings::{FindingBlock, FindingSection, RichText, TableHead};
use hatchery_core::text::{grouped, rounded};

use super::super::arms::ArmKind;
use super::super::picture;
use super::super::summary::{AdjustSummary, SummedCell};
use crate::experiment::wording;

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
    let columns: Vec<TableHead> = std::iter::once(TableHead::text("arm"))
        .chain(bots.map(|bot| TableHead::number(format!("{bot}, score"))))
        .collect();
    let rows = summary.kinds().into_iter().map(|kind| {
        let cells = summary.bots(kind).map(score_text);
        std::iter::once(RichText::from(kind.name())).chain(cells).collect()
    });
    let about = RichText::default().code("winrates.csv").plain(" has the scores by color.");
    FindingSection::new(
        "Scores",
        vec![
            FindingBlock::figure("winrates", picture::winrates(summary).picture(), caption),
            FindingBlock::table(RichText::default(), columns, rows.collect()),
            FindingBlock::Text(about),
        ],
    )
}

fn score_text(cell: &SummedCell<'_>) -> RichText {
    let Some(score) = cell.score else { return "-".into() };
    let score = RichText::percent(score.interval);
    match cell.first_half {
        Some(first) => score.plain(format!(", first half {} %", rounded(100.0 * first, 1))),
        None => score,
    }
}

/// Returns the section of the strength of opponents.
pub(super) fn ladder(summary: &AdjustSummary<'_>) -> FindingSection {
    let about = RichText::new("The strength of each opponent relative to the control ")
        .code("fixed")
        .plain(format!(
            " of depth {}. Without a spread here, no arm has anything to adjust to.",
            summary.spec.fixed
        ));
    let columns = vec![TableHead::text("opponent"), TableHead::number("Elo")];
    let rows = summary.ladder().into_iter();
    let rows = rows.map(|(opponent, elo)| vec![opponent.name().into(), wording::match_elo(elo)]);
    let mut blocks = vec![
        FindingBlock::Text(about),
        FindingBlock::table(RichText::default(), columns, rows.collect()),
    ];
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
    summary.people().next()?;
    let columns = vec![
        TableHead::text("arm"),
        TableHead::text("person"),
        TableHead::number("depth"),
        TableHead::number("losses / draws / wins"),
        TableHead::number("score"),
    ];
    let rows = summary.people().map(|cell| {
        let [losses, draws, wins] = cell.results.counted.games().map(grouped);
        let opponent = summary.opponent(cell);
        vec![
            cell.cell.kind.name().into(),
            opponent.name().into(),
            opponent.agent.depth().to_string().into(),
            format!("{losses} / {draws} / {wins}").into(),
            score_text(cell),
        ]
    });
    let caption = "Agents that stand for the three people of the paper (Takagi et al., §4.4).";
    let table = FindingBlock::table(caption, columns, rows.collect());
    Some(FindingSection::new("Simulated people", vec![table]))
}
