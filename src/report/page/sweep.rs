//! The joint report of a sweep: its measures by point, and its runs.

use hatchery_core::Measure;
use hatchery_core::text::counted;
use hatchery_figures::{ForestChart, ForestRow};
use maud::{Markup, PreEscaped, html};

use super::super::result::{ResultStatus, short_digest};
use super::super::sweep::{SweepDocument, SweepRow};
use crate::format::{capitalized, measured_with_interval};
use crate::html::{Shown, document, scrollable, with_contents};
use crate::program;

/// The number of measures that are drawn, the most important first.
const MAX_FIGURES: usize = 2;
/// The most rows of a figure: more cannot be read.
const MAX_CHART_ROWS: usize = 60;
/// The most numbers of the table, and the most runs that are listed: a page stays small enough to
/// send. The files beside it have all.
const MAX_CELLS: usize = 1000;
const MAX_RUNS: usize = 200;

/// Returns the joint report of a sweep. Its bytes depend on the runs and on this build only.
pub(crate) fn sweep_page(sweep: &SweepDocument) -> String {
    let n_done = sweep.runs.iter().filter(|run| run.status == ResultStatus::Done).count();
    let n_all = counted(sweep.points.len(), "run");
    let title = format!("{}: {n_all}", sweep.experiment);
    let measures = sweep.measures();
    let (links, sections) = with_contents(&html! {
        @for (number, measure) in (1..).zip(measures.iter().copied().take(MAX_FIGURES)) {
            (figure(number, sweep, measure))
        }
        h2 { "In numbers" }
        (table(sweep, &measures))
        h2 { "Runs" }
        (runs(sweep))
        h2 { "The same again" }
        p {
            "The folder of each run has its spec: "
            code { (program::name()) " run POINT/spec.toml" }
            " ends with the digest of the run, on one core or a thousand."
        }
    });
    let main = html! {
        p.by {
            "hatchery " (env!("CARGO_PKG_VERSION")) " · sweep " (Shown(&sweep.sweep))
            button type="button" hidden data-theme-toggle { "light or dark" }
        }
        h1 { (Shown(&title)) }
        p.lead {
            (lead(sweep)) " "
            @if n_done == sweep.points.len() { "All runs are done." } @else {
                b { (n_done) " of " (n_all) " are done" }
                "; numbers are of those."
            }
        }
        (links)
        (sections)
        footer.small.soft {
            p {
                "This page is one file and asks no network for anything. Data: "
                code { "sweep.json" } " and " code { "sweep.csv" } " beside it."
            }
        }
    };
    document(&title, &main)
}

/// Returns the meaning of the rows.
fn lead(sweep: &SweepDocument) -> Markup {
    let keys: Vec<_> = sweep.keys().collect();
    let has_replicates = sweep.table.iter().any(|row| 1 < row.done);
    html! {
        "The same spec with several values of "
        @for (idx, key) in keys.iter().enumerate() {
            @if 0 < idx { ", " } code { (Shown(key)) }
        }
        @if keys.is_empty() { code { "seed" } }
        @if has_replicates {
            ". Numbers are means over seeds, with 95 % intervals (Student) in which a run is one "
            "sample; a row with one run has that run's own number and interval."
        } @else { "." }
    }
}

fn figure(number: usize, sweep: &SweepDocument, measure: &Measure) -> Markup {
    let row = |row: &SweepRow| {
        let found = row.measures.iter().find(|it| it.name == measure.name)?;
        Some(ForestRow { name: row.name(), quantity: found.value.into() })
    };
    let name = measure.name.replace('_', " ");
    let rows: Vec<_> = sweep.table.iter().filter_map(row).take(MAX_CHART_ROWS).collect();
    let n_left = sweep.table.len().saturating_sub(MAX_CHART_ROWS);
    let chart = ForestChart {
        title: capitalized(&name),
        x_label: if measure.unit.is_empty() { name } else { measure.unit.clone() },
        x_shown: Vec::new(),
        reference: None,
        rows,
    };
    html! {
        figure.panel {
            (PreEscaped(chart.to_inline_svg()))
            figcaption {
                b { "Figure " (number) ". " } (Shown(&chart.title))
                @if 0 < sweep.keys().count() {
                    ", by " (Shown(&sweep.keys().collect::<Vec<_>>().join(", ")))
                }
                "."
                @if measure.selected_from.is_some() { " Best of several, so biased upward." }
                @if 0 < n_left { " The first " (MAX_CHART_ROWS) " rows of the table." }
            }
        }
    }
}

fn table(sweep: &SweepDocument, measures: &[&Measure]) -> Markup {
    let n_columns = measures.len().clamp(1, MAX_CELLS);
    let n_shown = (MAX_CELLS / n_columns).max(1);
    let n_left = sweep.table.len().saturating_sub(n_shown);
    let rows = html! {
        table {
            thead { tr {
                @for key in sweep.keys() { th scope="col" { (Shown(key)) } }
                th.number scope="col" { "Runs done" }
                @for Measure { name, unit, .. } in measures.iter().take(n_columns) {
                    th.number scope="col" {
                        (Shown(name)) @if !unit.is_empty() { ", " (Shown(unit)) }
                    }
                }
            } }
            tbody { @for row in sweep.table.iter().take(n_shown) {
                tr {
                    @for value in &row.values { td { (Shown(&value.value)) } }
                    td.number { (row.done) " of " (row.runs) }
                    @for measure in measures.iter().take(n_columns) {
                        (cell(row.measures.iter().find(|it| it.name == measure.name)))
                    }
                }
            } }
        }
    };
    html! {
        (scrollable("In numbers", &rows))
        @if 0 < n_left { p.soft { (counted(n_left, "row")) " more in the files." } }
    }
}

fn cell(measure: Option<&Measure>) -> Markup {
    let Some(measure) = measure else { return html! { td.number { "–" } } };
    let (number, interval) = measured_with_interval(measure.value);
    html! {
        td.number {
            (number)
            @if let Some(interval) = interval { br; span.soft.small { (interval) } }
            @if measure.selected_from.is_some() { br; span.soft.small { "selected" } }
        }
    }
}

fn runs(sweep: &SweepDocument) -> Markup {
    let n_left = sweep.runs.len().saturating_sub(MAX_RUNS);
    let rows = html! {
        table {
            thead { tr {
                @for name in ["Point", "Id", "State", "Digest"] { th scope="col" { (name) } }
            } }
            tbody { @for run in sweep.runs.iter().take(MAX_RUNS) {
                tr {
                    th.name scope="row" {
                        @if run.status == ResultStatus::Done {
                            a href={ (run.point.folder_name()) "/report.html" } {
                                (Shown(&run.point.name))
                            }
                        } @else { (Shown(&run.point.name)) }
                    }
                    td.mono.small { (Shown(&run.run)) }
                    td {
                        (run.status.word())
                        @if let Some(error) = &run.error { ": " (Shown(error)) }
                    }
                    td.mono.small { (Shown(short_digest(&run.digest))) }
                }
            } }
        }
    };
    html! {
        (scrollable("Runs", &rows))
        @if 0 < n_left { p.soft { (counted(n_left, "run")) " more in the files." } }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::sweep::samples::sweep;
    use super::*;

    #[test]
    fn a_sweep_is_a_page() {
        let results = [("done", 10.0), ("done", 100.0), ("done", 14.0), ("failed", 0.0)];
        let document = sweep(&["seed=1,2", "games=5,6"], &results);
        let page = sweep_page(&document);
        let parts = [
            "pig: 4 runs",
            "<b>3 of 4 runs are done</b>",
            "several values of <code>games</code>",
            "score, points",
            "Score, by games.",
            "seed=2,games=6",
        ];
        for part in parts {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert_eq!(page, sweep_page(&document));
    }

    #[test]
    fn hostile_texts_are_shown_and_never_interpreted() {
        let hostile = "<img src=x onerror=alert(1)>\u{202e}";
        let mut document = sweep(&["games=5,6"], &[("done", 1.0), ("failed", 2.0)]);
        document.sweep = hostile.to_owned();
        document.experiment = hostile.to_owned();
        for run in &mut document.runs {
            for text in [&mut run.point.name, &mut run.run, &mut run.digest] {
                hostile.clone_into(text);
            }
            run.error = Some(hostile.to_owned());
        }
        for row in &mut document.table {
            hostile.clone_into(&mut row.values[0].key);
            hostile.clone_into(&mut row.values[0].value);
            for measure in &mut row.measures {
                hostile.clone_into(&mut measure.name);
                hostile.clone_into(&mut measure.unit);
            }
        }
        let page = sweep_page(&document);
        assert!(!page.contains("<img") && !page.contains('\u{202e}'), "{page}");
    }

    #[test]
    fn large_sweeps_stay_small() {
        let values = (0..10_000).map(|n| ("done", f64::from(n))).collect::<Vec<_>>();
        let document = sweep(&["games=1..10000"], &values);
        let page = sweep_page(&document);
        assert!(page.len() < 400_000, "{}", page.len());
        assert!(page.contains("9,000 rows more") && page.contains("9,800 runs more"), "{page}");
    }
}
