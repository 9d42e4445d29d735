//! The runs that are compared.

use hatchery_core::text::grouped;
use maud::{Markup, html};

use super::super::super::comparison::{RunComparison, label};
use crate::html::{Shown, scrollable};
use crate::program;

/// Returns the table of the runs, and which runs gave the same bytes.
pub(super) fn section(comparison: &RunComparison) -> Markup {
    let rows = html! {
        table {
            thead { tr {
                @for name in ["Run", "Name and id", "Experiment", "State"] {
                    th scope="col" { (name) }
                }
                @for name in ["Seed", "Generations", "Trials"] {
                    th.number scope="col" { (name) }
                }
                th scope="col" { "Digest" }
            } }
            tbody { @for (idx, run) in (0..).zip(&comparison.runs) {
                @let result = &run.result;
                tr {
                    th scope="row" { (label(idx)) }
                    td { (Shown(run.name())) br; span.mono.small { (result.run) } }
                    td { (Shown(&result.experiment)) " version " (result.version) }
                    td { (result.status.word()) }
                    td.number { (result.seed) }
                    td.number { (grouped(result.generations)) }
                    td.number {
                        (grouped(result.trials))
                        @if 0 < result.missing_trials {
                            ", " (grouped(result.missing_trials)) " missing"
                        }
                    }
                    td.mono.small { (result.short_digest()) }
                }
            } }
        }
    };
    html! {
        h2 { "Runs" }
        (scrollable("Runs", &rows))
        @for (idx, earlier) in comparison.same_digests() {
            p {
                b { (label(earlier)) " and " (label(idx)) " gave the same bytes" }
                ": they have the same digest, which depends on the spec and the experiment's "
                "version only."
            }
        }
        @if comparison.contradicts_itself() {
            p.notice.failed {
                b { "One of the runs is wrong." }
                " Spec, seed and version are the same, so the digests should be, too. "
                code { (program::name()) " verify" } " finds the wrong one."
            }
        }
    }
}
