//! What becomes of jobs that fail: workers lost, trials that panic or hang, leases that are gone.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use hatchery_meters::labels::{LeaseLevel, SessionEnd};
use tokio::time::Instant;
use tonic::Status;

use super::desk::{Desk, Patience, SILENCE};
use super::effect::Errand;
use super::job::{Execution, Leased, Stage};
use super::message::{LeaderNotice, SessionId};
use super::meter::reason;
use super::results::Opinion;
use super::sessions::shut_out;
use crate::event::unix_ms;
use crate::machine::Failure;
use crate::record::{Attempt, AttemptKind};
use crate::store::{JobId, RunId, StoreError};

/// How long a job waits here for a worker before it is given back for other coordinators to have.
const IDLE_RELEASE: Duration = Duration::from_secs(1);

/// How long the answer of a worker that was right before waits for a second opinion: everybody who
/// could give one may be waiting for the same.
const AUDIT_PATIENCE: Duration = Duration::from_secs(10);

/// How long a job waits after its first, second and later failed attempts.
const BACKOFF: [Duration; 3] =
    [Duration::from_secs(1), Duration::from_secs(5), Duration::from_secs(25)];

/// Losses that are taken for chance: the job goes to another worker at once.
const LOSSES_BY_CHANCE: usize = 3;

/// How soon an attempt is noted again that the store could not take.
const NOTE_AGAIN: Duration = Duration::from_secs(1);

/// The longest message of an attempt.
const MAX_MESSAGE_BYTES: usize = 4096;

impl Desk {
    /// Notes that an attempt ended in an error.
    pub(super) fn note_error(
        &mut self,
        id: SessionId,
        run: RunId,
        job: JobId,
        failure: Failure,
        errands: &mut Vec<Errand>,
    ) {
        let Some(session) = self.sessions.get(id) else { return };
        let (worker, name) = (session.worker, session.name.clone());
        let Failure { message, trial } = failure;
        tracing::warn!(
            worker = name, %run, generation = job.generation, job = job.index, message,
            "job failed"
        );
        self.note(run, job, AttemptKind::Error, (worker, &name), (message, trial), errands);
    }

    /// Notes that a worker was lost while it was at the job.
    pub(super) fn note_loss(
        &mut self,
        run: RunId,
        job: JobId,
        worker: u128,
        name: &str,
        errands: &mut Vec<Errand>,
    ) {
        let message = format!("worker {name} was lost while it computed this job");
        self.note(run, job, AttemptKind::Lost, (worker, name), (message, None), errands);
    }

    fn note(
        &mut self,
        id: RunId,
        job: JobId,
        kind: AttemptKind,
        (worker, name): (u128, &str),
        (message, trial): (String, Option<String>),
        errands: &mut Vec<Errand>,
    ) {
        let Some(run) = self.runs.get_mut(&id) else { return };
        let others = self.sessions.has_other(worker, &run.open.experiment, run.open.version);
        let waits = run.change(job, |leased| {
            if others {
                leased.tried.insert(worker);
            }
            // Others may still be at it, or have brought an answer: then it is not given up.
            let unanswered = match &leased.stage {
                Stage::Compute => true,
                Stage::Audit(answers) => answers.is_empty(),
                _ => false,
            };
            let waits = leased.copies.is_empty() && unanswered;
            if waits {
                leased.stage = Stage::Noting;
            }
            waits
        });
        if waits.is_none() {
            return;
        }
        self.settings.meters.jobs.attempt_failed(&run.open.experiment, reason(kind));
        self.n_attempts = self.n_attempts.wrapping_add(1);
        let end = message.floor_char_boundary(MAX_MESSAGE_BYTES);
        let attempt = Attempt {
            kind: kind.into(),
            worker: worker.to_be_bytes().to_vec(),
            name: name.to_owned(),
            message: message[..end].to_owned(),
            trial: trial.unwrap_or_default(),
            unix_ms: unix_ms(),
        };
        errands.push(Errand::Note { run: id, job, id: self.n_attempts, attempt });
    }

    /// Decides what a failed attempt means for its job.
    pub(super) fn noted(
        &mut self,
        now: Instant,
        id: RunId,
        job: JobId,
        attempts: Result<Vec<Attempt>, StoreError>,
        errands: &mut Vec<Errand>,
    ) {
        let Some(run) = self.runs.get_mut(&id) else { return };
        let n_able = self.sessions.n_able(&run.open.experiment, run.open.version);
        let attempts = match attempts {
            Ok(attempts) if attempts.is_empty() => {
                // Resolved meanwhile, by somebody else.
                self.forget(now, id, job, errands);
                return;
            }
            Ok(attempts) => attempts,
            Err(error) => {
                run.change(job, |leased| again(leased, now, NOTE_AGAIN));
                return run.notify(LeaderNotice::StoreFailed(error));
            }
        };
        let Some(leased) = run.jobs.get(&job) else { return };
        if !leased.copies.is_empty() || !matches!(leased.stage, Stage::Noting) {
            return;
        }
        if self.settings.patience.is_over(&attempts, n_able) {
            errands.push(Errand::Park { run: id, job });
        } else {
            let wait = wait(&attempts);
            run.change(job, |leased| again(leased, now, wait));
        }
    }

    /// Forgets a job that nobody is handed any more.
    pub(super) fn parked(
        &mut self,
        now: Instant,
        id: RunId,
        job: JobId,
        parked: Result<(), StoreError>,
        errands: &mut Vec<Errand>,
    ) {
        let Some(run) = self.runs.get_mut(&id) else { return };
        match parked {
            Ok(()) => {
                tracing::warn!(
                    run = %id, generation = job.generation, job = job.index,
                    "job parked: it keeps failing"
                );
                self.forget(now, id, job, errands);
                self.stir(id);
            }
            Err(error) => {
                run.change(job, |leased| again(leased, now, NOTE_AGAIN));
                run.notify(LeaderNotice::StoreFailed(error));
            }
        }
    }

    /// Looks for what lasts too long.
    pub(super) fn expire(&mut self, now: Instant, errands: &mut Vec<Errand>) {
        let silent = self.sessions.0.iter().filter(|(_, s)| SILENCE <= now - s.heard);
        for id in silent.map(|(&id, _)| id).collect::<Vec<_>>() {
            if let Some(session) = self.sessions.get_mut(id) {
                session.end(Status::deadline_exceeded("nothing was heard of this worker"));
                let n_leases = session.held.len() as u64;
                self.settings.meters.jobs.leases_expired(LeaseLevel::Worker, n_leases);
            }
            self.leave(now, id, SessionEnd::Silent, errands);
        }
        for (run, job, copy) in self.hanging(now) {
            self.drop_copy(now, copy.session, run, job);
            let Some(session) = self.sessions.get_mut(copy.session) else { continue };
            session.cancel(&[(run, job)]);
            let (worker, name) = (session.worker, session.name.clone());
            let stall = self.runs.get(&run).map(|run| run.open.stall).unwrap_or_default();
            let message = format!("no progress for {} s on worker {name}", stall.as_secs());
            self.note(run, job, AttemptKind::Timeout, (worker, &name), (message, None), errands);
        }
        let ids: Vec<_> = self.runs.keys().copied().collect();
        for id in ids {
            self.give_back(now, id, errands);
        }
    }

    /// The copies of jobs that make no progress.
    fn hanging(&self, now: Instant) -> Vec<(RunId, JobId, Execution)> {
        let mut hanging = Vec::new();
        for (&id, run) in &self.runs {
            for (&job, leased) in &run.jobs {
                let late = leased.copies.iter().filter(|copy| {
                    let last = copy.progress.map_or(copy.since, |(_, at)| at);
                    run.open.stall <= now - last
                });
                hanging.extend(late.map(|&copy| (id, job, copy)));
            }
        }
        hanging
    }

    /// Gives back what has waited here for too long; and stores what waits for a second opinion
    /// that nobody can give any more.
    fn give_back(&mut self, now: Instant, id: RunId, errands: &mut Vec<Errand>) {
        let draining = self.draining.is_some();
        let Some(run) = self.runs.get_mut(&id) else { return };
        let (mut back, mut alone) = (Vec::new(), Vec::new());
        for &job in &run.idle {
            let Some(leased) = run.jobs.get(&job) else { continue };
            match &leased.stage {
                Stage::Audit(answers) if !answers.is_empty() => {
                    let late = AUDIT_PATIENCE <= now - leased.idle_since;
                    alone.push((job, if late { Opinion::Enough } else { Opinion::Wanted }));
                }
                Stage::Audit(_) | Stage::Compute => {
                    let due = leased.not_before.is_none_or(|at| at <= now);
                    if draining || (due && IDLE_RELEASE <= now - leased.idle_since) {
                        back.push(job);
                    }
                }
                _ => {}
            }
        }
        for job in &back {
            run.remove(*job);
        }
        if !back.is_empty() {
            errands.push(Errand::Release { run: id, jobs: back });
        }
        for (job, opinion) in alone {
            self.compare(id, job, opinion, errands);
        }
    }

    /// Forgets jobs whose lease is gone.
    pub(super) fn lost(
        &mut self,
        now: Instant,
        id: RunId,
        lost: Result<Vec<JobId>, StoreError>,
        errands: &mut Vec<Errand>,
    ) {
        // Leases that could not be renewed are renewed in a moment, or lost then.
        let Ok(lost) = lost else { return };
        let mut n_expired = 0;
        for job in lost {
            let leased = self.forget(now, id, job, errands);
            // What is being stored may be resolved: then it needs no lease.
            n_expired += u64::from(leased.is_some_and(|l| !matches!(l.stage, Stage::Storing)));
        }
        self.settings.meters.jobs.leases_expired(LeaseLevel::Coordinator, n_expired);
    }

    /// Gives a new session the jobs that its worker is at already.
    pub(super) fn take_up(
        &mut self,
        now: Instant,
        id: SessionId,
        held: Vec<((RunId, JobId), Vec<u8>)>,
        errands: &mut Vec<Errand>,
    ) {
        let Some(session) = self.sessions.get_mut(id) else { return };
        let (mut unwanted, mut ours) = (Vec::new(), BTreeMap::new());
        for ((run, job), ticket) in held {
            let leased = self.runs.get(&run).map(|open| open.jobs.get(&job));
            let (tickets, worker) = (&self.settings.tickets, session.worker);
            match leased {
                Some(None) if tickets.is_for(&ticket, run, job, worker) => {
                    ours.insert((run, job), ticket);
                }
                Some(Some(leased))
                    if leased.is_wanted(now)
                        && tickets.check(&ticket, run, job, worker, &leased.bytes) =>
                {
                    ours.insert((run, job), ticket);
                }
                _ => unwanted.push((run, job)),
            }
        }
        session.cancel(&unwanted);
        let worker = session.worker;
        for ((run, job), ticket) in ours {
            let Some(open) = self.runs.get_mut(&run) else { continue };
            let copy = Execution { session: id, worker, since: now, progress: None };
            session.held.insert((run, job));
            if open.change(job, |leased| leased.copies.push(copy)).is_none() {
                errands.push(Errand::Adopt { run, session: id, job, ticket });
            }
        }
    }

    /// Takes in what the store says of a job that a worker is at already.
    pub(super) fn adopted(
        &mut self,
        now: Instant,
        id: RunId,
        (session, job, ticket): (SessionId, JobId, Vec<u8>),
        adopted: Result<Option<Vec<u8>>, StoreError>,
        errands: &mut Vec<Errand>,
    ) {
        let adopted = adopted.ok().flatten();
        let is_ours = adopted.is_some();
        self.admit(now, id, adopted.map(|bytes| (job, bytes)).into_iter().collect(), errands);
        let Some(held) = self.sessions.get_mut(session) else { return };
        if !held.held.contains(&(id, job)) {
            // It has brought its result meanwhile, or given the job back.
            return;
        }
        let leased = self.runs.get(&id).and_then(|run| run.jobs.get(&job)).filter(|_| is_ours);
        let tickets = &self.settings.tickets;
        let is_valid = leased.is_some_and(|leased| {
            leased.is_wanted(now) && tickets.check(&ticket, id, job, held.worker, &leased.bytes)
        });
        if !is_valid {
            return held.cancel(&[(id, job)]);
        }
        let copy = Execution { session, worker: held.worker, since: now, progress: None };
        if let Some(run) = self.runs.get_mut(&id) {
            run.change(job, |leased| leased.copies.push(copy));
        }
    }

    /// Shuts a worker out: it loses its session, and what it said is not used.
    pub(super) fn shut_out(
        &mut self,
        now: Instant,
        worker: u128,
        reason: &str,
        errands: &mut Vec<Errand>,
    ) {
        if self.quarantined.insert(worker, reason.to_owned()).is_some() {
            return;
        }
        tracing::error!(worker = format!("{worker:032x}"), reason, "worker shut out");
        for run in self.runs.values_mut() {
            for leased in run.jobs.values_mut() {
                if let Stage::Audit(answers) = &mut leased.stage {
                    answers.retain(|answer| answer.result.worker != worker);
                }
            }
            let gone;
            (gone, run.unstored) = std::mem::take(&mut run.unstored)
                .into_iter()
                .partition(|(_, answer)| answer.result.worker == worker);
            for (job, _) in gone {
                if run.unstored.iter().all(|(other, _)| *other != job) {
                    run.change(job, |leased| {
                        (leased.stage, leased.idle_since) = (Stage::Compute, now);
                    });
                }
            }
        }
        if let Some(id) = self.sessions.of_worker(worker) {
            if let Some(session) = self.sessions.get_mut(id) {
                session.end(shut_out(reason));
            }
            self.leave(now, id, SessionEnd::ShutOut, errands);
        }
    }
}

impl Patience {
    /// Whether a job with these attempts is given up, while `n_able` workers could have it.
    fn is_over(self, attempts: &[Attempt], n_able: usize) -> bool {
        let n = |kind: AttemptKind| attempts.iter().filter(|a| a.kind() == kind).count() as u64;
        let workers: BTreeSet<_> = attempts.iter().map(|attempt| &attempt.worker).collect();
        let enough_workers = workers.len() >= (self.workers as usize).min(n_able.max(1));
        enough_workers
            && (u64::from(self.errors) <= n(AttemptKind::Error)
                || u64::from(self.lost) <= n(AttemptKind::Lost)
                || u64::from(self.timeouts) <= n(AttemptKind::Timeout))
    }
}

/// How long a job waits after these attempts.
fn wait(attempts: &[Attempt]) -> Duration {
    let n_lost = attempts.iter().filter(|a| a.kind() == AttemptKind::Lost).count();
    if n_lost == attempts.len() && n_lost <= LOSSES_BY_CHANCE {
        return Duration::ZERO;
    }
    BACKOFF[(attempts.len() - 1).min(BACKOFF.len() - 1)]
}

/// Has the job computed again after `wait`, unless an answer came while an attempt was noted.
fn again(leased: &mut Leased, now: Instant, wait: Duration) {
    if !matches!(leased.stage, Stage::Noting) {
        return;
    }
    leased.stage = Stage::Compute;
    leased.not_before = Some(now + wait);
    leased.idle_since = now + wait;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempt(kind: AttemptKind, worker: u8) -> Attempt {
        Attempt { kind: kind.into(), worker: vec![worker; 16], ..Attempt::default() }
    }

    #[test]
    fn patience_counts_each_kind_and_wants_two_workers() {
        let patience = Patience::default();
        let errors = |workers: &[u8]| -> Vec<_> {
            workers.iter().map(|&worker| attempt(AttemptKind::Error, worker)).collect()
        };
        assert!(!patience.is_over(&errors(&[1, 2]), 2));
        assert!(!patience.is_over(&errors(&[1, 1, 1, 1]), 2), "one worker may be broken");
        assert!(patience.is_over(&errors(&[1, 1, 1]), 1), "unless there is no other");
        assert!(patience.is_over(&errors(&[1, 2, 1]), 2));
        let mixed = [errors(&[1, 2]), vec![attempt(AttemptKind::Timeout, 3)]].concat();
        assert!(!patience.is_over(&mixed, 3));
        let lost: Vec<_> = (0..7).map(|worker| attempt(AttemptKind::Lost, worker)).collect();
        assert!(!patience.is_over(&lost, 3));
        assert!(patience.is_over(&[lost, vec![attempt(AttemptKind::Lost, 1)]].concat(), 3));
    }

    #[test]
    fn losses_are_taken_for_chance_at_first_and_errors_are_not() {
        let lost = attempt(AttemptKind::Lost, 1);
        assert_eq!(wait(&vec![lost.clone(); 3]), Duration::ZERO);
        assert_eq!(wait(&vec![lost; 4]), BACKOFF[2]);
        let error = attempt(AttemptKind::Error, 1);
        assert_eq!(wait(std::slice::from_ref(&error)), BACKOFF[0]);
        assert_eq!(wait(&[error.clone(), error]), BACKOFF[1]);
    }
}
