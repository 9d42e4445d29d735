//! Measures of several runs, and their differences from the first run's measures.

use hatchery_core::{IntervalEstimate, Measure, MeasureValue};
use hatchery_stats::estimate_difference;

use super::run::ComparedRun;

/// A measure that all runs have.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::report) struct MeasureComparison {
    pub(in crate::report) name: String,
    pub(in crate::report) unit: String,
    /// The measure in each run, the baseline first.
    pub(in crate::report) values: Vec<Measure>,
    /// The difference of every later run from the first run.
    pub(in crate::report) differences: Vec<MeasureDifference>,
}

/// The measure of a run minus the baseline's measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::report) enum MeasureDifference {
    /// None: both runs gave the same bytes.
    SameBytes,
    /// Of exact counts.
    Count(i128),
    /// The difference of two numbers, at least one number without its uncertainty.
    Point(f64, MissingInterval),
    /// Of estimates, with an interval that holds if they are independent.
    Estimate(IntervalEstimate),
}

/// The reason why a difference has no interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::report) enum MissingInterval {
    /// A number has none: it is exact, or its uncertainty is not known.
    NoUncertainty,
    /// A number is the best of several and therefore biased upward, by an unknown amount.
    Selected,
    /// Neither interval has a width: nothing varied, so the spread says nothing.
    NoSpread,
}

impl MeasureComparison {
    /// Returns whether the value of a run is the best of several candidates.
    pub(in crate::report) fn is_selected(&self) -> bool {
        self.values.iter().any(|measure| measure.selected_from.is_some())
    }

    /// Returns the differences with an interval, each with the index of its run.
    pub(super) fn estimates(&self) -> impl Iterator<Item = (usize, IntervalEstimate)> {
        (1..).zip(&self.differences).filter_map(|(idx, difference)| match difference {
            MeasureDifference::Estimate(estimate) => Some((idx, *estimate)),
            _ => None,
        })
    }
}

impl MeasureDifference {
    fn between(baseline: &Measure, run: &Measure) -> Self {
        let point = |why| Self::Point(run.value.point() - baseline.value.point(), why);
        if run.selected_from.or(baseline.selected_from).is_some() {
            return point(MissingInterval::Selected);
        }
        match (run.value, baseline.value) {
            (MeasureValue::Count(run), MeasureValue::Count(baseline)) => {
                Self::Count(i128::from(run) - i128::from(baseline))
            }
            (MeasureValue::Estimate(run), MeasureValue::Estimate(baseline)) => {
                match estimate_difference([run, baseline]) {
                    Some(it) if it.low < it.high => Self::Estimate(it),
                    Some(_) => point(MissingInterval::NoSpread),
                    None => point(MissingInterval::NoUncertainty),
                }
            }
            _ => point(MissingInterval::NoUncertainty),
        }
    }
}

/// Returns true if the interval of a difference leaves out 0.
pub(super) fn leaves_out_zero(difference: &IntervalEstimate) -> bool {
    0.0 < difference.low || difference.high < 0.0
}

/// Returns the measures that all runs have, under the same name and in the same unit, in the order
/// of the first run; and the names of the other measures.
pub(super) fn compare(runs: &[ComparedRun]) -> (Vec<MeasureComparison>, Vec<String>) {
    let mut common: Vec<MeasureComparison> = Vec::new();
    let first = runs.first().map_or(&[][..], |run| &run.result.measures);
    for Measure { name, unit, .. } in first {
        let values: Option<Vec<_>> = runs.iter().map(|run| find(run, name, unit)).collect();
        let Some(values) = values else { continue };
        let difference = |(run, measure): (&ComparedRun, &Measure)| match run.result.digest
            == runs[0].result.digest
        {
            true => MeasureDifference::SameBytes,
            false => MeasureDifference::between(&values[0], measure),
        };
        let differences = runs.iter().zip(&values).skip(1).map(difference).collect();
        let (name, unit) = (name.clone(), unit.clone());
        common.push(MeasureComparison { name, unit, values, differences });
    }
    let mut partial: Vec<String> = Vec::new();
    for Measure { name, .. } in runs.iter().flat_map(|run| &run.result.measures) {
        let is_known = common.iter().any(|it| it.name == *name) || partial.contains(name);
        if !is_known {
            partial.push(name.clone());
        }
    }
    (common, partial)
}

fn find(run: &ComparedRun, name: &str, unit: &str) -> Option<Measure> {
    let measures = &run.result.measures;
    measures.iter().find(|measure| measure.name == name && measure.unit == unit).cloned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::samples::{estimate, run};
    use super::*;

    fn check(a: &Measure, b: &Measure, expected: MeasureDifference) {
        let runs =
            [("R1", a), ("R2", b)].map(|(id, it)| run(id, 1, json!({}), std::slice::from_ref(it)));
        let (measures, partial) = compare(&runs);
        assert_eq!(measures[0].differences, [expected]);
        assert_eq!(partial, [""; 0]);
    }

    #[test]
    fn differences_have_intervals_where_they_can() {
        let measure = |value: MeasureValue| Measure::new("m", "lines", value);
        let [a, b] = [estimate(5.0), estimate(9.0)].map(|it| measure(it.into()));
        let root = 2_f64.sqrt();
        let difference = IntervalEstimate {
            mean: 4.0,
            low: 4.0 - root,
            high: 4.0 + root,
            n: 18,
            confidence: 0.95,
        };
        check(&a, &b, MeasureDifference::Estimate(difference));
        assert!(leaves_out_zero(&difference));
        let point = |difference, why| MeasureDifference::Point(difference, why);
        let selected = b.selected_from(50);
        check(&a, &selected, point(4.0, MissingInterval::Selected));
        check(&selected, &a, point(-4.0, MissingInterval::Selected));
        let [low, high] = [3_u64, u64::MAX].map(|count| measure(count.into()));
        check(&high, &low, MeasureDifference::Count(3 - i128::from(u64::MAX)));
        check(&a, &measure(7.0.into()), point(2.0, MissingInterval::NoUncertainty));
        let exact = |mean| IntervalEstimate { low: mean, high: mean, ..estimate(mean) };
        let [a, b] = [exact(1.0), exact(3.0)].map(|it| measure(it.into()));
        check(&a, &b, point(2.0, MissingInterval::NoSpread));
    }

    #[test]
    fn measures_are_common_if_name_and_unit_are() {
        let measure = |name: &str, unit: &str| Measure::new(name, unit, 1.0);
        let a = [measure("a", "lines"), measure("b", "lines"), measure("c", "s")];
        let b = [measure("c", "ms"), measure("d", ""), measure("a", "lines")];
        let runs = [("R1", a.to_vec()), ("R2", b.to_vec())];
        let runs = runs.map(|(id, measures)| run(id, 1, json!({}), &measures));
        let (common, partial) = compare(&runs);
        assert_eq!(common.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(), ["a"]);
        assert_eq!(partial, ["b", "c", "d"]);
    }

    #[test]
    fn the_same_bytes_have_no_difference() {
        let measures = vec![Measure::new("m", "lines", estimate(5.0))];
        let mut runs = ["R1", "R2"].map(|id| run(id, 1, json!({}), &measures));
        "R1".clone_into(&mut runs[1].result.digest);
        assert_eq!(compare(&runs).0[0].differences, [MeasureDifference::SameBytes]);
    }
}
