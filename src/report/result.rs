//! The result document, which `run --output json` prints and `result.json` holds.

use std::path::{Path, PathBuf};

use comfy_table::{Table, presets::NOTHING};
use hatchery_coordinator::run::summary::RunFinding;
use hatchery_core::text::{counted, grouped, is_plain_name, time_span};
use hatchery_core::{Digest, Exhibit, Findings, Measure, MeasureValue};
use hatchery_store::RunState;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::finding::FindingText;
use super::stored::StoredRun;
use crate::build_info;
use crate::format::{as_f64, measured_with_interval, seconds, short, shown_path};
use crate::terminal::escape_json;

/// The version of the document, raised when a field changes its meaning or goes away.
pub(crate) const SCHEMA: &str = "hatchery.result/2";

/// The version before, whose measures have another form, which is read too.
const EARLIER_SCHEMA: &str = "hatchery.result/1";

/// The most measures that a terminal shows: all are in the document.
const MAX_MEASURES: usize = 10;

/// The number of digits of the digest that are shown where there is little room.
const SHORT_DIGEST: usize = 12;

/// The longest name of a file that all usual file systems accept.
const MAX_NAME_BYTES: usize = 255;

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ResultDocument {
    /// The version of this document: `hatchery.result/2`.
    pub(crate) schema: String,
    /// The run's id, a ULID.
    pub(crate) run: String,
    /// The run's name; only present if it has one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) name: String,
    /// The finding: none before a generation is folded, and if the experiment has no findings.
    #[serde(flatten)]
    pub(crate) finding: FindingText,
    /// The experiment's name.
    pub(crate) experiment: String,
    /// The experiment's version.
    pub(crate) version: u32,
    /// The seed.
    pub(crate) seed: u64,
    /// The run's status.
    pub(crate) status: ResultStatus,
    /// The reason why the run failed; only present if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
    /// The number of folded generations.
    pub(crate) generations: u64,
    /// The largest number of generations that there will be; 0 if it is unknown.
    #[serde(default)]
    pub(crate) planned_generations: u64,
    /// The number of jobs in these generations.
    pub(crate) jobs: u64,
    /// The number of trials in these generations.
    pub(crate) trials: u64,
    /// The number of missing trials, whose jobs were dead and skipped as the submission asked; such
    /// a result has a digest of its own.
    #[serde(default)]
    pub(crate) missing_trials: u64,
    /// Seconds during which the run was led.
    pub(crate) elapsed_s: f64,
    /// Seconds of CPU time of the trials, over all workers.
    pub(crate) cpu_s: f64,
    /// The digest of the result: 64 hexadecimal digits. It depends on the spec and the experiment's
    /// version only.
    pub(crate) digest: String,
    /// The total work of the trials.
    pub(crate) work: Vec<WorkRate>,
    /// The run's measures, the most important first.
    #[serde(with = "super::measure_form")]
    #[schemars(with = "Vec<super::measure_form::MeasureForm>")]
    pub(crate) measures: Vec<Measure>,
    /// The experiment's exhibits: files in the run's folder.
    pub(crate) exhibits: Vec<ExhibitFile>,
    /// The time at which the run started, in milliseconds since 1970; only present once it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) started_unix_ms: Option<u64>,
    /// The time at which the run ended, in milliseconds since 1970; only present if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) ended_unix_ms: Option<u64>,
    /// The version of hatchery that wrote this document.
    #[serde(default)]
    pub(crate) hatchery: String,
    /// The commit that was checked out where this hatchery was built; only present if it was known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) commit: Option<String>,
    /// The class of the machine that computed the run; only present if that is one machine, and not
    /// a farm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) host: Option<HostClass>,
}

/// The class of a machine, without what would tell it from others of its class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct HostClass {
    /// The number of cores that the run could use.
    pub(crate) cores: u32,
    /// The architecture of the processor, such as `x86_64`.
    pub(crate) architecture: String,
    /// The operating system, such as `linux`.
    pub(crate) operating_system: String,
}

impl HostClass {
    /// Returns the class of this machine.
    fn here() -> Self {
        Self {
            cores: build_info::available_cores(),
            architecture: std::env::consts::ARCH.to_owned(),
            operating_system: std::env::consts::OS.to_owned(),
        }
    }
}

/// The status of a run's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ResultStatus {
    /// The run has its result.
    Done,
    /// The run was interrupted and can be resumed.
    Unfinished,
    /// The run cannot continue; `error` has the reason.
    Failed,
    /// A person cancelled the run.
    Cancelled,
}

impl ResultStatus {
    /// Returns the status in a word.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Unfinished => "unfinished",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// An amount of work and its rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct WorkRate {
    /// The unit of the work, such as `pieces`.
    pub(crate) unit: String,
    /// The amount of work.
    pub(crate) count: u64,
    /// The amount per second of CPU time; 0 before any was spent.
    pub(crate) per_cpu_second: f64,
}

/// A file that the experiment produces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ExhibitFile {
    /// The file's name.
    pub(crate) name: String,
    /// The file's path in the run's folder.
    pub(crate) path: String,
    /// The file's media type.
    pub(crate) media_type: String,
    /// The number of bytes.
    #[serde(default)]
    pub(crate) bytes: u64,
    /// The BLAKE3 hash of the bytes: 64 hexadecimal digits. The spec of another run names the file
    /// by it, to take it in.
    #[serde(default)]
    pub(crate) blake3: String,
}

impl ResultDocument {
    /// Creates the document of `run` with these exhibits and findings.
    pub(super) fn new(run: &StoredRun, exhibits: &[Exhibit], findings: Option<&Findings>) -> Self {
        let StoredRun { id, record, state, checkpoint, generations, procedure, .. } = run;
        let (status, error) = match state {
            RunState::Done => (ResultStatus::Done, None),
            RunState::Active | RunState::Paused => (ResultStatus::Unfinished, None),
            RunState::Failed { reason } => (ResultStatus::Failed, Some(reason.clone())),
            RunState::Cancelled => (ResultStatus::Cancelled, None),
        };
        let total = checkpoint.total;
        let cpu_s = seconds(total.cpu_ns);
        let work = checkpoint.work.iter().map(|work| WorkRate {
            unit: work.unit.clone(),
            count: work.count,
            per_cpu_second: rate(work.count, seconds(work.clone().or_cpu(total.cpu_ns).cpu_ns)),
        });
        let exhibits = exhibits.iter().map(|exhibit| ExhibitFile {
            name: exhibit.name.clone(),
            path: format!("exhibits/{}", exhibit.name),
            media_type: exhibit.media_type.clone(),
            bytes: exhibit.content.n_bytes(),
            blake3: exhibit.content.hash().to_string(),
        });
        let digest = Digest::from_bytes(&checkpoint.digest);
        Self {
            schema: SCHEMA.to_owned(),
            run: id.to_string(),
            name: record.name.clone(),
            finding: findings.map(|it| RunFinding::from(it).into()).unwrap_or_default(),
            experiment: record.experiment.clone(),
            version: record.version,
            seed: record.seed,
            status,
            error,
            generations: generations.len() as u64,
            planned_generations: procedure.generations().into(),
            jobs: total.jobs,
            trials: total.trials,
            missing_trials: generations.iter().map(|record| record.origin.n_missing).sum(),
            elapsed_s: seconds(total.elapsed_ns),
            cpu_s,
            digest: digest.map(|digest| digest.to_string()).unwrap_or_default(),
            work: work.collect(),
            measures: run.measures(),
            exhibits: exhibits.collect(),
            started_unix_ms: run.started_unix_ms,
            ended_unix_ms: run.ended_unix_ms,
            hatchery: build_info::VERSION.to_owned(),
            commit: build_info::COMMIT.map(str::to_owned),
            host: run.is_local.then(HostClass::here),
        }
    }

    /// Parses a document; `None` if the text is no such document, or has another version.
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        let document: Self = serde_json::from_slice(text).ok()?;
        matches!(&*document.schema, SCHEMA | EARLIER_SCHEMA).then_some(document)
    }

    /// Returns true if the run is done, and no trial is missing.
    pub(crate) fn is_complete(&self) -> bool {
        self.status == ResultStatus::Done && self.missing_trials == 0
    }

    /// Returns the first digits of the digest, for displays with little room.
    pub(super) fn short_digest(&self) -> &str {
        short_digest(&self.digest)
    }

    /// Returns the hashes and paths of the exhibits of the run in `folder`. A file without a hash,
    /// as earlier versions wrote it, is left out.
    pub(crate) fn exhibit_files(&self, folder: &Path) -> Vec<(Digest, PathBuf)> {
        let exhibits = folder.join("exhibits");
        // The document may be from anywhere: no name leads out of the folder.
        let plain = self.exhibits.iter().filter(|file| is_plain_name(&file.name, MAX_NAME_BYTES));
        let file =
            |file: &ExhibitFile| Some((Digest::from_hex(&file.blake3)?, exhibits.join(&file.name)));
        plain.filter_map(file).collect()
    }

    /// Returns the names of the exhibits that `later`, a document of the same run, does not have.
    pub(super) fn dropped_by(&self, later: &Self) -> Vec<&str> {
        let is_dropped = |name: &str| later.exhibits.iter().all(|file| file.name != name);
        let names = self.exhibits.iter().map(|file| file.name.as_str());
        // The document may have been changed: no name leads out of the folder.
        let names = names.filter(|name| is_plain_name(name, MAX_NAME_BYTES) && is_dropped(name));
        if self.run == later.run { names.collect() } else { Vec::new() }
    }

    /// Formats the document as a table for people; the run is in `folder`.
    pub(crate) fn table(&self, folder: &Path) -> String {
        self.table_with(&format!("in {}", shown_path(folder)))
    }

    /// Formats the document for people: the finding, the most important measures, the work, and
    /// `place`, which says where the run is. No line is longer than a terminal is wide.
    pub(crate) fn table_with(&self, place: &str) -> String {
        let mut lines = self.finding.lines();
        lines.extend(self.measure_lines());
        let took = format!("{} ({} of CPU)", time_span(self.elapsed_s), time_span(self.cpu_s));
        let generations = match self.status {
            ResultStatus::Done => counted(self.generations, "generation"),
            status => {
                let planned = counted(self.planned_generations, "generation");
                format!("{}: {}/{planned}", status.word(), self.generations)
            }
        };
        let (trials, jobs) = (counted(self.trials, "trial"), counted(self.jobs, "job"));
        lines.push(format!("{generations}, {trials} in {jobs}, {took}"));
        lines.push(format!("run {} {place}", self.run));
        let so_far = if self.status == ResultStatus::Done { "" } else { " so far" };
        lines.push(format!("digest{so_far} {}", self.digest));
        lines.join("\n") + "\n"
    }

    /// Returns the table of measures and work, and the note below it.
    fn measure_lines(&self) -> Vec<String> {
        let mut table = Table::new();
        table.load_style(NOTHING);
        // A simulation counts all that trials may do; those of a run may do only some of it.
        let mut done: Vec<_> = self.work.iter().filter(|work| work.count != 0).collect();
        let per_second = |work: &WorkRate| format!("{} per CPU second", short(work.per_cpu_second));
        let mut has_interval = false;
        for Measure { name, unit, value, selected_from } in self.measures.iter().take(MAX_MEASURES)
        {
            let mut notes = Vec::new();
            // Work that is a measure too has one row.
            let is_this =
                |work: &&WorkRate| work.unit == *name && MeasureValue::Count(work.count) == *value;
            notes.extend(done.extract_if(.., |work| is_this(work)).map(per_second));
            let (measured, interval) = measured_with_interval(*value);
            has_interval |= interval.is_some();
            notes.extend(interval);
            notes.extend(selected_from.map(|n| format!("best of {n}, so biased upward")));
            table.add_row([name.clone(), format!("{measured} {unit}"), notes.join(", ")]);
        }
        for work in done {
            // A measure counts only some of it, such as that of the last generation.
            let is_measure = self.measures.iter().any(|measure| measure.name == work.unit);
            let in_all = if is_measure { " in all" } else { "" };
            let count = grouped(work.count);
            table.add_row([format!("{}{in_all}", work.unit), count, per_second(work)]);
        }
        let mut lines: Vec<_> = (!table.is_empty()).then(|| table.trim_fmt()).into_iter().collect();
        let left_out = self.measures.len().saturating_sub(MAX_MEASURES);
        let left_out = (left_out != 0).then(|| format!("{left_out} more in result.json"));
        let intervals = has_interval.then(|| "ranges are 95 % intervals".to_owned());
        let notes: Vec<_> = left_out.into_iter().chain(intervals).collect();
        if !notes.is_empty() {
            lines.push(format!(" {}", notes.join("; ")));
        }
        lines
    }

    /// Formats the document as JSON.
    pub(crate) fn json(&self) -> String {
        escape_json(&serde_json::to_string_pretty(self).expect("the document is plain data"))
    }
}

/// Returns the first digits of a digest, for displays with little room.
pub(super) fn short_digest(digest: &str) -> &str {
    digest.get(..SHORT_DIGEST).unwrap_or(digest)
}

fn rate(count: u64, seconds: f64) -> f64 {
    if seconds == 0.0 { 0.0 } else { as_f64(count) / seconds }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exhibits_that_a_run_shows_no_more_are_dropped() {
        let document = |run: &str, names: &[&str]| {
            let exhibits = names.iter().map(|name| {
                let path = format!("exhibits/{name}");
                serde_json::json!({"name": name, "path": path, "media_type": "text/csv"})
            });
            let document = serde_json::json!({
                "schema": SCHEMA, "run": run, "experiment": "pig", "version": 1, "seed": 1,
                "status": "unfinished", "generations": 1, "jobs": 1, "trials": 1, "elapsed_s": 1.0,
                "cpu_s": 1.0, "digest": "", "work": [], "measures": [],
                "exhibits": exhibits.collect::<Vec<_>>()
            });
            ResultDocument::parse(document.to_string().as_bytes()).unwrap()
        };
        let earlier = document("R", &["a.csv", "b.csv", "../spec.toml"]);
        assert_eq!(earlier.dropped_by(&document("R", &["b.csv"])), ["a.csv"]);
        assert_eq!(earlier.dropped_by(&document("S", &["b.csv"])), [""; 0]);
    }

    #[test]
    fn no_row_of_the_table_comes_twice() {
        let work = |unit: &str, count: u64| {
            let per_cpu_second = 2.0;
            serde_json::json!({"unit": unit, "count": count, "per_cpu_second": per_cpu_second})
        };
        let measure = |name: &str, value: u64| {
            let unit = name;
            serde_json::json!({"name": name, "unit": unit, "value": value})
        };
        let document = serde_json::json!({
            "schema": SCHEMA, "run": "R", "experiment": "pig", "version": 1, "seed": 1,
            "status": "done", "generations": 1, "jobs": 1, "trials": 1, "elapsed_s": 1.0,
            "cpu_s": 1.0, "digest": "", "exhibits": [],
            "work": [work("games", 44), work("turns", 900), work("steps", 20), work("hits", 0)],
            "measures": [measure("games", 12), measure("turns", 900)]
        });
        let table = ResultDocument::parse(document.to_string().as_bytes()).unwrap().table_with("");
        let rows: Vec<Vec<_>> =
            table.lines().take(4).map(|row| row.split_whitespace().collect()).collect();
        assert_eq!(rows[0], ["games", "12", "games"]);
        assert_eq!(rows[1], ["turns", "900", "turns", "2.00", "per", "CPU", "second"]);
        assert_eq!(rows[2][..4], ["games", "in", "all", "44"]);
        assert_eq!(rows[3][..2], ["steps", "20"], "{table}");
        assert!(table.lines().nth(4).unwrap().starts_with("1 generation"), "{table}");
    }

    #[test]
    fn the_schema_is_documented() {
        crate::report::schema::check::<ResultDocument>("result");
    }
}
