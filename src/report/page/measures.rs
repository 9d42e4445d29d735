//! The measures of a run: a table with their courses, and curves for runs without findings.

use hatchery_core::text::grouped;
use hatchery_core::{GenerationMeasures, Measure, MeasureValue};
use hatchery_figures::{
    MeasuredPoint, PointAxis, PointChart, PointSeries, Quantity, SeriesForm, Sparkline,
};
use maud::{Markup, PreEscaped, html};

use crate::format::{capitalized, measured_with_interval};
use crate::html::{Shown, scrollable};

/// The most measures in the table; `generations.csv` has all.
const MAX_ROWS: usize = 100;
/// The most measures whose course is drawn in the table.
const MAX_SPARKLINES: usize = 24;
/// The most curves of a chart, and the most charts.
const MAX_CURVES: usize = 5;
const MAX_CHARTS: usize = 3;

/// Returns the table of `measures`, which are the measures after the last generation of `history`.
pub(super) fn table(measures: &[Measure], history: &[GenerationMeasures]) -> Markup {
    if measures.is_empty() {
        return html! {};
    }
    let has_course = 1 < history.len();
    let rows = html! {
        table {
            thead { tr {
                th scope="col" { "Measure" }
                th.number scope="col" { "Value" }
                th scope="col" { "Unit" }
                th scope="col" { "Interval, 95 % unless it says so" }
                @if has_course { th scope="col" { "By generation" } }
            } }
            tbody { @for (idx, measure) in measures.iter().take(MAX_ROWS).enumerate() {
                @let (value, interval) = measured_with_interval(measure.value);
                tr {
                    td { (Shown(&measure.name)) }
                    td.number { (value) }
                    td.soft { (Shown(&measure.unit)) }
                    td {
                        (interval.unwrap_or_default())
                        @if let Some(n) = measure.selected_from {
                            " " span.soft { "best of " (n) ", so biased upward" }
                        }
                    }
                    @if has_course {
                        td { @if idx < MAX_SPARKLINES { (sparkline(&measure.name, history)) } }
                    }
                }
            } }
        }
    };
    let n_left = measures.len().saturating_sub(MAX_ROWS);
    html! {
        h2 { "In numbers" }
        (scrollable("Measures", &rows))
        @if 0 < n_left {
            p.soft { (grouped(n_left)) " more are in " code { "generations.csv" } "." }
        }
    }
}

/// Returns the course of a measure; nothing if it has fewer than two values.
fn sparkline(name: &str, history: &[GenerationMeasures]) -> Markup {
    let values: Vec<_> = course(name, history).map(|(_, quantity)| quantity).collect();
    if values.len() < 2 {
        return html! {};
    }
    let line = Sparkline { title: format!("{name} by generation"), values };
    PreEscaped(line.to_inline_svg())
}

/// Returns the generations that have a measure, with its value.
pub(crate) fn course<'a>(
    name: &'a str,
    history: &'a [GenerationMeasures],
) -> impl Iterator<Item = (u32, Quantity)> + 'a {
    history.iter().filter_map(move |GenerationMeasures { generation, measures }| {
        let measure = measures.iter().find(|measure| measure.name == name)?;
        Some((*generation, measure.value.into()))
    })
}

/// Returns charts of the most important measures by generation, measures with the same unit
/// together; none of a run with fewer than two generations.
pub(super) fn curves(history: &[GenerationMeasures]) -> Markup {
    let charts = charts(history);
    html! {
        @if !charts.is_empty() {
            h2 { "By generation" }
            @for (number, chart) in (1..).zip(&charts) {
                figure.panel {
                    (PreEscaped(chart.to_inline_svg()))
                    figcaption {
                        b { "Figure " (number) ". " } (Shown(&chart.title)) ". Bands are intervals."
                    }
                }
            }
        }
    }
}

fn charts(history: &[GenerationMeasures]) -> Vec<PointChart> {
    let latest = history.last().map_or(&[][..], |last| &last.measures);
    let mut groups: Vec<(&str, Vec<PointSeries>)> = Vec::new();
    // What is uncertain first: counts need no curve as much.
    let is_count = |measure: &&Measure| matches!(measure.value, MeasureValue::Count(_));
    let (counts, numbers): (Vec<_>, Vec<_>) = latest.iter().partition(is_count);
    for measure in if numbers.is_empty() { counts } else { numbers } {
        let points = course(&measure.name, history);
        let points = points.map(|(generation, y)| MeasuredPoint { x: generation.into(), y });
        let points: Vec<_> = points.collect();
        if points.len() < 2 {
            continue;
        }
        let form = match measure.selected_from {
            Some(_) => SeriesForm::SelectedLine,
            None => SeriesForm::Line,
        };
        let series = PointSeries { name: measure.name.replace('_', " "), form, points };
        match groups.iter_mut().find(|(unit, _)| *unit == measure.unit) {
            Some((_, group)) if group.len() < MAX_CURVES => group.push(series),
            Some(_) => {}
            None => groups.push((&measure.unit, vec![series])),
        }
    }
    let chart = |(unit, series): (&str, Vec<PointSeries>)| {
        let names: Vec<_> = series.iter().map(|series| series.name.as_str()).collect();
        PointChart {
            title: capitalized(&format!("{} by generation", names.join(", "))),
            x_label: "generation".to_owned(),
            y_label: if unit.is_empty() { "value".to_owned() } else { unit.to_owned() },
            x_axis: PointAxis::Numbers,
            y_shown: vec![0.0],
            reference: None,
            series,
        }
    };
    groups.into_iter().take(MAX_CHARTS).map(chart).collect()
}

#[cfg(test)]
mod tests {
    use hatchery_core::IntervalEstimate;

    use super::*;

    fn history(n: u32) -> Vec<GenerationMeasures> {
        let measures = |generation: u32| {
            let mean = f64::from(generation % 977);
            let (low, high) = (mean - 1.0, mean + 1.0);
            let estimate = IntervalEstimate { mean, low, high, n: 9, confidence: 0.95 };
            vec![
                Measure::new("best", "lines", mean).selected_from(50),
                Measure::new("<b>/mean", "lines", estimate),
                Measure::new("games", "games", u64::from(generation)),
            ]
        };
        let of = |generation| GenerationMeasures { generation, measures: measures(generation) };
        (0..n).map(of).collect()
    }

    #[test]
    fn measures_have_intervals_and_say_what_they_were_selected_from() {
        let history = history(3);
        let table = table(&history[2].measures, &history).into_string();
        for part in [
            "best of 50, so biased upward",
            "<td>&lt;b&gt;/mean</td>",
            "1.00 to 3.00",
            "<title>best by generation</title>",
        ] {
            assert!(table.contains(part), "{part}: {table}");
        }
        let curves = curves(&history).into_string();
        assert!(curves.contains("best (selected: biased upward)"), "{curves}");
        // Counts have no curve beside numbers.
        assert!(!curves.contains("games"), "{curves}");
    }

    #[test]
    fn any_number_of_generations_stays_small() {
        let history = history(100_000);
        let last = &history[99_999].measures;
        let n_bytes =
            curves(&history).into_string().len() + table(last, &history).into_string().len();
        assert!(n_bytes < 300_000, "{n_bytes}");
        assert_eq!(curves(&history[..1]).into_string(), "");
        assert_eq!(table(&[], &[]).into_string(), "");
    }
}
