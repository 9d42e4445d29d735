//! The joint table of a sweep: what its runs measured, with means over seeds.

use std::collections::{BTreeMap, BTreeSet};

use comfy_table::{Table, presets::NOTHING};
use hatchery_core::text::counted;
use hatchery_core::{Measure, MeasureValue};
use hatchery_stats::student::student_estimate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::data_table::{DataTable, TableColumn};
use super::result::{ResultDocument, ResultStatus};
use crate::error::{CommandError, UsageError};
use crate::format::measured_with_interval;
use crate::run_folder::RunFolder;
use crate::sweep::{KeyValue, SEED, SweepPoint};
use crate::terminal::{escape_controls, escape_json};

/// The version of the document, raised when a field changes its meaning or goes away.
const SCHEMA: &str = "hatchery.sweep/2";

/// The version before, whose measures have another form, which is read too.
const EARLIER_SCHEMA: &str = "hatchery.sweep/1";

/// The number of measures in a table for people, the most important first.
const SHOWN_MEASURES: usize = 2;

/// The most letters of a value in a table for people.
const SHOWN_LETTERS: usize = 40;

/// The runs of a sweep, and their joint table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct SweepDocument {
    /// The version of this document: `hatchery.sweep/2`.
    pub(crate) schema: String,
    /// The name of the sweep.
    pub(crate) sweep: String,
    /// The experiment's name.
    pub(crate) experiment: String,
    /// All points of the sweep.
    pub(crate) points: Vec<SweepPoint>,
    /// The runs that have ended or were stopped, in the order of their points.
    pub(crate) runs: Vec<SweepRun>,
    /// The joint table: a row for each combination of values other than the seed.
    pub(crate) table: Vec<SweepRow>,
}

/// A run of a sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct SweepRun {
    #[serde(flatten)]
    pub(crate) point: SweepPoint,
    /// The run's id, a ULID.
    pub(crate) run: String,
    /// The seed.
    pub(crate) seed: u64,
    /// The run's status.
    pub(crate) status: ResultStatus,
    /// The reason why the run failed; only present if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
    /// The digest of the result so far: 64 hexadecimal digits.
    pub(crate) digest: String,
    /// The run's measures.
    #[serde(with = "super::measure_form")]
    #[schemars(with = "Vec<super::measure_form::MeasureForm>")]
    pub(crate) measures: Vec<Measure>,
}

/// A row of a joint table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct SweepRow {
    /// The values of the swept keys, other than the seed, as the command line has it.
    pub(crate) values: Vec<KeyValue>,
    /// The number of runs that are done.
    pub(crate) done: u64,
    /// The total number of runs, including runs that have not begun.
    pub(crate) runs: u64,
    /// The measures that all runs that are done have. With several runs: the means, with Student's
    /// interval over runs; a single run has its own interval.
    #[serde(with = "super::measure_form")]
    #[schemars(with = "Vec<super::measure_form::MeasureForm>")]
    pub(crate) measures: Vec<Measure>,
}

impl SweepDocument {
    /// Creates the document of the sweep called `sweep`, whose points have these `runs` so far. All
    /// are of `experiment`.
    pub(crate) fn new(
        sweep: &str,
        experiment: &str,
        points: Vec<SweepPoint>,
        runs: Vec<SweepRun>,
    ) -> Self {
        let mut by_point: BTreeMap<_, _> =
            runs.into_iter().map(|run| (run.point.name.clone(), run)).collect();
        let runs: Vec<_> = points.iter().filter_map(|it| by_point.remove(&it.name)).collect();
        let table = SweepRow::all(&points, &runs);
        let (sweep, experiment) = (sweep.to_owned(), experiment.to_owned());
        Self { schema: SCHEMA.to_owned(), sweep, experiment, points, runs, table }
    }

    /// Returns the document with these points and runs as well. A run replaces the earlier run of
    /// its point.
    pub(crate) fn with(self, more: &[SweepPoint], more_runs: Vec<SweepRun>) -> Self {
        let Self { sweep, experiment, mut points, mut runs, .. } = self;
        let names: BTreeSet<_> = points.iter().map(|point| point.name.clone()).collect();
        points.extend(more.iter().filter(|point| !names.contains(&point.name)).cloned());
        runs.extend(more_runs);
        Self::new(&sweep, &experiment, points, runs)
    }

    /// Returns the sweep of this machine in `folder`: the runs of its document, which may be
    /// elsewhere, and the runs in the folder, as they are now.
    ///
    /// # Errors
    /// If there is no document of this version.
    pub(crate) fn of_folder(folder: &RunFolder) -> Result<Self, UsageError> {
        let text = folder.sweep_document().unwrap_or_default();
        let written = serde_json::from_slice(&text).ok();
        let written = written.filter(|it: &Self| matches!(&*it.schema, SCHEMA | EARLIER_SCHEMA));
        let path = || folder.path().to_owned();
        let written = written.ok_or_else(|| UsageError::UnreadableSweep { path: path() })?;
        let here = written.points.iter().filter_map(|point| {
            let result = RunFolder::at(&folder.path().join(point.folder_name())).result()?;
            Some(SweepRun::new(point, &ResultDocument::parse(&result)?))
        });
        let here = here.collect();
        Ok(written.with(&[], here))
    }

    /// Returns the keys that are swept, other than the seed.
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        let keys = self.table.first().map(|row| row.values.as_slice()).unwrap_or_default();
        keys.iter().map(|it| it.key.as_str())
    }

    /// Returns a measure for every name in the joint table, the most important first.
    pub(super) fn measures(&self) -> Vec<&Measure> {
        let (mut measures, mut names) = (Vec::new(), BTreeSet::new());
        for measure in self.table.iter().flat_map(|row| &row.measures) {
            if names.insert(&measure.name) {
                measures.push(measure);
            }
        }
        measures
    }

    /// Returns an error if runs are not done, with the first such run.
    ///
    /// # Errors
    /// [`CommandError::RunFailed`]
    pub(crate) fn outcome(&self) -> Result<(), CommandError> {
        let run = |point: &SweepPoint| self.runs.iter().find(|run| run.point.name == point.name);
        let rest = self.points.iter().filter(|point| !run(point).is_some_and(SweepRun::is_done));
        let rest: Vec<_> = rest.collect();
        let Some(first) = rest.first() else { return Ok(()) };
        let why = run(first).map_or("it has no result", |run| {
            run.error.as_deref().unwrap_or_else(|| run.status.word())
        });
        let (n_rest, n_all, point) = (rest.len(), self.points.len(), &first.name);
        let are = if n_rest == 1 { "is" } else { "are" };
        let reason =
            format!("{n_rest} of {n_all} runs {are} not done; the first is {point}: {why}");
        Err(CommandError::RunFailed { reason })
    }

    /// Formats the joint table for people.
    pub(crate) fn text(&self) -> String {
        let mut shown = self.measures();
        shown.truncate(SHOWN_MEASURES);
        let mut table = Table::new();
        table.load_style(NOTHING);
        let keys = self.keys().map(escape_controls).chain(["runs done".to_owned()]);
        let named = shown.iter().map(|Measure { name, unit, .. }| match unit.as_str() {
            "" => name.clone(),
            unit => format!("{name}, {unit}"),
        });
        table.set_header(keys.chain(named));
        for SweepRow { values, done, runs, measures } in &self.table {
            let values = values.iter().map(|it| shortened(&escape_controls(&it.value)));
            let measures = shown.iter().map(|shown| {
                let measure = measures.iter().find(|measure| measure.name == shown.name);
                measure.map(cell).unwrap_or_default()
            });
            table.add_row(values.chain([format!("{done} of {runs}")]).chain(measures));
        }
        let all = counted(self.points.len(), "run");
        let mut lines = vec![table.trim_fmt()];
        if self.table.iter().any(|row| 1 < row.done) {
            lines.push("means over seeds, with 95 % intervals".to_owned());
        }
        if self.table.iter().any(|row| row.done == 1) {
            lines.push("a row with one run has that run's own numbers".to_owned());
        }
        lines.push(format!("sweep {} of {all}", escape_controls(&self.sweep)));
        lines.join("\n") + "\n"
    }

    /// Formats the document as JSON.
    pub(crate) fn json(&self) -> String {
        escape_json(&serde_json::to_string_pretty(self).expect("the document is plain data"))
    }

    /// Formats the runs as CSV: a row for each, with the values of its point and its measures.
    ///
    /// # Errors
    /// If the table cannot be written.
    pub(super) fn csv(&self) -> Result<Vec<u8>, CommandError> {
        let text = |cell: &dyn Fn(&SweepRun) -> String| {
            let cells = self.runs.iter().map(|run| Some(escape_controls(&cell(run))));
            TableColumn::Text(cells.collect())
        };
        let mut columns = vec![
            ("point".to_owned(), text(&|run| run.point.name.clone())),
            ("run".to_owned(), text(&|run| run.run.clone())),
            ("status".to_owned(), text(&|run| run.status.word().to_owned())),
            ("digest".to_owned(), text(&|run| run.digest.clone())),
            ("seed".to_owned(), text(&|run| run.seed.to_string())),
        ];
        for key in self.keys() {
            let value = |run: &SweepRun| {
                let found = run.point.values.iter().find(|it| it.key == key);
                found.map(|it| it.value.clone()).unwrap_or_default()
            };
            columns.push((escape_controls(key), text(&value)));
        }
        let mut table = DataTable::new("sweep", self.runs.len());
        for (row, run) in self.runs.iter().enumerate() {
            run.measures.iter().for_each(|measure| table.set_measure(row, measure));
        }
        table.put_first(columns);
        table.csv()
    }
}

impl SweepRun {
    /// Returns the run of `point`, which has this result.
    pub(crate) fn new(point: &SweepPoint, result: &ResultDocument) -> Self {
        Self {
            point: point.clone(),
            run: result.run.clone(),
            seed: result.seed,
            status: result.status,
            error: result.error.clone(),
            digest: result.digest.clone(),
            measures: result.measures.clone(),
        }
    }

    /// Returns whether the run has its result.
    pub(crate) fn is_done(&self) -> bool {
        self.status == ResultStatus::Done
    }
}

impl SweepRow {
    /// Returns the values of the row, in the order of the keys.
    pub(super) fn name(&self) -> String {
        let values: Vec<_> = self.values.iter().map(|it| it.value.as_str()).collect();
        if values.is_empty() { "all seeds".to_owned() } else { values.join(", ") }
    }

    /// Returns the rows of the joint table of a sweep, in the order of its points.
    fn all(points: &[SweepPoint], runs: &[SweepRun]) -> Vec<Self> {
        let mut rows: Vec<(Vec<KeyValue>, Vec<&str>)> = Vec::new();
        let mut places = BTreeMap::new();
        for point in points {
            let values: Vec<_> = point.values.iter().filter(|it| it.key != SEED).cloned().collect();
            let place = *places.entry(values.clone()).or_insert_with(|| {
                rows.push((values, Vec::new()));
                rows.len() - 1
            });
            rows[place].1.push(&point.name);
        }
        let done = runs.iter().filter(|run| run.is_done());
        let done: BTreeMap<_, _> = done.map(|run| (&*run.point.name, run)).collect();
        let row = |(values, points): (_, Vec<&str>)| {
            let done: Vec<_> = points.iter().filter_map(|name| done.get(name).copied()).collect();
            Self::new(values, &done, points.len())
        };
        rows.into_iter().map(row).collect()
    }

    fn new(values: Vec<KeyValue>, done: &[&SweepRun], n_runs: usize) -> Self {
        let measures = match done.split_first() {
            None => Vec::new(),
            Some((only, [])) => only.measures.clone(),
            Some((first, _)) => {
                first.measures.iter().filter_map(|measure| mean_of(measure, done)).collect()
            }
        };
        Self { values, done: done.len() as u64, runs: n_runs as u64, measures }
    }
}

/// Returns the mean over `runs` of the measure that is called as `measure`; `None` if a run does
/// not have it, or has no finite value.
fn mean_of(measure: &Measure, runs: &[&SweepRun]) -> Option<Measure> {
    let value = |run: &&SweepRun| {
        let found = run.measures.iter().find(|it| it.name == measure.name)?;
        Some(found.value.point()).filter(|value| value.is_finite())
    };
    let values = runs.iter().map(value).collect::<Option<Vec<f64>>>()?;
    let value = MeasureValue::Estimate(student_estimate(&values));
    Some(Measure { value, ..measure.clone() })
}

/// Returns a value as a table for people has it.
fn shortened(value: &str) -> String {
    match value.char_indices().nth(SHOWN_LETTERS) {
        Some((end, _)) => format!("{}...", &value[..end]),
        None => value.to_owned(),
    }
}

/// Formats a measure with its unit, its interval, and the number of candidates that it was selected
/// from.
fn cell(measure: &Measure) -> String {
    let (value, interval) = measured_with_interval(measure.value);
    let interval = interval.map(|it| format!(" ({it})")).unwrap_or_default();
    let selected = if measure.selected_from.is_some() { ", selected" } else { "" };
    format!("{value}{interval}{selected}")
}

/// Sweeps for tests.
#[cfg(test)]
pub(super) mod samples {
    use super::*;
    use crate::sweep::points;

    /// The result of a run with this seed, whose measure `score` is `value`.
    fn result(seed: u64, status: &str, value: f64) -> ResultDocument {
        let document = serde_json::json!({
            "schema": "hatchery.result/1", "run": format!("R{seed}"), "experiment": "pig",
            "version": 1, "seed": seed, "status": status, "generations": 1, "jobs": 1, "trials": 1,
            "elapsed_s": 1.0, "cpu_s": 1.0, "digest": "d", "work": [],
            "measures": [{"name": "score", "unit": "points", "value": value}], "exhibits": []
        });
        ResultDocument::parse(document.to_string().as_bytes()).unwrap()
    }

    /// Returns a sweep over `axes` whose runs have these statuses and scores.
    pub(in crate::report) fn sweep(axes: &[&str], results: &[(&str, f64)]) -> SweepDocument {
        let axes: Vec<_> = axes.iter().map(|axis| axis.parse().unwrap()).collect();
        let points = points("s", &axes, []).unwrap();
        let results = points.iter().zip(results).zip(1..);
        let runs = results.map(|((point, (status, value)), seed)| {
            SweepRun::new(point, &result(seed, status, *value))
        });
        let runs = runs.collect();
        SweepDocument::new("s", "pig", points, runs)
    }
}

#[cfg(test)]
mod tests {
    use super::samples::sweep;
    use super::*;

    #[test]
    fn seeds_are_replicates() {
        let results = [("done", 10.0), ("done", 100.0), ("done", 14.0), ("failed", 0.0)];
        let document = sweep(&["seed=1,2", "games=5,6"], &results);
        assert_eq!(document.runs.len(), 4);
        let [five, six] = &document.table[..] else { panic!("{:?}", document.table) };
        assert_eq!(five.values, [KeyValue { key: "games".to_owned(), value: "5".to_owned() }]);
        assert_eq!((five.done, five.runs, six.done, six.runs), (2, 2, 1, 2));
        // Student's t with one degree of freedom is 12.706: 12 -+ 12.706 x sqrt(8 / 2).
        let MeasureValue::Estimate(mean) = five.measures[0].value else { panic!("{five:?}") };
        assert!((mean.mean - 12.0).abs() < 1e-9 && (mean.high - 37.412).abs() < 1e-3, "{mean:?}");
        assert_eq!(six.measures[0].value, MeasureValue::Number(100.0));
        let text = document.text();
        for part in ["games  runs done  score, points", "2 of 2", "1 of 2", "sweep s of 4 runs"] {
            assert!(text.contains(part), "{part:?} is not in {text}");
        }
        let error = document.outcome().unwrap_err().to_string();
        assert_eq!(error, "1 of 4 runs is not done; the first is seed=2,games=6: failed");
        let csv = String::from_utf8(document.csv().unwrap()).unwrap();
        assert!(csv.starts_with("point,run,status,digest,seed,games,score\n"), "{csv}");
        assert!(csv.contains("\"seed=2,games=5\",R3,done,d,3,5,14\n"), "{csv}");
    }

    #[test]
    fn a_sweep_without_seeds_has_the_runs_own_measures() {
        let document = sweep(&["games=5,6"], &[("done", 10.0), ("done", 20.0)]);
        let values: Vec<_> = document.table.iter().map(|row| row.measures[0].value).collect();
        assert_eq!(values, [MeasureValue::Number(10.0), MeasureValue::Number(20.0)]);
        assert!(document.outcome().is_ok() && !document.text().contains("means over seeds"));
    }

    #[test]
    fn the_schema_is_documented() {
        crate::report::schema::check::<SweepDocument>("sweep");
    }
}
