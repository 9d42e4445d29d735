//! What was played, and where a replay finds it.

use hatchery_core::DataTable;
use hatchery_core::findings::{FindingBlock, FindingSection, RichText};

use super::super::arms::AdjustArm;
use super::super::cells::MIN_SEQUENCES;
use super::super::summary::AdjustSummary;
use crate::trial::scene::agent_text;

/// Returns what was done, as far as no parameter says it.
pub(super) fn method(summary: &AdjustSummary<'_>) -> FindingBlock {
    let sequences = match summary.checked.arms.iter().any(|arm| arm.agent.carries()) {
        true => format!(
            " Of an arm that learns from game to game, the second halves of sequences count, at \
             least {MIN_SEQUENCES} of them."
        ),
        false => String::new(),
    };
    let changing = match summary.changes().next() {
        Some(_) => {
            " Against a BOT that changes, all arms play sequences, and the games after the change \
             count; no move is judged."
        }
        None => "",
    };
    FindingBlock::text(format!(
        "An arm that adjusts should score one half against every BOT; a control that never adjusts \
         does so only against its equals.{sequences}{changing} Intervals hold with {} %; those of \
         scores take pairs of games on one opening for independent, and sequences for an arm that \
         learns from game to game.",
        summary.percent()
    ))
}

/// Returns the section of the arms.
pub(super) fn arms(summary: &AdjustSummary<'_>) -> FindingSection {
    let control = |arm: &AdjustArm| if arm.kind.is_control() { ", a control" } else { "" };
    let table = DataTable::on_page(&summary.checked.arms)
        .text("arm", |arm| arm.kind.name())
        .text("agent", |arm| agent_text(&arm.agent) + control(arm))
        .block(RichText::default());
    FindingSection::new("Arms", vec![table])
}

/// Returns the section about the subjects. A replay finds a game by its subject.
pub(super) fn replays(summary: &AdjustSummary<'_>) -> FindingSection {
    let about = RichText::default().code("hatchery replay RUN 0/SUBJECT/TRIAL").plain(
        " shows the games of a trial. In the first game of each two the arm is black, in the \
         second white.",
    );
    let series = summary.cells.iter().flat_map(|it| it.cell.series().map(move |one| (it, one)));
    let table = DataTable::on_page(&series.enumerate().collect::<Vec<_>>())
        .words("subject", |(subject, _)| subject.to_string())
        .text("arm", |(_, (cell, _))| cell.cell.kind.name())
        .text("opponent", |(_, (cell, _))| summary.opponent(cell).name())
        .count("trials", |(_, (_, (_, n_trials)))| *n_trials)
        .count("games of a trial", |(_, (_, (setup, _)))| 2 * u64::from(setup.pairs))
        .flag("judged", |(_, (_, (setup, _)))| setup.judge.is_some())
        .block(RichText::default());
    FindingSection::new("Replays", vec![FindingBlock::Text(about), table])
}
