//! Assembles the status of a run from the store and the announcements of the farm.

use std::cmp::Ordering;
use std::num::NonZeroU32;
use std::sync::Arc;

use hatchery_core::Digest;
use hatchery_proto::v1::{self, RunStatus, State};
use hatchery_store::operation::ReadOverviews;
use hatchery_store::{RunId, RunOverview, RunState, StoreError};
use prost::Message;

use crate::coordinator::Coordinator;
use crate::leader::open::summaries;
use crate::run::record::{
    CoordinatorAnnouncement, CostTotals, LiveProgress, RunRecord, TimeLeftRange,
};
use crate::run::scheduling::RunScheduling;
use crate::run::summary::{MeasureSummary, RunFinding, RunSummary};
use crate::run::time_left::as_f64;

/// The most bytes of the reason of a failure, in a list and in the status of a single run: a reason
/// may quote a panic.
const MAX_BRIEF_REASON_BYTES: usize = 256;
const MAX_REASON_BYTES: usize = 8 << 10;

/// The overview and the summary of a run, from which its status is made.
pub(super) struct StoredRun {
    pub(super) run: RunId,
    pub(super) overview: RunOverview,
    pub(super) summary: RunSummary,
}

impl StoredRun {
    /// Reads the existing runs among `runs`, in order.
    pub(super) async fn read(
        coordinator: &Coordinator,
        runs: &[RunId],
    ) -> Result<Vec<Self>, StoreError> {
        let (views, catalog) = (coordinator.views(), coordinator.catalog());
        let overviews = views.control().execute(ReadOverviews { runs: runs.to_vec() }).await?;
        let mut found = Vec::with_capacity(runs.len());
        for (&run, overview) in runs.iter().zip(overviews) {
            let Some(overview) = overview else { continue };
            match summaries::find(views.summaries(), catalog, run, &overview).await {
                Ok(summary) => found.push(Self { run, overview, summary }),
                // The run was deleted meanwhile.
                Err(StoreError::NoRun { .. }) => {}
                // It is listed by its name.
                Err(error) if error.is_of_run() => {
                    found.push(Self { run, overview, summary: RunSummary::default() });
                }
                Err(error) => return Err(error),
            }
        }
        Ok(found)
    }

    /// Reads `run`.
    pub(super) async fn read_one(
        coordinator: &Coordinator,
        run: RunId,
    ) -> Result<Self, StoreError> {
        Self::read(coordinator, &[run]).await?.pop().ok_or(StoreError::NoRun { run })
    }

    /// Returns the progress of the run, at most two seconds old; `None` if no coordinator leads it.
    ///
    /// A coordinator of an earlier version stores the progress with its claim only.
    pub(super) fn live(&self, coordinator: &Coordinator) -> Option<LiveProgress> {
        if has_ended(&self.overview.position.state) {
            return None;
        }
        let claimed = self.overview.claim.as_ref();
        let claimed = claimed.map(|claim| LiveProgress::decode(claim.progress.as_slice()));
        coordinator.progress(self.run).or_else(|| claimed.map(Result::unwrap_or_default))
    }

    /// Returns the status of the run.
    pub(super) fn status(&self, coordinator: &Coordinator) -> RunStatus {
        let Self { run, overview, summary } = self;
        let live = self.live(coordinator);
        let announced = coordinator.announced();
        let counts = WorkerCounts::of(&announced, summary.record.as_ref());
        let queue_place = coordinator.queue_place(*run).filter(|_| live.is_none());
        let seen = StatusFacts {
            record: summary.record.as_ref(),
            live,
            queue_place,
            dead_jobs: overview.n_parked,
            n_unresolved: overview.n_unresolved,
            counts: &counts,
        };
        let state = &overview.position.state;
        let outage = coordinator.store_outage().filter(|_| *state == RunState::Active);
        let waiting_for = match outage {
            Some(outage) => outage.text(),
            None => waiting_for(state, &seen),
        };
        let waits_for_nothing = *state == RunState::Active && waiting_for.is_empty();
        let is_over = has_ended(state);
        let progress = progress(summary, live);
        let per_second = as_f64(progress.trials_per_kilosecond) / 1000.0;
        let phase = live.filter(|_| *state == RunState::Active).map_or(0, |live| live.phase);
        let (state, reason) = to_proto(state);
        let record = summary.record.clone().unwrap_or_default();
        let RunScheduling { user, priority, most_slots } = RunScheduling::from(&record);
        RunStatus {
            run: run.to_string(),
            state: state.into(),
            reason: cut(reason, MAX_REASON_BYTES),
            generation: progress.generation,
            generations: summary.generations.max(progress.generations),
            trials: progress.trials,
            trials_done: progress.trials_done,
            digest: digest(summary),
            dead_jobs: overview.n_parked,
            workers: counts.n_workers,
            slots: counts.n_slots,
            able_workers: counts.n_able,
            created_unix_ms: record.created_at(*run),
            waiting_for,
            name: record.name,
            experiment: record.experiment,
            version: record.version,
            seed: record.seed,
            user: user.to_string(),
            priority: v1::Priority::from(priority).into(),
            most_slots: most_slots.map_or(0, NonZeroU32::get),
            at_workers: if is_over { 0 } else { at_workers(&announced, *run) },
            queue_place: queue_place.unwrap_or_default(),
            trials_total: progress.trials_total,
            cpu_ns: progress.cpu_ns_total,
            started_unix_ms: unix_ms(overview.first_event.as_deref()),
            ended_unix_ms: if is_over { unix_ms(overview.last_event.as_deref()) } else { 0 },
            trials_per_second: if waits_for_nothing { per_second } else { 0.0 },
            time_left: progress.time_left.filter(|_| waits_for_nothing).map(time_left),
            measure: summary.measure.as_ref().map(measure),
            measure_history: summary.history.clone(),
            phase,
            trials_in_progress: if is_over { 0.0 } else { trials_in_progress(&announced, *run) },
            finding: summary.finding.clone().map(finding),
            measures_json: String::new(),
        }
    }
}

/// Returns the current status of `run`.
pub(super) async fn status(coordinator: &Coordinator, run: RunId) -> Result<RunStatus, StoreError> {
    Ok(StoredRun::read_one(coordinator, run).await?.status(coordinator))
}

/// Returns the progress that the run's leader reports, or the progress in the summary until the
/// leader has reported any.
fn progress(summary: &RunSummary, live: Option<LiveProgress>) -> LiveProgress {
    let CostTotals { trials, cpu_ns, .. } = summary.total;
    match live.filter(|live| live.generations != 0) {
        Some(live) => LiveProgress {
            generation: summary.n_folded,
            // One of the two was read before a fold and the other after it.
            trials_done: match live.generation.cmp(&summary.n_folded) {
                Ordering::Less => 0,
                Ordering::Equal => live.trials_done,
                Ordering::Greater => live.trials,
            },
            trials_total: live.trials_total.max(trials),
            cpu_ns_total: live.cpu_ns_total.max(cpu_ns),
            ..live
        },
        None => LiveProgress {
            generation: summary.n_folded,
            generations: summary.generations,
            trials_total: trials,
            cpu_ns_total: cpu_ns,
            ..LiveProgress::default()
        },
    }
}

/// Returns the digest up to the last folded generation, in hexadecimal digits.
fn digest(summary: &RunSummary) -> String {
    Digest::from_bytes(&summary.digest).map(|digest| digest.to_string()).unwrap_or_default()
}

/// Returns the time of a stored event; 0 if there is none.
fn unix_ms(event: Option<&[u8]>) -> u64 {
    /// The field that all events have.
    #[derive(serde::Deserialize)]
    struct EventTime {
        unix_ms: u64,
    }
    let event = event.and_then(|event| serde_json::from_slice::<EventTime>(event).ok());
    event.map_or(0, |event| event.unix_ms)
}

fn time_left(TimeLeftRange { low_ms, high_ms }: TimeLeftRange) -> v1::TimeLeft {
    v1::TimeLeft { low_ms, high_ms }
}

fn measure(measure: &MeasureSummary) -> v1::Measure {
    let MeasureSummary { name, unit, value, low, high, is_count } = measure.clone();
    v1::Measure { name, unit, value, low, high, is_count }
}

fn finding(RunFinding { title, summary, headline }: RunFinding) -> v1::RunFinding {
    v1::RunFinding { title, summary, headline }
}

/// Returns the number of jobs of `run` held by workers, over all coordinators.
fn at_workers(announced: &[Arc<CoordinatorAnnouncement>], run: RunId) -> u32 {
    let run = run.to_bytes();
    let said = announced.iter().flat_map(|coordinator| &coordinator.runs);
    let said = said.filter(|said| said.run == run).map(|said| said.at_workers);
    said.fold(0, u32::saturating_add)
}

/// Returns the trials of `run` in progress, over all coordinators. Each trial counts by the share
/// that is done.
fn trials_in_progress(announced: &[Arc<CoordinatorAnnouncement>], run: RunId) -> f64 {
    let run = run.to_bytes();
    let said = announced.iter().flat_map(|coordinator| &coordinator.runs);
    let said = said.filter(|said| said.run == run).map(|said| said.in_progress_ppm);
    as_f64(said.fold(0, u64::saturating_add)) / 1e6
}

/// Shortens `status` for a list.
pub(super) fn brief(mut status: RunStatus) -> RunStatus {
    status.reason = cut(&status.reason, MAX_BRIEF_REASON_BYTES);
    if let Some(finding) = &mut status.finding {
        finding.summary.clear();
    }
    status
}

/// Returns whether a run in `state` has ended, unless it is resumed.
pub(super) fn has_ended(state: &RunState) -> bool {
    match state {
        RunState::Active | RunState::Paused => false,
        RunState::Done | RunState::Failed { .. } | RunState::Cancelled => true,
    }
}

fn to_proto(state: &RunState) -> (State, &str) {
    match state {
        RunState::Active => (State::Active, ""),
        RunState::Paused => (State::Paused, ""),
        RunState::Done => (State::Done, ""),
        RunState::Failed { reason } => (State::Failed, reason),
        RunState::Cancelled => (State::Cancelled, ""),
    }
}

/// The number of workers in the farm, and the number of workers that can compute a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct WorkerCounts {
    n_workers: u32,
    n_slots: u32,
    n_able: u32,
}

impl WorkerCounts {
    fn of(announced: &[Arc<CoordinatorAnnouncement>], record: Option<&RunRecord>) -> Self {
        let wanted = record.map(RunRecord::label);
        let mut counts = Self { n_workers: 0, n_slots: 0, n_able: 0 };
        for worker in announced.iter().flat_map(|coordinator| &coordinator.workers) {
            let able = wanted.as_ref().is_some_and(|wanted| worker.experiments.contains(wanted));
            counts.n_workers += 1;
            counts.n_slots = counts.n_slots.saturating_add(worker.slots);
            counts.n_able += u32::from(able);
        }
        counts
    }
}

/// The facts about a run besides its state.
struct StatusFacts<'a> {
    /// `None` if it cannot be decoded.
    record: Option<&'a RunRecord>,
    /// `None` if no coordinator leads the run.
    live: Option<LiveProgress>,
    /// The run's place among the runs that wait for a leader.
    queue_place: Option<u64>,
    dead_jobs: u64,
    n_unresolved: u64,
    counts: &'a WorkerCounts,
}

/// Returns the reason why a run does not progress, for people; empty if the run progresses.
fn waiting_for(state: &RunState, seen: &StatusFacts<'_>) -> String {
    let &StatusFacts { record, live, queue_place, dead_jobs, n_unresolved, counts } = seen;
    let Some(record) = record else {
        return "its record is not readable by this build".to_owned();
    };
    let dead = match dead_jobs {
        0 => String::new(),
        1 => "a job keeps failing and is handed to nobody".to_owned(),
        n => format!("{n} jobs keep failing and are handed to nobody"),
    };
    match state {
        RunState::Done | RunState::Failed { .. } | RunState::Cancelled => String::new(),
        RunState::Paused if dead.is_empty() => "it is paused: resume it".to_owned(),
        RunState::Paused => format!("it is paused, and {dead} until it is resumed"),
        RunState::Active if counts.n_workers == 0 => "no worker is connected".to_owned(),
        RunState::Active if counts.n_able == 0 => {
            let RunRecord { experiment, version, .. } = record;
            let connected = match counts.n_workers {
                1 => "1 worker is connected".to_owned(),
                n => format!("{n} workers are connected"),
            };
            format!(
                "no worker can compute {experiment} version {version}: each is of another release \
                 or program, or failed its self-test; {connected}"
            )
        }
        RunState::Active if let Some(place) = queue_place => {
            format!("it is queued, at place {place}")
        }
        RunState::Active if live.is_none() => "no coordinator leads it yet".to_owned(),
        RunState::Active if dead_jobs != 0 && dead_jobs == n_unresolved => format!("{dead}: retry"),
        RunState::Active => String::new(),
    }
}

fn cut(text: &str, most_bytes: usize) -> String {
    text[..text.floor_char_boundary(most_bytes)].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::record::AnnouncedWorker;

    fn announced(experiments: &[&str]) -> Vec<Arc<CoordinatorAnnouncement>> {
        let worker = |experiment: &&str| AnnouncedWorker {
            name: "w".to_owned(),
            slots: 4,
            experiments: vec![(*experiment).to_owned()],
            ..AnnouncedWorker::default()
        };
        let workers = experiments.iter().map(worker).collect();
        let with_workers =
            CoordinatorAnnouncement { workers, ..CoordinatorAnnouncement::default() };
        vec![Arc::default(), Arc::new(with_workers)]
    }

    fn record() -> RunRecord {
        RunRecord { experiment: "tetris-evolve".to_owned(), version: 2, ..RunRecord::default() }
    }

    #[test]
    fn workers_are_counted_over_all_coordinators() {
        let three = announced(&["tetris-evolve@2", "tetris-evolve@1", "pig@2"]);
        let counts = WorkerCounts::of(&[three.clone(), three].concat(), Some(&record()));
        assert_eq!(counts, WorkerCounts { n_workers: 6, n_slots: 24, n_able: 2 });
    }

    #[test]
    fn what_a_run_waits_for_is_said_in_words() {
        let old = ["tetris-evolve@1"; 3];
        let able = ["tetris-evolve@2"];
        let leader = Some(LiveProgress::default());
        for (state, workers, live, (dead_jobs, n_unresolved), expected) in [
            (RunState::Active, &able[..], leader, (0, 9), ""),
            (RunState::Active, &able, leader, (1, 9), ""),
            (
                RunState::Active,
                &able,
                leader,
                (1, 1),
                "a job keeps failing and is handed to nobody: retry",
            ),
            (RunState::Active, &able, None, (0, 0), "no coordinator leads it yet"),
            (RunState::Active, &[], None, (0, 0), "no worker is connected"),
            (
                RunState::Active,
                &old,
                leader,
                (0, 0),
                "no worker can compute tetris-evolve version 2: each is of another release or \
                 program, or failed its self-test; 3 workers are connected",
            ),
            (RunState::Paused, &[], leader, (0, 0), "it is paused: resume it"),
            (
                RunState::Paused,
                &[],
                leader,
                (2, 5),
                "it is paused, and 2 jobs keep failing and are handed to nobody until it is resumed",
            ),
            (RunState::Done, &[], None, (0, 0), ""),
            (RunState::Cancelled, &[], None, (1, 1), ""),
        ] {
            let record = record();
            let counts = WorkerCounts::of(&announced(workers), Some(&record));
            let seen = StatusFacts {
                record: Some(&record),
                live,
                queue_place: None,
                dead_jobs,
                n_unresolved,
                counts: &counts,
            };
            assert_eq!(waiting_for(&state, &seen), expected);
        }
    }
}
