//! The levels that arms learn.

use hatchery_core::findings::{FindingBlock, FindingSection, RichText, TableHead};
use hatchery_core::text::{counted, grouped, rounded};

use super::super::estimates::{LevelMean, SettledLevel, level_estimates};
use super::super::summary::AdjustSummary;
use crate::experiment::wording;

/// Returns the section of the levels at the end; `None` if no arm has one that changes.
pub(super) fn learned_levels(summary: &AdjustSummary<'_>) -> Option<FindingSection> {
    let mut rows = Vec::new();
    for (cell, found) in level_estimates(summary) {
        let Some(end) = found.end else { continue };
        let settled = match found.settled {
            None => "-".to_owned(),
            Some(SettledLevel::NotSeen) => "not seen".to_owned(),
            Some(SettledLevel::From(game)) => grouped(game),
            Some(SettledLevel::AtBound(game)) => format!("{}, at its bound", grouped(game)),
        };
        let observed = end.observed.map(|observed| rounded(observed, 1).into());
        rows.push(vec![
            cell.cell.kind.name().into(),
            summary.opponent(cell).name().into(),
            level_text(&end),
            wording::cell(observed),
            settled.into(),
            wording::cell(found.games_needed.map(|games| grouped(games).into())),
        ]);
    }
    if rows.is_empty() {
        return None;
    }
    let columns = vec![
        TableHead::text("arm"),
        TableHead::text("opponent"),
        TableHead::number("level"),
        TableHead::number("moves counted"),
        TableHead::number("settled from game"),
        TableHead::number("games for one ply"),
    ];
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
        FindingBlock::table(RichText::default(), columns, rows),
        FindingBlock::List(terms.into_iter().map(RichText::from).chain([file]).collect()),
    ];
    Some(FindingSection::new("Learned levels", blocks))
}

fn level_text(level: &LevelMean) -> RichText {
    let mean = rounded(level.mean, 2);
    match (level.interval, level.n) {
        (Some(interval), _) => RichText::estimate(interval, 2),
        (None, 1) => RichText::new(mean).soft(" (one trial)"),
        (None, n) => RichText::new(mean).soft(format!(" (all {} equal)", counted(n, "trial"))),
    }
}
