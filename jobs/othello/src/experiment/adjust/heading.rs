//! The head of the report: all that was played, and where a replay finds it.

use std::fmt::Write as _;

use hatchery_core::text::TAKES_ALL;

use super::spec::JudgeParam;
use super::summary::AdjustSummary;
use crate::experiment::scene::agent_text;
use crate::experiment::wording;

/// Returns the title, the settings and the arms.
pub(super) fn heading(summary: &AdjustSummary<'_>) -> String {
    let AdjustSummary { spec, checked, .. } = summary;
    let learns = checked.arms.iter().any(|arm| arm.agent.carries());
    let sequences = if learns {
        format!(
            "; of an arm that learns from game to game, the second halves of sequences of {}, at \
             least {} of them",
            spec.sequence,
            super::cells::MIN_SEQUENCES
        )
    } else {
        String::new()
    };
    let JudgeParam { playouts, empties, games } = spec.judge;
    let judge = match games {
        0 => "none, as `judge.games` is 0".to_owned(),
        _ => format!(
            "exact values within {empties} empty squares, and {playouts} playouts a move before; \
             {games} games of each arm against each opponent, at most"
        ),
    };
    let depths = |depths: &[u32]| {
        let depths: Vec<String> = depths.iter().map(u32::to_string).collect();
        wording::list(&depths)
    };
    let mut text = format!(
        "# Strength adjustment in Othello\n\n\
         Arms play BOTs of several depths. An arm that adjusts should score one half against every \
         BOT; a control that never adjusts does so only against its equals.\n\n\
         - BOTs: Monte-Carlo tree search of depths {}\n\
         - games: {} of each arm against each BOT{sequences}\n\
         - search of all agents: {}\n\
         - openings: {}\n\
         - judge of moves: {judge}\n\
         - intervals hold with {} %; those of scores take pairs of games on one opening for \
         independent, and sequences for an arm that learns from game to game\n\n\
         | arm | agent | settings |\n|---|---|---|\n",
        depths(&spec.bots),
        spec.games,
        wording::search(&spec.search),
        spec.openings.text(),
        summary.percent(),
    );
    let search = wording::search(&spec.search);
    for arm in &checked.arms {
        let control = if arm.kind.is_control() { ", a control" } else { "" };
        // The search is that of all agents.
        let settings = wording::agent_settings(&arm.agent).unwrap_or_default();
        let settings = settings.strip_prefix(&search).unwrap_or(&settings);
        let settings = settings.trim_start_matches("; ");
        let settings = if settings.is_empty() { "-" } else { settings };
        let (name, agent) = (arm.kind.name(), agent_text(&arm.agent));
        writeln!(text, "| {name} | {agent}{control} | {settings} |").expect(TAKES_ALL);
    }
    text
}

/// Returns the table of subjects, by which a replay finds a game.
pub(super) fn replays(summary: &AdjustSummary<'_>) -> String {
    let mut text = "## Replays\n\n\
         `hatchery replay RUN 0/SUBJECT/TRIAL` shows the games of a trial. In the first game of \
         each two the arm is black, in the second white.\n\n\
         | subject | arm | opponent | trials | games of a trial | judged |\n\
         |---|---|---|---|---|---|\n"
        .to_owned();
    let series = summary.cells.iter().flat_map(|it| it.cell.series().map(move |one| (it, one)));
    for (subject, (cell, (setup, n_trials))) in series.enumerate() {
        writeln!(
            text,
            "| {subject} | {} | {} | {n_trials} | {} | {} |",
            cell.cell.kind.name(),
            summary.opponent(cell).name(),
            2 * setup.pairs,
            if setup.judge.is_some() { "yes" } else { "no" }
        )
        .expect(TAKES_ALL);
    }
    text
}
