//! The differences of the specs.

use hatchery_core::text::grouped;
use maud::{Markup, html};

use super::super::super::comparison::{ParamDifference, RunComparison, label};
use crate::html::{Shown, scrollable};

/// The most cells of the table: a page stays small enough to send.
const MAX_CELLS: usize = 400;
/// The most letters of a value that are shown.
const MAX_LETTERS: usize = 120;

/// Returns the seeds and parameters that differ, side by side.
pub(super) fn section(comparison: &RunComparison) -> Markup {
    let n_rows = MAX_CELLS / comparison.runs.len();
    let n_left = comparison.params.len().saturating_sub(n_rows);
    let rows = html! {
        table {
            thead { tr {
                th scope="col" { "Parameter" }
                @for idx in 0..comparison.runs.len() { th scope="col" { (label(idx)) } }
            } }
            tbody {
                @if !comparison.has_one_seed() {
                    tr {
                        th scope="row" { code { "seed" } }
                        @for run in &comparison.runs { td.mono.small { (run.result.seed) } }
                    }
                }
                @for ParamDifference { path, values } in comparison.params.iter().take(n_rows) {
                    tr {
                        th scope="row" { code { (Shown(path)) } }
                        @for value in values { td.mono.small { (shown(value.as_deref())) } }
                    }
                }
            }
        }
    };
    html! {
        h2 { "What differs in the specs" }
        @match (comparison.params.is_empty(), comparison.has_one_seed()) {
            (true, true) => p { "Nothing: the runs have the same parameters and the same seed." },
            (true, false) => {
                p { "Nothing but the seed." }
                (scrollable("Seeds", &rows))
            }
            (false, _) => {
                (scrollable("Parameters", &rows))
                @if 0 < n_left {
                    p.soft { (grouped(n_left)) " more are not shown here." }
                }
                p {
                    "All other parameters are the same"
                    @if comparison.has_one_seed() { ", and so is the seed" } "."
                }
            }
        }
    }
}

fn shown(value: Option<&str>) -> Markup {
    let Some(value) = value else { return html! { span.soft { "not set" } } };
    let end = value.char_indices().nth(MAX_LETTERS).map(|(end, _)| end);
    html! {
        @match end {
            None => (Shown(value)),
            Some(end) => {
                (Shown(&value[..end])) " ... "
                span.soft { "(" (grouped(value.chars().count())) " letters)" }
            }
        }
    }
}
