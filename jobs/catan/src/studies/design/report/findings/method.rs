//! The method in sentences that no parameter says: terms, intervals and the numbers of games.

use hatchery_core::findings::{FindingBlock, RichText};
use hatchery_core::text::grouped;

use super::super::summary::DesignSummary;
use crate::rules::Seat;
use crate::studies::wording;
use crate::trial::results::GameResults;

/// Returns what was done.
pub(super) fn method(summary: &DesignSummary<'_>) -> Vec<FindingBlock> {
    let terms = wording::terms(Seat::COUNT);
    let terms = format!("{terms} Intervals are at 95 %.");
    let files = games(summary)
        .plain(" All maps are in ")
        .code("maps.csv")
        .plain(", with the line of each, and the steps in ")
        .code("steps.csv")
        .plain(".");
    vec![FindingBlock::text(terms), FindingBlock::Text(files)]
}

/// Says how many games were played.
fn games(summary: &DesignSummary<'_>) -> RichText {
    // The games by which finalists were chosen are not added, because maps of the steps bring
    // theirs along.
    let of_maps = summary.maps.iter().map(|shown| &shown.simulated.results);
    let all = of_maps.chain(summary.finalists.iter().map(|finalist| &finalist.fresh));
    let all = GameResults::together(all);
    RichText::new(format!(
        "Games of the steps, and fresh ones of finalists: {}, of which {} were stopped undecided.",
        grouped(all.games),
        grouped(all.undecided()),
    ))
}
