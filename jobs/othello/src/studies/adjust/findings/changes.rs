//! The lag of arms behind BOTs that change, in sentences and as a table.

use hatchery_core::findings::{FindingBlock, FindingSection, RichText};
use hatchery_core::text::rounded;

use super::super::changes::{ChangeSummary, LevelLag, change_summaries};
use super::super::summary::AdjustSummary;
use super::super::tables;

/// Returns a sentence for each arm whose lag behind a BOT that changes is known, or is shown not to
/// exist.
pub(super) fn lags(summary: &AdjustSummary<'_>) -> Vec<RichText> {
    let sentence = |it: &ChangeSummary<'_, '_>| {
        let name = summary.opponent(it.cell).name();
        let words = RichText::new(format!("Against {name}, the {} arm ", it.cell.cell.kind.name()));
        Some(match it.lag {
            LevelLag::NoLevel => return None,
            LevelLag::NoChange => words.strong("is not shown to follow").plain("."),
            LevelLag::Games(games) => words
                .strong(format!("follows {} games late", games_text(games.mean)))
                .plain(format!(" ({} to {}).", games_text(games.low), games_text(games.high))),
            LevelLag::AtLeast(games) => words
                .strong(format!("follows {} games late or more", games_text(games.low)))
                .plain(", and still moves at the end of a sequence."),
        })
    };
    change_summaries(summary).iter().filter_map(sentence).collect()
}

/// Returns the section of the BOTs that change; `None` without them.
pub(super) fn changes(summary: &AdjustSummary<'_>) -> Option<FindingSection> {
    let found = change_summaries(summary);
    if found.is_empty() {
        return None;
    }
    let about = "Each arm plays sequences of games against a BOT that changes its strength. \
                 Before: the second half of the games before the change. After: all games after \
                 it. At the end: the last quarter of these. Sequences are the samples of \
                 intervals.";
    let lag = "Lag: the games by which the arm's level follows late. A level that jumps to its new \
               value so many games after the change has the same mean over the games after it. The \
               level is the strength index z, or the estimate T_s in plies, after each game. A lag \
               of \"no change\" means that the level before the change and that at the end are not \
               shown to differ; an arm without a level learns nothing from game to game.";
    let file = RichText::default()
        .code("changes.csv")
        .plain(" has the same numbers, and ")
        .code("estimates.csv");
    let blocks = vec![
        FindingBlock::text(about),
        tables::changes(summary, &found).block(RichText::default()),
        FindingBlock::text(lag),
        FindingBlock::Text(file.plain(" the level after each game.")),
    ];
    Some(FindingSection::new("Changes of strength", blocks))
}

fn games_text(games: f64) -> String {
    rounded(games, 1)
}
