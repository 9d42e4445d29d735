//! Jobs that this coordinator has no more to do with: whoever is at them, brought answers to them or
//! waits for what comes of them hears of it.

use hatchery_proto::v1;
use tokio::time::Instant;

use super::desk::Desk;
use super::effect::Errand;
use super::job::{Answer, Leased, Stage};
use super::sessions::Trust;
use crate::store::{JobId, RunId};

/// An answer that waits for its worker to be checked, and where it belongs.
type Withheld = (RunId, JobId, Answer);

impl Desk {
    /// Forgets a job; every removal of one that somebody may be at goes through here.
    pub(super) fn forget(
        &mut self,
        now: Instant,
        id: RunId,
        job: JobId,
        errands: &mut Vec<Errand>,
    ) -> Option<Leased> {
        let mut leased = self.runs.get_mut(&id).and_then(|run| run.remove(job))?;
        self.dismiss(id, job, &mut leased);
        self.reopen(now, |by| by == (id, job), errands);
        Some(leased)
    }

    /// Forgets a run with all of its jobs, and gives back the leases.
    pub(super) fn close(&mut self, now: Instant, id: RunId, errands: &mut Vec<Errand>) {
        let Some(run) = self.runs.remove(&id) else { return };
        if let Some(notify) = run.notify {
            self.leaders.insert(id, notify);
        }
        errands.extend(run.feeds.into_iter().map(|feed| Errand::Enqueue { feed, most: 0 }));
        let mut jobs = Vec::new();
        for (job, mut leased) in run.jobs {
            self.dismiss(id, job, &mut leased);
            jobs.push(job);
        }
        for (job, answer) in run.unstored {
            self.tell(&answer, id, job, v1::Verdict::Unknown);
        }
        for stray in run.strays {
            self.verdict(stray.session, id, stray.job, v1::Verdict::Unknown);
        }
        self.drop_withheld(id);
        self.reopen(now, |(run, _)| run == id, errands);
        if !jobs.is_empty() {
            errands.push(Errand::Release { run: id, jobs });
        }
    }

    /// Takes everybody off a job that is gone. Answers on their way to the store or to judgment have
    /// their verdict from there.
    fn dismiss(&mut self, id: RunId, job: JobId, leased: &mut Leased) {
        for copy in &leased.copies {
            if let Some(session) = self.sessions.get_mut(copy.session) {
                session.cancel(&[(id, job)]);
            }
        }
        if let Stage::Audit(answers) = &mut leased.stage {
            for answer in std::mem::take(answers) {
                self.tell(&answer, id, job, v1::Verdict::Unknown);
            }
        }
    }

    /// Drops what is withheld for a run that is gone.
    fn drop_withheld(&mut self, id: RunId) {
        let mut dropped = Vec::new();
        for session in self.sessions.0.values_mut() {
            if let Trust::Pending(_, withheld) = &mut session.trust {
                let gone;
                (gone, *withheld) =
                    std::mem::take(withheld).into_iter().partition(|(run, ..)| *run == id);
                dropped.extend(gone);
            }
        }
        for (run, job, answer) in dropped {
            self.tell(&answer, run, job, v1::Verdict::Unknown);
        }
    }

    /// Has workers checked by something else that were to be checked by a job that is gone: of what
    /// was withheld, the first is compared now, and the rest waits for that.
    pub(super) fn reopen(
        &mut self,
        now: Instant,
        is_gone: impl Fn((RunId, JobId)) -> bool,
        errands: &mut Vec<Errand>,
    ) {
        let mut reopened: Vec<Withheld> = Vec::new();
        for session in self.sessions.0.values_mut() {
            if matches!(session.trust, Trust::Pending(by, _) if is_gone(by))
                && let Trust::Pending(_, withheld) =
                    std::mem::replace(&mut session.trust, Trust::Unchecked)
            {
                reopened.extend(withheld);
            }
        }
        for (run, job, answer) in reopened {
            self.compute_again(now, &[(run, job)]);
            match self.runs.get(&run).is_some_and(|run| run.jobs.contains_key(&job)) {
                true => self.answer(now, (run, job), answer, errands),
                false => self.tell(&answer, run, job, v1::Verdict::Unknown),
            }
        }
    }
}
