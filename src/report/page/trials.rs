//! Histograms of the trials of a run whose exhibits have each trial.

use std::collections::BTreeSet;

use crate::program;
use hatchery_core::Exhibit;
use hatchery_core::text::counted;
use hatchery_core::trial_table::TRIAL_TABLE;
use hatchery_figures::{HistogramBins, HistogramPanel, Histograms};
use maud::{Markup, PreEscaped, html};
use serde::Deserialize;

/// The most histograms, and the fewest trials that make one.
const MAX_PANELS: usize = 8;
const MIN_TRIALS: usize = 20;
const N_BINS: usize = 30;

/// A row of the table of trials.
#[derive(Debug, Deserialize)]
struct TrialCells {
    subject: String,
    score: Option<f64>,
    length: Option<f64>,
}

/// The number of a trial that a histogram shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TrialNumber {
    Score,
    Length,
}

impl TrialNumber {
    fn of(self, row: &TrialCells) -> Option<f64> {
        match self {
            Self::Score => row.score,
            Self::Length => row.length,
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Score => "score",
            Self::Length => "length",
        }
    }
}

/// Returns the section of the trials, with a histogram for each subject; nothing if the run has no
/// table of trials, or too few trials.
pub(super) fn section(exhibits: &[Exhibit]) -> Markup {
    let table = exhibits.iter().find(|exhibit| exhibit.name == TRIAL_TABLE);
    let Some(bytes) = table.and_then(|table| table.content.bytes()) else { return html! {} };
    let rows = csv::Reader::from_reader(bytes).into_deserialize().filter_map(Result::ok);
    let rows: Vec<TrialCells> = rows.collect();
    let Some(number) = spread(&rows) else { return html! {} };
    let (panels, n_left) = panels(&rows, number);
    let Some(bins) = bins(&panels) else { return html! {} };
    let word = number.word();
    let histograms = Histograms {
        title: format!("Trials by their {word}"),
        heading: format!("Trials by their {word}"),
        caption: "number of trials".to_owned(),
        bins,
        expected: Vec::new(),
        marker: f64::NAN,
        panels,
    };
    html! {
        h2 #trials { "Trials" }
        figure.panel {
            (PreEscaped(histograms.to_inline_svg()))
            figcaption {
                "Numbers of trials by their " (word) ". "
                a href={ "exhibits/" (TRIAL_TABLE) } { (TRIAL_TABLE) }
                ", also as Parquet, has a row for each of these trials with its address for "
                code { (program::name()) " replay" }
                @if n_left != 0 { ", and rows of " (counted(n_left, "more subject")) }
                "."
            }
        }
    }
}

/// Returns the number that is worth a histogram: a number with more than two values.
fn spread(rows: &[TrialCells]) -> Option<TrialNumber> {
    [TrialNumber::Score, TrialNumber::Length].into_iter().find(|number| {
        let values = rows.iter().filter_map(|row| number.of(row)).map(f64::to_bits);
        2 < values.collect::<BTreeSet<_>>().len()
    })
}

/// Returns the histograms of the first subjects, and the number of subjects that are left out.
fn panels(rows: &[TrialCells], number: TrialNumber) -> (Vec<HistogramPanel>, usize) {
    let mut panels: Vec<HistogramPanel> = Vec::new();
    // The rows of a subject follow each other.
    for subject in rows.chunk_by(|a, b| a.subject == b.subject) {
        let values: Vec<f64> = subject.iter().filter_map(|row| number.of(row)).collect();
        if MIN_TRIALS <= values.len() {
            panels.push(HistogramPanel {
                name: subject[0].subject.clone(),
                color: HistogramPanel::BARS,
                values,
            });
        }
    }
    let n_left = panels.len().saturating_sub(MAX_PANELS);
    panels.truncate(MAX_PANELS);
    (panels, n_left)
}

/// Returns bins that hold all values; `None` if they have no range.
fn bins(panels: &[HistogramPanel]) -> Option<HistogramBins> {
    let values =
        || panels.iter().flat_map(|panel| &panel.values).copied().filter(|it| it.is_finite());
    let (low, high) = (values().reduce(f64::min)?, values().reduce(f64::max)?);
    (low < high).then(|| HistogramBins::between([low, high], N_BINS))
}

#[cfg(test)]
mod tests {
    use hatchery_core::{SubjectTrial, TrialRow};

    use super::*;

    fn page(rows: &[(&str, Option<f64>, Option<u64>)]) -> String {
        let trial = SubjectTrial { subject: 0, trial: 0 };
        let row =
            |&(subject, score, length)| TrialRow { generation: 0, trial, subject, score, length };
        section(&[Exhibit::trials(rows.iter().map(row))]).into_string()
    }

    #[test]
    fn each_subject_has_a_histogram() {
        let rows: Vec<_> = (0_u8..60)
            .map(|n| (if n < 30 { "a, b" } else { "<c>" }, Some(f64::from(n % 7)), None))
            .collect();
        let found = page(&rows);
        for part in ["a, b", "&lt;c&gt;", "by their score", "exhibits/trials.csv"] {
            assert!(found.contains(part), "{part}: {found}");
        }
    }

    #[test]
    fn what_has_no_spread_is_not_drawn() {
        // Cleared or not: the number of birds says more.
        let rows: Vec<_> =
            (0_u8..40).map(|n| ("level", Some(f64::from(n % 2)), Some(u64::from(n % 4)))).collect();
        assert!(page(&rows).contains("by their length"));
        let even: Vec<_> = (0..40).map(|_| ("level", Some(1.0), Some(3))).collect();
        assert_eq!(page(&even), "");
        assert_eq!(page(&rows[..10]), "", "too few");
    }
}
