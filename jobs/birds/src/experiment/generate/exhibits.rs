//! The files of `birds-generate`: levels, their numbers, and pictures of them.

use hatchery_core::{Exhibit, SubjectTrial, TrialRow};

use super::findings::findings;
use super::spec::GenerateSpec;
use super::state::{GenerateState, MAX_FILES, MadeLevel, made_levels};
use crate::experiment::csv_text::{self, CsvText};
use crate::experiment::level_param::level_entries;
use crate::experiment::level_sheet::level_sheet;
use crate::level::metrics::{ExpressiveRange, LevelMetrics};
use crate::results::from_millionths;

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
        Exhibit::new("levels.csv", "text/csv", table(&levels, &metrics)),
        Exhibit::new("levels.toml", "application/toml", evaluation(&levels)),
        Exhibit::new("expressive-range.csv", "text/csv", range.to_csv()),
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

fn table(levels: &[MadeLevel<'_>], metrics: &[LevelMetrics]) -> String {
    let header = "kind,level,generations,evaluations,fitness,stability_term,block_term,pig_term,\
                  other_terms,pigs_at_first,mean_speed,share_moved,share_asleep";
    let names = LevelMetrics::csv_names().join(",");
    let mut table = CsvText::new(&format!("{header},{names}"));
    for (made, metrics) in levels.iter().zip(metrics) {
        table.row(&row(made, metrics));
    }
    table.finish()
}

fn row(made: &MadeLevel<'_>, metrics: &LevelMetrics) -> Vec<String> {
    let (result, settled) = (made.result, made.result.settled);
    let evolution = result.evolution.as_ref();
    let terms = evolution.and_then(|it| it.fitness);
    let mut row = vec![made.kind.to_owned(), made.name.clone()];
    row.push(csv_text::count(evolution.map(|it| it.generations)));
    row.push(csv_text::count(evolution.map(|it| it.evaluations)));
    row.push(csv_text::number(result.fitness()));
    row.extend(
        (0..4).map(|term| csv_text::number(terms.map(|terms| from_millionths(terms[term])))),
    );
    row.push(settled.pigs_left.to_string());
    row.push(csv_text::number(Some(settled.mean_speed())));
    row.push(csv_text::number(result.share(settled.moved)));
    row.push(csv_text::number(result.share(settled.asleep)));
    row.extend(metrics.csv_fields());
    row
}
