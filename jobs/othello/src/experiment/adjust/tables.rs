//! The tables of a summary as CSV.

use std::fmt::Write as _;

use hatchery_core::{IntervalEstimate, RunSeed};

use super::arms::ArmKind;
use super::estimates::estimates;
use super::summary::{AdjustSummary, SummedCell};
use crate::naturalness::{CSV_HEAD, GameNaturalness, NaturalnessSummary};

/// Returns a row for each arm and opponent: score, colors, halves, verdict.
pub(super) fn winrates(summary: &AdjustSummary<'_>) -> String {
    let mut text = "arm,opponent,depth,games,losses,draws,wins,score,low,high,score_as_black,\
                    score_as_white,score_of_first_half,nearer_than_fixed,nearer_low,nearer_high,\
                    p_value,adapts\n"
        .to_owned();
    for kind in summary.kinds() {
        let verdicts = summary.verdicts(kind).into_iter();
        let verdicts = verdicts.chain(std::iter::repeat(None));
        let cells = summary.bots(kind).chain(summary.people().filter(|it| it.cell.kind == kind));
        for (cell, verdict) in cells.zip(verdicts) {
            let opponent = summary.opponent(cell);
            let [losses, draws, wins] = cell.results.counted.games();
            let [black, white] = cell.results.counted.by_color().map(score_of);
            let score = cell.score.map_or_else(|| ",,".to_owned(), interval);
            let verdict = verdict.filter(|_| !kind.is_control()).map_or_else(
                || ",,,,".to_owned(),
                |it| format!("{},{:.4},{}", interval(it.nearer), it.p_value, it.adapts),
            );
            writeln!(
                text,
                "{},{},{},{},{losses},{draws},{wins},{score},{black},{white},{},{verdict}",
                kind.name(),
                opponent.name(),
                opponent.agent.depth(),
                losses + draws + wins,
                cell.first_half.map_or_else(String::new, |it| format!("{it:.4}")),
            )
            .expect("a string takes all text");
        }
    }
    text
}

fn interval(estimate: IntervalEstimate) -> String {
    format!("{:.4},{:.4},{:.4}", estimate.mean, estimate.low, estimate.high)
}

fn score_of([losses, draws, wins]: [u64; 3]) -> String {
    let games = losses + draws + wins;
    #[expect(clippy::cast_precision_loss, reason = "for display")]
    let score = (wins as f64 + draws as f64 / 2.0) / games as f64;
    if games == 0 { String::new() } else { format!("{score:.4}") }
}

/// Returns a row for each arm, opponent and metric, and for each arm over all BOTs.
pub(super) fn naturalness(summary: &AdjustSummary<'_>) -> String {
    let mut text = format!("arm,opponent,{CSV_HEAD}\n");
    for kind in summary.kinds() {
        let people = summary.people().filter(|it| it.cell.kind == kind);
        for cell in summary.bots(kind).chain(people) {
            let opponent = summary.opponent(cell).name();
            push_rows(&mut text, kind, &opponent, &cell.results.records());
        }
        push_rows(&mut text, kind, "all-bots", &all_records(summary, kind));
    }
    text
}

/// Returns the records of an arm against all BOTs.
pub(super) fn all_records(summary: &AdjustSummary<'_>, kind: ArmKind) -> Vec<GameNaturalness> {
    summary.bots(kind).flat_map(|cell| cell.results.records()).collect()
}

/// Returns the metrics of records. The bootstrap draws the same numbers each time.
pub(super) fn natural_summary(records: &[GameNaturalness]) -> NaturalnessSummary {
    let mut rng = RunSeed::new("othello-adjust", 0).generation(0).stream("bootstrap");
    NaturalnessSummary::new(records, &mut rng)
}

fn push_rows(text: &mut String, kind: ArmKind, opponent: &str, records: &[GameNaturalness]) {
    if records.is_empty() {
        return;
    }
    for row in natural_summary(records).rows {
        writeln!(text, "{},{opponent},{}", kind.name(), row.csv_fields().join(","))
            .expect("a string takes all text");
    }
}

/// Returns a row for each arm that learns, each opponent and each game of a trial.
pub(super) fn levels(summary: &AdjustSummary<'_>) -> String {
    let mut text =
        "arm,opponent,depth,game,trials,mean,low,high,observed_moves,games_until_settled\n"
            .to_owned();
    let learns = |cell: &&SummedCell<'_>| !cell.results.levels.is_empty();
    for cell in summary.cells.iter().filter(learns) {
        let found = estimates(&cell.results.levels, cell.cell.setup.pairs);
        let opponent = summary.opponent(cell);
        for (level, game) in found.games.iter().zip(1..) {
            writeln!(
                text,
                "{},{},{},{game},{},{},{:.2},{}",
                cell.cell.kind.name(),
                opponent.name(),
                opponent.agent.depth(),
                level.mean.n,
                interval(level.mean),
                level.observed,
                found.settled.map_or_else(String::new, |games| games.to_string()),
            )
            .expect("a string takes all text");
        }
    }
    text
}
