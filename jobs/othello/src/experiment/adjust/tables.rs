//! The tables of a summary as CSV.

use std::fmt::Write as _;

use hatchery_core::text::TAKES_ALL;
use hatchery_core::{Exhibit, RunSeed, SubjectTrial, TrialRow};
use hatchery_stats::ErrorRate;

use super::arms::ArmKind;
use super::changes::{LevelLag, change_summaries};
use super::estimates::{SettledLevel, level_estimates};
use super::summary::AdjustSummary;
use super::verdicts::NearnessOutcome;
use crate::experiment::crosstable::{game_score, interval_fields};
use crate::naturalness::{CSV_HEAD, GameNaturalness, NaturalnessSummary};

/// Returns a row for each arm and opponent: score, colors, halves, verdict.
pub(super) fn winrates(summary: &AdjustSummary<'_>) -> String {
    let mut text = "arm,opponent,depth,games,losses,draws,wins,score,low,high,score_as_black,\
                    score_as_white,score_of_first_half,nearer_than_fixed,nearer_low,nearer_high,\
                    p_value,nearer,farther\n"
        .to_owned();
    for kind in summary.kinds() {
        let verdicts = summary.verdict(kind).bots.into_iter();
        let verdicts = verdicts.chain(std::iter::repeat(None));
        let cells = summary.bots(kind).chain(summary.people().filter(|it| it.cell.kind == kind));
        for (cell, verdict) in cells.zip(verdicts) {
            let opponent = summary.opponent(cell);
            let [losses, draws, wins] = cell.results.counted.games();
            let [black, white] = cell.results.counted.by_move_order().map(score_field);
            let score = cell.score.map(|it| interval_fields(it.interval, 4));
            let score = score.unwrap_or_else(|| ",,".to_owned());
            let verdict = verdict.filter(|_| !kind.is_control()).map_or_else(
                || ",,,,,".to_owned(),
                |it| {
                    let is = |outcome| it.outcome == outcome;
                    let [is_nearer, farther] =
                        [NearnessOutcome::Nearer, NearnessOutcome::Farther].map(is);
                    let nearer = interval_fields(it.nearer, 4);
                    format!("{nearer},{:.3e},{is_nearer},{farther}", it.p_value)
                },
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
            .expect(TAKES_ALL);
        }
    }
    text
}

/// Returns a row for each arm and BOT that changes; `None` without such BOTs.
pub(super) fn changes(summary: &AdjustSummary<'_>) -> Option<String> {
    let found = change_summaries(summary);
    let mut text = "arm,from,to,at,sequences,score_before,before_low,before_high,score_after,\
                    after_low,after_high,score_at_end,at_end_low,at_end_high,level_before,\
                    level_after,level_at_end,lag,lag_low,lag_high,settled\n"
        .to_owned();
    for it in &found {
        let scores = it
            .scores
            .map(|score| score.map_or_else(|| ",,".to_owned(), |score| interval_fields(score, 4)));
        let levels = it.levels.map_or_else(
            || ",,".to_owned(),
            |levels| levels.map(|level| format!("{level:.4}")).join(","),
        );
        let lag = match it.lag {
            LevelLag::NoLevel | LevelLag::NoChange => ",,,".to_owned(),
            LevelLag::Games(games) => format!("{},true", interval_fields(games, 2)),
            LevelLag::AtLeast(games) => format!("{},false", interval_fields(games, 2)),
        };
        writeln!(
            text,
            "{},{},{},{},{},{},{levels},{lag}",
            it.cell.cell.kind.name(),
            summary.opponent(it.cell).agent.depth(),
            it.change.agent.depth(),
            2 * it.change.after,
            it.cell.results.points_around_change().len(),
            scores.join(","),
        )
        .expect(TAKES_ALL);
    }
    (!found.is_empty()).then_some(text)
}

/// Returns the table of trials: the score counts only the games that count, in points per game, and
/// the length is the number of all games in the trial.
pub(super) fn trials(summary: &AdjustSummary<'_>) -> Exhibit {
    let mut subjects = 0..;
    let mut named = Vec::new();
    for cell in &summary.cells {
        let name = format!("{}/{}", cell.cell.kind.name(), summary.opponent(cell).name());
        let series = cell.cell.series().map(|(_, n_trials)| n_trials).zip(&mut subjects);
        let trials = series.flat_map(|(n_trials, subject)| {
            (0..n_trials).map(move |trial| SubjectTrial { subject, trial })
        });
        let games = 2 * u64::from(cell.cell.setup.pairs);
        named.push((name, trials.zip(cell.trial_scores()).collect::<Vec<_>>(), games));
    }
    Exhibit::trials(named.iter().flat_map(|(name, trials, games)| {
        trials.iter().map(|&(trial, score)| TrialRow {
            generation: 0,
            trial,
            subject: name,
            score: Some(score),
            length: Some(*games),
        })
    }))
}

fn score_field(games: [u64; 3]) -> String {
    game_score(games).map_or_else(String::new, |score| format!("{score:.4}"))
}

/// Returns a row for each arm, opponent and metric, and for each arm over all BOTs.
pub(super) fn naturalness(summary: &AdjustSummary<'_>) -> String {
    let mut text = format!("arm,opponent,{CSV_HEAD}\n");
    let rate = summary.spec.error_rate;
    for kind in summary.kinds() {
        let people = summary.people().filter(|it| it.cell.kind == kind);
        for cell in summary.bots(kind).chain(people) {
            let opponent = summary.opponent(cell).name();
            push_rows(&mut text, [kind.name(), &opponent], &[cell.results.records()], rate);
        }
        push_rows(&mut text, [kind.name(), "all-bots"], &records_by_bot(summary, kind), rate);
    }
    text
}

/// Returns the records of an arm against each BOT.
pub(super) fn records_by_bot(
    summary: &AdjustSummary<'_>,
    kind: ArmKind,
) -> Vec<Vec<GameNaturalness>> {
    summary.bots(kind).map(|cell| cell.results.records()).collect()
}

/// Returns the metrics of records by opponent. The bootstrap draws the same numbers each time.
pub(super) fn natural_summary(
    by_opponent: &[Vec<GameNaturalness>],
    error_rate: ErrorRate,
) -> NaturalnessSummary {
    let mut rng = RunSeed::new("othello-adjust", 0).generation(0).stream("bootstrap");
    let groups: Vec<&[GameNaturalness]> = by_opponent.iter().map(Vec::as_slice).collect();
    NaturalnessSummary::of_groups(&groups, error_rate, &mut rng)
}

fn push_rows(
    text: &mut String,
    [arm, opponent]: [&str; 2],
    by_opponent: &[Vec<GameNaturalness>],
    error_rate: ErrorRate,
) {
    if by_opponent.iter().all(Vec::is_empty) {
        return;
    }
    for row in natural_summary(by_opponent, error_rate).rows {
        writeln!(text, "{arm},{opponent},{}", row.csv_fields().join(",")).expect(TAKES_ALL);
    }
}

/// Returns a row for each arm whose level changes, each opponent and each game of a trial.
pub(super) fn levels(summary: &AdjustSummary<'_>) -> String {
    let mut text = "arm,opponent,depth,game,trials,mean,low,high,observed_moves,settled_from_game,\
                    games_for_one_ply\n"
        .to_owned();
    let number = |it: Option<u64>| it.map_or_else(String::new, |it| it.to_string());
    for (cell, found) in level_estimates(summary) {
        let opponent = summary.opponent(cell);
        for (level, game) in found.games.iter().zip(1..) {
            let mean = level.interval.map_or_else(
                || format!("{:.4},,", level.mean),
                |interval| interval_fields(interval, 4),
            );
            writeln!(
                text,
                "{},{},{},{game},{},{mean},{},{},{}",
                cell.cell.kind.name(),
                opponent.name(),
                opponent.agent.depth(),
                level.n,
                level.observed.map_or_else(String::new, |observed| format!("{observed:.2}")),
                number(found.settled.and_then(SettledLevel::game)),
                number(found.games_needed),
            )
            .expect(TAKES_ALL);
        }
    }
    text
}
