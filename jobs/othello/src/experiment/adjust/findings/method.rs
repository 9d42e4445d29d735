//! What was played, and where a replay finds it.

use hatchery_core::findings::{FindingBlock, FindingSection, RichText, TableHead};
use hatchery_core::text::{counted, grouped, joined};

use super::super::cells::MIN_SEQUENCES;
use super::super::spec::{BotParam, ChangingBotParam, JudgeParam};
use super::super::summary::AdjustSummary;
use crate::experiment::scene::agent_text;
use crate::experiment::wording;

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
    let rows = summary.checked.arms.iter().map(|arm| {
        let control = if arm.kind.is_control() { ", a control" } else { "" };
        // The search is that of all agents.
        let settings = wording::agent_settings(&arm.agent).unwrap_or_default();
        let settings = settings.strip_prefix(&search).unwrap_or(&settings);
        let settings = settings.trim_start_matches("; ");
        let settings = (!settings.is_empty()).then(|| settings.into());
        let agent = format!("{}{control}", agent_text(&arm.agent));
        vec![arm.kind.name().into(), agent.into(), wording::cell(settings)]
    });
    let columns = ["arm", "agent", "settings"].into_iter().map(TableHead::text).collect();
    let table = FindingBlock::table(RichText::default(), columns, rows.collect());
    FindingSection::new("Arms", vec![table])
}

/// Returns the section about the subjects. A replay finds a game by its subject.
pub(super) fn replays(summary: &AdjustSummary<'_>) -> FindingSection {
    let about = RichText::default().code("hatchery replay RUN 0/SUBJECT/TRIAL").plain(
        " shows the games of a trial. In the first game of each two the arm is black, in the \
         second white.",
    );
    let columns = vec![
        TableHead::number("subject"),
        TableHead::text("arm"),
        TableHead::text("opponent"),
        TableHead::number("trials"),
        TableHead::number("games of a trial"),
        TableHead::text("judged"),
    ];
    let series = summary.cells.iter().flat_map(|it| it.cell.series().map(move |one| (it, one)));
    let rows = series.enumerate().map(|(subject, (cell, (setup, n_trials)))| {
        vec![
            subject.to_string().into(),
            cell.cell.kind.name().into(),
            summary.opponent(cell).name().into(),
            grouped(n_trials).into(),
            grouped(2 * u64::from(setup.pairs)).into(),
            if setup.judge.is_some() { "yes" } else { "no" }.into(),
        ]
    });
    let table = FindingBlock::table(RichText::default(), columns, rows.collect());
    FindingSection::new("Replays", vec![FindingBlock::Text(about), table])
}
