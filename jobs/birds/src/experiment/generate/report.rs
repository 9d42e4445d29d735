//! The report of `birds-generate`.

use std::fmt::Write;

use hatchery_core::text::TAKES_ALL;

use super::exhibits::{MAX_FILES, MadeLevel};
use super::{GenerateSpec, GenerateState};
use crate::experiment::mean_estimate::MeanEstimate;
use crate::fitness::PigTerm;
use crate::level::metrics::{LevelMetrics, OccupiedCells, mean_distance};
use crate::results::{EvolutionRecord, LevelResult};

/// The most levels whose differences are averaged: there are half a million pairs of a thousand.
const MAX_COMPARED: usize = 300;

pub(super) fn report(
    spec: &GenerateSpec,
    state: &GenerateState,
    levels: &[MadeLevel<'_>],
    metrics: &[LevelMetrics],
) -> String {
    let mut text =
        "# Levels of Angry Birds\n\nEach level is the best of a genetic algorithm of its \
                    own. Fitness is minimized: the mean speed of blocks and pigs before the first \
                    bird, and how far the numbers of blocks and pigs are from the wanted ones. \
                    Intervals are of means over levels and hold with 95 %.\n\n"
            .to_owned();
    text.push_str(
        "| kind | wanted pigs | wanted blocks | levels | fitness | pigs | blocks | mean speed | \
         generations | evaluations |\n|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for (kind, results) in spec.kinds.iter().zip(&state.kinds) {
        let trials = results.trials();
        let mean = |digits: usize, of: &dyn Fn(&LevelResult) -> Option<f64>| {
            let values: Vec<f64> = trials.iter().filter_map(of).collect();
            MeanEstimate::new(&values).map_or_else(|| "-".to_owned(), |mean| mean.text(digits))
        };
        let evolution = |of: fn(&EvolutionRecord) -> u32| {
            mean(0, &|result| result.evolution.as_ref().map(|it| f64::from(of(it))))
        };
        writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            kind.name,
            match kind.pig_term {
                PigTerm::Proposed => kind.pigs.to_string(),
                PigTerm::Conventional => "more".to_owned(),
            },
            kind.blocks,
            trials.len(),
            mean(3, &LevelResult::fitness),
            mean(2, &|result| Some(result.pigs.into())),
            mean(1, &|result| Some(result.blocks.into())),
            mean(4, &|result| Some(result.settled.mean_speed())),
            evolution(|it| it.generations),
            evolution(|it| it.evaluations),
        )
        .expect(TAKES_ALL);
    }
    let n_empty = levels.iter().filter(|made| made.result.fitness().is_none()).count();
    if n_empty != 0 {
        writeln!(text, "\n{n_empty} levels are empty: their fitness is infinite.")
            .expect(TAKES_ALL);
    }
    if MAX_FILES < levels.len() {
        writeln!(
            text,
            "\nThe first {MAX_FILES} of {} levels are level files of Science Birds, `level-01.xml` \
             and so on; `levels.toml` has the text of as many as fit in a spec.",
            levels.len()
        )
        .expect(TAKES_ALL);
    }
    text.push_str(&variety(levels, metrics));
    text
}

fn variety(levels: &[MadeLevel<'_>], metrics: &[LevelMetrics]) -> String {
    let mut text = "\n## Variety\n\n| number | mean over levels |\n|---|---|\n".to_owned();
    let mut row = |name: &str, values: Vec<f64>| {
        let mean = MeanEstimate::new(&values).map_or_else(|| "-".to_owned(), |mean| mean.text(3));
        writeln!(text, "| {name} | {mean} |").expect(TAKES_ALL);
    };
    row(
        "linearity (R² of the objects' centers)",
        metrics.iter().filter_map(|it| it.linearity).collect(),
    );
    row(
        "density (share of the level's area, the ground's width by 11.58)",
        metrics.iter().map(|it| it.density).collect(),
    );
    row("entropy of block shapes, bits", metrics.iter().map(LevelMetrics::shape_entropy).collect());
    row("height", metrics.iter().map(|it| it.height).collect());
    row("width", metrics.iter().map(|it| it.width).collect());
    let cells: Vec<OccupiedCells> =
        levels.iter().take(MAX_COMPARED).map(|made| OccupiedCells::of(made.level)).collect();
    if let Some(distance) = mean_distance(&cells) {
        writeln!(
            text,
            "\nTwo of {} levels differ by {distance:.3} on average: the share of the cells of .22 \
             occupied by either that only one of them occupies (Jaccard distance).",
            cells.len()
        )
        .expect(TAKES_ALL);
    }
    text
}
