//! The courses of common measures over generations, with all runs on a chart.

use hatchery_core::MeasureValue;
use hatchery_figures::{MeasuredPoint, PointAxis, PointChart, PointSeries, Quantity, SeriesForm};
use maud::{Markup, PreEscaped, html};

use super::super::super::comparison::{MeasureComparison, RunComparison, label};
use super::super::measures::course;
use crate::format::capitalized;
use crate::html::Shown;

/// The most charts.
const MAX_CHARTS: usize = 3;

/// Returns charts of the most important measures that vary by generation.
pub(super) fn section(comparison: &RunComparison) -> Markup {
    let charts = charts(comparison);
    let first = if comparison.lead().is_some() { 2 } else { 1 };
    html! {
        @if !charts.is_empty() {
            h2 { "By generation" }
            @for (number, chart) in (first..).zip(&charts) {
                figure.panel {
                    (PreEscaped(chart.to_inline_svg()))
                    figcaption {
                        b { "Figure " (number) ". " } (Shown(&chart.title))
                        "."
                        @if chart.series.iter().any(has_band) {
                            " Bands are intervals of each run alone."
                        }
                    }
                }
            }
        }
    }
}

fn charts(comparison: &RunComparison) -> Vec<PointChart> {
    // What is uncertain first: counts need no curve as much.
    let is_count = |measure: &&MeasureComparison| {
        measure.values.iter().all(|it| matches!(it.value, MeasureValue::Count(_)))
    };
    let (counts, numbers): (Vec<_>, Vec<_>) = comparison.measures.iter().partition(is_count);
    let chosen = if numbers.is_empty() { counts } else { numbers };
    let charts = chosen.into_iter().filter_map(|measure| chart(comparison, measure));
    charts.take(MAX_CHARTS).collect()
}

/// Returns the chart of a measure; `None` if it does not vary by generation.
fn chart(comparison: &RunComparison, measure: &MeasureComparison) -> Option<PointChart> {
    let is_selected = measure.is_selected();
    let form = if is_selected { SeriesForm::SelectedLine } else { SeriesForm::Line };
    let series: Vec<_> = (0..)
        .zip(&comparison.runs)
        .map(|(idx, run)| {
            let points = course(&measure.name, &run.history);
            let points = points.map(|(generation, y)| MeasuredPoint { x: generation.into(), y });
            // The legend says more of a selected one, and has no room for both.
            let name = match is_selected {
                true => label(idx),
                false => format!("{}: {}", label(idx), run.name()),
            };
            PointSeries { name, form, points: points.collect() }
        })
        .collect();
    series.iter().any(varies).then(|| PointChart {
        title: capitalized(&format!("{} by generation", measure.name.replace('_', " "))),
        x_label: "generation".to_owned(),
        y_label: if measure.unit.is_empty() { "value".to_owned() } else { measure.unit.clone() },
        x_axis: PointAxis::Numbers,
        y_shown: vec![0.0],
        reference: None,
        series,
    })
}

fn has_band(series: &PointSeries) -> bool {
    series.points.iter().any(|point| matches!(point.y, Quantity::Estimate { .. }))
}

/// Returns true if the values of a series are not all the same.
fn varies(series: &PointSeries) -> bool {
    let value = |point: &MeasuredPoint| match point.y {
        Quantity::Exact(value) | Quantity::Estimate { value, .. } => value.to_bits(),
    };
    series.points.windows(2).any(|pair| value(&pair[0]) != value(&pair[1]))
}

#[cfg(test)]
mod tests {
    use hatchery_core::Measure;
    use serde_json::json;

    use super::super::super::super::comparison::ComparedRun;
    use super::super::super::super::comparison::samples::{estimate, run};
    use super::*;

    fn compared(id: &str, measures: impl Fn(f64) -> Vec<Measure>) -> ComparedRun {
        let mut run = run(id, 1, json!({}), &measures(2.0));
        for (generation, number) in run.history.iter_mut().zip([1.0, 2.0]) {
            generation.measures = measures(number);
        }
        run
    }

    fn check(measures: impl Fn(f64) -> Vec<Measure>, n_charts: usize, parts: &[&str]) {
        let [a, b] = ["R1", "R2"].map(|id| compared(id, &measures));
        let comparison = RunComparison::new(a, vec![b]).unwrap();
        let section = section(&comparison).into_string();
        assert_eq!(section.matches("<figcaption>").count(), n_charts, "{section}");
        for part in parts {
            assert!(section.contains(part), "{part}: {section}");
        }
    }

    #[test]
    fn each_run_has_its_line_on_the_chart_of_a_measure() {
        let of = |number: f64| {
            vec![
                Measure::new("best", "lines", number).selected_from(50),
                Measure::new("mean", "lines", estimate(number)),
                Measure::new("steady", "lines", estimate(3.0)),
                Measure::new("games", "games", 7_u64),
            ]
        };
        let parts =
            ["A: name of R1", "B: name of R2", "Mean by generation", "A (selected: biased upward)"];
        check(of, 2, &parts);
        check(|number| vec![Measure::new("mean", "", number)], 1, &["Figure 1. "]);
        check(|_| vec![Measure::new("mean", "", 1.0)], 0, &[]);
        check(|_| Vec::new(), 0, &[]);
    }
}
