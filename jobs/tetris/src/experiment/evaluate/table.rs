//! The scores as a table, in the form of Table 2 of Miyazaki & Arakawa.

use hatchery_core::{Measure, MeasureValue};

use super::spec::EvaluateSpec;
use crate::experiment::estimator::PlayerResults;

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
    let measure = measures.iter().find(|measure| measure.name == name);
    match measure.map(|measure| measure.value) {
        Some(MeasureValue::Estimate(estimate)) => {
            let [mean, low, high] = [estimate.mean, estimate.low, estimate.high].map(thousands);
            format!("{mean} ({low} to {high})")
        }
        Some(value) => thousands(value.point()),
        None => "-".to_owned(),
    }
}

/// Formats a number without decimals in groups of three digits: 60,228,109; below 100 with one
/// decimal.
fn thousands(number: f64) -> String {
    if number < 100.0 {
        return format!("{number:.1}");
    }
    let digits = format!("{number:.0}");
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_in_groups() {
        for (number, expected) in
            [(60_228_109.0, "60,228,109"), (1000.4, "1,000"), (79.94, "79.9"), (0.0, "0.0")]
        {
            assert_eq!(thousands(number), expected);
        }
    }
}
