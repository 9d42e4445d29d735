//! Assigns jobs to workers: waiting jobs in turns, then fresh ones from the store, then backup
//! copies of late ones. `fair` decides whose turn it is.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use hatchery_proto::MAX_BATCH_ITEMS;
use tokio::time::Instant;

use super::dispatched_run::DispatchedRun;
use super::dispatcher::{DispatchSettings, Dispatcher, POLL};
use super::effect::DispatchEffect;
use super::fair::{self, ShareRequest};
use super::job::{JobExecution, JobStage, TrackedJob};
use super::message::{LeaderNotice, PeerCoordinator};
use super::sessions::{QueuedAssignment, SessionTable, WorkerSession, WorkerTrust};
use crate::scheduling::RunScheduling;
use crate::store::{CoordinatorId, JobId, JobKey, LeasedJob, RunId, SessionId, StoreError};

/// A job is late after this multiple of the 95th percentile of job durations.
const LATE_FACTOR: u32 = 2;

/// The least duration after which a job is late.
const LATE_AT_LEAST: Duration = Duration::from_secs(2);

/// The share of slots that may work on backup copies: one in ten, and at least one.
const BACKUP_SHARE: u32 = 10;

/// The assignments of each session.
type QueuedAssignments = BTreeMap<SessionId, Vec<QueuedAssignment>>;

impl Dispatcher {
    /// Assigns available jobs to workers with credits.
    pub(super) fn assign(&mut self, now: Instant, effects: &mut Vec<DispatchEffect>) {
        if self.draining.is_some() {
            let enqueue_requests =
                self.runs.values_mut().flat_map(|run| run.enqueue_requests.drain(..));
            return effects.extend(
                enqueue_requests.map(|request| DispatchEffect::Enqueue { request, most: 0 }),
            );
        }
        let mut assignments = QueuedAssignments::new();
        let most: Vec<_> = self.runs.iter().map(|(&id, run)| (id, self.most(run))).collect();
        self.assign_waiting(now, &most, &mut assignments);
        self.lease(now, &most, effects);
        self.back_up(now, &most, &mut assignments);
        for (id, assignments) in assignments {
            if let Some(session) = self.sessions.get_mut(id) {
                session.assign(assignments);
            }
        }
    }

    /// Returns the most jobs of `run` that this coordinator's workers may hold: its cap is divided
    /// among the coordinators in proportion to their slots for it.
    fn most(&self, run: &DispatchedRun) -> usize {
        let Some(cap) = run.open.scheduling.most_slots else { return usize::MAX };
        let wanted = format!("{}@{}", run.open.experiment, run.open.version);
        let slots = |peer: &PeerCoordinator| peer.slots.get(&wanted).copied().unwrap_or_default();
        let known = self.farm.iter().map(|peer| (peer.incarnation, slots(peer)));
        let mut known: BTreeMap<CoordinatorId, usize> = known.collect();
        known.entry(self.settings.consumer).or_default();
        fair::part(cap.get() as usize, self.settings.consumer, &known)
    }

    /// Assigns waiting jobs, run by run in turns.
    fn assign_waiting(
        &mut self,
        now: Instant,
        most: &[(RunId, usize)],
        assignments: &mut QueuedAssignments,
    ) {
        if self.sessions.0.values().all(|session| session.credits == 0) {
            return;
        }
        let wanted = |run: &DispatchedRun| {
            let is_wanted = |job: &&JobId| run.jobs.get(job).is_some_and(|j| j.is_wanted(now));
            run.idle.iter().filter(is_wanted).copied().collect()
        };
        let mut waiting: Vec<VecDeque<JobId>> = self.runs.values().map(wanted).collect();
        let claims = self.runs.values().zip(&waiting).zip(most);
        let claims = claims.map(|((run, waiting), &(_, most))| {
            run.claim(most.min(run.n_executions.saturating_add(waiting.len())))
        });
        let claims: Vec<_> = claims.collect();
        let mut queue = self.scheduler.queue(self.sessions.n_places(), &claims);
        while let Some(idx) = queue.next() {
            let id = most[idx].0;
            let Some(run) = self.runs.get_mut(&id) else { return };
            // A job that no worker takes now, none takes later: the others only leave less.
            let jobs = std::iter::from_fn(|| waiting[idx].pop_front());
            let sessions = &mut self.sessions;
            let taken =
                jobs.filter_map(|job| Some((job, best_session(sessions, run, job)?))).next();
            let Some((job, to)) = taken else {
                queue.withdraw(idx);
                continue;
            };
            let assignment =
                self.settings.assign_job(sessions, run, JobKey { run: id, job }, to, now);
            assignments.entry(to).or_default().extend(assignment);
            run.served = queue.give(idx);
        }
    }

    /// Leases fresh jobs of runs that hold fewer than their share, so that each has some at its
    /// turn.
    fn lease(&mut self, now: Instant, most: &[(RunId, usize)], effects: &mut Vec<DispatchEffect>) {
        let claims = self.runs.values().zip(most).map(|(run, &(_, most))| {
            let ready = run.leasing || run.ready_at <= now;
            let able = if ready { able_places(&self.sessions, run) } else { 0 };
            run.claim(most.min(able.max(run.n_executions + run.idle.len())))
        });
        let claims: Vec<_> = claims.collect();
        let shares = fair::shares(self.sessions.n_places(), &claims);
        for ((&id, run), share) in self.runs.iter_mut().zip(shares) {
            let wanted = share.saturating_sub(run.n_executions + run.idle.len());
            let mut most = 0;
            if wanted != 0 && !run.leasing && run.ready_at <= now {
                (run.leasing, run.said_ready) = (true, false);
                most = wanted.min(MAX_BATCH_ITEMS);
            }
            if run.enqueue_requests.is_empty() && most != 0 {
                effects.push(DispatchEffect::Lease { run: id, most });
            }
            for request in run.enqueue_requests.drain(..) {
                effects.push(DispatchEffect::Enqueue { request, most: std::mem::take(&mut most) });
            }
        }
    }

    /// Handles that jobs from `first` on were enqueued and some of them leased; returns the reply
    /// to their leader.
    pub(super) fn enqueued(
        &mut self,
        now: Instant,
        (first, n_jobs): (JobKey, u64),
        most: usize,
        leased: Result<Vec<LeasedJob>, StoreError>,
        effects: &mut Vec<DispatchEffect>,
    ) -> Result<(), StoreError> {
        match (leased, self.runs.get_mut(&first.run)) {
            (Err(error), run) => {
                if let Some(run) = run.filter(|_| most != 0) {
                    (run.leasing, run.ready_at) = (false, now + POLL);
                }
                return Err(error);
            }
            (Ok(leased), None) => self.admit(now, first.run, leased, effects),
            (Ok(leased), Some(run)) => {
                run.waits.begin(now, first.job, n_jobs);
                match most {
                    0 => run.ready(now),
                    most => self.leased(now, first.run, most, Ok(leased), effects),
                }
            }
        }
        Ok(())
    }

    /// Assigns backup copies of late jobs of runs that have no other job to assign.
    fn back_up(
        &mut self,
        now: Instant,
        most: &[(RunId, usize)],
        assignments: &mut QueuedAssignments,
    ) {
        for ((&id, run), &(_, most)) in self.runs.iter_mut().zip(most) {
            if !run.idle.is_empty() || run.leasing {
                continue;
            }
            let sessions = &mut self.sessions;
            let room = most.saturating_sub(run.n_executions);
            for (job, to) in backups(sessions, run, now).into_iter().take(room) {
                let assignment =
                    self.settings.assign_job(sessions, run, JobKey { run: id, job }, to, now);
                assignments.entry(to).or_default().extend(assignment);
            }
        }
    }

    /// Handles the reply to a lease request.
    pub(super) fn leased(
        &mut self,
        now: Instant,
        id: RunId,
        most: usize,
        leased: Result<Vec<LeasedJob>, StoreError>,
        effects: &mut Vec<DispatchEffect>,
    ) {
        let Some(run) = self.runs.get_mut(&id) else {
            return self.admit(now, id, leased.unwrap_or_default(), effects);
        };
        run.leasing = false;
        match leased {
            Ok(jobs) => {
                // The store may have answered before the jobs that were announced meanwhile.
                let has_more = jobs.len() == most || run.said_ready;
                run.ready_at = if has_more { now } else { run.ready_at.max(now + POLL) };
                self.admit(now, id, jobs, effects);
            }
            Err(StoreError::NoRun { .. }) => run.ready_at = now + POLL,
            Err(error) => {
                run.ready_at = now + POLL;
                run.notify(LeaderNotice::StoreFailed(error));
            }
        }
    }

    /// Adds jobs that the store has leased to this coordinator. A known one had lost its lease
    /// meanwhile: its progress still counts.
    pub(super) fn admit(
        &mut self,
        now: Instant,
        id: RunId,
        jobs: Vec<LeasedJob>,
        effects: &mut Vec<DispatchEffect>,
    ) {
        if !self.runs.contains_key(&id) {
            let jobs: Vec<_> = jobs.into_iter().map(|job| job.id).collect();
            if !jobs.is_empty() {
                effects.push(DispatchEffect::Release { run: id, jobs });
            }
            return;
        }
        for LeasedJob { id: job, bytes } in jobs {
            let key = JobKey { run: id, job };
            let known = self.runs.get(&id).and_then(|run| run.jobs.get(&job));
            if known.is_some_and(|known| known.bytes == bytes) {
                continue;
            }
            // From an earlier cut.
            self.forget(now, key, effects);
            let stage = self.settings.stage(key);
            if let Some(run) = self.runs.get_mut(&id)
                && let Some(leased) = TrackedJob::new(bytes, now, stage)
            {
                run.insert(job, leased);
            }
        }
    }
}

impl DispatchedRun {
    /// Returns its request for a share, of at most `most` places.
    fn claim(&self, most: usize) -> ShareRequest<'_> {
        let RunScheduling { user, priority, .. } = &self.open.scheduling;
        ShareRequest {
            user,
            priority: *priority,
            held: self.n_executions,
            most,
            served: self.served,
        }
    }
}

impl DispatchSettings {
    /// Draws whether a job is computed twice, unpredictably without the farm's secret.
    pub(super) fn stage(&self, key: JobKey) -> JobStage {
        if self.tickets.draw(key) % 1_000_000 < self.audit_ppm {
            JobStage::Audit(Vec::new())
        } else {
            JobStage::Compute
        }
    }

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
        let worker = session.worker;
        session.held.insert(key);
        let JobKey { run: id, job } = key;
        tracing::debug!(
            worker = session.name, run = %id, generation = job.generation, job = job.index,
            "assigned"
        );
        session.credits -= 1;
        let bytes = run.change(job, |leased| {
            if !leased.executions.is_empty() {
                leased.backup = Some(worker);
            }
            leased.executions.push(JobExecution {
                session: to,
                worker,
                since: now,
                progress: None,
            });
            leased.bytes.clone()
        })?;
        if let Some(waited) = run.waits.end(now, job) {
            self.meters.jobs.observe_queue_wait(&run.open.experiment, waited);
        }
        let ticket = self.tickets.issue(key, worker, &bytes);
        Some(QueuedAssignment { key, bytes, ticket })
    }
}

/// Returns the session that should get the job: the one with the most credits among those that may.
fn best_session(sessions: &SessionTable, run: &DispatchedRun, job: JobId) -> Option<SessionId> {
    let leased = run.jobs.get(&job)?;
    let second = matches!(&leased.stage, JobStage::Audit(answers) if !answers.is_empty());
    let (experiment, version) = (&run.open.experiment, run.open.version);
    let able = sessions.0.iter().filter(|(_, session)| {
        session.is_able(experiment, version) && leased.suits(session.worker)
    });
    let is_short = run.is_short();
    let credits = |session: &WorkerSession| {
        let credits = if is_short { session.credits } else { session.room() };
        match second {
            true => credits,
            false => credits.saturating_sub(reserve(sessions, session, run)),
        }
    };
    let able = able.map(|(&id, session)| (credits(session), id)).filter(|&(n, _)| n != 0);
    able.max_by_key(|&(n, _)| n).map(|(_, id)| id)
}

/// Returns the slots that an untrusted worker keeps free to check others: without them, workers
/// that all wait for each other's second opinion would wait forever.
fn reserve(sessions: &SessionTable, session: &WorkerSession, run: &DispatchedRun) -> u32 {
    match session.trust {
        WorkerTrust::Checked => 0,
        WorkerTrust::Unchecked | WorkerTrust::Pending(..) => {
            let DispatchedRun { open, .. } = run;
            u32::from(sessions.has_other(session.worker, &open.experiment, open.version))
        }
    }
}

/// Returns the places that the run could have if it were alone.
fn able_places(sessions: &SessionTable, run: &DispatchedRun) -> usize {
    let (experiment, version) = (&run.open.experiment, run.open.version);
    let able = sessions.0.values().filter(|session| session.is_able(experiment, version));
    let is_short = run.is_short();
    let places = |session: &WorkerSession| {
        let credits = if is_short { session.credits } else { session.room() };
        session.held.len() + credits.saturating_sub(reserve(sessions, session, run)) as usize
    };
    able.map(places).sum()
}

/// Returns late jobs and the sessions that get their backup copies.
fn backups(sessions: &SessionTable, run: &DispatchedRun, now: Instant) -> Vec<(JobId, SessionId)> {
    let late = late(run);
    let slots: u32 = sessions.0.values().map(|session| session.slots).sum();
    let most = (slots / BACKUP_SHARE).max(1) as usize;
    let running =
        run.jobs.values().filter(|leased| leased.backup.is_some() && 1 < leased.executions.len());
    let room = most.saturating_sub(running.count());
    let mut chosen: Vec<(JobId, SessionId)> = Vec::new();
    for (&job, leased) in &run.jobs {
        if chosen.len() == room {
            break;
        }
        let is_late = matches!(leased.executions.as_slice(), [only] if late <= now - only.since)
            && matches!(leased.stage, JobStage::Compute);
        if is_late
            && let Some(to) = best_session(sessions, run, job)
            && chosen.iter().all(|&(_, taken)| taken != to)
        {
            chosen.push((job, to));
        }
    }
    chosen
}

/// Returns the duration after which a job is late.
fn late(run: &DispatchedRun) -> Duration {
    let mut durations: Vec<_> = run.durations.iter().copied().collect();
    durations.sort_unstable();
    let p95 = durations.get(durations.len() * 95 / 100).copied().unwrap_or_default();
    (p95 * LATE_FACTOR).max(LATE_AT_LEAST)
}
