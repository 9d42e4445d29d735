//! Assembles the status of a run from the store and the announcements of the farm.

use std::num::NonZeroU32;

use hatchery_core::{Catalog, Digest};
use hatchery_proto::v1::{self, RunStatus, State};
use prost::Message;

use crate::coordinator::Coordinator;
use crate::record::{
    Checkpoint, CoordinatorAnnouncement, GenerationRecord, LiveProgress, RunRecord,
};
use crate::scheduling::RunScheduling;
use crate::store::{RunId, RunPosition, RunState, Store, StoreError};

/// The longest reason of a failure in a list and by itself: it may quote a panic.
const MAX_BRIEF_REASON_BYTES: usize = 256;
const MAX_REASON_BYTES: usize = 8 << 10;

/// Returns the current status of `run`.
pub(super) async fn status(coordinator: &Coordinator, run: RunId) -> Result<RunStatus, StoreError> {
    let store = coordinator.store();
    let record = store.record(run).await?;
    // A run with a record that this build cannot decode is shown with that reason.
    let record = RunRecord::decode(record.as_slice()).ok();
    let position = store.position(run).await?;
    let digest = digest(store, run, &position).await?;
    let (live, dead_jobs, n_unresolved) = if has_ended(&position.state) {
        (None, store.results(run, position.folded, 0).await?.n_parked, 0)
    } else {
        let claim = store.claimed(run).await?;
        let page = store.results(run, position.folded, 0).await?;
        let live = claim.map(|claim| LiveProgress::decode(claim.progress.as_slice()));
        (live.map(Result::unwrap_or_default), page.n_parked, page.n_unresolved)
    };
    let counts = WorkerCounts::of(&coordinator.announced(), record.as_ref());
    let queue_place = coordinator.queue_place(run).filter(|_| live.is_none());
    let seen = StatusFacts {
        record: record.as_ref(),
        live,
        queue_place,
        dead_jobs,
        n_unresolved,
        counts: &counts,
    };
    let outage = coordinator.store_outage().filter(|_| position.state == RunState::Active);
    let waiting_for = match outage {
        Some(outage) => outage.text(),
        None => waiting_for(&position.state, &seen),
    };
    let progress = live.filter(|live| live.generation == position.generation).unwrap_or_default();
    let (state, reason) = to_proto(&position.state);
    let record = record.unwrap_or_default();
    let RunScheduling { user, priority, most_slots } = RunScheduling::from(&record);
    Ok(RunStatus {
        run: run.to_string(),
        state: state.into(),
        reason: cut(reason, MAX_REASON_BYTES),
        generation: n_folded(&position),
        generations: generations(coordinator.catalog(), &record).unwrap_or(progress.generations),
        trials: progress.trials,
        trials_done: progress.trials_done,
        digest,
        dead_jobs,
        workers: counts.n_workers,
        slots: counts.n_slots,
        able_workers: counts.n_able,
        created_unix_ms: run.0.timestamp_ms(),
        waiting_for,
        name: record.name,
        experiment: record.experiment,
        version: record.version,
        seed: record.seed,
        user: user.to_string(),
        priority: v1::Priority::from(priority).into(),
        most_slots: most_slots.map_or(0, NonZeroU32::get),
        at_workers: at_workers(&coordinator.announced(), run),
        queue_place: queue_place.unwrap_or_default(),
    })
}

/// Returns the number of jobs of `run` held by workers, over all coordinators.
fn at_workers(announced: &[CoordinatorAnnouncement], run: RunId) -> u32 {
    let run = run.to_bytes();
    let said = announced.iter().flat_map(|coordinator| &coordinator.runs);
    let said = said.filter(|said| said.run == run).map(|said| said.at_workers);
    said.fold(0, u32::saturating_add)
}

/// Shortens `status` for a list.
pub(super) fn brief(mut status: RunStatus) -> RunStatus {
    status.reason = cut(&status.reason, MAX_BRIEF_REASON_BYTES);
    status
}

/// Returns whether a run in `state` has ended, unless it is resumed.
pub(super) fn has_ended(state: &RunState) -> bool {
    match state {
        RunState::Active | RunState::Paused => false,
        RunState::Done | RunState::Failed { .. } | RunState::Cancelled => true,
    }
}

/// Returns the number of folded generations.
pub(super) fn n_folded(position: &RunPosition) -> u32 {
    match position.state {
        RunState::Done => position.generation.saturating_add(1),
        RunState::Active | RunState::Paused | RunState::Failed { .. } | RunState::Cancelled => {
            position.generation
        }
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

/// Returns the digest up to the last folded generation, from its record: a checkpoint may be large.
async fn digest(
    store: &dyn Store,
    run: RunId,
    position: &RunPosition,
) -> Result<String, StoreError> {
    if let Some(last) = n_folded(position).checked_sub(1)
        && let Some(bytes) = store.generations(run, last).await?.first()
        && let Ok(record) = GenerationRecord::decode(bytes.as_slice())
        && let Some(digest) = Digest::from_bytes(&record.digest)
    {
        return Ok(digest.to_string());
    }
    let checkpoint = store.checkpoint(run).await?;
    let digest = Checkpoint::decode(checkpoint.as_slice()).ok();
    let digest = digest.and_then(|checkpoint| Digest::from_bytes(&checkpoint.digest));
    Ok(digest.map(|digest| digest.to_string()).unwrap_or_default())
}

/// Returns the most generations that a run takes, if this build has its experiment.
fn generations(catalog: Catalog, record: &RunRecord) -> Option<u32> {
    let known = catalog.find(&record.experiment)?;
    let same = known.version() == record.version;
    Some(same.then(|| known.reopen(&record.params).ok()).flatten()?.generations())
}

/// The number of workers of a farm, and of those that can compute a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct WorkerCounts {
    n_workers: u32,
    n_slots: u32,
    n_able: u32,
}

impl WorkerCounts {
    fn of(announced: &[CoordinatorAnnouncement], record: Option<&RunRecord>) -> Self {
        let wanted = record.map(|record| format!("{}@{}", record.experiment, record.version));
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
    /// Its place among the runs that wait for a leader.
    queue_place: Option<u64>,
    dead_jobs: u64,
    n_unresolved: u64,
    counts: &'a WorkerCounts,
}

/// Returns the reason why a run does not progress, for people; empty if it does.
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
            format!("no worker can compute {experiment} version {version}; {connected}")
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
    use crate::record::AnnouncedWorker;

    fn announced(experiments: &[&str]) -> Vec<CoordinatorAnnouncement> {
        let worker = |experiment: &&str| AnnouncedWorker {
            name: "w".to_owned(),
            slots: 4,
            experiments: vec![(*experiment).to_owned()],
            ..AnnouncedWorker::default()
        };
        let workers = experiments.iter().map(worker).collect();
        vec![
            CoordinatorAnnouncement::default(),
            CoordinatorAnnouncement { workers, ..CoordinatorAnnouncement::default() },
        ]
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
                "no worker can compute tetris-evolve version 2; 3 workers are connected",
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

    #[test]
    fn a_done_run_has_folded_its_last_generation() {
        let at = |state| RunPosition { state, revision: 0, generation: 3, cursor: 0, folded: 0 };
        assert_eq!(n_folded(&at(RunState::Active)), 3);
        assert_eq!(n_folded(&at(RunState::Cancelled)), 3);
        assert_eq!(n_folded(&at(RunState::Done)), 4);
    }
}
