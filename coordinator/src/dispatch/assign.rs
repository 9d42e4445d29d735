//! Who gets what: waiting jobs in turns, then fresh ones from the store, then backup copies of those
//! that take too long. Whose turn it is is decided in `fair`.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use hatchery_proto::MAX_BATCH_ITEMS;
use tokio::time::Instant;

use super::desk::{Desk, POLL, Run, Settings};
use super::effect::Errand;
use super::fair::{self, Claim};
use super::job::{Execution, Leased, Stage};
use super::message::{LeaderNotice, Peer, SessionId};
use super::sessions::{Handout, Session, Sessions, Trust};
use crate::scheduling::Scheduling;
use crate::store::{JobId, RunId, StoreError};

/// A job counts as late after this many times what 95 of 100 jobs took.
const LATE_FACTOR: u32 = 2;

/// No job counts as late before.
const LATE_AT_LEAST: Duration = Duration::from_secs(2);

/// The share of slots that may work on backup copies: one in ten, and at least one.
const BACKUP_SHARE: u32 = 10;

/// What each session is handed.
type Handouts = BTreeMap<SessionId, Vec<Handout>>;

impl Desk {
    /// Hands out what there is, as far as workers want it.
    pub(super) fn assign(&mut self, now: Instant, errands: &mut Vec<Errand>) {
        if self.draining.is_some() {
            let feeds = self.runs.values_mut().flat_map(|run| run.feeds.drain(..));
            return errands.extend(feeds.map(|feed| Errand::Enqueue { feed, most: 0 }));
        }
        let mut handouts = Handouts::new();
        let most: Vec<_> = self.runs.iter().map(|(&id, run)| (id, self.most(run))).collect();
        self.hand_out(now, &most, &mut handouts);
        self.lease(now, &most, errands);
        self.back_up(now, &most, &mut handouts);
        for (id, handouts) in handouts {
            if let Some(session) = self.sessions.get_mut(id) {
                session.hand(handouts);
            }
        }
    }

    /// The most jobs of `run` that may be at this coordinator's workers: its cap is divided among
    /// the coordinators by the slots that they have for it.
    fn most(&self, run: &Run) -> usize {
        let Some(cap) = run.open.scheduling.most_slots else { return usize::MAX };
        let wanted = format!("{}@{}", run.open.experiment, run.open.version);
        let slots = |peer: &Peer| peer.slots.get(&wanted).copied().unwrap_or_default();
        let known = self.farm.iter().map(|peer| (peer.incarnation, slots(peer)));
        let mut known: BTreeMap<u128, usize> = known.collect();
        known.entry(self.settings.consumer).or_default();
        fair::part(cap.get() as usize, self.settings.consumer, &known)
    }

    /// Hands out waiting jobs, to each run in its turn.
    fn hand_out(&mut self, now: Instant, most: &[(RunId, usize)], handouts: &mut Handouts) {
        if self.sessions.0.values().all(|session| session.credits == 0) {
            return;
        }
        let wanted = |run: &Run| {
            let is_wanted = |job: &&JobId| run.jobs.get(job).is_some_and(|j| j.is_wanted(now));
            run.idle.iter().filter(is_wanted).copied().collect()
        };
        let mut waiting: Vec<VecDeque<JobId>> = self.runs.values().map(wanted).collect();
        let claims = self.runs.values().zip(&waiting).zip(most);
        let claims = claims.map(|((run, waiting), &(_, most))| {
            run.claim(most.min(run.n_copies.saturating_add(waiting.len())))
        });
        let claims: Vec<_> = claims.collect();
        let mut queue = self.rota.queue(self.sessions.n_places(), &claims);
        while let Some(idx) = queue.next() {
            let id = most[idx].0;
            let Some(run) = self.runs.get_mut(&id) else { return };
            // What nobody takes now, nobody takes later: others only leave less.
            let jobs = std::iter::from_fn(|| waiting[idx].pop_front());
            let sessions = &mut self.sessions;
            let taken = jobs.filter_map(|job| Some((job, taker(sessions, run, job)?))).next();
            let Some((job, to)) = taken else {
                queue.withdraw(idx);
                continue;
            };
            let handout = self.settings.hand(sessions, run, (id, job), to, now);
            handouts.entry(to).or_default().extend(handout);
            run.served = queue.give(idx);
        }
    }

    /// Leases fresh jobs of the runs that have fewer at hand than their share of all places: so that
    /// each has some when its turn comes.
    fn lease(&mut self, now: Instant, most: &[(RunId, usize)], errands: &mut Vec<Errand>) {
        let claims = self.runs.values().zip(most).map(|(run, &(_, most))| {
            let ready = run.leasing || run.ready_at <= now;
            let able = if ready { able_places(&self.sessions, run) } else { 0 };
            run.claim(most.min(able.max(run.n_copies + run.idle.len())))
        });
        let claims: Vec<_> = claims.collect();
        let shares = fair::shares(self.sessions.n_places(), &claims);
        for ((&id, run), share) in self.runs.iter_mut().zip(shares) {
            let wanted = share.saturating_sub(run.n_copies + run.idle.len());
            let mut most = 0;
            if wanted != 0 && !run.leasing && run.ready_at <= now {
                (run.leasing, run.said_ready) = (true, false);
                most = wanted.min(MAX_BATCH_ITEMS);
            }
            if run.feeds.is_empty() && most != 0 {
                errands.push(Errand::Lease { run: id, most });
            }
            for feed in run.feeds.drain(..) {
                errands.push(Errand::Enqueue { feed, most: std::mem::take(&mut most) });
            }
        }
    }

    /// Takes in that jobs from `first` on were made ready, and some of them leased; returns what their
    /// leader has to know.
    pub(super) fn enqueued(
        &mut self,
        now: Instant,
        (id, first, n_jobs): (RunId, JobId, u64),
        most: usize,
        leased: Result<Vec<(JobId, Vec<u8>)>, StoreError>,
        errands: &mut Vec<Errand>,
    ) -> Result<(), StoreError> {
        match (leased, self.runs.get_mut(&id)) {
            (Err(error), run) => {
                if let Some(run) = run.filter(|_| most != 0) {
                    (run.leasing, run.ready_at) = (false, now + POLL);
                }
                return Err(error);
            }
            (Ok(leased), None) => self.admit(now, id, leased, errands),
            (Ok(leased), Some(run)) => {
                run.waits.begin(now, first, n_jobs);
                match most {
                    0 => run.ready(now),
                    most => self.leased(now, id, most, Ok(leased), errands),
                }
            }
        }
        Ok(())
    }

    /// Hands out backup copies of late jobs of runs that have nothing else to hand out.
    fn back_up(&mut self, now: Instant, most: &[(RunId, usize)], handouts: &mut Handouts) {
        for ((&id, run), &(_, most)) in self.runs.iter_mut().zip(most) {
            if !run.idle.is_empty() || run.leasing {
                continue;
            }
            let sessions = &mut self.sessions;
            let room = most.saturating_sub(run.n_copies);
            for (job, to) in backups(sessions, run, now).into_iter().take(room) {
                let handout = self.settings.hand(sessions, run, (id, job), to, now);
                handouts.entry(to).or_default().extend(handout);
            }
        }
    }

    /// Takes in leased jobs.
    pub(super) fn leased(
        &mut self,
        now: Instant,
        id: RunId,
        most: usize,
        leased: Result<Vec<(JobId, Vec<u8>)>, StoreError>,
        errands: &mut Vec<Errand>,
    ) {
        let Some(run) = self.runs.get_mut(&id) else {
            return self.admit(now, id, leased.unwrap_or_default(), errands);
        };
        run.leasing = false;
        match leased {
            Ok(jobs) => {
                // The store may have looked before it had what it was said to have meanwhile.
                let has_more = jobs.len() == most || run.said_ready;
                run.ready_at = if has_more { now } else { run.ready_at.max(now + POLL) };
                self.admit(now, id, jobs, errands);
            }
            Err(StoreError::NoRun { .. }) => run.ready_at = now + POLL,
            Err(error) => {
                run.ready_at = now + POLL;
                run.notify(LeaderNotice::StoreFailed(error));
            }
        }
    }

    /// Takes in jobs that the store has leased to this coordinator. One that is here already had
    /// lost its lease meanwhile: what came of it so far still counts.
    pub(super) fn admit(
        &mut self,
        now: Instant,
        id: RunId,
        jobs: Vec<(JobId, Vec<u8>)>,
        errands: &mut Vec<Errand>,
    ) {
        if !self.runs.contains_key(&id) {
            let jobs: Vec<_> = jobs.into_iter().map(|(job, _)| job).collect();
            if !jobs.is_empty() {
                errands.push(Errand::Release { run: id, jobs });
            }
            return;
        }
        for (job, bytes) in jobs {
            let known = self.runs.get(&id).and_then(|run| run.jobs.get(&job));
            if known.is_some_and(|known| known.bytes == bytes) {
                continue;
            }
            // Of an earlier cut.
            self.forget(now, id, job, errands);
            let stage = self.settings.stage(id, job);
            if let Some(run) = self.runs.get_mut(&id)
                && let Some(leased) = Leased::new(bytes, now, stage)
            {
                run.insert(job, leased);
            }
        }
    }
}

impl Run {
    /// Its claim, of `most` places at most.
    fn claim(&self, most: usize) -> Claim<'_> {
        let Scheduling { user, priority, .. } = &self.open.scheduling;
        Claim { user, priority: *priority, held: self.n_copies, most, served: self.served }
    }
}

impl Settings {
    /// Whether a job is computed twice: nobody without the farm's secret can tell beforehand.
    pub(super) fn stage(&self, run: RunId, job: JobId) -> Stage {
        if self.tickets.draw(run, job) % 1_000_000 < self.audit_ppm {
            Stage::Audit(Vec::new())
        } else {
            Stage::Compute
        }
    }

    /// Books the job for the session, and says what to hand out.
    fn hand(
        &self,
        sessions: &mut Sessions,
        run: &mut Run,
        (id, job): (RunId, JobId),
        to: SessionId,
        now: Instant,
    ) -> Option<Handout> {
        let session = sessions.get_mut(to)?;
        let worker = session.worker;
        session.held.insert((id, job));
        tracing::debug!(
            worker = session.name, run = %id, generation = job.generation, job = job.index,
            "assigned"
        );
        session.credits -= 1;
        let bytes = run.change(job, |leased| {
            if !leased.copies.is_empty() {
                leased.backup = Some(worker);
            }
            leased.copies.push(Execution { session: to, worker, since: now, progress: None });
            leased.bytes.clone()
        })?;
        if let Some(waited) = run.waits.end(now, job) {
            self.meters.jobs.waited(&run.open.experiment, waited);
        }
        let ticket = self.tickets.issue(id, job, worker, &bytes);
        Some(Handout { run: id, job, bytes, ticket })
    }
}

/// Who should get the job: of those that may, the one that wants most.
fn taker(sessions: &Sessions, run: &Run, job: JobId) -> Option<SessionId> {
    let leased = run.jobs.get(&job)?;
    let second = matches!(&leased.stage, Stage::Audit(answers) if !answers.is_empty());
    let (experiment, version) = (&run.open.experiment, run.open.version);
    let able = sessions.0.iter().filter(|(_, session)| {
        session.is_able(experiment, version) && leased.suits(session.worker)
    });
    let is_short = run.is_short();
    let credits = |session: &Session| {
        let credits = if is_short { session.credits } else { session.room() };
        match second {
            true => credits,
            false => credits.saturating_sub(reserve(sessions, session, run)),
        }
    };
    let able = able.map(|(&id, session)| (credits(session), id)).filter(|&(n, _)| n != 0);
    able.max_by_key(|&(n, _)| n).map(|(_, id)| id)
}

/// What a worker that is not trusted yet keeps free for checking others: without it, workers whose
/// results all wait for each other's opinion would wait forever.
fn reserve(sessions: &Sessions, session: &Session, run: &Run) -> u32 {
    match session.trust {
        Trust::Checked => 0,
        Trust::Unchecked | Trust::Pending(..) => {
            let Run { open, .. } = run;
            u32::from(sessions.has_other(session.worker, &open.experiment, open.version))
        }
    }
}

/// How many places there are that the run could have, were it alone.
fn able_places(sessions: &Sessions, run: &Run) -> usize {
    let (experiment, version) = (&run.open.experiment, run.open.version);
    let able = sessions.0.values().filter(|session| session.is_able(experiment, version));
    let is_short = run.is_short();
    let places = |session: &Session| {
        let credits = if is_short { session.credits } else { session.room() };
        session.held.len() + credits.saturating_sub(reserve(sessions, session, run)) as usize
    };
    able.map(places).sum()
}

/// Late jobs, and who gets their backup copies.
fn backups(sessions: &Sessions, run: &Run, now: Instant) -> Vec<(JobId, SessionId)> {
    let late = late(run);
    let slots: u32 = sessions.0.values().map(|session| session.slots).sum();
    let most = (slots / BACKUP_SHARE).max(1) as usize;
    let running =
        run.jobs.values().filter(|leased| leased.backup.is_some() && 1 < leased.copies.len());
    let room = most.saturating_sub(running.count());
    let mut chosen: Vec<(JobId, SessionId)> = Vec::new();
    for (&job, leased) in &run.jobs {
        if chosen.len() == room {
            break;
        }
        let is_late = matches!(leased.copies.as_slice(), [only] if late <= now - only.since)
            && matches!(leased.stage, Stage::Compute);
        if is_late
            && let Some(to) = taker(sessions, run, job)
            && chosen.iter().all(|&(_, taken)| taken != to)
        {
            chosen.push((job, to));
        }
    }
    chosen
}

/// After how long a job is late.
fn late(run: &Run) -> Duration {
    let mut durations: Vec<_> = run.durations.iter().copied().collect();
    durations.sort_unstable();
    let p95 = durations.get(durations.len() * 95 / 100).copied().unwrap_or_default();
    (p95 * LATE_FACTOR).max(LATE_AT_LEAST)
}
