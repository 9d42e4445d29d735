//! The files of `birds-evaluate`.

use hatchery_core::{DataTable, Exhibit, SubjectTrial, TrialRow};

use super::cells::{self, EvaluatedLevels};
use super::spec::LevelEvaluation;
use super::{findings, replays};
use crate::level::metrics::LevelMetrics;
use crate::params::level_param::NamedLevel;
use crate::studies::level_sheet::level_sheet;
use crate::trial::results::LevelResult;

pub(super) fn exhibits(checked: &LevelEvaluation, evaluated: &EvaluatedLevels<'_>) -> Vec<Exhibit> {
    let named = evaluated.levels.iter().map(|named| (named.name.as_str(), &named.level));
    let mut exhibits = findings::findings(checked, evaluated).exhibits();
    exhibits.extend([
        trials(evaluated),
        clear_rates(evaluated),
        levels(evaluated),
        Exhibit::new("sheet.svg", "image/svg+xml", level_sheet(named)),
    ]);
    exhibits.extend(replays::exhibits(checked, evaluated));
    exhibits
}

/// Returns the table of play-outs: the score is 1 if the level was cleared, and the length is the
/// number of birds.
fn trials(evaluated: &EvaluatedLevels<'_>) -> Exhibit {
    let names: Vec<_> =
        evaluated.cells().map(|cell| format!("{}/{}", cell.level, cell.player)).collect();
    let plays =
        names.iter().zip(evaluated.results()).zip(0..).flat_map(|((name, results), subject)| {
            results.iter().zip(0..).map(move |(result, trial)| {
                let play = result.play.as_ref().filter(|play| play.pigs != 0);
                TrialRow {
                    generation: 0,
                    trial: SubjectTrial { subject, trial },
                    subject: name,
                    score: play.map(|play| if play.is_cleared() { 1.0 } else { 0.0 }),
                    length: play.map(|play| play.birds_used().into()),
                }
            })
        });
    Exhibit::trials(plays)
}

fn clear_rates(evaluated: &EvaluatedLevels<'_>) -> Exhibit {
    DataTable::of(&(0_u32..).zip(evaluated.cells()).collect::<Vec<_>>())
        .count("subject", |(subject, _)| *subject)
        .text("level", |(_, cell)| cell.level)
        .text("player", |(_, cell)| cell.player)
        .count("unplayable", |(_, cell)| cell.plays.unplayable)
        .count("trials", |(_, cell)| cell.plays.trials)
        .count("cleared", |(_, cell)| cell.plays.cleared)
        .share(["clear_rate", "low", "high"], 6, |(_, cell)| cell.plays.clear_rate())
        .estimate("birds_used", 4, |(_, cell)| cell.plays.birds_used())
        .estimate("pigs_killed", 4, |(_, cell)| cell.plays.pigs_killed())
        .csv("clear-rates.csv")
}

/// A level with everything that the run found out about it.
struct LevelRow<'a> {
    named: &'a NamedLevel,
    settled: Option<&'a LevelResult>,
    is_solved: bool,
    leniency: Option<f64>,
    metrics: LevelMetrics,
}

fn levels(evaluated: &EvaluatedLevels<'_>) -> Exhibit {
    let row = |(number, named)| LevelRow {
        named,
        settled: evaluated.settled(number),
        is_solved: cells::is_solved(evaluated, number),
        leniency: cells::leniency(evaluated, number),
        metrics: LevelMetrics::of(&named.level),
    };
    let rows: Vec<_> = evaluated.levels.iter().enumerate().map(row).collect();
    let is_playable = |row: &LevelRow<'_>| row.settled.is_some_and(|it| it.settled.pigs_left != 0);
    let table = DataTable::of(&rows)
        .text("level", |row| &row.named.name)
        .count("pigs_at_first", |row| Some(row.settled?.settled.pigs_left))
        .number("mean_speed", 6, |row| Some(row.settled?.settled.mean_speed()))
        .number("share_moved", 6, |row| row.settled.and_then(|it| it.share(it.settled.moved)))
        .number("share_asleep", 6, |row| row.settled.and_then(|it| it.share(it.settled.asleep)))
        .flag("solved", |row| is_playable(row).then_some(row.is_solved))
        .number("leniency", 6, |row| row.leniency);
    LevelMetrics::columns(table, |row| &row.metrics).csv("levels.csv")
}
