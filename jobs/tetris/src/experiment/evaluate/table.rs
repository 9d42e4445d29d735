//! The scores as a table, in the form of Table 2 of Miyazaki & Arakawa.

use hatchery_core::{Measure, MeasureValue};

use super::spec::EvaluateSpec;
use crate::experiment::estimator::PlayerResults;
use crate::experiment::wording::{lines, lines_estimate};

/// The columns; splitting estimates only the mean.
const COLUMNS: [(&str, &str); 3] =
    [("mean", "mean"), ("sd", "standard deviation"), ("median", "median")];

/// Returns the table with a row of lines for each combination, with intervals.
pub(super) fn markdown(spec: &EvaluateSpec, all: &[PlayerResults]) -> String {
    let rows = spec.checked().into_iter().zip(all).map(|((name, player), played)| {
        let measures = played.measures(&str::to_owned, &player);
        let cells = COLUMNS.map(|(measure, _)| cell(&measures, measure));
        format!("| {name} | {} |\n", cells.join(" | "))
    });
    let heads = COLUMNS.map(|(_, head)| head);
    let head = format!("| lines | {} |\n|---|---|---|---|\n", heads.join(" | "));
    head + &rows.collect::<String>()
}

fn cell(measures: &[Measure], name: &str) -> String {
    // A game with fixed pieces has its lines in place of a mean.
    let is_meant = |it: &&Measure| it.name == name || (name == "mean" && it.name == "lines");
    let measure = measures.iter().find(is_meant);
    match measure.map(|measure| measure.value) {
        Some(MeasureValue::Estimate(estimate)) => lines_estimate(estimate).to_string(),
        Some(value) => lines(value.point()),
        None => "-".to_owned(),
    }
}
