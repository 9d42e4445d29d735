//! The files of `birds-generate`: levels, and the numbers and pictures of the levels.

use hatchery_core::{DataTable, Exhibit, SubjectTrial, TrialRow};

use super::findings::findings;
use super::spec::GenerateSpec;
use super::state::{GenerateState, MAX_FILES, MadeLevel, made_levels};
use crate::level::metrics::{ExpressiveRange, LevelMetrics};
use crate::params::level_param::level_entries;
use crate::studies::level_sheet::level_sheet;
use crate::trial::results::{FITNESS_TERMS, from_millionths};

/// The most bytes of the levels in `levels.toml`: a farm accepts a spec of 2^20, and that leaves
/// room for other parameters.
const MAX_ENTRIES_BYTES: usize = 1_000_000;

/// Returns the table of evolutions: the score is the fitness, the length the number of generations.
fn trials(spec: &GenerateSpec, state: &GenerateState) -> Exhibit {
    let evolutions =
        spec.kinds.iter().zip(&state.kinds).zip(0..).flat_map(|((kind, results), subject)| {
            results.trials().iter().zip(0..).map(move |(result, trial)| TrialRow {
                generation: 0,
                trial: SubjectTrial { subject, trial },
                subject: &kind.name,
                score: result.fitness(),
                length: result.evolution.as_ref().map(|it| it.generations.into()),
            })
        });
    Exhibit::trials(evolutions)
}

pub(super) fn exhibits(spec: &GenerateSpec, state: &GenerateState) -> Vec<Exhibit> {
    let levels = made_levels(spec, state);
    let metrics: Vec<LevelMetrics> =
        levels.iter().map(|made| LevelMetrics::of(made.level)).collect();
    let range = ExpressiveRange::of(&metrics);
    let named = levels.iter().map(|made| (made.name.as_str(), made.level));
    let mut exhibits = findings(spec, state).exhibits();
    exhibits.extend([
        trials(spec, state),
        Exhibit::new("sheet.svg", "image/svg+xml", level_sheet(named)),
        table(&levels, &metrics),
        Exhibit::new("levels.toml", "application/toml", evaluation(&levels)),
        Exhibit::csv("expressive-range.csv", range.table()),
    ]);
    for (made, number) in levels.iter().zip(1..=MAX_FILES) {
        let name = format!("level-{number:02}.xml");
        exhibits.push(Exhibit::new(name, "application/xml", made.level.to_xml()));
    }
    exhibits
}

/// Returns the spec of a run that evaluates the levels. Those without pigs cannot be played.
fn evaluation(levels: &[MadeLevel<'_>]) -> String {
    let named = levels
        .iter()
        .filter(|made| !made.level.pigs().is_empty())
        .map(|made| (made.name.as_str(), made.level));
    let entries = level_entries(named, MAX_ENTRIES_BYTES);
    format!(
        "experiment = \"birds-evaluate\"\nabout = \"Levels that birds-generate made\"\nseed = 1\n\n\
         [params]\n# Left out, these are all six grades and 50 play-outs.\nplayers = [\"novice\", \
         \"average\", \"expert\"]\ntrials = 20\n{}",
        entries.toml
    )
}

fn table(levels: &[MadeLevel<'_>], metrics: &[LevelMetrics]) -> Exhibit {
    let rows: Vec<_> = levels.iter().zip(metrics).collect();
    let table = DataTable::of(&rows)
        .text("kind", |(made, _)| made.kind)
        .text("level", |(made, _)| &made.name)
        .count("generations", |(made, _)| Some(made.result.evolution.as_ref()?.generations))
        .count("evaluations", |(made, _)| Some(made.result.evolution.as_ref()?.evaluations))
        .number("fitness", 6, |(made, _)| made.result.fitness())
        .each(FITNESS_TERMS.into_iter().enumerate(), |table, (term, name)| {
            table.number(name, 6, |(made, _)| {
                Some(from_millionths(made.result.evolution.as_ref()?.fitness?.terms[term]))
            })
        })
        .count("pigs_at_first", |(made, _)| made.result.settled.pigs_left)
        .number("mean_speed", 6, |(made, _)| made.result.settled.mean_speed())
        .number("share_moved", 6, |(made, _)| made.result.share(made.result.settled.moved))
        .number("share_asleep", 6, |(made, _)| made.result.share(made.result.settled.asleep));
    LevelMetrics::columns(table, |(_, metrics)| metrics).csv("levels.csv")
}
