//! The cost of a run, and the workers that computed it.

use std::collections::BTreeSet;

use hatchery_coordinator::run::record::GenerationRecord;
use hatchery_core::text::{counted, grouped, time_span};
use maud::{Markup, html};

use super::super::result::ResultDocument;
use super::super::stored::StoredRun;
use super::chronicle::RunChronicle;
use crate::format::{date, seconds, short};
use crate::html::{Shown, scrollable};

/// The most rows of the table of generations: of more generations, evenly spaced ones are shown.
const MAX_ROWS: usize = 200;

/// Returns what each generation took.
pub(super) fn generations(records: &[GenerationRecord]) -> Markup {
    if records.is_empty() {
        return html! {};
    }
    let step = records.len().div_ceil(MAX_ROWS);
    let last = records.len() - 1;
    let rows = records.iter().enumerate().filter(|(idx, _)| idx % step == 0 || *idx == last);
    let table = html! {
        table {
            thead { tr {
                @for name in ["Generation", "Jobs", "Trials", "CPU time, s", "Took, s"] {
                    th.number scope="col" { (name) }
                }
            } }
            tbody { @for (_, record) in rows {
                tr {
                    td.number { (record.generation) }
                    td.number { (grouped(record.spent.jobs)) }
                    td.number { (grouped(record.spent.trials)) }
                    td.number { (short(seconds(record.spent.cpu_ns))) }
                    td.number { (short(seconds(record.spent.elapsed_ns))) }
                }
            } }
        }
    };
    html! {
        details {
            summary { "What the run took, generation by generation" }
            @if 1 < step {
                p { "One of " (step) " is shown; " code { "generations.csv" } " has all." }
            }
            (scrollable("Generations", &table))
        }
    }
}

/// Returns who computed the run, and what went wrong.
pub(super) fn origin(run: &StoredRun, result: &ResultDocument, chronicle: &RunChronicle) -> Markup {
    let workers: BTreeSet<_> =
        run.generations.iter().flat_map(|record| &record.origin.workers).collect();
    html! {
        details {
            summary { "Who computed it, and what went wrong" }
            dl.list {
                dt { "Workers" }
                dd { (counted(workers.len(), "worker")) " in all" }
                dt { "Jobs" }
                dd { (counted(result.jobs, "job")) ", " (counted(result.trials, "trial")) }
                @for work in result.work.iter().filter(|work| work.count != 0) {
                    dt { (Shown(&work.unit)) }
                    dd {
                        (grouped(work.count)) ", " (short(work.per_cpu_second))
                        " per second of CPU time"
                    }
                }
                dt { "Time" }
                dd {
                    (time_span(result.elapsed_s)) ", " (time_span(result.cpu_s))
                    " of CPU time over all workers"
                }
                dt { "Leaders" }
                dd {
                    (chronicle.n_leaders)
                    @if 1 < chronicle.n_leaders { ": the run was continued after an interruption" }
                }
                dt { "Incidents" }
                dd {
                    @if chronicle.incidents.is_empty() { "none" } @else { (incidents(chronicle)) }
                }
            }
        }
    }
}

fn incidents(chronicle: &RunChronicle) -> Markup {
    html! {
        ul {
            @for (unix_ms, words) in &chronicle.incidents {
                li { (date(*unix_ms)) ": " (Shown(words)) }
            }
            @if 0 < chronicle.n_more {
                li { "and " (chronicle.n_more) " more, in " code { "events.jsonl" } }
            }
        }
    }
}
