//! Audits: jobs that two workers compute, and their arbitration by the coordinator.

use std::collections::BTreeMap;
use std::time::Duration;

use hatchery_core::SeriesClass;
use hatchery_meters::labels::{AuditOutcome, ResultOutcome};
use hatchery_proto::v1;
use hatchery_store::{JobId, JobKey, RunId, WorkerId};

use super::Dispatcher;
use crate::dispatch::audits::{AcceptReason, AnswerAdmission, AuditDecision, AuditWait};
use crate::dispatch::effect::{Arbitration, ArbitrationError, DispatchEffect, StepContext};
use crate::dispatch::job::{JobAnswer, JobStage, TrustLevel};
use crate::run::record::AttemptKind;

/// The least time that the coordinator has to compute a job whose answers it judges.
const LEAST_DEADLINE: Duration = Duration::from_secs(60);

/// The multiple of the time after which a job is late, which the coordinator has at least: its
/// cores may be slow, and busy with other such jobs.
const LATE_FACTOR: u32 = 16;

impl Dispatcher {
    /// Handles a well-formed result: stores it, or waits for a second opinion.
    pub(super) fn answer(&mut self, ctx: &mut StepContext, key: JobKey, answer: JobAnswer) {
        let JobKey { run: id, job } = key;
        let eligibility = self.eligibility(ctx.now);
        let Some(run) = self.runs.get(&id) else { return };
        let Some(tracked) = run.job(job) else { return };
        let is_alone = || eligibility.is_alone(&answer, run.open());
        if self.sessions.get(answer.session).is_none() {
            return;
        }
        let is_trusted = self.audits.trust_level(answer.session) == TrustLevel::Checked;
        let stage = match tracked.stage() {
            // The store compares it with the answer on its way there; an answer of a trusted worker
            // waits for no check.
            JobStage::Storing | JobStage::Withheld if is_trusted || is_alone() => {
                return self.store(ctx, id, vec![(job, answer)]);
            }
            // Otherwise a repeated report would count although the first does not yet.
            JobStage::Storing | JobStage::Withheld | JobStage::Arbitrating => {
                return self.tell(&answer, key, v1::Verdict::Unknown);
            }
            JobStage::Compute | JobStage::Noting if !is_trusted && is_alone() => {
                return self.store(ctx, id, vec![(job, answer)]);
            }
            JobStage::Noting if self.settings.is_audited(key) => {
                self.audits.add(ctx.now, key, answer);
                JobStage::Audit
            }
            // A long job is not computed twice because it is a worker's first: trust comes from
            // others. While one of those is checked, its answer waits as well.
            JobStage::Compute | JobStage::Noting
                if tracked.class() == SeriesClass::Alone
                    && !self.audits.is_pending(answer.session) =>
            {
                return self.store(ctx, id, vec![(job, answer)]);
            }
            JobStage::Compute | JobStage::Noting => match self.audits.admit(ctx.now, key, answer) {
                AnswerAdmission::Trusted(answer) => {
                    return self.store(ctx, id, vec![(job, answer)]);
                }
                AnswerAdmission::Withheld => JobStage::Withheld,
                AnswerAdmission::Audited => JobStage::Audit,
            },
            JobStage::Audit => {
                self.audits.add(ctx.now, key, answer);
                JobStage::Audit
            }
        };
        if let Some(run) = self.runs.get_mut(&id) {
            run.change(job, |tracked| tracked.wait_in(stage, ctx.now));
        }
        self.compare(ctx, key, AuditWait::Usual);
    }

    /// Compares the answers of an audited job, and decides what to do with the job.
    pub(super) fn compare(&mut self, ctx: &mut StepContext, key: JobKey, wait: AuditWait) {
        let Some(run) = self.runs.get(&key.run) else { return };
        let Some(tracked) = run.job(key.job) else { return };
        if !matches!(tracked.stage(), JobStage::Audit) {
            return;
        }
        let others = self.eligibility(ctx.now).other_opinions(run.open(), key, tracked);
        match self.audits.decide(key, others, wait) {
            AuditDecision::Wait => {}
            AuditDecision::Accept(reason) => {
                let answers = self.audits.end(key);
                self.settings.meters.jobs.count_audit(match reason {
                    AcceptReason::Checked => AuditOutcome::Passed,
                    AcceptReason::Unchecked => AuditOutcome::Skipped,
                });
                self.accept(ctx, key, answers, reason);
            }
            AuditDecision::Arbitrate => {
                let answers = self.audits.end(key);
                if are_different(&answers) {
                    self.settings.meters.jobs.count_audit(AuditOutcome::Failed);
                }
                let Some(run) = self.runs.get_mut(&key.run) else { return };
                let bytes = run.change(key.job, |tracked| {
                    tracked.enter(JobStage::Arbitrating);
                    tracked.bytes().to_vec()
                });
                let deadline = self.arbitration_deadline(key);
                ctx.push(DispatchEffect::Arbitrate { key, bytes, answers, deadline });
            }
        }
    }

    /// Returns the time that the coordinator takes at most to compute a job: many times as long as
    /// the workers take for such jobs, and not less than the time after which a job hangs.
    pub(super) fn arbitration_deadline(&self, key: JobKey) -> Duration {
        let Some(run) = self.runs.get(&key.run) else { return LEAST_DEADLINE };
        let late = run.late(run.class(key.job)).unwrap_or_default();
        late.saturating_mul(LATE_FACTOR).max(run.open().stall).max(LEAST_DEADLINE)
    }

    /// Stores the answers of an audited job, and the answers that waited for this audit.
    fn accept(
        &mut self,
        ctx: &mut StepContext,
        key: JobKey,
        answers: Vec<JobAnswer>,
        reason: AcceptReason,
    ) {
        let sessions = answers.iter().map(|answer| answer.session);
        let connected = sessions.filter(|&id| self.sessions.get(id).is_some());
        let released = self.audits.accept(key, connected, reason);
        let mut by_run: BTreeMap<RunId, Vec<(JobId, JobAnswer)>> = BTreeMap::new();
        let audited = answers.into_iter().map(|answer| (key, answer));
        for (JobKey { run, job }, answer) in released.into_iter().chain(audited) {
            by_run.entry(run).or_default().push((job, answer));
        }
        for (run, answers) in by_run {
            self.store(ctx, run, answers);
        }
    }

    /// Acts on the outcome of an arbitration.
    pub(super) fn arbitrated(&mut self, ctx: &mut StepContext, arbitrated: Arbitration) {
        let Arbitration { key, answers, truth, stored } = arbitrated;
        let truth = match truth {
            Ok(truth) => truth,
            Err(error) => return self.not_judged(ctx, key, &answers, (&error, stored)),
        };
        // Where answers differ, the audit was counted when they were compared.
        if !stored && !are_different(&answers) {
            let is_right = answers.iter().all(|answer| answer.result.output == truth.output);
            let outcome = if is_right { AuditOutcome::Passed } else { AuditOutcome::Failed };
            self.settings.meters.jobs.count_audit(outcome);
        }
        let (right, wrong): (Vec<_>, Vec<_>) =
            answers.into_iter().partition(|answer| answer.result.output == truth.output);
        for answer in wrong {
            self.reject(ctx, key, &answer, stored);
        }
        if stored {
            for answer in &right {
                self.tell(answer, key, v1::Verdict::Duplicate);
            }
            return;
        }
        let own = JobAnswer::own("coordinator".to_owned(), truth);
        let answers = if right.is_empty() { vec![own] } else { right };
        self.accept(ctx, key, answers, AcceptReason::Checked);
    }

    /// Handles that the coordinator cannot judge the answers to a job. If it cannot compute the job
    /// itself, each answer counts as a failed attempt, so that the job is dead in the end: somebody
    /// might answer a job for ever that nobody can compute.
    fn not_judged(
        &mut self,
        ctx: &mut StepContext,
        key: JobKey,
        answers: &[JobAnswer],
        (error, stored): (&ArbitrationError, bool),
    ) {
        let JobKey { run, job } = key;
        tracing::error!(
            %run, generation = job.generation, job = job.index, %error,
            "the answers to a job cannot be judged here"
        );
        for answer in answers {
            self.tell(answer, key, v1::Verdict::Unknown);
        }
        if stored {
            return;
        }
        self.compute_again(ctx.now, &[key]);
        match error {
            ArbitrationError::Unavailable => {}
            ArbitrationError::Failed(_) => {
                self.note_unconfirmed(ctx, key, answers, (AttemptKind::Error, error));
            }
            ArbitrationError::Overdue(_) => {
                self.note_unconfirmed(ctx, key, answers, (AttemptKind::Timeout, error));
            }
        }
        self.reopen(ctx, |by| by == key);
    }

    /// Rejects an answer that the coordinator has found wrong, and quarantines its worker.
    fn reject(&mut self, ctx: &mut StepContext, key: JobKey, answer: &JobAnswer, stored: bool) {
        let JobKey { run, job } = key;
        let (worker, name) = (answer.result.worker, &answer.name);
        // Otherwise it was counted as a mismatch before.
        if !stored {
            let experiment = self.experiment(run);
            self.settings.meters.jobs.count_result(experiment, ResultOutcome::Invalid);
        }
        self.tell(answer, key, v1::Verdict::Invalid);
        if [WorkerId::NOBODY, self.settings.consumer.into()].contains(&worker) {
            tracing::error!(
                %run, generation = job.generation, job = job.index,
                "a result that no worker reported is wrong"
            );
            return;
        }
        let reason = format!(
            "worker {name} reported a wrong result for job {} of generation {} of run {run}",
            job.index, job.generation
        );
        self.begin_quarantine(ctx, worker, &reason);
    }
}

/// Returns whether some of the answers differ.
fn are_different(answers: &[JobAnswer]) -> bool {
    answers.windows(2).any(|pair| pair[0].result.output != pair[1].result.output)
}
