//! The assumptions behind the intervals of differences.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::super::super::comparison::{RunComparison, labels};
use crate::program;

/// Returns the method of the intervals of differences, and its assumptions; nothing if there are
/// none.
pub(super) fn section(comparison: &RunComparison) -> Markup {
    if comparison.estimates().next().is_none() {
        return html! {};
    }
    let runs: BTreeSet<_> = comparison.estimates().map(|(idx, _)| idx).collect();
    let (shared, own): (Vec<_>, Vec<_>) =
        runs.into_iter().partition(|&idx| comparison.shares_seed(idx));
    html! {
        h3 { "What the intervals of differences assume" }
        p {
            "Each is made of the intervals of the two values by MOVER (G. Y. Zou and A. Donner, "
            "\u{201c}Construction of confidence limits about effect measures\u{201d}, "
            "Statistics in Medicine 27, 2008), with the lower of their confidences. It holds if "
            "both intervals hold and the two values are independent. About one in 20 of such "
            "intervals misses by chance, and none here is corrected for the number of measures "
            "and runs. "
            "Intervals that leave out 0 are in bold."
        }
        @if !own.is_empty() { (own_seeds(&own)) }
        @if !shared.is_empty() { (shared_seeds(&shared)) }
        (common_inputs(comparison))
        p {
            "An interval tells how well a run has measured its own result. Where a run learns or "
            "evolves, another seed may lead it elsewhere, and no interval here covers that: to "
            "compare settings and not two runs, run each of them with several seeds."
        }
    }
}

fn own_seeds(own: &[usize]) -> Markup {
    let (runs, have) = (labels(own), if own.len() == 1 { "has" } else { "have" });
    html! {
        p {
            (runs) " " (have) " another seed than A: the random numbers of trials are made from "
            "the seed, so no trial shares any with A, and the values are independent."
        }
    }
}

fn shared_seeds(shared: &[usize]) -> Markup {
    let (runs, have) = (labels(shared), if shared.len() == 1 { "has" } else { "have" });
    html! {
        p {
            b { (runs) " " (have) " the seed of A." }
            " The random numbers of a trial are made from the experiment, the seed, the "
            "generation, the subject and the number of the trial, and not from parameters, so "
            "trials meet the same ones in both runs. The draws may therefore be common, and the "
            "values go up and down together, or one up as the other goes down. The interval takes "
            "them as independent: it is too wide in the first case, and too narrow in the second. "
            "A run keeps sums over its trials and not the trials, so they cannot be compared in "
            "pairs here. An interval that holds needs a run with a seed of its own: "
            code { (program::name()) " run spec.toml --seed N" } "."
        }
    }
}

/// Returns a note on inputs that other runs take in as well as the baseline.
fn common_inputs(comparison: &RunComparison) -> Markup {
    let inputs = &comparison.runs[0].inputs;
    let shares = |idx: &usize| !inputs.is_disjoint(&comparison.runs[*idx].inputs);
    let sharing: Vec<_> = comparison.others().filter(shares).collect();
    html! {
        @if !sharing.is_empty() {
            p {
                (labels(&sharing)) " and A take in a file in common: what it owes to chance is in "
                "the values of both, and not in the intervals."
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use hatchery_core::{Digest, Measure};
    use serde_json::json;

    use super::super::super::super::comparison::samples::{estimate, run};
    use super::*;

    #[test]
    fn what_is_assumed_depends_on_seeds_and_inputs() {
        let of = |id: &str, seed: u64| {
            let measures = vec![Measure::new("m", "lines", estimate(5.0))];
            run(id, seed, json!({"id": id}), &measures)
        };
        let mut runs = [of("R2", 1), of("R3", 2), of("R4", 3)];
        let check = |runs: &[super::super::ComparedRun], parts: &[(&str, bool)]| {
            let mut baseline = of("R1", 1);
            baseline.inputs.insert(Digest::of(b"weights"));
            let comparison = RunComparison::new(baseline, runs.to_vec()).unwrap();
            let section = section(&comparison).into_string();
            for (part, is_there) in parts {
                assert_eq!(section.contains(part), *is_there, "{part}: {section}");
            }
        };
        let [same, other, input] =
            ["B has the seed of A.", "C and D have another seed than A", "in common"];
        check(&runs, &[(same, true), (other, true), (input, false), ("MOVER", true)]);
        check(&runs[..1], &[(same, true), ("another seed than", false)]);
        runs[1].inputs.insert(Digest::of(b"weights"));
        check(&runs, &[("C and A take in a file in common", true)]);
        runs[0].result.measures.clear();
        check(&runs[..1], &[("MOVER", false)]);
    }
}
