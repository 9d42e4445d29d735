//! Failures: lost workers, trials that panic or hang, and lost leases.

use std::collections::BTreeMap;
use std::time::Duration;

use hatchery_meters::labels::{LeaseLevel, SessionEnd};
use hatchery_store::{
    JobId, JobKey, LeasedJob, RunId, SessionId, StoreError, StoreVerdict, WorkerId,
};
use tokio::time::Instant;
use tonic::Status;

use super::meter::reason;
use super::{Dispatcher, SILENCE};
use crate::dispatch::audits::AuditWait;
use crate::dispatch::effect::{ArbitrationError, DispatchEffect, NotedJob, StepContext};
use crate::dispatch::job::{JobAnswer, JobExecution, JobStage, NO_SESSION};
use crate::dispatch::message::LeaderNotice;
use crate::dispatch::runs::retry::{KnownWorkers, backoff};
use crate::dispatch::workers::health::{FailureKind, WorkerSanction};
use crate::dispatch::workers::held_jobs::SlotUse;
use crate::run::machine::RunFailure;
use crate::run::record::{AttemptKind, FailedAttempt};

/// The time that a job waits here for a worker before it is released to other coordinators.
const IDLE_RELEASE: Duration = Duration::from_secs(1);

/// The time from which on a worker that gives a job back may be unable to do the job. Workers also
/// give back jobs for which they have no room, at once.
const UNABLE_AFTER: Duration = Duration::from_secs(10);

/// The least time that an answer waits for a second opinion before the coordinator computes it.
const AUDIT_TIMEOUT: Duration = Duration::from_secs(10);

/// The delay before a failed attempt is recorded again, if the store did not take it.
const NOTE_AGAIN: Duration = Duration::from_secs(1);

/// The longest message of a failed attempt.
const MAX_MESSAGE_BYTES: usize = 4096;

impl Dispatcher {
    /// Takes back the jobs that a worker gives back. Other workers come first now for a job that
    /// the worker has held for long, such as a job whose result its line could not carry.
    pub(super) fn returned(&mut self, now: Instant, id: SessionId, jobs: &[JobKey]) {
        let Some(session) = self.sessions.get_mut(id) else { return };
        session.note_release(now);
        // A worker that leaves says nothing about its jobs.
        let worker = (!session.is_draining()).then(|| session.worker());
        for &key in jobs {
            let dropped = self.drop_execution(now, id, key);
            let is_old = dropped.is_some_and(|it| UNABLE_AFTER <= now - it.since());
            if let Some(worker) = worker.filter(|_| is_old) {
                self.health.record_returned(now, key, worker);
            }
        }
    }

    /// Records an attempt that ended in an error.
    pub(super) fn note_error(
        &mut self,
        ctx: &mut StepContext,
        (id, key): (SessionId, JobKey),
        failure_kind: FailureKind,
        failure: RunFailure,
    ) {
        let Some(session) = self.sessions.get(id) else { return };
        let (worker, name) = (session.worker(), session.name().to_owned());
        let RunFailure { message, trial } = failure;
        let JobKey { run, job } = key;
        tracing::warn!(
            worker = name, %run, generation = job.generation, job = job.index, message,
            "job failed"
        );
        let kind = (AttemptKind::Error, failure_kind);
        self.note(ctx, key, kind, (worker, &name), (message, trial));
    }

    /// Records an attempt whose worker was lost.
    pub(super) fn note_loss(
        &mut self,
        ctx: &mut StepContext,
        key: JobKey,
        (worker, name): (WorkerId, &str),
    ) {
        let message = format!("worker {name} was lost while it computed this job");
        let kind = (AttemptKind::Lost, FailureKind::Lost);
        self.note(ctx, key, kind, (worker, name), (message, None));
    }

    /// Records the attempts of workers whose answers the coordinator could not confirm, because it
    /// cannot compute the job itself.
    pub(super) fn note_unconfirmed(
        &mut self,
        ctx: &mut StepContext,
        key: JobKey,
        answers: &[JobAnswer],
        (kind, error): (AttemptKind, &ArbitrationError),
    ) {
        for JobAnswer { name, result, .. } in answers {
            let message = format!(
                "worker {name} answered this job, but the coordinator cannot confirm the answer: \
                 {error}"
            );
            let kind = (kind, FailureKind::Unconfirmed);
            self.note(ctx, key, kind, (result.worker, name), (message, None));
        }
    }

    fn note(
        &mut self,
        ctx: &mut StepContext,
        key: JobKey,
        (kind, failure_kind): (AttemptKind, FailureKind),
        (worker, name): (WorkerId, &str),
        (message, trial): (String, Option<String>),
    ) {
        let Some(run) = self.runs.get_mut(&key.run) else { return };
        let is_answered = self.audits.is_answered(key);
        let noting = run.change(key.job, |leased| {
            // Others may still compute it, or have answered: then it is not dead.
            if !is_answered {
                leased.begin_noting();
            }
        });
        if noting.is_none() {
            return;
        }
        self.health.record_failure(ctx.now, &run.open().experiment, key, worker, failure_kind);
        self.settings.meters.jobs.count_failed_attempt(&run.open().experiment, reason(kind));
        self.last_attempt = self.last_attempt.next();
        let end = message.floor_char_boundary(MAX_MESSAGE_BYTES);
        let attempt = FailedAttempt {
            kind: kind.into(),
            worker: worker.to_bytes().to_vec(),
            name: name.to_owned(),
            message: message[..end].to_owned(),
            trial: trial.unwrap_or_default(),
            // Set when it is written: nothing here reads a clock.
            unix_ms: 0,
            too_large: failure_kind == FailureKind::TooLarge,
        };
        self.health.keep_attempt(ctx.now, key, self.last_attempt, attempt.clone());
        ctx.push(DispatchEffect::Note { key, id: self.last_attempt, attempt });
    }

    /// Decides whether a failed attempt makes its job dead.
    pub(super) fn noted(
        &mut self,
        ctx: &mut StepContext,
        key: JobKey,
        noted: Result<NotedJob, StoreError>,
    ) {
        let Some(run) = self.runs.get_mut(&key.run) else { return };
        let stage = self.settings.stage(key);
        let attempts = match noted {
            Ok(NotedJob::Completed(worker)) => {
                self.completed_by(ctx, key, Some(worker));
                return drop(self.forget(ctx, key));
            }
            Ok(NotedJob::Dropped) => {
                // It may have been the job's fault: nobody is blamed.
                self.health.remove_job(key);
                return drop(self.forget(ctx, key));
            }
            Ok(NotedJob::Unresolved(attempts)) => attempts,
            Err(error) => {
                run.change(key.job, |leased| leased.retry(stage, ctx.now, NOTE_AGAIN));
                return run.notify(LeaderNotice::StoreFailed(error));
            }
        };
        let Some(leased) = run.job(key.job) else { return };
        if !leased.executions().is_empty() || !matches!(leased.stage(), JobStage::Noting) {
            return;
        }
        if self.is_dead(ctx.now, key, &attempts) {
            return ctx.push(DispatchEffect::DeclareDead { key });
        }
        for attempt in &attempts {
            if let Some(worker) = WorkerId::from_bytes(&attempt.worker) {
                self.health.record_tried(key, worker);
            }
        }
        let Some(open) = self.runs.get(&key.run).map(|run| run.open()) else { return };
        if self.eligibility(ctx.now).is_for_others(open, key) {
            return self.release_to_others(ctx, key);
        }
        let has_untried = self.eligibility(ctx.now).has_untried(open, key);
        let wait = if has_untried { Duration::ZERO } else { backoff(&attempts) };
        if let Some(run) = self.runs.get_mut(&key.run) {
            run.change(key.job, |leased| leased.retry(stage, ctx.now, wait));
        }
    }

    /// Releases a job that other coordinators' workers have not tried yet, and yields it to these
    /// coordinators.
    fn release_to_others(&mut self, ctx: &mut StepContext, JobKey { run: id, job }: JobKey) {
        let Some(run) = self.runs.get_mut(&id) else { return };
        run.remove(job);
        run.yield_to_others(ctx.now);
        ctx.push(DispatchEffect::Release { run: id, jobs: vec![job] });
    }

    /// Returns whether a job with these failed attempts is dead.
    fn is_dead(&self, now: Instant, key: JobKey, attempts: &[FailedAttempt]) -> bool {
        let Some(open) = self.runs.get(&key.run).map(|run| run.open()) else { return false };
        let policy = self.settings.retry_policy;
        let first_loss = self.health.nth_last_failure(key, policy.lost as usize).unwrap_or(now);
        let label = open.label();
        let workers = |since: Instant| {
            let own = self.settings.consumer;
            let elsewhere = self.peers.workers_elsewhere(own, &label);
            let elsewhere = elsewhere.filter(|&(_, seen)| seen <= since).map(|(worker, _)| worker);
            let here = self.eligibility(now).workers(open, now - since);
            here.into_iter().chain(elsewhere).collect()
        };
        let known = KnownWorkers { now: workers(now), since_first_loss: workers(first_loss) };
        let is_evidence = |worker, attempt: &_| self.health.is_evidence(key, worker, attempt);
        policy.is_over(attempts, &known, is_evidence)
    }

    /// Records the completions of stored answers.
    pub(super) fn credit(
        &mut self,
        ctx: &mut StepContext,
        run: RunId,
        answers: &[(JobId, JobAnswer)],
        verdicts: &[StoreVerdict],
    ) {
        for (&(job, ref answer), verdict) in answers.iter().zip(verdicts) {
            if matches!(verdict, StoreVerdict::Accepted | StoreVerdict::Duplicate) {
                let worker = Some(answer.result.worker).filter(|_| answer.session != NO_SESSION);
                self.completed_by(ctx, JobKey { run, job }, worker);
            }
        }
    }

    /// Records that a job is completed, by the coordinator if `worker` is `None`, and acts on
    /// workers that had failed the job.
    fn completed_by(&mut self, ctx: &mut StepContext, key: JobKey, worker: Option<WorkerId>) {
        let Some(run) = self.runs.get(&key.run) else { return };
        let experiment = &run.open().experiment;
        let sanctions = self.health.record_completion(ctx.now, experiment, key, worker);
        for sanction in sanctions {
            match sanction {
                WorkerSanction::Pause { worker, pause } => {
                    let experiment = self.runs.get(&key.run).map(|run| &run.open().experiment);
                    let session = self.sessions.of_worker(worker);
                    let name = session.and_then(|id| Some(self.sessions.get(id)?.name()));
                    tracing::warn!(
                        worker = name.unwrap_or_default(), id = %worker, experiment,
                        pause_s = pause.as_secs(),
                        "worker paused: it fails jobs that others complete"
                    );
                    self.settings.meters.sessions.count_pause();
                }
                WorkerSanction::Quarantine { worker, n_malformed } => {
                    let reason = format!(
                        "{n_malformed} of its results were malformed, for jobs that others \
                         completed"
                    );
                    self.begin_quarantine(ctx, worker, &reason);
                }
            }
        }
    }

    /// Removes a job that is dead.
    pub(super) fn declared_dead(
        &mut self,
        ctx: &mut StepContext,
        key: JobKey,
        declared_dead: Result<(), StoreError>,
    ) {
        let JobKey { run: id, job } = key;
        let Some(run) = self.runs.get_mut(&id) else { return };
        match declared_dead {
            Ok(()) => {
                tracing::warn!(
                    run = %id, generation = job.generation, job = job.index,
                    "job is dead after repeated failures"
                );
                self.health.remove_job(key);
                self.forget(ctx, key);
                self.results_available(id);
            }
            Err(error) => {
                let stage = self.settings.stage(key);
                run.change(job, |leased| leased.retry(stage, ctx.now, NOTE_AGAIN));
                run.notify(LeaderNotice::StoreFailed(error));
            }
        }
    }

    /// Checks all timeouts.
    pub(super) fn expire(&mut self, ctx: &mut StepContext) {
        let awaiting = self.audits.awaiting_verdicts();
        for session in self.sessions.iter_mut() {
            session.note_availability(ctx.now, awaiting.contains(&session.id()));
        }
        let silent = self.sessions.iter().filter(|(_, s)| SILENCE <= ctx.now - s.last_message_at());
        for id in silent.map(|(id, _)| id).collect::<Vec<_>>() {
            if let Some(session) = self.sessions.get_mut(id) {
                session.end(Status::deadline_exceeded("no message from this worker for 10 s"));
                let n_leases = session.held().len() as u64;
                self.settings.meters.jobs.count_expired_leases(LeaseLevel::Worker, n_leases);
            }
            self.leave(ctx, id, SessionEnd::Silent);
        }
        self.expire_self_tests(ctx.now);
        for (key, execution) in self.hanging(ctx.now) {
            self.drop_execution(ctx.now, execution.session(), key);
            let Some(session) = self.sessions.get_mut(execution.session()) else { continue };
            session.cancel(&[key]);
            let (worker, name) = (session.worker(), session.name().to_owned());
            let stall = self.runs.get(&key.run).map(|run| run.open().stall).unwrap_or_default();
            let message = format!("no progress for {} s on worker {name}", stall.as_secs());
            let kind = (AttemptKind::Timeout, FailureKind::NoResult);
            self.note(ctx, key, kind, (worker, &name), (message, None));
        }
        let is_here = |key: JobKey| self.runs.get(&key.run).is_some_and(|run| run.has_job(key.job));
        let elsewhere = self.health.attempts_elsewhere(ctx.now, is_here).into_iter();
        ctx.effects.extend(elsewhere.map(|(key, id, attempt)| DispatchEffect::Note {
            key,
            id,
            attempt,
        }));
        self.health.prune(ctx.now, |worker| self.sessions.of_worker(worker).is_some());
        let ids: Vec<_> = self.runs.keys().copied().collect();
        for id in ids {
            self.give_back(ctx, id);
        }
    }

    /// Returns the executions that make no progress. Jobs that wait for a slot of their worker do
    /// not hang while other jobs there make progress.
    fn hanging(&self, now: Instant) -> Vec<(JobKey, JobExecution)> {
        let mut hanging = Vec::new();
        let last_of_others = |execution: &JobExecution| {
            let (session, since) = (self.sessions.get(execution.session()), execution.since());
            session.map_or(since, |it| it.last_progress_at().max(since))
        };
        for (&id, run) in &self.runs {
            for (job, leased) in run.jobs() {
                let late = leased.executions().iter().filter(|execution| {
                    let last = execution.last_progress_at();
                    run.open().stall <= now - last.unwrap_or_else(|| last_of_others(execution))
                });
                hanging.extend(late.map(|&execution| (JobKey { run: id, job }, execution)));
            }
        }
        hanging
    }

    /// Releases jobs that have waited too long. Compares answers again that wait for a second
    /// opinion, because other workers may be able to give one now.
    fn give_back(&mut self, ctx: &mut StepContext, id: RunId) {
        let Some(run) = self.runs.get(&id) else { return };
        let (mut back, mut audits) = (Vec::new(), Vec::new());
        for job in run.idle() {
            let Some(leased) = run.job(job) else { continue };
            let key = JobKey { run: id, job };
            if self.audits.is_answered(key) {
                audits.push((key, AuditWait::Usual));
                continue;
            }
            if self.draining.is_some() || leased.has_waited(ctx.now, IDLE_RELEASE) {
                back.push(job);
            }
        }
        let is_overdue = |key: &JobKey, waited: Duration| {
            run.late(run.class(key.job)).is_some_and(|late| AUDIT_TIMEOUT.max(late * 2) <= waited)
        };
        let late = self.audits.waiting(ctx.now, id).into_iter();
        let late = late.filter(|(key, waited)| is_overdue(key, *waited));
        audits.extend(late.map(|(key, _)| (key, AuditWait::Overdue)));
        let eligibility = self.eligibility(ctx.now);
        let is_for_others =
            back.iter().any(|&job| eligibility.is_for_others(run.open(), JobKey { run: id, job }));
        if let Some(run) = self.runs.get_mut(&id)
            && !back.is_empty()
        {
            if is_for_others {
                run.yield_to_others(ctx.now);
            }
            back.iter().for_each(|&job| _ = run.remove(job));
            ctx.push(DispatchEffect::Release { run: id, jobs: back });
        }
        for (key, wait) in audits {
            self.compare(ctx, key, wait);
        }
    }

    /// Removes jobs whose lease is lost.
    pub(super) fn lost(
        &mut self,
        ctx: &mut StepContext,
        id: RunId,
        lost: Result<Vec<JobId>, StoreError>,
    ) {
        // Leases that could not be renewed are renewed at the next try, or lost then.
        let Ok(lost) = lost else { return };
        let mut n_expired = 0;
        for job in lost {
            let leased = self.forget(ctx, JobKey { run: id, job });
            // A job that is being stored may be resolved: then it needs no lease.
            n_expired += u64::from(leased.is_some_and(|l| !matches!(l.stage(), JobStage::Storing)));
        }
        self.settings.meters.jobs.count_expired_leases(LeaseLevel::Coordinator, n_expired);
    }

    /// Takes over the jobs that the worker of a new session already computes.
    pub(super) fn take_up(
        &mut self,
        ctx: &mut StepContext,
        id: SessionId,
        held: Vec<(JobKey, Vec<u8>)>,
    ) {
        let Some(session) = self.sessions.get_mut(id) else { return };
        let (mut unwanted, mut ours) = (Vec::new(), BTreeMap::new());
        for (key, ticket) in held {
            let leased = self.runs.get(&key.run).map(|run| run.job(key.job));
            let (tickets, worker) = (&self.settings.tickets, session.worker());
            match leased {
                Some(None) if tickets.is_for(&ticket, key, worker) => {
                    ours.insert(key, ticket);
                }
                Some(Some(leased))
                    if leased.is_wanted(ctx.now)
                        && tickets.check(&ticket, key, worker, leased.bytes()) =>
                {
                    ours.insert(key, ticket);
                }
                _ => unwanted.push(key),
            }
        }
        session.cancel(&unwanted);
        let worker = session.worker();
        for (key, ticket) in ours {
            let Some(run) = self.runs.get_mut(&key.run) else { continue };
            let execution = JobExecution::new(id, worker, ctx.now);
            let class = run.class(key.job);
            session.hold(key, class, SlotUse::Another);
            if run.change(key.job, |leased| leased.take_up(execution)).is_none() {
                ctx.push(DispatchEffect::Adopt { key, session: id, ticket });
            }
        }
    }

    /// Handles the reply about a job that a worker already computes.
    pub(super) fn adopted(
        &mut self,
        ctx: &mut StepContext,
        key: JobKey,
        (session, ticket): (SessionId, Vec<u8>),
        adopted: Result<Option<Vec<u8>>, StoreError>,
    ) {
        let adopted = adopted.ok().flatten();
        let is_ours = adopted.is_some();
        let adopted = adopted.map(|bytes| LeasedJob { id: key.job, bytes });
        self.admit(ctx, key.run, adopted.into_iter().collect());
        let Some(held) = self.sessions.get_mut(session) else { return };
        if !held.held().contains(key) {
            // It has reported its result meanwhile, or returned the job.
            return;
        }
        let run = self.runs.get(&key.run).filter(|_| is_ours);
        let leased = run.and_then(|run| run.job(key.job));
        let tickets = &self.settings.tickets;
        let is_valid = leased.is_some_and(|leased| {
            leased.is_wanted(ctx.now) && tickets.check(&ticket, key, held.worker(), leased.bytes())
        });
        if !is_valid {
            return held.cancel(&[key]);
        }
        let execution = JobExecution::new(session, held.worker(), ctx.now);
        if let Some(run) = self.runs.get_mut(&key.run) {
            let class = run.change(key.job, |leased| {
                leased.take_up(execution);
                leased.class()
            });
            held.hold(key, class.unwrap_or_default(), SlotUse::Another);
        }
    }
}
