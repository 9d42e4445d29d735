//! Drops jobs and runs, and notifies their workers, pending results and audits.

use hatchery_proto::v1;
use tokio::time::Instant;

use super::dispatcher::Dispatcher;
use super::effect::DispatchEffect;
use super::job::{JobStage, TrackedJob};
use super::sessions::{WithheldAnswer, WorkerTrust};
use crate::store::{JobKey, RunId};

impl Dispatcher {
    /// Removes a job; every removal of a job that a worker may hold goes through here.
    pub(super) fn forget(
        &mut self,
        now: Instant,
        key: JobKey,
        effects: &mut Vec<DispatchEffect>,
    ) -> Option<TrackedJob> {
        let mut leased = self.runs.get_mut(&key.run).and_then(|run| run.remove(key.job))?;
        self.dismiss(key, &mut leased);
        self.reopen(now, |by| by == key, effects);
        Some(leased)
    }

    /// Removes a run with all its jobs and releases their leases.
    pub(super) fn close(&mut self, now: Instant, id: RunId, effects: &mut Vec<DispatchEffect>) {
        let Some(run) = self.runs.remove(&id) else { return };
        if let Some(notify) = run.notify {
            self.leaders.insert(id, notify);
        }
        effects.extend(
            run.enqueue_requests
                .into_iter()
                .map(|request| DispatchEffect::Enqueue { request, most: 0 }),
        );
        let mut jobs = Vec::new();
        for (job, mut leased) in run.jobs {
            self.dismiss(JobKey { run: id, job }, &mut leased);
            jobs.push(job);
        }
        for (job, answer) in run.unstored {
            self.tell(&answer, JobKey { run: id, job }, v1::Verdict::Unknown);
        }
        for result in run.unleased {
            let key = JobKey { run: id, job: result.job };
            self.verdict(result.session, key, v1::Verdict::Unknown);
        }
        self.drop_withheld(id);
        self.reopen(now, |by| by.run == id, effects);
        if !jobs.is_empty() {
            effects.push(DispatchEffect::Release { run: id, jobs });
        }
    }

    /// Ends all executions of a removed job. Answers on their way to the store or to arbitration
    /// get their verdict from there.
    fn dismiss(&mut self, key: JobKey, leased: &mut TrackedJob) {
        for execution in &leased.executions {
            if let Some(session) = self.sessions.get_mut(execution.session) {
                session.cancel(&[key]);
            }
        }
        if let JobStage::Audit(answers) = &mut leased.stage {
            for answer in std::mem::take(answers) {
                self.tell(&answer, key, v1::Verdict::Unknown);
            }
        }
    }

    /// Drops the answers withheld for a removed run.
    fn drop_withheld(&mut self, id: RunId) {
        let mut dropped = Vec::new();
        for session in self.sessions.0.values_mut() {
            if let WorkerTrust::Pending(_, withheld) = &mut session.trust {
                let gone;
                (gone, *withheld) =
                    std::mem::take(withheld).into_iter().partition(|(key, _)| key.run == id);
                dropped.extend(gone);
            }
        }
        for (key, answer) in dropped {
            self.tell(&answer, key, v1::Verdict::Unknown);
        }
    }

    /// Restarts the audits that depended on a removed job: the first withheld answer is compared
    /// next, the others wait for it.
    pub(super) fn reopen(
        &mut self,
        now: Instant,
        is_gone: impl Fn(JobKey) -> bool,
        effects: &mut Vec<DispatchEffect>,
    ) {
        let mut reopened: Vec<WithheldAnswer> = Vec::new();
        for session in self.sessions.0.values_mut() {
            if matches!(session.trust, WorkerTrust::Pending(by, _) if is_gone(by))
                && let WorkerTrust::Pending(_, withheld) =
                    std::mem::replace(&mut session.trust, WorkerTrust::Unchecked)
            {
                reopened.extend(withheld);
            }
        }
        for (key, answer) in reopened {
            self.compute_again(now, &[key]);
            match self.runs.get(&key.run).is_some_and(|run| run.jobs.contains_key(&key.job)) {
                true => self.answer(now, key, answer, effects),
                false => self.tell(&answer, key, v1::Verdict::Unknown),
            }
        }
    }
}
