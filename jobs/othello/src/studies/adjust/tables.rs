//! The tables of a summary, in files and in the findings.

use hatchery_core::table::{DataTable, NumberForm, TableColumns};
use hatchery_core::text::rounded;
use hatchery_core::{Exhibit, RunSeed, SubjectTrial, TrialRow, findings::RichText};
use hatchery_figures::Quantity;
use hatchery_stats::ErrorRate;

use super::arms::ArmKind;
use super::changes::{ChangeSummary, LevelLag};
use super::estimates::{LevelMean, SettledLevel, level_estimates};
use super::summary::{AdjustSummary, SummedCell};
use super::verdicts::{BotVerdict, NearnessOutcome};
use crate::naturalness::{GameNaturalness, NaturalnessRow, NaturalnessSummary};
use crate::studies::crosstable::{game_score, games};
use crate::studies::naturalness_columns::with_metric;

/// An arm against an opponent that does not change.
pub(super) struct ScoreRow<'s, 'a> {
    cell: &'s SummedCell<'a>,
    /// `None` for a control, and against a simulated person.
    verdict: Option<BotVerdict>,
}

/// Returns a row for each arm and opponent.
pub(super) fn score_rows<'s, 'a>(summary: &'s AdjustSummary<'a>) -> Vec<ScoreRow<'s, 'a>> {
    let of_arm = |kind: ArmKind| {
        let verdicts = summary.verdict(kind).bots.into_iter();
        let verdicts = verdicts.map(move |verdict| verdict.filter(|_| !kind.is_control()));
        let people = summary.people().filter(move |it| it.cell.kind == kind);
        let cells = summary.bots(kind).chain(people);
        cells.zip(verdicts.chain(std::iter::repeat(None)))
    };
    let rows = summary.kinds().into_iter().flat_map(of_arm);
    rows.map(|(cell, verdict)| ScoreRow { cell, verdict }).collect()
}

/// Returns a row for each simulated person and arm.
pub(super) fn people_rows<'s, 'a>(summary: &'s AdjustSummary<'a>) -> Vec<ScoreRow<'s, 'a>> {
    summary.people().map(|cell| ScoreRow { cell, verdict: None }).collect()
}

/// Returns the columns of scores. The file has colors, halves and verdicts; the page has what the
/// table of simulated people shows.
pub(super) fn winrates<'s>(
    summary: &AdjustSummary<'_>,
    rows: &'s [ScoreRow<'s, 's>],
) -> TableColumns<'s, ScoreRow<'s, 's>> {
    let counted = |row: &ScoreRow<'_, '_>| row.cell.results.counted;
    let is = |row: &ScoreRow<'_, '_>, outcome| Some(row.verdict?.outcome == outcome);
    DataTable::of(rows)
        .text(("arm", "arm"), |row| row.cell.cell.kind.name())
        .text(("opponent", "person"), |row| summary.opponent(row.cell).name())
        .count(("depth", "depth"), |row| summary.opponent(row.cell).agent.depth())
        .count("games", |row| counted(row).games().iter().sum::<u64>())
        .each(["losses", "draws", "wins"].into_iter().zip(0..), |table, (name, at)| {
            table.count(name, move |row| counted(row).games()[at])
        })
        .words(("", "losses / draws / wins"), |row| games(counted(row).games()))
        .estimate(["score", "low", "high"], 4, |row| Some(row.cell.score?.interval))
        .words(("", "score"), |row| score_text(row.cell))
        .each(["score_as_black", "score_as_white"].into_iter().zip(0..), |table, (name, at)| {
            table.number(name, 4, move |row| game_score(counted(row).by_move_order()[at]))
        })
        .number("score_of_first_half", 4, |row| row.cell.first_half)
        .estimate(["nearer_than_fixed", "nearer_low", "nearer_high"], 4, |row| {
            Some(row.verdict?.nearer)
        })
        .number("p_value", NumberForm::Scientific(3), |row| Some(row.verdict?.p_value))
        .flag("nearer", |row| is(row, NearnessOutcome::Nearer))
        .flag("farther", |row| is(row, NearnessOutcome::Farther))
}

/// Returns the score of an arm against an opponent in percent.
pub(super) fn score_text(cell: &SummedCell<'_>) -> Option<RichText> {
    let score = RichText::percent(cell.score?.interval);
    Some(match cell.first_half {
        Some(first) => score.plain(format!(", first half {} %", rounded(100.0 * first, 1))),
        None => score,
    })
}

/// Returns the columns of the arms against BOTs that change.
pub(super) fn changes<'s>(
    summary: &AdjustSummary<'_>,
    found: &'s [ChangeSummary<'s, 's>],
) -> TableColumns<'s, ChangeSummary<'s, 's>> {
    let windows = ["before", "after", "at_end"].into_iter().zip(0..);
    let scores = [
        (["score_before", "before_low", "before_high"], "score before"),
        (["score_after", "after_low", "after_high"], "score after"),
        (["score_at_end", "at_end_low", "at_end_high"], "score at the end"),
    ];
    DataTable::of(found)
        .text(("arm", "arm"), |it| it.cell.cell.kind.name())
        .text(("", "opponent"), |it| summary.opponent(it.cell).name())
        .count("from", |it| summary.opponent(it.cell).agent.depth())
        .count("to", |it| it.change.agent.depth())
        .count(("at", "changes after game"), |it| 2 * it.change.after)
        .count("sequences", |it| it.cell.results.points_around_change().len())
        .each(scores.into_iter().zip(0..), |table, (names, at)| {
            table.share(names, 4, move |it| it.scores[at])
        })
        .each(windows, |table, (window, at)| {
            table.number(format!("level_{window}"), 4, move |it| Some(it.levels?[at]))
        })
        .words(("", "level before, after, at the end"), |it| {
            Some(it.levels?.map(|level| rounded(level, 2)).join(", "))
        })
        .estimate("lag", 2, |it| match it.lag {
            LevelLag::NoLevel | LevelLag::NoChange => None,
            LevelLag::Games(games) | LevelLag::AtLeast(games) => Some(games),
        })
        .words(("", "lag, games"), |it| match it.lag {
            LevelLag::NoLevel => None,
            LevelLag::NoChange => Some("no change".into()),
            LevelLag::Games(games) => Some(RichText::estimate(games, 1)),
            LevelLag::AtLeast(games) => {
                Some(RichText::new("at least ").join(RichText::estimate(games, 1)))
            }
        })
        .flag("settled", |it| match it.lag {
            LevelLag::NoLevel | LevelLag::NoChange => None,
            LevelLag::Games(_) => Some(true),
            LevelLag::AtLeast(_) => Some(false),
        })
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

/// Returns a row for each arm, opponent and metric, and for each arm over all BOTs.
pub(super) fn naturalness(summary: &AdjustSummary<'_>) -> Exhibit {
    let mut rows: Vec<(ArmKind, String, NaturalnessRow)> = Vec::new();
    let mut add = |kind, opponent: String, by_opponent: &[Vec<GameNaturalness>]| {
        if by_opponent.iter().any(|records| !records.is_empty()) {
            let metrics = natural_summary(by_opponent, summary.spec.error_rate).rows;
            rows.extend(metrics.into_iter().map(|row| (kind, opponent.clone(), row)));
        }
    };
    for kind in summary.kinds() {
        let people = summary.people().filter(|it| it.cell.kind == kind);
        for cell in summary.bots(kind).chain(people) {
            add(kind, summary.opponent(cell).name(), &[cell.results.records()]);
        }
        add(kind, "all-bots".to_owned(), &records_by_bot(summary, kind));
    }
    let table = DataTable::of(&rows)
        .text("arm", |(kind, ..)| kind.name())
        .text("opponent", |(_, opponent, _)| opponent);
    with_metric(table, |(.., row)| row).csv("naturalness.csv")
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

/// Returns a row for each arm whose level changes, each opponent and each game of a trial.
pub(super) fn levels(summary: &AdjustSummary<'_>) -> Exhibit {
    let found: Vec<_> = level_estimates(summary).collect();
    let rows = found.iter().flat_map(|(cell, found)| {
        found.games.iter().zip(1_u64..).map(move |(level, game)| (*cell, found, level, game))
    });
    let rows: Vec<_> = rows.collect();
    DataTable::of(&rows)
        .text("arm", |(cell, ..)| cell.cell.kind.name())
        .text("opponent", |(cell, ..)| summary.opponent(cell).name())
        .count("depth", |(cell, ..)| summary.opponent(cell).agent.depth())
        .count("game", |(.., game)| *game)
        .count("trials", |(.., level, _)| level.n)
        .estimate(["mean", "low", "high"], 4, |(.., level, _)| quantity(level))
        .number("observed_moves", 2, |(.., level, _)| level.observed)
        .count("settled_from_game", |(_, found, ..)| found.settled.and_then(SettledLevel::game))
        .count("games_for_one_ply", |(_, found, ..)| found.games_needed)
        .csv("estimates.csv")
}

fn quantity(level: &LevelMean) -> Quantity {
    level.interval.map_or(Quantity::Exact(level.mean), Quantity::from)
}
