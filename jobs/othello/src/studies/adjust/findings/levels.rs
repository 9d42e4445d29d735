//! The levels that arms learn.

use hatchery_core::DataTable;
use hatchery_core::findings::{FindingBlock, FindingSection, RichText};
use hatchery_core::text::{counted, grouped, rounded};

use super::super::estimates::{LevelMean, SettledLevel, level_estimates};
use super::super::summary::AdjustSummary;

/// Returns the section of the levels at the end; `None` if no arm has one that changes.
pub(super) fn learned_levels(summary: &AdjustSummary<'_>) -> Option<FindingSection> {
    let estimates = level_estimates(summary);
    let rows = estimates.filter_map(|(cell, found)| Some((cell, found.end?, found)));
    let rows: Vec<_> = rows.collect();
    if rows.is_empty() {
        return None;
    }
    let table = DataTable::on_page(&rows)
        .text("arm", |(cell, ..)| cell.cell.kind.name())
        .text("opponent", |(cell, ..)| summary.opponent(cell).name())
        .words("level", |(_, end, _)| level_text(end))
        .number("moves counted", 1, |(_, end, _)| end.observed)
        .words("settled from game", |(.., found)| found.settled.map(settled_text))
        .count("games for one ply", |(.., found)| found.games_needed)
        .block(RichText::default());
    let about = "The level at the end of a game, or of a sequence for an arm that learns from game \
                 to game: the estimate T_s in plies, or the strength index z. If it is the same \
                 against every BOT, it carries no information.";
    let terms = [
        "Moves counted: the mean number of the opponent's moves in an estimate.",
        "Settled from game: of a sequence, the first game from which on all means lie within the \
         interval of the last one, which is shorter with more sequences; or from which on all are \
         at the bound of levels, but for a fortieth of their range.",
        "Games for one ply: the number of games, each with an estimate of its own, whose mean has \
         an interval of at most one ply to both sides.",
    ];
    let file = RichText::default().code("estimates.csv").plain(" has the level after each game.");
    let blocks = vec![
        FindingBlock::text(about),
        table,
        FindingBlock::List(terms.into_iter().map(RichText::from).chain([file]).collect()),
    ];
    Some(FindingSection::new("Learned levels", blocks))
}

fn settled_text(settled: SettledLevel) -> String {
    match settled {
        SettledLevel::NotSeen => "not seen".to_owned(),
        SettledLevel::From(game) => grouped(game),
        SettledLevel::AtBound(game) => format!("{}, at its bound", grouped(game)),
    }
}

fn level_text(level: &LevelMean) -> RichText {
    let mean = rounded(level.mean, 2);
    match (level.interval, level.n) {
        (Some(interval), _) => RichText::estimate(interval, 2),
        (None, 1) => RichText::new(mean).soft(" (one trial)"),
        (None, n) => RichText::new(mean).soft(format!(" (all {} equal)", counted(n, "trial"))),
    }
}
