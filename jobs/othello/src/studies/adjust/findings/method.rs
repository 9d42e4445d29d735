//! What was played, and where a replay finds it.

use hatchery_core::DataTable;
use hatchery_core::findings::{FindingBlock, FindingSection, RichText};
use hatchery_core::text::{counted, grouped, joined};

use super::super::arms::AdjustArm;
use super::super::cells::MIN_SEQUENCES;
use super::super::spec::{BotParam, ChangingBotParam, JudgeParam};
use super::super::summary::AdjustSummary;
use crate::studies::wording;
use crate::trial::scene::agent_text;

/// Returns what was done.
pub(super) fn method(summary: &AdjustSummary<'_>) -> Vec<RichText> {
    let AdjustSummary { spec, checked, .. } = summary;
    let about = "Arms play BOTs of several depths. An arm that adjusts should score one half \
                 against every BOT; a control that never adjusts does so only against its equals.";
    let sequences = match checked.arms.iter().any(|arm| arm.agent.carries()) {
        true => format!(
            " Of an arm that learns from game to game, the second halves of sequences of {} count, \
             at least {MIN_SEQUENCES} of them.",
            counted(spec.sequence, "game"),
        ),
        false => String::new(),
    };
    let bots: Vec<String> = spec.bots.iter().map(bot_words).collect();
    let changing = match summary.changes().next() {
        Some(_) => {
            " Against a BOT that changes, all arms play sequences, and the games after the \
                    change count; no move is judged."
        }
        None => "",
    };
    let games = format!(
        "BOTs are Monte-Carlo tree searches of depths {}, which each arm plays {} \
         against.{sequences}{changing} The search of all agents: {}. Openings: {}.",
        joined(&bots),
        counted(spec.games, "game"),
        wording::search(&spec.search),
        spec.openings.text(),
    );
    let JudgeParam { playouts, empties, games: judged } = spec.judge;
    let judge = match judged {
        _ if !checked.opponents.iter().any(|it| it.change.is_none()) => RichText::default(),
        0 => RichText::new("Moves are not judged, as ").code("judge.games").plain(" is 0."),
        _ => format!(
            "The judge of moves knows exact values within {empties} empty squares, and searches \
             with {} playouts a move before; it sees at most {} of each arm against each opponent.",
            grouped(playouts),
            counted(judged, "game")
        )
        .into(),
    };
    let intervals = format!(
        "Intervals hold with {} %; those of scores take pairs of games on one opening for \
         independent, and sequences for an arm that learns from game to game.",
        summary.percent()
    );
    let words = [about.into(), games.into(), judge, intervals.into()];
    words.into_iter().filter(|it: &RichText| !it.is_empty()).collect()
}

fn bot_words(bot: &BotParam) -> String {
    match bot {
        BotParam::Depth(depth) => depth.to_string(),
        BotParam::Changing(ChangingBotParam { from, to, at }) => {
            format!("{from} ({to} after {} of a sequence)", counted(*at, "game"))
        }
    }
}

/// Returns the section of the arms with their settings.
pub(super) fn arms(summary: &AdjustSummary<'_>) -> FindingSection {
    let search = wording::search(&summary.spec.search);
    let settings = |arm: &AdjustArm| {
        // The search is that of all agents.
        let settings = wording::agent_settings(&arm.agent)?;
        let settings = settings.strip_prefix(&search).unwrap_or(&settings);
        let settings = settings.trim_start_matches("; ").to_owned();
        (!settings.is_empty()).then_some(settings)
    };
    let control = |arm: &AdjustArm| if arm.kind.is_control() { ", a control" } else { "" };
    let table = DataTable::on_page(&summary.checked.arms)
        .text("arm", |arm| arm.kind.name())
        .text("agent", |arm| agent_text(&arm.agent) + control(arm))
        .text("settings", settings)
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
