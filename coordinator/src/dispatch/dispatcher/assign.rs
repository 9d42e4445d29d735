//! Assigns jobs to workers: waiting jobs in turns, then fresh jobs from the store, then backup
//! copies of late jobs. `fair` decides whose turn it is.

use std::collections::{BTreeMap, VecDeque};

use hatchery_proto::MAX_BATCH_ITEMS;
use hatchery_store::{JobId, JobKey, LeasedJob, RunId, SessionId, StoreError};
use tokio::time::Instant;

use super::{DispatchSettings, Dispatcher};
use crate::dispatch::effect::{DispatchEffect, StepContext};
use crate::dispatch::eligibility::{SessionRanking, WorkerEligibility};
use crate::dispatch::job::{JobExecution, TrackedJob};
use crate::dispatch::message::LeaderNotice;
use crate::dispatch::runs::DispatchedRun;
use crate::dispatch::runs::fair;
use crate::dispatch::workers::session::{QueuedAssignment, WorkerSession};
use crate::dispatch::workers::session_table::SessionTable;
use crate::dispatch::workers::slot_limit::SlotLimit;

/// The share of slots that may work on backup copies: one in ten, and at least one.
const BACKUP_SHARE: u32 = 10;

/// The assignments to send, by session.
type QueuedAssignments = BTreeMap<SessionId, Vec<QueuedAssignment>>;

impl Dispatcher {
    /// Assigns available jobs to workers with credits.
    pub(super) fn assign(&mut self, ctx: &mut StepContext) {
        if self.draining.is_some() {
            let enqueue_requests =
                self.runs.values_mut().flat_map(DispatchedRun::take_enqueue_requests);
            return ctx.effects.extend(
                enqueue_requests.map(|request| DispatchEffect::Enqueue { request, most: 0 }),
            );
        }
        if self.runs.is_empty() {
            return;
        }
        let mut assignments = QueuedAssignments::new();
        self.limit_slots(ctx.now);
        let most: Vec<_> = self.runs.iter().map(|(&id, run)| (id, run.most_jobs())).collect();
        self.assign_waiting(ctx.now, &most, &mut assignments);
        self.lease(ctx, &most);
        self.back_up(ctx.now, &most, &mut assignments);
        for (id, assignments) in assignments {
            if let Some(session) = self.sessions.get_mut(id) {
                session.assign(assignments);
            }
        }
    }

    /// Updates the limits of runs on the slots of this coordinator's workers: a limit is divided
    /// among the coordinators in proportion to their slots for the run.
    fn limit_slots(&mut self, now: Instant) {
        for (&id, run) in &mut self.runs {
            let Some(limit) = run.open().scheduling.most_slots else { continue };
            let mut claims = self.peers.slot_claims(id, &run.open().label());
            claims.entry(self.settings.consumer).or_default().yields |= run.yields_slots(now);
            let most = fair::part(limit.get() as usize, self.settings.consumer, &claims);
            let used = self.sessions.slots_of(id, &run.sessions());
            run.limit_slots(SlotLimit::new(most, used));
        }
    }

    /// Assigns waiting jobs, run by run in turns.
    fn assign_waiting(
        &mut self,
        now: Instant,
        most: &[(RunId, usize)],
        assignments: &mut QueuedAssignments,
    ) {
        if self.sessions.iter().all(|(_, session)| !session.has_credits()) {
            return;
        }
        let wanted = |run: &DispatchedRun| {
            let is_wanted = |job: &JobId| run.job(*job).is_some_and(|job| job.is_wanted(now));
            run.idle().filter(is_wanted).collect()
        };
        let mut waiting: Vec<VecDeque<JobId>> = self.runs.values().map(wanted).collect();
        let claims = self.runs.values().zip(&waiting).zip(most);
        let claims = claims.map(|((run, waiting), &(_, most))| {
            run.claim(most.min(run.n_executions().saturating_add(waiting.len())))
        });
        let claims: Vec<_> = claims.collect();
        let mut rankings: Vec<_> = claims.iter().map(|_| SessionRanking::default()).collect();
        let mut queue = self.scheduler.queue(self.sessions.n_places(), &claims);
        while let Some(idx) = queue.next() {
            let id = most[idx].0;
            let Some(run) = self.runs.get_mut(&id) else { return };
            let Self { sessions, audits, health, peers, .. } = self;
            let own = self.settings.consumer;
            let eligibility = WorkerEligibility { now, sessions, audits, health, peers, own };
            let next = next_job(eligibility, run, &mut waiting[idx], &mut rankings[idx]);
            let Some((key, to)) = next else {
                queue.withdraw(idx);
                continue;
            };
            let assignment = self.settings.assign_job(sessions, run, key, to, now);
            assignments.entry(to).or_default().extend(assignment);
            run.note_turn(queue.give(idx));
        }
    }

    /// Leases fresh jobs of runs that hold fewer jobs than their share, so that every run has jobs
    /// at its turn.
    fn lease(&mut self, ctx: &mut StepContext, most: &[(RunId, usize)]) {
        let eligibility = self.eligibility(ctx.now);
        let claims = self.runs.values().zip(most).map(|(run, &(_, most))| {
            let ready = run.is_leasing() || run.may_lease(ctx.now);
            let able = if ready { eligibility.places(run) } else { 0 };
            run.claim(most.min(able.max(run.n_open())))
        });
        let claims: Vec<_> = claims.collect();
        let shares = fair::shares(self.sessions.n_places(), &claims);
        for ((&id, run), share) in self.runs.iter_mut().zip(shares) {
            let wanted = share.saturating_sub(run.n_open());
            let mut most = 0;
            if wanted != 0 && run.may_lease(ctx.now) {
                run.begin_lease();
                most = wanted.min(MAX_BATCH_ITEMS);
            }
            let enqueue_requests = run.take_enqueue_requests();
            if enqueue_requests.is_empty() && most != 0 {
                ctx.push(DispatchEffect::Lease { run: id, most });
            }
            for request in enqueue_requests {
                ctx.push(DispatchEffect::Enqueue { request, most: std::mem::take(&mut most) });
            }
        }
    }

    /// Handles that jobs from `first` on were enqueued and that some jobs were leased; returns the
    /// reply to their leader.
    pub(super) fn enqueued(
        &mut self,
        ctx: &mut StepContext,
        (first, n_jobs): (JobKey, u64),
        most: usize,
        leased: Result<Vec<LeasedJob>, StoreError>,
    ) -> Result<(), StoreError> {
        match (leased, self.runs.get_mut(&first.run)) {
            (Err(error), run) => {
                if let Some(run) = run.filter(|_| most != 0) {
                    run.fail_lease(ctx.now);
                }
                return Err(error);
            }
            (Ok(leased), None) => self.admit(ctx, first.run, leased),
            (Ok(leased), Some(run)) => {
                run.begin_wait(ctx.now, first.job, n_jobs);
                match most {
                    0 => run.ready(ctx.now),
                    most => self.leased(ctx, first.run, most, Ok(leased)),
                }
            }
        }
        Ok(())
    }

    /// Assigns backup copies of late jobs, if their run has no other job to assign.
    fn back_up(
        &mut self,
        now: Instant,
        most: &[(RunId, usize)],
        assignments: &mut QueuedAssignments,
    ) {
        for ((&id, run), &(_, most)) in self.runs.iter_mut().zip(most) {
            if run.idle().len() != 0 || run.is_leasing() {
                continue;
            }
            let Self { sessions, audits, health, peers, .. } = self;
            let own = self.settings.consumer;
            let room = most.saturating_sub(run.n_executions());
            let eligibility = WorkerEligibility { now, sessions, audits, health, peers, own };
            for (key, to) in backups(eligibility, id, run).into_iter().take(room) {
                let assignment = self.settings.assign_job(sessions, run, key, to, now);
                assignments.entry(to).or_default().extend(assignment);
            }
        }
    }

    /// Handles the reply to a lease request.
    pub(super) fn leased(
        &mut self,
        ctx: &mut StepContext,
        id: RunId,
        most: usize,
        leased: Result<Vec<LeasedJob>, StoreError>,
    ) {
        let Some(run) = self.runs.get_mut(&id) else {
            return self.admit(ctx, id, leased.unwrap_or_default());
        };
        match leased {
            Ok(jobs) => {
                run.end_lease(ctx.now, most, jobs.len());
                self.admit(ctx, id, jobs);
            }
            Err(StoreError::NoRun { .. }) => run.fail_lease(ctx.now),
            Err(error) => {
                run.fail_lease(ctx.now);
                run.notify(LeaderNotice::StoreFailed(error));
            }
        }
    }

    /// Adds jobs that the store has leased to this coordinator. A job that is already known had
    /// lost its lease meanwhile: its progress still counts.
    pub(super) fn admit(&mut self, ctx: &mut StepContext, id: RunId, jobs: Vec<LeasedJob>) {
        if !self.runs.contains_key(&id) {
            let jobs: Vec<_> = jobs.into_iter().map(|job| job.id).collect();
            if !jobs.is_empty() {
                ctx.push(DispatchEffect::Release { run: id, jobs });
            }
            return;
        }
        for LeasedJob { id: job, bytes } in jobs {
            let key = JobKey { run: id, job };
            let known = self.runs.get(&id).and_then(|run| run.job(job));
            if known.is_some_and(|known| known.bytes() == bytes) {
                continue;
            }
            // From an earlier cut.
            self.forget(ctx, key);
            let stage = self.settings.stage(key);
            if let Some(run) = self.runs.get_mut(&id)
                && let Some(leased) = TrackedJob::new(bytes, ctx.now, stage)
            {
                run.insert(job, leased);
            }
        }
    }
}

impl DispatchSettings {
    /// Records the execution and returns the assignment to send.
    fn assign_job(
        &self,
        sessions: &mut SessionTable,
        run: &mut DispatchedRun,
        key: JobKey,
        to: SessionId,
        now: Instant,
    ) -> Option<QueuedAssignment> {
        let session = sessions.get_mut(to)?;
        let worker = session.worker();
        session.begin_work(now);
        let run_slots = hold(session, run, key)?;
        let JobKey { run: id, job } = key;
        tracing::debug!(
            worker = session.name(), run = %id, generation = job.generation, job = job.index,
            "assigned"
        );
        session.spend_credit();
        let (bytes, waited) = run.assign(now, job, (to, worker))?;
        if let Some(waited) = waited {
            self.meters.jobs.observe_queue_wait(&run.open().experiment, waited);
        }
        let ticket = self.tickets.issue(key, worker, &bytes);
        Some(QueuedAssignment { key, bytes, ticket, run_slots })
    }
}

/// Records that a worker holds a job, and returns the most slots that the run's jobs may use there;
/// 0 for all.
fn hold(session: &mut WorkerSession, run: &mut DispatchedRun, key: JobKey) -> Option<u32> {
    let class = run.job(key.job)?.class();
    let slots = session.slots_for(run.is_short());
    let slot_use = run.use_slot(session.held().of_run(key.run), slots, class)?;
    session.hold(key, class, slot_use);
    let n_slots = session.held().of_run(key.run).n_slots(session.slots());
    Some(run.slot_limit().map_or(0, |_| n_slots))
}

/// Takes the next of a run's `waiting` jobs that a worker may get, and returns it with the worker's
/// session; `None` if no job can be assigned now.
fn next_job(
    eligibility: WorkerEligibility<'_>,
    run: &DispatchedRun,
    waiting: &mut VecDeque<JobId>,
    ranking: &mut SessionRanking,
) -> Option<(JobKey, SessionId)> {
    // A job that no worker takes now, none takes later: the others only leave less.
    while let Some(job) = waiting.pop_front() {
        let key = JobKey { run: run.open().run, job };
        if let Some(to) = ranking.best(eligibility, run, key) {
            return Some((key, to));
        }
        // Later jobs do not keep the slots busy that this one waits for.
        if eligibility.waits_for_slot(run, key) {
            return None;
        }
    }
    None
}

/// Returns late jobs and the sessions that get their backup copies.
fn backups(
    eligibility: WorkerEligibility<'_>,
    id: RunId,
    run: &DispatchedRun,
) -> Vec<(JobKey, SessionId)> {
    let slots: u32 = eligibility.sessions.iter().map(|(_, session)| session.slots()).sum();
    let most = (slots / BACKUP_SHARE).max(1) as usize;
    let has_backup =
        |leased: &TrackedJob| leased.backup().is_some() && 1 < leased.executions().len();
    let running = run.jobs().filter(|(_, leased)| has_backup(leased));
    let room = most.saturating_sub(running.count());
    let mut chosen: Vec<(JobKey, SessionId)> = Vec::new();
    for (job, leased) in run.jobs() {
        if chosen.len() == room {
            break;
        }
        let since = |execution: &JobExecution| eligibility.now - execution.since();
        let late = run.late(leased.class());
        let is_late = |only| late.is_some_and(|late| late <= since(only));
        let key = JobKey { run: id, job };
        // The coordinator itself sees to answers that wait for a second opinion.
        let is_late = matches!(leased.executions(), [only] if is_late(only))
            && leased.stage().is_open()
            && !eligibility.audits.is_answered(key);
        if is_late
            && let Some(to) = eligibility.best_session(run, key)
            && chosen.iter().all(|&(_, taken)| taken != to)
        {
            chosen.push((key, to));
        }
    }
    chosen
}
