//! The files of `birds-evaluate`.

use hatchery_core::{Exhibit, SubjectTrial, TrialRow};

use super::LevelEvaluationSpec;
use super::cells::EvaluatedLevels;
use super::{difficulty, findings, replays};
use crate::experiment::csv_text::{self, CsvText};
use crate::experiment::level_sheet::level_sheet;
use crate::level::metrics::LevelMetrics;

pub(super) fn exhibits(
    spec: &LevelEvaluationSpec,
    evaluated: &EvaluatedLevels<'_>,
) -> Vec<Exhibit> {
    let named = evaluated.levels.iter().map(|named| (named.name.as_str(), &named.level));
    let mut exhibits = findings::findings(spec, evaluated).exhibits();
    exhibits.extend([
        trials(evaluated),
        Exhibit::new("clear-rates.csv", "text/csv", clear_rates(evaluated)),
        Exhibit::new("levels.csv", "text/csv", levels(evaluated)),
        Exhibit::new("sheet.svg", "image/svg+xml", level_sheet(named)),
    ]);
    exhibits.extend(replays::exhibits(spec, evaluated));
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

fn clear_rates(evaluated: &EvaluatedLevels<'_>) -> String {
    let mut table = CsvText::new(
        "subject,level,player,unplayable,trials,cleared,clear_rate,low,high,birds_used,\
         birds_used_low,birds_used_high,pigs_killed,pigs_killed_low,pigs_killed_high",
    );
    for (cell, subject) in evaluated.cells().zip(0_u32..) {
        let (plays, rate) = (&cell.plays, cell.plays.clear_rate());
        let mut row = vec![subject.to_string(), cell.level.to_owned(), cell.player.to_owned()];
        row.extend([plays.unplayable, plays.trials, plays.cleared].map(|count| count.to_string()));
        row.extend([
            csv_text::number(rate.map(|it| it.mean)),
            csv_text::number(rate.map(|it| it.low)),
            csv_text::number(rate.map(|it| it.high)),
        ]);
        row.extend(csv_text::mean_fields(plays.birds_used(), 4));
        row.extend(csv_text::mean_fields(plays.pigs_killed(), 4));
        table.row(&row);
    }
    table.finish()
}

fn levels(evaluated: &EvaluatedLevels<'_>) -> String {
    let header = "level,pigs_at_first,mean_speed,share_moved,share_asleep,solved,leniency";
    let names = LevelMetrics::csv_names().join(",");
    let mut table = CsvText::new(&format!("{header},{names}"));
    for (number, named) in evaluated.levels.iter().enumerate() {
        let settled = evaluated.settled(number);
        let mut row = vec![named.name.clone()];
        row.push(csv_text::count(settled.map(|it| it.settled.pigs_left)));
        row.push(csv_text::number(settled.map(|it| it.settled.mean_speed())));
        row.push(csv_text::number(settled.and_then(|it| it.share(it.settled.moved))));
        row.push(csv_text::number(settled.and_then(|it| it.share(it.settled.asleep))));
        let is_playable = settled.is_some_and(|it| it.settled.pigs_left != 0);
        let solved = is_playable.then(|| difficulty::is_solved(evaluated, number).to_string());
        row.push(solved.unwrap_or_default());
        row.push(csv_text::number(difficulty::leniency(evaluated, number)));
        row.extend(LevelMetrics::of(&named.level).csv_fields());
        table.row(&row);
    }
    table.finish()
}
