//! The comparison of runs as a page, in the same form as the report of a single run.

mod assumptions;
mod curves;
mod measures;
mod runs;
mod specs;

use hatchery_core::text::{counted, grouped};
use maud::{Markup, html};

use super::super::comparison::{ComparedRun, RunComparison, label};
use super::super::result::ResultStatus;
use super::repeat::RepeatSteps;
use crate::format::capitalized;
use crate::html::{Shown, document, rich, with_contents};
use crate::program;

/// The most bytes of a spec that is shown: a page stays small enough to send.
const MAX_SPEC_BYTES: usize = 20 << 10;

/// Returns the page of a comparison. Its bytes depend on the runs and on this build only.
pub(crate) fn comparison_page(comparison: &RunComparison) -> String {
    let finding = comparison.finding();
    let (links, sections) = with_contents(&html! {
        (runs::section(comparison))
        (specs::section(comparison))
        (measures::section(comparison))
        (assumptions::section(comparison))
        (curves::section(comparison))
        (again(comparison))
    });
    let main = html! {
        (byline(comparison))
        h1 { (Shown(&finding.title)) }
        (notices(comparison))
        p.lead { (rich(&finding.summary)) }
        @for note in &finding.notes { p { (rich(note)) } }
        (links)
        (sections)
        footer.small.soft {
            p { "This page is one file and asks no network for anything." }
        }
    };
    document(&finding.title, &main)
}

fn byline(comparison: &RunComparison) -> Markup {
    let baseline = comparison.baseline();
    html! {
        p.by {
            "hatchery " (env!("CARGO_PKG_VERSION")) " · "
            a href="#again" { (Shown(&baseline.experiment)) " version " (baseline.version) }
            " · " (counted(comparison.runs.len(), "run"))
            button type="button" hidden data-theme-toggle { "light or dark" }
        }
    }
}

/// Returns the warnings about runs that have not ended well.
fn notices(comparison: &RunComparison) -> Markup {
    let undone = |(_, run): &(usize, &ComparedRun)| run.result.status != ResultStatus::Done;
    html! {
        @for (idx, run) in (0..).zip(&comparison.runs).filter(undone) {
            @let result = &run.result;
            p.notice .failed[result.status == ResultStatus::Failed] {
                b { (label(idx)) " is " (result.status.word()) "." } " "
                (grouped(result.generations)) " of "
                (grouped(result.planned_generations))
                " generations are computed; its numbers are those so far."
                @if let Some(error) = &result.error { " " (Shown(&capitalized(error))) }
            }
        }
    }
}

/// Returns how to get all results again, and this page.
fn again(comparison: &RunComparison) -> Markup {
    html! {
        h2 id="again" { "The same again" }
        p {
            "Where the runs are, " code {
                (program::name()) " report" @for run in &comparison.runs { " " (run.result.run) }
            } " writes this page again; the first run is the one that the others are compared with."
        }
        @for (idx, run) in (0..).zip(&comparison.runs) {
            h3 { (label(idx)) ": " (Shown(run.name())) }
            @if run.spec.len() <= MAX_SPEC_BYTES {
                (RepeatSteps {
                    heading: &format!("Spec of {}", label(idx)),
                    spec: &run.spec,
                    has_inputs: !run.inputs.is_empty(),
                    result: &run.result,
                }.markup())
            } @else {
                p {
                    "The spec has " (counted(run.spec.len(), "byte")) ": it is in the "
                    "report of the run, which "
                    code { (program::name()) " report " (run.result.run) } " writes."
                }
                p.mono.small { (run.result.digest) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use hatchery_core::Measure;
    use serde_json::json;

    use super::super::super::comparison::samples::{estimate, run};
    use super::*;

    const HOSTILE: &str = "<img src=x onerror=alert(1)>\u{202e}";

    fn hostile(id: &str, seed: u64, mean: f64) -> ComparedRun {
        let measures = vec![
            Measure::new("best", "lines", mean + 9.0).selected_from(50),
            Measure::new(HOSTILE, HOSTILE, estimate(mean)),
        ];
        let mut run = run(id, seed, json!({HOSTILE: format!("{HOSTILE}{id}")}), &measures);
        HOSTILE.clone_into(&mut run.result.name);
        run.result.status = ResultStatus::Failed;
        run.result.error = Some(HOSTILE.to_owned());
        HOSTILE.clone_into(&mut run.spec);
        for (generation, mean) in run.history.iter_mut().zip([mean - 1.0, mean]) {
            generation.measures[1].value = estimate(mean).into();
        }
        run
    }

    fn page(mut runs: Vec<ComparedRun>) -> String {
        let others = runs.split_off(1);
        comparison_page(&RunComparison::new(runs.remove(0), others).unwrap())
    }

    #[test]
    fn hostile_texts_are_shown_and_never_interpreted() {
        let page = page(vec![hostile("R1", 1, 5.0), hostile("R2", 2, 9.0)]);
        assert!(!page.contains("<img") && !page.contains('\u{202e}'), "{page}");
        assert!(page.contains("&lt;img src=x onerror=alert(1)&gt;\\u{202e}"), "{page}");
        for part in ["A is failed.", "4.00 &lt;img", "biased upward", "<figcaption>"] {
            assert!(page.contains(part), "{part}: {page}");
        }
    }

    #[test]
    fn the_page_depends_on_the_runs_only() {
        let runs = || vec![hostile("R1", 1, 5.0), hostile("R2", 2, 9.0)];
        assert_eq!(page(runs()), page(runs()));
        assert!(page(runs()).contains("hatchery report R1 R2"));
    }

    #[test]
    fn many_measures_and_long_specs_stay_small() {
        let measures =
            (0..2_000).map(|n| Measure::new(format!("m{n}"), "", estimate(f64::from(n))));
        let measures: Vec<_> = measures.collect();
        let params = |id: &str| {
            let params =
                (0..2_000).map(|n| (format!("p{n}"), json!(format!("{id}{}", "x".repeat(500)))));
            params.collect::<serde_json::Map<_, _>>().into()
        };
        let runs = ["R1", "R2", "R3", "R4", "R5", "R6", "R7", "R8"].map(|id| {
            let mut run = run(id, 1, params(id), &measures);
            run.spec = "x".repeat(1 << 20);
            run
        });
        let page = page(runs.into());
        assert!(page.len() < 300_000, "{}", page.len());
        assert!(page.contains("more are") && page.contains("1,048,576 bytes"));
    }
}
