//! Checks of measures, exhibits and findings.

use std::collections::BTreeSet;

use crate::exhibit::{Exhibit, ExhibitContent, REPORT_FILE};
use crate::experiment::{Experiment, SubjectTrial};
use crate::findings::{
    FindingBlock, GenerationMeasures, MAX_KEY_FACTS, METHOD_HEADING, RunHistory,
};
use crate::measure::{IntervalEstimate, Measure, MeasureValue};
use crate::text::{is_plain, is_plain_name};

use super::recording::Recording;
use super::violation::Violation;

/// The longest file name that all usual file systems accept.
const NAME_BYTES: usize = 255;

/// Checks that the measures of the states and generations are finite numbers, that intervals
/// contain their estimates, and that names are unique paths in `snake_case`.
///
/// Parts of a path that come from a spec, such as a player's name, can be any letters, digits, `-`,
/// `_` and `.`; the last part names the measure.
///
/// # Errors
/// [`Violation::Wrong`]
pub fn measures_are_numbers<E: Experiment>(recording: &Recording<E>) -> Result<(), Violation> {
    for (state, bytes) in recording.states() {
        check_measures(&state, recording.configured.measures(bytes)?)?;
    }
    for GenerationMeasures { generation, measures } in recording.history() {
        check_measures(&format!("generation {generation}"), measures)?;
    }
    Ok(())
}

fn check_measures(of: &str, measures: Vec<Measure>) -> Result<(), Violation> {
    let mut names = BTreeSet::new();
    for Measure { name, value, .. } in measures {
        let wrong = |value: String, expected: &str| {
            Violation::wrong(format!("measure {name:?} of {of}"), value, expected)
        };
        if !is_measure_name(&name) {
            return Err(wrong(format!("named {name:?}"), "named like best/mean_lines"));
        }
        if !names.insert(name.clone()) {
            return Err(wrong("there twice".to_owned(), "there once"));
        }
        if !value.is_finite() {
            return Err(wrong(format!("{value:?}"), "finite"));
        }
        if let MeasureValue::Estimate(IntervalEstimate { mean, low, high, confidence, .. }) = value
            && !(low <= mean && mean <= high && 0.0 < confidence && confidence < 1.0)
        {
            return Err(wrong(format!("{value:?}"), "within its interval"));
        }
    }
    Ok(())
}

/// Checks that the exhibits of each state have media types, and unique names that are safe as file
/// names anywhere. Checks that the state names the parts of its exhibits: other parts are not kept.
///
/// # Errors
/// [`Violation::Wrong`]
pub fn exhibits_are_files<E: Experiment>(recording: &Recording<E>) -> Result<(), Violation> {
    for (state, bytes) in recording.states() {
        let mut names = BTreeSet::new();
        let parts = recording.configured.parts(bytes)?;
        for exhibit in recording.configured.exhibits(bytes)? {
            let name = exhibit.name;
            let wrong = |value: String, expected: &str| {
                Violation::wrong(format!("exhibit {name:?} of {state}"), value, expected)
            };
            if !is_file_name(&name) {
                let expected = "named by letters, digits, `-`, `_` and, not at first, `.`";
                return Err(wrong(format!("named {name:?}"), expected));
            }
            // Some file systems ignore case.
            if !names.insert(name.to_ascii_lowercase()) {
                return Err(wrong("there twice".to_owned(), "there once"));
            }
            if exhibit.media_type.split('/').filter(|part| !part.is_empty()).count() != 2 {
                return Err(wrong(format!("of type {:?}", exhibit.media_type), "like text/csv"));
            }
            if let ExhibitContent::Part(part) = exhibit.content
                && !parts.contains(&part)
            {
                return Err(wrong(format!("part {part}"), "among the parts that the state names"));
            }
        }
    }
    Ok(())
}

/// Checks that the exhibits of each state whose names end in `.csv`, and no other exhibits, declare
/// their columns, and that the content of such an exhibit is the text of the columns.
///
/// # Errors
/// [`Violation::Wrong`]
pub fn tables_declare_columns<E: Experiment>(recording: &Recording<E>) -> Result<(), Violation> {
    for (state, bytes) in recording.states() {
        for Exhibit { name, content, table, .. } in recording.configured.exhibits(bytes)? {
            let wrong = |value: &str, expected: &str| {
                Err(Violation::wrong(format!("exhibit {name:?} of {state}"), value, expected))
            };
            match table {
                None if name.ends_with(".csv") => {
                    return wrong("without declared columns", "a table with columns");
                }
                Some(_) if !name.ends_with(".csv") => {
                    return wrong("a table", "called like steps.csv");
                }
                Some(table) if content.bytes() != Some(table.csv().as_bytes()) => {
                    return wrong("another text than its columns have", "the text of its columns");
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// Checks that the findings of each state can be shown: they have a title, figures have file names
/// of their own, and rows of tables have a cell for each column. The last findings must have a
/// headline.
///
/// # Errors
/// [`Violation::Wrong`]
pub fn findings_are_readable<E: Experiment>(recording: &Recording<E>) -> Result<(), Violation> {
    let history = recording.history();
    for (n_folded, (state, bytes)) in recording.states().enumerate() {
        let run = RunHistory { seed: &recording.seed, generations: &history[..n_folded] };
        let Some(findings) = recording.configured.findings(bytes, &run)? else { continue };
        let wrong = |what: &str, value: String, expected: &str| {
            Violation::wrong(format!("{what} in the findings of {state}"), value, expected)
        };
        if findings.title.is_empty() {
            return Err(wrong("the title", "empty".to_owned(), "words"));
        }
        if MAX_KEY_FACTS < findings.key_facts.len() {
            let value = findings.key_facts.len().to_string();
            return Err(wrong("the number of key facts", value, "at most 2"));
        }
        if n_folded + 1 == recording.states().count() && findings.headline().is_none() {
            let value = findings.summary.to_string();
            return Err(wrong("the last summary", value, "emphasized words, which lists show"));
        }
        let mut names = BTreeSet::new();
        for figure in findings.figures() {
            if !is_file_name(&figure.name) || !names.insert(figure.name.to_ascii_lowercase()) {
                let expected = "a file name that no other figure has";
                return Err(wrong("the name of a figure", figure.name.clone(), expected));
            }
        }
        let blocks = findings.sections.iter().flat_map(|section| &section.blocks);
        for block in blocks.chain(&findings.method) {
            let FindingBlock::Table(table) = block else { continue };
            let is_uneven = |row: &&Vec<_>| row.len() != table.columns.len();
            if let Some(row) = table.rows.iter().find(is_uneven) {
                let expected = format!("{}, one for each column", table.columns.len());
                return Err(wrong("the cells of a row", row.len().to_string(), &expected));
            }
        }
    }
    Ok(())
}

/// Checks that the file `report.md` of the last state, if there is one, says the same about what
/// was done as the findings.
///
/// # Errors
/// [`Violation::Wrong`]
pub fn reports_say_what_was_done<E: Experiment>(recording: &Recording<E>) -> Result<(), Violation> {
    let Some((state, bytes)) = recording.states().last() else { return Ok(()) };
    let run = RunHistory { seed: &recording.seed, generations: &recording.history() };
    let exhibits = recording.configured.exhibits(bytes)?;
    let report = exhibits.iter().find(|exhibit| exhibit.name == REPORT_FILE);
    let report = report.and_then(|report| report.content.bytes());
    let (Some(report), Some(findings)) = (report, recording.configured.findings(bytes, &run)?)
    else {
        return Ok(());
    };
    let method = |text: &str| {
        text.split_once(METHOD_HEADING).map(|(_, method)| method.to_owned()).unwrap_or_default()
    };
    let found = method(&String::from_utf8_lossy(report));
    match method(&findings.to_markdown()) {
        expected if expected == found => Ok(()),
        expected => Err(Violation::wrong(
            format!("what was done in the report of {state}"),
            found,
            expected,
        )),
    }
}

/// Checks that the best trial of each generation is a trial of the generation's plan. The latest
/// state is first the state after the generation, then the last state.
///
/// # Errors
/// [`Violation::Wrong`]
pub fn best_trials_exist<E: Experiment>(recording: &Recording<E>) -> Result<(), Violation> {
    let states: Vec<_> = recording.states().collect();
    for (idx, generation) in recording.generations.iter().enumerate() {
        let later = states.get(idx + 1).into_iter().chain(states.last());
        for (state, latest) in later {
            let best = recording.configured.best_trial(latest, &generation.state)?;
            let Some(SubjectTrial { subject, trial }) = best else { continue };
            let series = generation.plan.series.get(subject as usize);
            if series.is_none_or(|series| series.n_trials <= trial) {
                let what = format!("the best trial of generation {} in {state}", generation.number);
                let expected = "a subject and a trial of its plan";
                return Err(Violation::wrong(what, format!("{subject}/{trial}"), expected));
            }
        }
    }
    Ok(())
}

fn is_measure_name(name: &str) -> bool {
    let mut parts: Vec<_> = name.split('/').collect();
    let last = parts.pop().unwrap_or_default();
    let is_snake = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    last.starts_with(|c: char| c.is_ascii_lowercase())
        && last.chars().all(is_snake)
        && parts.iter().all(|part| !part.is_empty() && part.chars().all(is_plain))
}

fn is_file_name(name: &str) -> bool {
    !name.starts_with('.') && is_plain_name(name, NAME_BYTES)
}
