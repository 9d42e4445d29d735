//! The document of a run of this machine, from its result document.

use hatchery_coordinator::UserName;
use hatchery_coordinator::run::summary::MeasureSummary;
use hatchery_proto::v1::{RunStatus, State};
use ulid::Ulid;

use super::run::{
    ReportedMeasure, ReportedPriority, ReportedState, RunDocument, TrialShare, TrialsDone,
};
use crate::report::result::{ResultDocument, ResultStatus};
use crate::terminal::escape_controls;

impl RunDocument {
    /// Creates the document of the run whose result document is `result`, as of its last
    /// generation. `is_running` is true if a process runs it.
    pub(crate) fn of_result(result: &ResultDocument, is_running: bool) -> Self {
        let state = match result.status {
            ResultStatus::Unfinished if is_running => ReportedState::Active,
            ResultStatus::Unfinished => ReportedState::Interrupted,
            ResultStatus::Done => ReportedState::Done,
            ResultStatus::Failed => ReportedState::Failed,
            ResultStatus::Cancelled => ReportedState::Cancelled,
        };
        let count = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
        let (generation, generations) = (result.generations, result.planned_generations);
        let percent = match state {
            ReportedState::Done => Some(100.0),
            _ if generations == 0 => None,
            _ => Some(f64::from(count(generation)) / f64::from(count(generations)) * 100.0),
        };
        let created = Ulid::from_string(&result.run).map(|id| id.timestamp_ms());
        let measure = result.measures.first().map(MeasureSummary::from);
        let measure = measure.map(|measure| ReportedMeasure {
            name: escape_controls(&measure.name),
            unit: escape_controls(&measure.unit),
            value: measure.value,
            low: measure.low,
            high: measure.high,
            is_count: measure.is_count,
        });
        Self {
            run: escape_controls(&result.run),
            name: escape_controls(&result.name),
            finding: result.finding.escaped(),
            experiment: escape_controls(&result.experiment),
            version: result.version,
            seed: result.seed,
            state,
            error: result.error.as_deref().map(escape_controls),
            phase: None,
            generation: count(generation),
            generations: count(generations),
            trials_of_generation: TrialShare { done: 0, of: 0 },
            trials_of_run: TrialsDone { done: result.trials },
            trials: 0,
            trials_done: 0,
            trials_in_progress: None,
            digest: escape_controls(&result.digest),
            dead_jobs: 0,
            workers: 0,
            slots: 0,
            able_workers: 0,
            created_unix_ms: created.unwrap_or_default(),
            user: UserName::default().to_string(),
            priority: ReportedPriority::Normal,
            most_slots: None,
            at_workers: 0,
            queue_place: None,
            waiting_for: None,
            trials_total: result.trials,
            cpu_s: result.cpu_s,
            trials_per_s: 0.0,
            percent,
            started_unix_ms: result.started_unix_ms,
            ended_unix_ms: result.ended_unix_ms,
            time_left: None,
            measure_history: measure.iter().map(|measure| measure.value).collect(),
            measure,
            measures: result.measures.clone(),
        }
    }

    /// Creates the document of a run without files; the run began at `begun_unix_ms`.
    pub(crate) fn starting(name: &str, begun_unix_ms: u64) -> Self {
        Self::from(RunStatus {
            name: name.to_owned(),
            user: UserName::default().to_string(),
            state: State::Active.into(),
            waiting_for: "it is starting".to_owned(),
            created_unix_ms: begun_unix_ms,
            ..RunStatus::default()
        })
    }

    /// Creates the document of a run that cannot be read because of `error`; its store is from
    /// `written_unix_ms`.
    pub(crate) fn unreadable(name: &str, written_unix_ms: u64, error: &str) -> Self {
        Self::from(RunStatus {
            name: name.to_owned(),
            reason: error.to_owned(),
            created_unix_ms: written_unix_ms,
            ..RunStatus::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_tells_the_state_of_its_run() {
        let check = |status: &str, is_running: bool, state: ReportedState| {
            let result = serde_json::json!({
                "schema": "hatchery.result/1", "run": "01M7YH3Q6F4BFRQE644ZH5B8FZ",
                "experiment": "pig", "version": 1, "seed": 7, "status": status,
                "error": "a bug\u{1b}", "generations": 3, "planned_generations": 12, "jobs": 4,
                "trials": 500, "elapsed_s": 2.0, "cpu_s": 1.5, "digest": "ab", "work": [],
                "measures": [{"name": "best", "unit": "lines", "value": 2.5}], "exhibits": []
            });
            let result = ResultDocument::parse(result.to_string().as_bytes()).unwrap();
            let run = RunDocument::of_result(&result, is_running);
            assert_eq!((run.state, run.generation_of_all()), (state, "3/12".to_owned()));
            assert_eq!(run.error.as_deref(), Some("a bug\\u{1b}"));
            assert_eq!(run.measure.map(|measure| measure.text()), Some("best 2.50 lines".into()));
            assert_eq!(run.percent, Some(if status == "done" { 100.0 } else { 25.0 }));
        };
        check("unfinished", true, ReportedState::Active);
        check("unfinished", false, ReportedState::Interrupted);
        check("failed", false, ReportedState::Failed);
        check("done", false, ReportedState::Done);
        check("cancelled", false, ReportedState::Cancelled);
    }
}
