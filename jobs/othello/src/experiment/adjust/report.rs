//! `report.md`: the results in words.

use std::fmt::Write as _;

use hatchery_core::IntervalEstimate;

use super::arms::ArmKind;
use super::estimates::estimates;
use super::summary::{AdaptVerdict, AdjustSummary, SummedCell, elo};
use super::tables::{all_records, natural_summary};
use crate::experiment::scene::agent_text;
use crate::naturalness::NaturalnessMetric;

/// Returns the report.
pub(super) fn report(summary: &AdjustSummary<'_>) -> String {
    let parts = [
        heading(summary),
        verdicts(summary),
        scores(summary),
        ladder(summary),
        learned(summary),
        people(summary),
        naturalness(summary),
        words(),
    ];
    parts.join("\n")
}

fn heading(summary: &AdjustSummary<'_>) -> String {
    let AdjustSummary { spec, checked, .. } = summary;
    let mut text = format!(
        "# Strength adjustment in Othello\n\n\
         Arms play BOTs of several depths. An arm that adjusts should score one half against every \
         BOT, and a control that does not should not.\n\n\
         - {} games of each arm against each BOT; of an arm that learns from game to game, the \
         second halves of sequences of {}\n\
         - playouts: {} a search, reading `{}`\n\
         - intervals hold with {} %\n\n\
         | arm | |\n|---|---|\n",
        spec.games,
        spec.sequence,
        spec.search.playouts,
        spec.search.reading.name(),
        100.0 * (1.0 - checked.error_rate.get()),
    );
    for arm in &checked.arms {
        let control = if arm.kind.is_control() { ", a control" } else { "" };
        writeln!(text, "| {} | {}{control} |", arm.kind.name(), agent_text(&arm.agent))
            .expect("a string takes all text");
    }
    text
}

/// Returns a sentence for each arm and BOT.
fn verdicts(summary: &AdjustSummary<'_>) -> String {
    let mut text = "## Verdicts\n\n\
         An arm adapts to a BOT if its score is shown to be nearer to one half than that of the \
         control `fixed`: the difference of their distances from one half is above 0 after the \
         correction of Benjamini and Hochberg over the BOTs.\n\n"
        .to_owned();
    for kind in summary.kinds().into_iter().filter(|kind| !kind.is_control()) {
        for (cell, verdict) in summary.bots(kind).zip(summary.verdicts(kind)) {
            let Some(verdict) = verdict else { continue };
            let depth = summary.opponent(cell).agent.depth();
            writeln!(text, "- {}: {}", kind.name(), sentence(depth, &verdict))
                .expect("a string takes all text");
        }
    }
    text
}

fn sentence(depth: u32, verdict: &AdaptVerdict) -> String {
    let IntervalEstimate { low, high, .. } = verdict.nearer;
    let p = verdict.p_value;
    let interval = format!("{low:+.3} to {high:+.3}");
    if verdict.adapts {
        format!("adapts to BOT {depth} (nearer by {interval}, p {p:.4})")
    } else if high < 0.0 {
        format!(
            "BOT {depth}: not nearer than an agent that never adjusts, but farther ({interval})"
        )
    } else {
        format!("BOT {depth}: not shown to differ from an agent that never adjusts ({interval})")
    }
}

fn scores(summary: &AdjustSummary<'_>) -> String {
    let mut text = "## Scores\n\n| arm |".to_owned();
    let bots: Vec<String> =
        summary.bots(ArmKind::Fixed).map(|it| summary.opponent(it).name()).collect();
    for bot in &bots {
        write!(text, " {bot} |").expect("a string takes all text");
    }
    text.push_str("\n|---|");
    text.push_str(&"---|".repeat(bots.len()));
    text.push('\n');
    for kind in summary.kinds() {
        write!(text, "| {} |", kind.name()).expect("a string takes all text");
        for cell in summary.bots(kind) {
            write!(text, " {} |", score_text(cell)).expect("a string takes all text");
        }
        text.push('\n');
    }
    text
}

fn score_text(cell: &SummedCell<'_>) -> String {
    let Some(score) = cell.score else { return "-".to_owned() };
    let halves = cell.first_half.map(|first| format!(", first half {first:.3}"));
    let IntervalEstimate { mean, low, high, .. } = score;
    format!("{mean:.3} ({low:.3} to {high:.3}){}", halves.unwrap_or_default())
}

fn ladder(summary: &AdjustSummary<'_>) -> String {
    let mut text = format!(
        "## Ladder\n\n\
         How strong each opponent is against the control `fixed` of depth {}, in Elo points. \
         Without a spread here, no arm has anything to adjust to.\n\n\
         | opponent | Elo |\n|---|---|\n",
        summary.spec.fixed
    );
    for (opponent, IntervalEstimate { mean, low, high, .. }) in summary.ladder() {
        writeln!(text, "| {} | {mean:+.0} ({low:+.0} to {high:+.0}) |", opponent.name())
            .expect("a string takes all text");
    }
    if let Some((opponent, score)) = summary.judge() {
        let place = elo(score.mean).map_or_else(
            || "an unbounded number of Elo points".to_owned(),
            |elo| format!("{elo:+.0} Elo"),
        );
        write!(
            text,
            "\nThe judge of moves, with {} playouts a move, scored {:.3} ({:.3} to {:.3}) against \
             {}: {place} above it.\n",
            summary.spec.judge.playouts,
            score.mean,
            score.low,
            score.high,
            opponent.name()
        )
        .expect("a string takes all text");
    }
    text
}

fn learned(summary: &AdjustSummary<'_>) -> String {
    let mut text = "## What the arms learned\n\n\
         The level at the end of a trial: the estimate T_s in plies, or the strength index z. If \
         it is the same against every BOT, it carries no information.\n\n\
         | arm | opponent | level | moves counted | settles after games |\n\
         |---|---|---|---|---|\n"
        .to_owned();
    for cell in summary.cells.iter().filter(|it| !it.results.levels.is_empty()) {
        let found = estimates(&cell.results.levels, cell.cell.setup.pairs);
        let Some(last) = found.games.last() else { continue };
        let IntervalEstimate { mean, low, high, .. } = last.mean;
        writeln!(
            text,
            "| {} | {} | {mean:.2} ({low:.2} to {high:.2}) | {:.1} | {} |",
            cell.cell.kind.name(),
            summary.opponent(cell).name(),
            last.observed,
            found.settled.map_or_else(|| "not seen".to_owned(), |games| games.to_string()),
        )
        .expect("a string takes all text");
    }
    text
}

fn people(summary: &AdjustSummary<'_>) -> String {
    let mut text = "## Simulated people\n\n\
         Agents that stand for the three people of the paper's section 4.4.\n\n\
         | arm | person | depth | losses, draws, wins | score |\n|---|---|---|---|---|\n"
        .to_owned();
    for cell in summary.people() {
        let [losses, draws, wins] = cell.results.counted.games();
        let opponent = summary.opponent(cell);
        writeln!(
            text,
            "| {} | {} | {} | {losses}, {draws}, {wins} | {} |",
            cell.cell.kind.name(),
            opponent.name(),
            opponent.agent.depth(),
            score_text(cell)
        )
        .expect("a string takes all text");
    }
    text
}

fn naturalness(summary: &AdjustSummary<'_>) -> String {
    let mut text = "## Naturalness\n\n\
         Moves of each arm against all BOTs, as the judge sees them; `naturalness.csv` has each \
         BOT. Compare with the controls: also a player that never adjusts loses more when it has \
         more to lose.\n\n"
        .to_owned();
    let kinds = summary.kinds();
    let arms = kinds.iter().map(|&kind| natural_summary(&all_records(summary, kind)));
    let arms: Vec<_> = arms.collect();
    text.push_str("| metric | kind | unit |");
    for kind in &kinds {
        write!(text, " {} |", kind.name()).expect("a string takes all text");
    }
    text.push_str("\n|---|---|---|");
    text.push_str(&"---|".repeat(kinds.len()));
    text.push('\n');
    for (number, metric) in NaturalnessMetric::ALL.into_iter().enumerate() {
        let kind = metric.kind().map_or("", |kind| kind.name());
        write!(text, "| {} | {kind} | {} |", metric.name(), metric.unit())
            .expect("a string takes all text");
        for arm in &arms {
            let row = &arm.rows[number];
            let value = match (row.value, row.interval) {
                (Some(value), Some([low, high])) => {
                    format!("{value:.3} ({low:.3} to {high:.3})")
                }
                (Some(value), None) => format!("{value:.3}"),
                (None, _) => "-".to_owned(),
            };
            write!(text, " {value} |").expect("a string takes all text");
        }
        text.push('\n');
    }
    text
}

fn words() -> String {
    "## How to read it\n\n\
     - score: points per game, one half for a draw\n\
     - `winrates.csv` has the scores by color, `estimates.csv` the level after each game\n\
     - an adjusting arm that is not nearer to one half than `fixed` has adjusted nothing, however \
     near to one half it is\n"
        .to_owned()
}
