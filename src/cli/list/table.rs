//! The table of runs.

use comfy_table::{Table, presets::NOTHING};
use console::truncate_str;
use hatchery_core::text::time_span;

use crate::report::farm::{ReportedMeasure, RunDocument};
use crate::terminal::{fits, stdout_columns};

/// The most columns of a run's name in a narrow table.
const NARROW_NAME: usize = 22;

/// Returns the table of `runs`, with fewer columns on a terminal that is too narrow for all.
pub(super) fn shown(runs: &[RunDocument], now_unix_ms: u64) -> String {
    let all = table(runs, now_unix_ms);
    let columns = stdout_columns();
    match fits(&all, columns) {
        true => all,
        false => narrow_table(runs, now_unix_ms, columns),
    }
}

/// Returns a table of at most `columns`. Runs are named by the end of their ids.
fn narrow_table(runs: &[RunDocument], now_unix_ms: u64, columns: usize) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING);
    table.set_header(["RUN", "NAME", "STATE", "DONE", "AGE", "FINDING"]);
    for run in runs {
        let measure = run.measure.as_ref().map(ReportedMeasure::text).unwrap_or_default();
        table.add_row([
            run.short_id().to_owned(),
            truncate_str(&run.name.replace('\n', " "), NARROW_NAME, "…").into_owned(),
            run.state_word().to_owned(),
            run.percent_text(),
            time_span(run.age_s(now_unix_ms).floor()),
            note(run).map_or(measure, str::to_owned),
        ]);
    }
    let lines = table.trim_fmt();
    let cut = lines.lines().map(|line| truncate_str(line, columns, "…"));
    cut.map(|line| format!("{line}\n")).collect()
}

/// Returns the first line of the reason why a run failed or waits, or its finding in a few words.
fn note(run: &RunDocument) -> Option<&str> {
    let note = run.error.as_ref().or(run.waiting_for.as_ref());
    note.or(run.finding.headline.as_ref())?.lines().next()
}

fn table(runs: &[RunDocument], now_unix_ms: u64) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING);
    table.set_header([
        "RUN",
        "NAME",
        "EXPERIMENT",
        "USER",
        "STATE",
        "GENERATION",
        "DONE",
        "AGE",
        "DURATION",
        "CPU",
        "MEASURE",
        "",
    ]);
    for run in runs {
        table.add_row([
            run.run.as_str(),
            &run.name.replace('\n', " "),
            &run.experiment,
            &run.user,
            run.state_word(),
            &run.generation_of_all(),
            &run.percent_text(),
            &time_span(run.age_s(now_unix_ms).floor()),
            &run.duration_s(now_unix_ms).map(time_span).unwrap_or_default(),
            &time_span(run.cpu_s),
            &run.measure.as_ref().map(ReportedMeasure::text).unwrap_or_default(),
            note(run).unwrap_or_default(),
        ]);
    }
    table.trim_fmt() + "\n"
}

#[cfg(test)]
mod tests {
    use hatchery_proto::v1::{self, RunStatus, State};

    use super::*;

    #[test]
    fn a_run_is_a_row() {
        let status = RunStatus {
            run: "01M7YH3Q6F4BFRQE644ZH5B8FZ".to_owned(),
            name: "night".to_owned(),
            experiment: "pig".to_owned(),
            state: State::Failed.into(),
            reason: "a bug\nin two lines".to_owned(),
            generation: 3,
            generations: 12,
            user: "ada".to_owned(),
            created_unix_ms: 1_000_000,
            started_unix_ms: 1_002_000,
            ended_unix_ms: 1_042_000,
            cpu_ns: 75_000_000_000,
            measure: Some(v1::Measure {
                name: "best_fitness".to_owned(),
                unit: "lines".to_owned(),
                value: 12.5,
                low: Some(11.0),
                high: Some(14.0),
                is_count: false,
            }),
            ..RunStatus::default()
        };
        let now = 1_000_000 + 3_723_000;
        let finding =
            Some(v1::RunFinding { headline: "a beats b".to_owned(), ..Default::default() });
        let done = RunStatus { reason: String::new(), finding, ..status.clone() };
        let found = table(&[RunDocument::from(done)], 0);
        assert!(found.trim_end().ends_with("lines  a beats b"), "{found}");
        let run = RunDocument::from(status);
        let narrow = narrow_table(std::slice::from_ref(&run), now, 40);
        let lines: Vec<_> = narrow.lines().map(str::trim_end).collect();
        assert_eq!(lines[1], " 4ZH5B8FZ  night  failed  25%   1h2m  a…");
        assert!(fits(&narrow, 40), "{narrow}");
        let table = table(&[run], now);
        let words: Vec<_> = table.lines().last().unwrap().split_whitespace().collect();
        let expected = "01M7YH3Q6F4BFRQE644ZH5B8FZ night pig ada failed 3/12 25% 1h2m 40s 1m15s \
                        best fitness 12.5 (11.0 to 14.0) lines a bug";
        assert_eq!(words, expected.split_whitespace().collect::<Vec<_>>());
    }

    #[test]
    fn counts_are_told_from_estimates() {
        let measure = |name: &str, unit: &str, is_count| ReportedMeasure {
            name: name.to_owned(),
            unit: unit.to_owned(),
            value: 20.0,
            low: None,
            high: None,
            is_count,
        };
        assert_eq!(measure("trials", "trials", true).text(), "trials 20");
        assert_eq!(measure("best_hold_at", "points", true).text(), "best hold at 20 points");
        assert_eq!(measure("mean_turns", "turns", false).text(), "mean turns 20.0 turns");
    }
}
