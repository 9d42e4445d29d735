//! Drops jobs and runs, and notifies their workers, pending results and audits.

use hatchery_proto::v1;
use hatchery_store::{JobKey, RunId};

use super::Dispatcher;
use crate::dispatch::effect::{DispatchEffect, StepContext};
use crate::dispatch::job::TrackedJob;
use crate::dispatch::runs::DispatchedRun;

impl Dispatcher {
    /// Removes a job; every removal of a job that a worker may hold goes through here.
    pub(super) fn forget(&mut self, ctx: &mut StepContext, key: JobKey) -> Option<TrackedJob> {
        let leased = self.runs.get_mut(&key.run).and_then(|run| run.remove(key.job))?;
        self.dismiss(key, &leased);
        self.reopen(ctx, |by| by == key);
        Some(leased)
    }

    /// Removes a run with all its jobs and releases their leases.
    pub(super) fn close(&mut self, ctx: &mut StepContext, id: RunId) {
        let Some(run) = self.runs.remove(&id).map(DispatchedRun::close) else { return };
        if let Some(notify) = run.notify {
            self.leaders.insert(id, notify);
        }
        ctx.effects.extend(
            run.enqueue_requests
                .into_iter()
                .map(|request| DispatchEffect::Enqueue { request, most: 0 }),
        );
        let mut jobs = Vec::new();
        for (job, leased) in run.jobs {
            self.dismiss(JobKey { run: id, job }, &leased);
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
        self.health.remove_run(id);
        self.reopen(ctx, |by| by.run == id);
        if !jobs.is_empty() {
            ctx.push(DispatchEffect::Release { run: id, jobs });
        }
    }

    /// Ends all executions of a removed job. The store or the arbitration gives the verdict on
    /// answers that are already on their way there.
    fn dismiss(&mut self, key: JobKey, leased: &TrackedJob) {
        for execution in leased.executions() {
            if let Some(session) = self.sessions.get_mut(execution.session()) {
                session.cancel(&[key]);
            }
        }
        for answer in self.audits.end(key) {
            self.tell(&answer, key, v1::Verdict::Unknown);
        }
    }

    /// Drops the answers withheld for a removed run.
    fn drop_withheld(&mut self, id: RunId) {
        for (key, answer) in self.audits.remove_withheld(id) {
            self.tell(&answer, key, v1::Verdict::Unknown);
        }
    }

    /// Restarts the audits that depended on a removed job: the first withheld answer is compared
    /// next, and the other answers wait for it.
    pub(super) fn reopen(&mut self, ctx: &mut StepContext, is_gone: impl Fn(JobKey) -> bool) {
        for (key, answer) in self.audits.restart(is_gone) {
            self.compute_again(ctx.now, &[key]);
            match self.runs.get(&key.run).is_some_and(|run| run.has_job(key.job)) {
                true => self.answer(ctx, key, answer),
                false => self.tell(&answer, key, v1::Verdict::Unknown),
            }
        }
    }
}
