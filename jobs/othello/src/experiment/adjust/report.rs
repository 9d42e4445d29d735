//! `report.md`: the results in words.

use std::fmt::Write as _;

use hatchery_core::IntervalEstimate;
use hatchery_core::text::TAKES_ALL;

use super::arms::ArmKind;
use super::estimates::{LevelMean, SettledLevel, level_estimates};
use super::heading::{heading, replays};
use super::summary::{AdaptOutcome, AdaptVerdict, AdjustSummary, SummedCell};
use super::tables::{natural_summary, records_by_bot};
use crate::experiment::wording;
use crate::naturalness::{NaturalnessMetric, NaturalnessSummary};

/// Returns the report. Parts about what was not played are left out.
pub(super) fn report(summary: &AdjustSummary<'_>) -> String {
    let parts = [
        Some(heading(summary)),
        Some(verdicts(summary)),
        Some(scores(summary)),
        Some(ladder(summary)),
        learned_levels(summary),
        people(summary),
        Some(naturalness(summary)),
        Some(replays(summary)),
        Some(reading_guide()),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("\n")
}

/// Returns a sentence for each arm and BOT.
fn verdicts(summary: &AdjustSummary<'_>) -> String {
    let mut text = format!(
        "## Verdicts\n\n\
         An arm adapts to a BOT if its score is shown to be nearer to one half than that of the \
         control `fixed`: the difference of their distances from one half is above 0 after the \
         correction of Benjamini and Hochberg over the BOTs, with an error rate of {}. It is \
         farther if the difference is below 0 in the same way. Intervals of the difference are \
         not corrected.\n\n",
        summary.checked.error_rate.get()
    );
    let kinds = summary.kinds();
    if kinds.iter().all(|kind| kind.is_control()) {
        text.push_str("No verdicts: `arms` lists no arm that adjusts.\n");
    }
    for kind in kinds.into_iter().filter(|kind| !kind.is_control()) {
        for (cell, verdict) in summary.bots(kind).zip(summary.verdicts(kind)) {
            let Some(verdict) = verdict else { continue };
            let depth = summary.opponent(cell).agent.depth();
            writeln!(text, "- {}: {}", kind.name(), sentence(depth, &verdict)).expect(TAKES_ALL);
        }
    }
    text
}

fn sentence(depth: u32, verdict: &AdaptVerdict) -> String {
    let IntervalEstimate { low, high, .. } = verdict.nearer;
    let p = p_value_text(verdict.p_value);
    match verdict.outcome {
        AdaptOutcome::Adapts => {
            format!("adapts to BOT {depth} (nearer by {low:+.3} to {high:+.3}, {p})")
        }
        AdaptOutcome::Farther => format!(
            "BOT {depth}: farther from one half than an agent that never adjusts (nearer by \
             {low:+.3} to {high:+.3}, {p})"
        ),
        AdaptOutcome::NotShown => format!(
            "BOT {depth}: not shown to differ from an agent that never adjusts ({low:+.3} to \
             {high:+.3})"
        ),
    }
}

/// Returns a p-value in four decimal places, or that it is too small for them.
fn p_value_text(p: f64) -> String {
    if p < 1e-4 { "p < 0.0001".to_owned() } else { format!("p {p:.4}") }
}

fn scores(summary: &AdjustSummary<'_>) -> String {
    let mut text = "## Scores\n\n| arm |".to_owned();
    let bots: Vec<String> =
        summary.bots(ArmKind::Fixed).map(|it| summary.opponent(it).name()).collect();
    for bot in &bots {
        write!(text, " {bot} |").expect(TAKES_ALL);
    }
    text.push_str("\n|---|");
    text.push_str(&"---|".repeat(bots.len()));
    text.push('\n');
    for kind in summary.kinds() {
        write!(text, "| {} |", kind.name()).expect(TAKES_ALL);
        for cell in summary.bots(kind) {
            write!(text, " {} |", score_text(cell)).expect(TAKES_ALL);
        }
        text.push('\n');
    }
    text
}

fn score_text(cell: &SummedCell<'_>) -> String {
    let Some(score) = cell.score else { return "-".to_owned() };
    let halves = cell.first_half.map(|first| format!(", first half {first:.3}"));
    format!("{}{}", wording::interval(score.interval, 3), halves.unwrap_or_default())
}

fn ladder(summary: &AdjustSummary<'_>) -> String {
    let mut text = format!(
        "## Ladder\n\n\
         The strength of each opponent relative to the control `fixed` of depth {}, in Elo \
         points. Without a spread here, no arm has anything to adjust to.\n\n\
         | opponent | Elo |\n|---|---|\n",
        summary.spec.fixed
    );
    for (opponent, elo) in summary.ladder() {
        writeln!(text, "| {} | {} |", opponent.name(), wording::match_elo(elo)).expect(TAKES_ALL);
    }
    if let Some((opponent, strength)) = summary.judge() {
        let IntervalEstimate { low, high, .. } = strength.elo;
        let place = match (0.0 < low, high < 0.0) {
            (true, _) => "above it",
            (_, true) => "below it",
            _ => "not shown to be above or below it",
        };
        write!(
            text,
            "\nThe judge of moves, with {} playouts a move, scored {} against {}: {} Elo points, \
             {place}.\n",
            summary.spec.judge.playouts,
            wording::interval(strength.score.interval, 3),
            opponent.name(),
            wording::match_elo(strength.elo),
        )
        .expect(TAKES_ALL);
    }
    text
}

/// Returns the levels at the end; `None` if no arm has one that changes.
fn learned_levels(summary: &AdjustSummary<'_>) -> Option<String> {
    let mut text = "## Learned levels\n\n\
         The level at the end of a game, or of a sequence for an arm that learns from game to \
         game: the estimate T_s in plies, or the strength index z. If it is the same against \
         every BOT, it carries no information.\n\n\
         - moves counted: the mean number of the opponent's moves in an estimate\n\
         - settled from game: of a sequence, the first game from which on all means lie within the \
         interval of the last one, which is shorter with more sequences; or from which on all \
         are at the bound of levels, but for a fortieth of their range\n\
         - games for one ply: the number of games, each with an estimate of its own, whose mean \
         has an interval of at most one ply to both sides\n\n\
         | arm | opponent | level | moves counted | settled from game | games for one ply |\n\
         |---|---|---|---|---|---|\n"
        .to_owned();
    let mut learned_any = false;
    for (cell, found) in level_estimates(summary) {
        let Some(end) = found.end else { continue };
        learned_any = true;
        let settled = match found.settled {
            None => "-".to_owned(),
            Some(SettledLevel::NotSeen) => "not seen".to_owned(),
            Some(SettledLevel::From(game)) => game.to_string(),
            Some(SettledLevel::AtBound(game)) => format!("{game}, at its bound"),
        };
        writeln!(
            text,
            "| {} | {} | {} | {} | {settled} | {} |",
            cell.cell.kind.name(),
            summary.opponent(cell).name(),
            level_text(&end),
            end.observed.map_or_else(|| "-".to_owned(), |observed| format!("{observed:.1}")),
            found.games_needed.map_or_else(|| "-".to_owned(), |it| it.to_string()),
        )
        .expect(TAKES_ALL);
    }
    learned_any.then_some(text)
}

fn level_text(level: &LevelMean) -> String {
    match (level.interval, level.n) {
        (Some(interval), _) => wording::interval(interval, 2),
        (None, 1) => format!("{:.2} (one trial)", level.mean),
        (None, n) => format!("{:.2} (all {n} equal)", level.mean),
    }
}

/// Returns the scores against simulated people; `None` without them.
fn people(summary: &AdjustSummary<'_>) -> Option<String> {
    summary.people().next()?;
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
        .expect(TAKES_ALL);
    }
    Some(text)
}

fn naturalness(summary: &AdjustSummary<'_>) -> String {
    if summary.spec.judge.games == 0 {
        return "## Naturalness\n\nNo moves were judged: `judge.games` is 0.\n".to_owned();
    }
    let mut text = "## Naturalness\n\n\
         Moves of each arm against all BOTs, as the judge sees them; `naturalness.csv` has each \
         BOT. Compare with the controls: also a player that never adjusts loses more when it has \
         more to lose. Intervals resample the games against each BOT.\n\n"
        .to_owned();
    let kinds = summary.kinds();
    let rate = summary.checked.error_rate;
    if rate.get() < NaturalnessSummary::MIN_ERROR_RATE {
        writeln!(
            text,
            "No intervals: `error_rate` is below {}, the lowest that they can have.\n",
            NaturalnessSummary::MIN_ERROR_RATE
        )
        .expect(TAKES_ALL);
    }
    let arms = kinds.iter().map(|&kind| natural_summary(&records_by_bot(summary, kind), rate));
    let arms: Vec<_> = arms.collect();
    text.push_str("| metric | kind | unit |");
    for kind in &kinds {
        write!(text, " {} |", kind.name()).expect(TAKES_ALL);
    }
    text.push_str("\n|---|---|---|");
    text.push_str(&"---|".repeat(kinds.len()));
    text.push('\n');
    for (number, metric) in NaturalnessMetric::ALL.into_iter().enumerate() {
        let kind = metric.kind().map(|kind| kind.name().replace('_', " "));
        let kind = kind.unwrap_or_else(|| "-".to_owned());
        write!(text, "| {} | {kind} | {} |", metric.name(), metric.unit()).expect(TAKES_ALL);
        for arm in &arms {
            let row = &arm.rows[number];
            let value = match (row.value, row.interval) {
                (Some(value), Some([low, high])) => {
                    format!("{value:.3} ({low:.3} to {high:.3})")
                }
                (Some(value), None) => format!("{value:.3}"),
                (None, _) => "-".to_owned(),
            };
            write!(text, " {value} |").expect(TAKES_ALL);
        }
        text.push('\n');
    }
    text
}

fn reading_guide() -> String {
    "## Reading guide\n\n\
     - score: points per game, one half for a draw\n\
     - `winrates.csv` has the scores by color, `estimates.csv` the level after each game\n\
     - an adjusting arm that is not nearer to one half than `fixed` has adjusted nothing, however \
     near to one half it is\n\
     - an arm weaker than the control is nearer to one half against weak BOTs and farther against \
     strong ones: read all BOTs together\n"
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_p_values_are_not_called_zero() {
        assert_eq!(p_value_text(0.0357), "p 0.0357");
        assert_eq!(p_value_text(0.000_1), "p 0.0001");
        assert_eq!(p_value_text(3e-9), "p < 0.0001");
    }
}
