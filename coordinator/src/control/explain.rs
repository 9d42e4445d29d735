//! Explains why a run is not progressing and what would help.

use std::collections::BTreeMap;
use std::time::Duration;

use hatchery_core::text::{counted, time_span};
use hatchery_proto::v1::{GenerationPhase, Reason, ReasonKind, RunExplanation, RunStatus, State};
use hatchery_store::operation::ListQuarantined;
use hatchery_store::outage::{OutageCause, StoreOutage};
use hatchery_store::{RunId, StoreError};

use super::status::{self, StoredRun};
use crate::coordinator::Coordinator;
use crate::run::record::AnnouncedRun;
use crate::run::scheduling::{RunPriority, RunScheduling};

/// The facts that bear on a run's progress.
#[derive(Debug)]
struct RunFacts<'a> {
    run: RunId,
    status: &'a RunStatus,
    scheduling: &'a RunScheduling,
    is_led: bool,
    /// Enqueued jobs of the current generation that have no result.
    n_unresolved: u64,
    /// The run's share of the farm, over all coordinators.
    share: RunShare,
    /// The slots of the workers that can compute the run.
    able_slots: u32,
    /// The workers that can compute the run, but fail.
    bad_workers: BadWorkers,
    /// The outage of the store: reads may work all the same.
    outage: Option<StoreOutage>,
    /// The other active runs with their jobs at workers.
    others: &'a [OtherRun],
}

/// The paused workers that can compute a run, and the farm's quarantined ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct BadWorkers {
    /// The number of paused workers.
    paused: u32,
    /// The longest remaining pause in milliseconds.
    longest_ms: u64,
    /// The number of quarantined workers in the farm.
    quarantined: usize,
}

/// A run's share of the farm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct RunShare {
    /// Jobs held by workers.
    at_workers: u32,
    /// Jobs that coordinators have leased, but not handed out yet.
    waiting: u32,
    /// Slots that the run's jobs may use, if the run has a limit.
    slots: u32,
}

/// Another active run.
#[derive(Clone, Debug, PartialEq, Eq)]
struct OtherRun {
    priority: RunPriority,
    user: String,
    at_workers: u32,
}

/// Explains why `run` is not progressing.
pub(super) async fn explain(
    coordinator: &Coordinator,
    run: RunId,
) -> Result<RunExplanation, StoreError> {
    match facts(coordinator, run).await {
        Ok(explanation) => Ok(explanation),
        Err(error @ StoreError::NoRun { .. }) => Err(error),
        Err(error) => {
            tracing::warn!(%run, %error, "a run is explained without the store");
            let unreachable = StoreOutage { cause: OutageCause::Unreachable, age: Duration::ZERO };
            let outage = coordinator.store_outage().unwrap_or(unreachable);
            Ok(RunExplanation { reasons: vec![store(&outage)], ..RunExplanation::default() })
        }
    }
}

async fn facts(coordinator: &Coordinator, run: RunId) -> Result<RunExplanation, StoreError> {
    let stored = StoredRun::read_one(coordinator, run).await?;
    let status = stored.status(coordinator);
    let store = coordinator.views().control();
    let record = stored.summary.record.clone().unwrap_or_default();
    let n_unresolved = match status::has_ended(&stored.overview.position.state) {
        true => 0,
        false => stored.overview.n_unresolved,
    };
    let is_led = stored.live(coordinator).is_some();
    let announced = coordinator.announced();
    let wanted = record.label();
    let workers = announced.iter().flat_map(|coordinator| &coordinator.workers);
    let able = workers.filter(|worker| worker.experiments.contains(&wanted));
    let able_slots = able.clone().fold(0_u32, |sum, worker| sum.saturating_add(worker.slots));
    let quarantined = store.execute(ListQuarantined).await?.len();
    let mut bad_workers = BadWorkers { quarantined, ..BadWorkers::default() };
    for worker in able.filter(|worker| worker.paused_ms != 0) {
        bad_workers.paused += 1;
        bad_workers.longest_ms = bad_workers.longest_ms.max(worker.paused_ms);
    }
    let (share, others) = shares(run, announced.iter().flat_map(|coordinator| &coordinator.runs));
    let scheduling = RunScheduling::from(&record);
    let reasons = reasons(&RunFacts {
        run,
        status: &status,
        scheduling: &scheduling,
        is_led,
        n_unresolved,
        share,
        able_slots,
        bad_workers,
        outage: coordinator.store_outage(),
        others: &others,
    });
    Ok(RunExplanation { status: Some(status), waiting: share.waiting, reasons })
}

/// Sums the shares of `run` and of the other runs over all coordinators.
fn shares<'a>(
    run: RunId,
    said: impl Iterator<Item = &'a AnnouncedRun>,
) -> (RunShare, Vec<OtherRun>) {
    let mut share = RunShare::default();
    let mut others: BTreeMap<&[u8], OtherRun> = BTreeMap::new();
    for said in said {
        if said.run == run.to_bytes() {
            share.at_workers = share.at_workers.saturating_add(said.at_workers);
            share.waiting = share.waiting.saturating_add(said.waiting);
            share.slots = share.slots.saturating_add(said.slots);
            continue;
        }
        let other = others.entry(&said.run).or_insert_with(|| OtherRun {
            priority: said.priority().into(),
            user: said.user.clone(),
            at_workers: 0,
        });
        other.at_workers = other.at_workers.saturating_add(said.at_workers);
    }
    (share, others.into_values().filter(|other| other.at_workers != 0).collect())
}

/// Returns the reasons that a run's state gives; `None` if it is active.
fn state_reasons(facts: &RunFacts<'_>) -> Option<Vec<Reason>> {
    let &RunFacts { run, status, .. } = facts;
    let resume = format!("hatchery resume {run}");
    let (dead, reason) = match status.state() {
        State::Done => (None, reason(ReasonKind::Ended, "it is done", "")),
        State::Failed => {
            let text = format!("it failed: {}", status.reason);
            let help = format!("{resume}, after the cause is fixed");
            (dead(facts), reason(ReasonKind::Ended, &text, &help))
        }
        State::Cancelled => (None, reason(ReasonKind::Ended, "a person cancelled it", &resume)),
        State::Paused => (dead(facts), reason(ReasonKind::Paused, "it is paused", &resume)),
        State::Active | State::Unspecified => return None,
    };
    Some(dead.into_iter().chain([reason]).collect())
}

/// Returns the reasons that hinder the run, the most important first.
fn reasons(facts: &RunFacts<'_>) -> Vec<Reason> {
    if let Some(reasons) = state_reasons(facts) {
        return reasons;
    }
    let &RunFacts { status, is_led, .. } = facts;
    if let Some(outage) = &facts.outage {
        return vec![store(outage)];
    }
    if status.workers == 0 {
        let help = "start a worker: hatchery worker --coordinator URL";
        return vec![reason(ReasonKind::NoWorker, "no worker is connected", help)];
    }
    if status.able_workers == 0 {
        let RunStatus { experiment, version, workers, .. } = status;
        let workers = match workers {
            1 => "the only worker cannot".to_owned(),
            n => format!("none of {n} workers can"),
        };
        let text = format!("{workers} compute {experiment} version {version}");
        let help = "start workers of the coordinator's program and release: a worker logs which \
                    experiments it gets no jobs of, and why";
        return vec![reason(ReasonKind::NoWorker, &text, help)];
    }
    if let Some(place) = facts.status.queue_place.checked_sub(1) {
        let text = match place {
            0 => "it is queued, and the next one to begin".to_owned(),
            1 => "it is queued: 1 run begins before it".to_owned(),
            n => format!("it is queued: {n} runs begin before it"),
        };
        let help = "wait for its turn, or start more workers";
        return vec![reason(ReasonKind::Queued, &text, help)];
    }
    if !is_led {
        let help = "wait some seconds; if that does not help, read the coordinators' logs";
        return vec![reason(ReasonKind::NoLeader, "no coordinator leads it yet", help)];
    }
    let bad_workers = bad_workers(facts);
    let work = work(facts);
    // Workers that were quarantined some time ago need not hinder the run.
    let last = match facts.bad_workers.paused {
        0 => [work, bad_workers],
        _ => [bad_workers, work],
    };
    dead(facts).into_iter().chain(last.into_iter().flatten()).collect()
}

/// Returns the reason that follows from the run's jobs at workers; `None` if only dead jobs are
/// left.
fn work(facts: &RunFacts<'_>) -> Option<Reason> {
    let &RunFacts { status, n_unresolved, share, able_slots, .. } = facts;
    if n_unresolved == 0 {
        let generation = status.generation;
        let text = match status.phase() {
            GenerationPhase::Folding => format!("its leader folds generation {generation}"),
            GenerationPhase::Planning => format!("its leader plans generation {generation}"),
            // The leader may have told neither yet.
            GenerationPhase::Unspecified | GenerationPhase::Computing => {
                "its leader folds a generation or plans the next one".to_owned()
            }
        };
        let text = format!("{text}: there are no jobs to compute now");
        return Some(reason(ReasonKind::Leading, &text, ""));
    }
    let kept_back = kept_back(facts);
    if kept_back.is_some() || status.dead_jobs == n_unresolved {
        return kept_back;
    }
    let RunShare { at_workers, .. } = share;
    let are = if at_workers == 1 { "is" } else { "are" };
    let (jobs, slots) = (counted(at_workers, "job"), counted(able_slots, "slot"));
    let at_workers = format!("{jobs} {are} at workers, which have {slots} for it");
    let RunStatus { trials_done, trials, generation, .. } = status;
    let text = match trials {
        // The leader has not told it yet.
        0 => at_workers,
        _ => format!(
            "{at_workers}; {trials_done} of {trials} trials of generation {generation} are done"
        ),
    };
    Some(reason(ReasonKind::Running, &text, ""))
}

/// Returns the reason that follows from dead jobs.
fn dead(facts: &RunFacts<'_>) -> Option<Reason> {
    let &RunFacts { run, status, n_unresolved, .. } = facts;
    let text = match status.dead_jobs {
        0 => return None,
        1 => "a job keeps failing and is handed to nobody".to_owned(),
        n => format!("{n} jobs keep failing and are handed to nobody"),
    };
    let text = match status.dead_jobs == n_unresolved {
        true => format!("{text}; nothing else is left to do"),
        false => text,
    };
    let help = format!("hatchery dead list {run} says why; hatchery dead retry {run}");
    Some(reason(ReasonKind::DeadJobs, &text, &help))
}

/// Returns the reason that follows from an outage of the store.
fn store(outage: &StoreOutage) -> Reason {
    reason(ReasonKind::Store, &outage.text(), outage.cause.help())
}

/// Returns the reason that follows from paused and quarantined workers.
fn bad_workers(facts: &RunFacts<'_>) -> Option<Reason> {
    let BadWorkers { paused, longest_ms, quarantined } = facts.bad_workers;
    let able = facts.status.able_workers;
    let paused = (paused != 0).then(|| {
        let longest = time_span(Duration::from_millis(longest_ms).as_secs_f64().ceil());
        let are = if paused == 1 { "is" } else { "are" };
        format!(
            "{paused} of {able} workers {are} paused, for up to {longest}, after failures at \
             jobs that others completed"
        )
    });
    let quarantined = match quarantined {
        0 => None,
        1 => Some("1 worker is quarantined".to_owned()),
        n => Some(format!("{n} workers are quarantined")),
    };
    let text: Vec<_> = paused.into_iter().chain(quarantined).collect();
    let help = "hatchery workers names them; read the logs of their machines";
    (!text.is_empty()).then(|| reason(ReasonKind::BadWorkers, &text.join("; "), help))
}

/// Returns the reason why the run does not get more of the farm.
fn kept_back(facts: &RunFacts<'_>) -> Option<Reason> {
    let &RunFacts { scheduling, status, n_unresolved, share, others, .. } = facts;
    let at_workers = share.at_workers;
    if let Some(cap) = scheduling.most_slots
        && cap.get() <= share.slots
    {
        let slots = counted(cap.get(), "slot");
        let text = format!("it uses the {slots} that `--slots {cap}` lets it use");
        let help = "submit it again without --slots, or with more";
        return Some(reason(ReasonKind::Cap, &text, help));
    }
    // Without a job to hand out, nothing holds it back. Coordinators lease no more than its
    // share, so most of those jobs are in the store only.
    if n_unresolved.saturating_sub(status.dead_jobs) <= u64::from(at_workers) {
        return None;
    }
    let held = |is_of: &dyn Fn(&OtherRun) -> bool| {
        let held = others.iter().filter(|other| is_of(other));
        held.fold((0_u32, 0_u32), |(runs, jobs), other| {
            (runs.saturating_add(1), jobs.saturating_add(other.at_workers))
        })
    };
    let class = scheduling.priority.word();
    let (runs, jobs) = held(&|other| other.priority < scheduling.priority);
    if runs != 0 {
        let text = format!(
            "its priority is {class}, and {} of a higher one {} {} at workers: it has {at_workers}",
            counted(runs, "run"),
            if runs == 1 { "has" } else { "have" },
            counted(jobs, "job")
        );
        let help = "wait: a class with work keeps a tenth of the farm; or start more workers";
        return Some(reason(ReasonKind::Priority, &text, help));
    }
    let (runs, jobs) = held(&|other| other.priority == scheduling.priority);
    (runs != 0).then(|| {
        let user = &scheduling.user;
        let (own, _) =
            held(&|other| other.priority == scheduling.priority && other.user == user.as_str());
        let text = format!(
            "it shares the farm with {}, {own} of them also of {user}, with {} at workers: it has \
             {at_workers}",
            counted(runs, "other run"),
            counted(jobs, "job")
        );
        reason(ReasonKind::Share, &text, "wait for its turn, or start more workers")
    })
}

fn reason(kind: ReasonKind, text: &str, help: &str) -> Reason {
    Reason { kind: kind.into(), text: text.to_owned(), help: help.to_owned() }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;

    fn status() -> RunStatus {
        let state = State::Active.into();
        RunStatus { state, workers: 2, able_workers: 2, trials: 100, ..RunStatus::default() }
    }

    fn check(facts: &RunFacts<'_>, expected: &[ReasonKind]) {
        let kinds: Vec<_> = reasons(facts).iter().map(Reason::kind).collect();
        assert_eq!(kinds, expected, "{facts:?}");
    }

    fn facts<'a>(
        status: &'a RunStatus,
        scheduling: &'a RunScheduling,
        others: &'a [OtherRun],
    ) -> RunFacts<'a> {
        RunFacts {
            run: RunId(ulid::Ulid(7)),
            status,
            scheduling,
            is_led: true,
            n_unresolved: 9,
            share: RunShare { at_workers: 6, waiting: 2, slots: 4 },
            able_slots: 8,
            bad_workers: BadWorkers::default(),
            outage: None,
            others,
        }
    }

    #[test]
    fn the_weightiest_reason_comes_first() {
        let (normal, active) = (RunScheduling::default(), status());
        check(&facts(&active, &normal, &[]), &[ReasonKind::Running]);
        for (state, kind) in [
            (State::Done, ReasonKind::Ended),
            (State::Failed, ReasonKind::Ended),
            (State::Cancelled, ReasonKind::Ended),
            (State::Paused, ReasonKind::Paused),
        ] {
            let status = RunStatus { state: state.into(), ..status() };
            check(&facts(&status, &normal, &[]), &[kind]);
        }
        let nobody = RunStatus { workers: 0, able_workers: 0, ..status() };
        check(&facts(&nobody, &normal, &[]), &[ReasonKind::NoWorker]);
        let old = RunStatus { able_workers: 0, ..status() };
        check(&facts(&old, &normal, &[]), &[ReasonKind::NoWorker]);
        let unled = RunFacts { is_led: false, ..facts(&active, &normal, &[]) };
        check(&unled, &[ReasonKind::NoLeader]);
        let failing = RunStatus { dead_jobs: 9, ..status() };
        check(&facts(&failing, &normal, &[]), &[ReasonKind::DeadJobs]);
        let folding = RunFacts { n_unresolved: 0, ..facts(&active, &normal, &[]) };
        check(&folding, &[ReasonKind::Leading]);
    }

    #[test]
    fn who_goes_first_is_named() {
        let (normal, active) = (RunScheduling::default(), status());
        let other = |priority| OtherRun { priority, user: "ada".to_owned(), at_workers: 5 };
        check(&facts(&active, &normal, &[other(RunPriority::Low)]), &[ReasonKind::Running]);
        check(&facts(&active, &normal, &[other(RunPriority::Normal)]), &[ReasonKind::Share]);
        let both = [other(RunPriority::High), other(RunPriority::Normal)];
        check(&facts(&active, &normal, &both), &[ReasonKind::Priority]);
        // Jobs that wait for a slot do not count.
        for (most, kind) in [(4, ReasonKind::Cap), (5, ReasonKind::Priority)] {
            let most_slots = NonZeroU32::new(most);
            let capped = RunScheduling { most_slots, ..RunScheduling::default() };
            check(&facts(&active, &capped, &both), &[kind]);
        }
    }

    #[test]
    fn a_store_that_takes_no_writes_is_the_reason() {
        let (normal, active) = (RunScheduling::default(), status());
        let outage = StoreOutage { cause: OutageCause::Full, age: Duration::from_secs(70) };
        let facts =
            RunFacts { outage: Some(outage), is_led: false, ..facts(&active, &normal, &[]) };
        check(&facts, &[ReasonKind::Store]);
        let text = &reasons(&facts)[0].text;
        assert_eq!(text, "the farm's store is full, for 1m10s; nothing acknowledged is lost");
    }

    #[test]
    fn bad_workers_are_counted() {
        let (normal, active) = (RunScheduling::default(), status());
        let bad_workers = BadWorkers { paused: 1, longest_ms: 4001, quarantined: 2 };
        let facts = RunFacts { bad_workers, ..facts(&active, &normal, &[]) };
        check(&facts, &[ReasonKind::BadWorkers, ReasonKind::Running]);
        assert_eq!(
            reasons(&facts)[0].text,
            "1 of 2 workers is paused, for up to 5s, after failures at jobs that others \
             completed; 2 workers are quarantined"
        );
    }
}
