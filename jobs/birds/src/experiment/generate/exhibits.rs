//! The files of `birds-generate`: levels, their numbers, and pictures of them.

use hatchery_core::Exhibit;

use super::report::report;
use super::{GenerateSpec, GenerateState};
use crate::experiment::level_param::level_entries;
use crate::level::Level;
use crate::level::metrics::{ExpressiveRange, LevelMetrics};
use crate::level::{LevelPicture, LevelSheet};
use crate::results::{LevelResult, from_millionths};

/// The most levels with a file of their own: the game names files with two digits.
const MAX_FILES: usize = 99;

/// The most levels on the sheet of pictures.
const MAX_PICTURES: usize = 40;

/// The size of a spec of `birds-evaluate` that farms accept, with room for its other parameters.
const MAX_SPEC_BYTES: usize = 1_000_000;

/// A level, what it is called, and the result it came from.
pub(super) struct MadeLevel<'a> {
    pub(super) kind: &'a str,
    pub(super) name: String,
    pub(super) result: &'a LevelResult,
    pub(super) level: &'a Level,
}

/// Returns all levels, kind by kind.
pub(super) fn made_levels<'a>(
    spec: &'a GenerateSpec,
    state: &'a GenerateState,
) -> Vec<MadeLevel<'a>> {
    let mut levels = Vec::new();
    for (kind, results) in spec.kinds.iter().zip(&state.kinds) {
        for (result, number) in results.trials().iter().zip(1..) {
            let Some(level) = &result.level else { continue };
            let name = format!("{}-{number}", kind.name);
            levels.push(MadeLevel { kind: &kind.name, name, result, level });
        }
    }
    levels
}

pub(super) fn exhibits(spec: &GenerateSpec, state: &GenerateState) -> Vec<Exhibit> {
    let levels = made_levels(spec, state);
    let metrics: Vec<LevelMetrics> =
        levels.iter().map(|made| LevelMetrics::of(made.level)).collect();
    let range = ExpressiveRange::of(&metrics);
    let mut exhibits = vec![
        Exhibit::new("report.md", "text/markdown", report(spec, state, &levels, &metrics)),
        Exhibit::new("sheet.svg", "image/svg+xml", sheet(&levels)),
        Exhibit::new("levels.csv", "text/csv", table(&levels, &metrics)),
        Exhibit::new("levels.toml", "application/toml", evaluation(&levels)),
        Exhibit::new("expressive-range.svg", "image/svg+xml", range.to_svg()),
        Exhibit::new("expressive-range.csv", "text/csv", range.to_csv()),
    ];
    for (made, number) in levels.iter().zip(1..=MAX_FILES) {
        let name = format!("level-{number:02}.xml");
        exhibits.push(Exhibit::new(name, "application/xml", made.level.to_xml()));
    }
    exhibits
}

fn sheet(levels: &[MadeLevel<'_>]) -> String {
    let pictures = levels.iter().take(MAX_PICTURES);
    let pictures =
        pictures.map(|made| LevelPicture { level: made.level, title: &made.name, arcs: &[] });
    let title = match levels.len() {
        n if n <= MAX_PICTURES => format!("{n} levels"),
        n => format!("The first {MAX_PICTURES} of {n} levels"),
    };
    LevelSheet { title: &title, pictures: pictures.collect() }.to_svg()
}

/// Returns the spec of a run that evaluates the levels.
fn evaluation(levels: &[MadeLevel<'_>]) -> String {
    let named = levels.iter().map(|made| (made.name.as_str(), made.level));
    let entries = level_entries(named, MAX_SPEC_BYTES);
    format!(
        "experiment = \"birds-evaluate\"\nabout = \"Levels that birds-generate made\"\nseed = 1\n\n\
         [params]\n{}",
        entries.toml
    )
}

fn table(levels: &[MadeLevel<'_>], metrics: &[LevelMetrics]) -> String {
    let mut text = "kind,level,generations,evaluations,fitness,stability_term,block_term,pig_term,\
                    other_terms,mean_speed,share_moved,share_asleep"
        .to_owned();
    for name in LevelMetrics::csv_names() {
        text.push(',');
        text.push_str(name);
    }
    text.push('\n');
    for (made, metrics) in levels.iter().zip(metrics) {
        text.push_str(&row(made, metrics).join(","));
        text.push('\n');
    }
    text
}

fn row(made: &MadeLevel<'_>, metrics: &LevelMetrics) -> Vec<String> {
    let result = made.result;
    let mut row = vec![made.kind.to_owned(), made.name.clone()];
    let number = |number: Option<f64>| number.map_or_else(String::new, |it| format!("{it:.6}"));
    let evolution = result.evolution.as_ref();
    let count = |count: Option<u32>| count.map_or_else(String::new, |it| it.to_string());
    row.push(count(evolution.map(|it| it.generations)));
    row.push(count(evolution.map(|it| it.evaluations)));
    row.push(number(result.fitness()));
    let terms = evolution.and_then(|it| it.fitness);
    row.extend((0..4).map(|term| number(terms.map(|terms| from_millionths(terms[term])))));
    let settled = result.settled;
    row.push(number(Some(from_millionths(settled.speed.into()))));
    row.push(number(result.share(settled.moved)));
    row.push(number(result.share(settled.asleep)));
    row.extend(metrics.csv_fields());
    row
}
