//! The finding of a comparison: which measure differs, and by how much.
//!
//! The sentence is about one measure: the most important measure with an interval in each run. It
//! is chosen before any difference is seen: of many measures, some always differ by chance.

use hatchery_core::IntervalEstimate;
use hatchery_core::findings::RichText;
use hatchery_core::text::counted;

use super::RunComparison;
use super::labels::{label, labels};
use super::measures::{MeasureComparison, MeasureDifference, leaves_out_zero};
use crate::format::{measured, measured_with_interval, short};

/// The most other measures that are named.
const MAX_NAMED: usize = 3;

/// The finding of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::report) struct ComparisonFinding {
    pub(in crate::report) title: String,
    /// The finding in a sentence.
    pub(in crate::report) summary: RichText,
    /// Notes that limit the finding.
    pub(in crate::report) notes: Vec<RichText>,
}

impl RunComparison {
    /// Returns the finding of the comparison.
    pub(in crate::report) fn finding(&self) -> ComparisonFinding {
        let n = self.runs.len();
        let same = self.same_digests();
        let mut notes = Vec::new();
        let summary = if same.len() + 1 == n {
            let all = if n == 2 { "Both runs".to_owned() } else { format!("All {n} runs") };
            RichText::new(all).strong(" gave the same bytes").plain(": they have the same digest.")
        } else {
            let lead = self.lead();
            notes.extend(lead.and_then(|lead| shared_seeds(self, lead)));
            notes.extend(lead.and_then(|lead| other_measures(self, lead)));
            notes.extend(seed_alone(self));
            notes.extend(same.iter().map(|&(idx, earlier)| {
                format!("{} gave the same bytes as {}.", label(idx), label(earlier)).into()
            }));
            lead.map_or_else(|| without_intervals(self), of_measure)
        };
        let experiment = &self.baseline().experiment;
        let title = format!("{} of {experiment} compared", counted(n, "run"));
        ComparisonFinding { title, summary, notes }
    }

    /// Returns the measure of the finding: the most important measure that was not selected and
    /// whose differences all have intervals.
    pub(in crate::report) fn lead(&self) -> Option<&MeasureComparison> {
        let is_known = |it: &MeasureDifference| {
            matches!(it, MeasureDifference::Estimate(_) | MeasureDifference::SameBytes)
        };
        self.measures.iter().find(|measure| {
            measure.estimates().next().is_some() && measure.differences.iter().all(is_known)
        })
    }
}

/// Returns the sentence about a measure whose differences have intervals.
fn of_measure(measure: &MeasureComparison) -> RichText {
    let (apart, alike): (Vec<_>, Vec<_>) =
        measure.estimates().partition(|(_, difference)| leaves_out_zero(difference));
    let of_apart = || {
        let mut text = RichText::default().code(measure.name.as_str()).plain(" is ");
        for (n_before, (idx, difference)) in apart.iter().enumerate() {
            let way = if 0.0 < difference.mean { "higher" } else { "lower" };
            let amount = with_unit(&short(difference.mean.abs()), &measure.unit);
            text = text
                .plain(if n_before == 0 { "" } else { ", " })
                .strong(format!("{amount} {way}"))
                .soft(format!(" ({})", interval(magnitude(*difference))))
                .plain(format!(" in {}", label(*idx)));
        }
        text.plain(" than in A")
    };
    let of_alike = || {
        let runs = labels(&alike.iter().map(|(idx, _)| *idx).collect::<Vec<_>>());
        let each = if alike.len() == 1 { "" } else { "each of " };
        let mut text = RichText::new(format!(" is detected between A and {each}{runs}: "));
        for (n_before, (idx, difference)) in alike.iter().enumerate() {
            let amount = with_unit(&short(difference.mean), &measure.unit);
            text = text
                .plain(if n_before == 0 { "" } else { ", " })
                .plain(format!("{} - A is {amount}", label(*idx)))
                .soft(format!(" ({})", interval(*difference)));
        }
        text
    };
    let text = match (apart.is_empty(), alike.is_empty()) {
        (_, true) => of_apart(),
        (true, false) => RichText::default()
            .strong("No difference")
            .plain(" in ")
            .code(measure.name.as_str())
            .join(of_alike()),
        (false, false) => of_apart().plain("; no difference").join(of_alike()),
    };
    text.plain(".")
}

/// Returns the sentence about runs without a measure that has an interval in every run.
fn without_intervals(comparison: &RunComparison) -> RichText {
    let unbegun = |idx: &usize| comparison.runs[*idx].result.generations == 0;
    let unbegun: Vec<_> = (0..comparison.runs.len()).filter(unbegun).collect();
    if !unbegun.is_empty() {
        let runs = labels(&unbegun);
        let text = format!("There is nothing to compare yet: no generation of {runs} has ended.");
        return text.into();
    }
    if comparison.measures.is_empty() {
        return "The runs have no measure in common.".into();
    }
    let Some(measure) = comparison.measures.iter().find(|it| !it.is_selected()) else {
        return "All measures that the runs have in common are the best of several, which reads \
                too good: a difference cannot be told from chance."
            .into();
    };
    let values = (0..).zip(&measure.values).map(|(idx, it)| {
        format!("{} in {}", with_unit(&measured(it.value), &measure.unit), label(idx))
    });
    let values = values.collect::<Vec<_>>().join(", ");
    RichText::default().code(measure.name.as_str()).plain(format!(
        " is {values}. No measure has an interval in each run: a difference cannot be told from \
         chance."
    ))
}

/// Returns a note on the runs of the finding that have the seed of the baseline.
fn shared_seeds(comparison: &RunComparison, lead: &MeasureComparison) -> Option<RichText> {
    let shares = |(idx, _): (usize, IntervalEstimate)| comparison.shares_seed(idx).then_some(idx);
    let shared: Vec<_> = lead.estimates().filter_map(shares).collect();
    let have = if shared.len() == 1 { "has" } else { "have" };
    (!shared.is_empty()).then(|| {
        format!(
            "{} {have} the seed of A, so draws may be common to them, and the interval takes them \
             as independent.",
            labels(&shared)
        )
        .into()
    })
}

/// Returns a note on the measures beside the finding's measure.
fn other_measures(comparison: &RunComparison, lead: &MeasureComparison) -> Option<RichText> {
    let others = comparison.measures.iter().filter(|measure| measure.name != lead.name);
    let all: Vec<_> = others
        .flat_map(|measure| measure.estimates().map(move |(idx, it)| (measure, idx, it)))
        .collect();
    let apart: Vec<_> = all.iter().filter(|(.., it)| leaves_out_zero(it)).collect();
    let counts = match (all.len(), apart.len()) {
        (0, _) => return None,
        (n, 0) => return Some(format!("Of {}, none leaves out 0.", of_n(n)).into()),
        (n, apart) => {
            let leave = if apart == 1 { "leaves" } else { "leave" };
            format!("Of {}, {apart} {leave} out 0: ", of_n(n))
        }
    };
    let mut text = RichText::new(counts);
    for (n_before, (measure, idx, _)) in apart.iter().take(MAX_NAMED).enumerate() {
        text = text
            .plain(if n_before == 0 { "" } else { ", " })
            .code(measure.name.as_str())
            .plain(format!(" in {}", label(*idx)));
    }
    let more = if MAX_NAMED < apart.len() { ", ..." } else { "" };
    Some(text.plain(format!("{more}. About one in 20 would by chance, if none differed.")))
}

fn of_n(n: usize) -> String {
    format!("{} of other differences", counted(n, "interval"))
}

/// Returns a note on runs of the same spec.
fn seed_alone(comparison: &RunComparison) -> Option<RichText> {
    let is_alone = comparison.params.is_empty() && !comparison.has_one_seed();
    is_alone.then(|| {
        "Nothing but the seed differs: what is different is chance, or how far runs of one spec \
         are apart."
            .into()
    })
}

/// Returns the interval of an estimate in words.
fn interval(estimate: IntervalEstimate) -> String {
    measured_with_interval(estimate.into()).1.unwrap_or_default()
}

/// Returns a difference whose interval leaves out 0 without its sign.
fn magnitude(it: IntervalEstimate) -> IntervalEstimate {
    if 0.0 < it.mean {
        return it;
    }
    IntervalEstimate { mean: -it.mean, low: -it.high, high: -it.low, ..it }
}

fn with_unit(number: &str, unit: &str) -> String {
    if unit.is_empty() { number.to_owned() } else { format!("{number} {unit}") }
}

#[cfg(test)]
mod tests {
    use hatchery_core::Measure;
    use serde_json::json;

    use super::super::samples::{estimate, run};
    use super::super::{ComparedRun, RunComparison};

    /// Runs R1, R2, ... with these seeds and estimates of lines.
    fn runs(all: &[(u64, f64)]) -> Vec<ComparedRun> {
        let of = |(idx, &(seed, mean)): (usize, &(u64, f64))| {
            let measures = vec![
                Measure::new("best", "lines", mean + 9.0).selected_from(50),
                Measure::new("mean", "lines", estimate(mean)),
            ];
            run(&format!("R{}", idx + 1), seed, json!({"idx": idx}), &measures)
        };
        all.iter().enumerate().map(of).collect()
    }

    fn finding(mut runs: Vec<ComparedRun>) -> (String, Vec<String>) {
        let others = runs.split_off(1);
        let finding = RunComparison::new(runs.remove(0), others).unwrap().finding();
        (finding.summary.to_string(), finding.notes.iter().map(ToString::to_string).collect())
    }

    fn check(runs: Vec<ComparedRun>, summary: &str, notes: &[&str]) {
        let (found, found_notes) = finding(runs);
        assert_eq!(found, summary);
        assert_eq!(found_notes, notes);
    }

    #[test]
    fn a_difference_has_its_interval_and_is_of_a_measure_that_was_not_selected() {
        // sqrt(2) to both sides.
        check(
            runs(&[(1, 5.0), (2, 9.0)]),
            "mean is 4.00 lines higher (2.59 to 5.41) in B than in A.",
            &[],
        );
        check(
            runs(&[(1, 9.0), (2, 5.0)]),
            "mean is 4.00 lines lower (2.59 to 5.41) in B than in A.",
            &[],
        );
        check(
            runs(&[(1, 5.0), (2, 4.0)]),
            "No difference in mean is detected between A and B: B - A is -1.00 lines \
             (-2.41 to 0.41).",
            &[],
        );
        check(
            runs(&[(1, 5.0), (2, 9.0), (3, 5.0), (4, 1.0)]),
            "mean is 4.00 lines higher (2.59 to 5.41) in B, 4.00 lines lower (2.59 to 5.41) in D \
             than in A; no difference is detected between A and C: C - A is 0.00 lines (-1.41 to \
             1.41).",
            &[],
        );
    }

    #[test]
    fn what_weakens_a_finding_is_said() {
        let shared = "B has the seed of A, so draws may be common to them, and the interval takes \
                      them as independent.";
        assert_eq!(finding(runs(&[(7, 5.0), (7, 9.0)])).1, [shared]);
        let mut all = runs(&[(1, 5.0), (2, 9.0)]);
        for (run, mean) in all.iter_mut().zip([1.0, 8.0]) {
            run.params = json!({});
            run.result.measures.push(Measure::new("pieces", "", estimate(mean)));
        }
        let expected = [
            "Of 1 interval of other differences, 1 leaves out 0: pieces in B. About one in 20 \
             would by chance, if none differed.",
            "Nothing but the seed differs: what is different is chance, or how far runs of one \
             spec are apart.",
        ];
        assert_eq!(finding(all).1, expected);
    }

    #[test]
    fn equal_digests_are_the_finding() {
        let mut all = runs(&[(1, 5.0), (1, 5.0), (2, 9.0)]);
        "R1".clone_into(&mut all[1].result.digest);
        assert_eq!(finding(all.clone()).1, ["B gave the same bytes as A."]);
        all.truncate(2);
        check(all, "Both runs gave the same bytes: they have the same digest.", &[]);
    }

    #[test]
    fn nothing_is_claimed_without_intervals() {
        let counts = |measures: [Vec<Measure>; 2]| {
            let mut seed = 0;
            let all = measures.map(|measures| {
                seed += 1;
                run(&format!("R{seed}"), seed, json!({"a": seed}), &measures)
            });
            finding(all.into()).0
        };
        let of = |count: u64| vec![Measure::new("hold_at", "points", count)];
        let expected = "hold_at is 20 points in A, 21 points in B. No measure has an interval in \
                        each run: a difference cannot be told from chance.";
        assert_eq!(counts([of(20), of(21)]), expected);
        assert_eq!(counts([of(20), Vec::new()]), "The runs have no measure in common.");
        let selected = || vec![Measure::new("best", "", 1.0).selected_from(9)];
        assert!(counts([selected(), selected()]).contains("cannot be told from chance"));
        let mut all = runs(&[(1, 5.0), (2, 9.0)]);
        all[1].result.generations = 0;
        all[1].result.measures.clear();
        let expected = "There is nothing to compare yet: no generation of B has ended.";
        check(all, expected, &[]);
    }
}
