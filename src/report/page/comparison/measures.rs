//! The measures that the runs have in common, and their differences.

use hatchery_core::text::grouped;
use hatchery_core::{IntervalEstimate, Measure};
use hatchery_figures::{ForestChart, ForestRow};
use maud::{Markup, PreEscaped, html};

use super::super::super::comparison::{
    ComparedRun, MeasureComparison, MeasureDifference, MissingInterval, RunComparison, label,
};
use crate::format::{capitalized, measured_with_interval, short};
use crate::html::{Shown, scrollable};

/// The most rows of the table: a page stays small enough to send.
const MAX_ROWS: usize = 240;
/// The most measures that are named because only some of the runs have them.
const MAX_NAMED: usize = 12;

/// Returns the figure of the measure that the finding is about, and the table of measures.
pub(super) fn section(comparison: &RunComparison) -> Markup {
    html! {
        h2 { "Measures" }
        @if comparison.measures.is_empty() {
            p { "The runs have no measure in common." }
        } @else {
            @if let Some(measure) = comparison.lead() { (figure(comparison, measure)) }
            (table(comparison))
        }
        @if let [first, ..] = &comparison.partial_measures[..] {
            @let names = &comparison.partial_measures;
            p.soft {
                "Only some of the runs have " code { (Shown(first)) }
                @for name in names.iter().take(MAX_NAMED).skip(1) { ", " code { (Shown(name)) } }
                @if MAX_NAMED < names.len() {
                    " and " (grouped(names.len() - MAX_NAMED)) " more"
                }
                "."
            }
        }
    }
}

fn figure(comparison: &RunComparison, measure: &MeasureComparison) -> Markup {
    let row = |(idx, (run, measure)): (usize, (&ComparedRun, &Measure))| ForestRow {
        name: format!("{}: {}", label(idx), run.name()),
        quantity: measure.value.into(),
    };
    let name = measure.name.replace('_', " ");
    let chart = ForestChart {
        title: capitalized(&format!("{name} by run")),
        x_label: if measure.unit.is_empty() { name } else { measure.unit.clone() },
        x_shown: Vec::new(),
        reference: None,
        rows: comparison.runs.iter().zip(&measure.values).enumerate().map(row).collect(),
    };
    html! {
        figure.panel {
            (PreEscaped(chart.to_inline_svg()))
            figcaption {
                b { "Figure 1. " } (Shown(&chart.title))
                ". Intervals are those of each run alone."
            }
        }
    }
}

fn table(comparison: &RunComparison) -> Markup {
    let n_shown = MAX_ROWS / comparison.runs.len();
    let n_left = comparison.measures.len().saturating_sub(n_shown);
    let rows = html! {
        table {
            thead { tr {
                th scope="col" { "Measure" }
                th scope="col" { "Run" }
                th.number scope="col" { "Value" }
                th scope="col" { "Interval, 95 % unless it says so" }
                th.number scope="col" { "Minus A" }
                th scope="col" { "Interval of the difference" }
            } }
            @for measure in comparison.measures.iter().take(n_shown) { (body(measure)) }
        }
    };
    html! {
        (scrollable("Measures", &rows))
        @if 0 < n_left {
            p.soft {
                (grouped(n_left)) " more are in the reports of the runs."
            }
        }
    }
}

/// Returns the rows of a measure, one for each run.
fn body(measure: &MeasureComparison) -> Markup {
    html! {
        tbody { @for (idx, value) in (0..).zip(&measure.values) {
            @let (number, interval) = measured_with_interval(value.value);
            tr {
                @match idx {
                    0 => th scope="rowgroup" { (Shown(&measure.name)) },
                    1 => td.soft { (Shown(&measure.unit)) },
                    _ => td {},
                }
                td { (label(idx)) }
                td.number { (number) }
                td {
                    (interval.unwrap_or_default())
                    @if value.selected_from.is_some() {
                        " " span.soft { "best of several, so biased upward" }
                    }
                }
                @match idx.checked_sub(1).and_then(|it| measure.differences.get(it)) {
                    Some(difference) => (cells(*difference)),
                    None => { td {} td {} }
                }
            }
        } }
    }
}

/// Returns the cells of a difference and its interval.
fn cells(difference: MeasureDifference) -> Markup {
    let (number, interval) = match difference {
        MeasureDifference::SameBytes => ("0".to_owned(), html! { span.soft { "the same bytes" } }),
        MeasureDifference::Count(count) => {
            let sign = if 0 < count { "+" } else { "" };
            (format!("{sign}{}", grouped(count)), html! {})
        }
        MeasureDifference::Point(number, why) => (signed(number), without_interval(why)),
        MeasureDifference::Estimate(estimate) => (signed(estimate.mean), ends(estimate)),
    };
    html! { td.number { (number) } td { (interval) } }
}

fn ends(estimate: IntervalEstimate) -> Markup {
    let (_, interval) = measured_with_interval(estimate.into());
    let interval = interval.unwrap_or_default();
    html! {
        @if 0.0 < estimate.low || estimate.high < 0.0 { b { (interval) } } @else { (interval) }
    }
}

fn without_interval(why: MissingInterval) -> Markup {
    let words = match why {
        MissingInterval::NoUncertainty => "",
        MissingInterval::Selected => "none: selected",
        MissingInterval::NoSpread => "none: nothing varied",
    };
    html! { span.soft { (words) } }
}

fn signed(number: f64) -> String {
    let sign = if 0.0 < number { "+" } else { "" };
    format!("{sign}{}", short(number))
}

#[cfg(test)]
mod tests {
    use hatchery_core::MeasureValue;
    use serde_json::json;

    use super::super::super::super::comparison::samples::{estimate, run};
    use super::*;

    fn check(values: [MeasureValue; 2], selected: Option<u64>, expected: &str) {
        let mut measures = values.map(|value| Measure::new("m", "lines", value));
        measures[1].selected_from = selected;
        let [a, b] = &measures;
        let [a, b] =
            [("R1", a), ("R2", b)].map(|(id, it)| run(id, 1, json!({}), std::slice::from_ref(it)));
        let comparison = RunComparison::new(a, vec![b]).unwrap();
        let table = table(&comparison).into_string();
        assert!(table.contains(expected), "{expected}: {table}");
    }

    #[test]
    fn differences_have_signs_and_intervals() {
        let [a, b, c] = [5.0, 9.0, 5.5].map(|mean| estimate(mean).into());
        check([a, b], None, "<td class=\"number\">+4.00</td><td><b>2.59 to 5.41</b></td>");
        check([b, a], None, "<td class=\"number\">-4.00</td><td><b>-5.41 to -2.59</b></td>");
        // One that contains 0 is not emphasized.
        check([a, c], None, "<td class=\"number\">+0.50</td><td>-0.91 to 1.91</td>");
        let none =
            "<td class=\"number\">+4.00</td><td><span class=\"soft\">none: selected</span></td>";
        check([a, b], Some(50), none);
        check([a, b], Some(50), "<span class=\"soft\">best of several, so biased upward</span>");
        check([7_u64.into(), 5_000_u64.into()], None, "<td class=\"number\">+4,993</td><td></td>");
        check([0.5.into(), 0.25.into()], None, "<td class=\"number\">-0.25</td>");
        check([0.5.into(), 0.5.into()], None, "<td class=\"number\">0.00</td>");
    }
}
