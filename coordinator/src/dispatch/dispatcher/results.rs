//! The path of a result: checked, compared where a second opinion is due, stored, and only then
//! confirmed.

use std::collections::BTreeMap;

use hatchery_meters::labels::{AuthFailure, ResultOutcome};
use hatchery_proto::v1;
use hatchery_store::{JobId, JobKey, RunId, SessionId, StoreError, StoreVerdict};

use super::Dispatcher;
use crate::base::job_ref;
use crate::dispatch::effect::{
    DispatchEffect, LeaseOwner, LocatedResult, StepContext, UnleasedResult,
};
use crate::dispatch::job::{
    JobAnswer, JobStage, NO_SESSION, TrackedJob, TrialRange, TrustLevel, n_trials, ranges,
};
use crate::dispatch::message::LeaderNotice;
use crate::dispatch::verify::{CheckedResult, check};
use crate::dispatch::workers::health::FailureKind;
use crate::run::machine::RunFailure;

impl Dispatcher {
    /// Handles results of a session.
    pub(super) fn results(
        &mut self,
        ctx: &mut StepContext,
        id: SessionId,
        v1::Results { results }: v1::Results,
    ) {
        let mut unleased: BTreeMap<RunId, Vec<UnleasedResult>> = BTreeMap::new();
        for result in results {
            let Some(session) = self.sessions.get(id) else { return };
            let Ok(key) = job_ref::from_wire(result.r#ref.as_ref()) else {
                tracing::warn!(worker = session.name(), "result without an address");
                continue;
            };
            let JobKey { run, job } = key;
            if !self.settings.tickets.is_for(&result.ticket, key, session.worker()) {
                tracing::warn!(
                    worker = session.name(), %run, generation = job.generation, job = job.index,
                    "result without a valid ticket"
                );
                self.settings.meters.sessions.count_auth_failure(AuthFailure::Ticket);
                self.settings
                    .meters
                    .jobs
                    .count_result(self.experiment(run), ResultOutcome::Invalid);
                self.verdict(id, key, v1::Verdict::Invalid);
                continue;
            }
            if let Some(session) = self.sessions.get_mut(id) {
                session.note_result(key);
            }
            let execution = self.drop_execution(ctx.now, id, key);
            let Some(open) = self.runs.get_mut(&run) else {
                self.verdict(id, key, v1::Verdict::Unknown);
                continue;
            };
            let reported_by = match execution {
                Some(execution) => {
                    let class = open.class(job);
                    // A failure says nothing about how long such a job takes.
                    if let Some(v1::result::Outcome::Output(_)) = &result.outcome {
                        open.observe(class, ctx.now - execution.since());
                    }
                    ReportedBy::Holder
                }
                None => ReportedBy::Other,
            };
            if open.has_job(job) {
                self.result(ctx, (id, reported_by), key, result);
            } else {
                unleased.entry(run).or_default().push(UnleasedResult { session: id, job, result });
            }
        }
        for (run, unleased) in unleased {
            ctx.push(DispatchEffect::LocateUnleased { run, unleased });
        }
    }

    /// Handles a result of a job that is leased here.
    fn result(
        &mut self,
        ctx: &mut StepContext,
        (id, reported_by): (SessionId, ReportedBy),
        key: JobKey,
        result: v1::Result,
    ) {
        let Some(run) = self.runs.get(&key.run) else { return };
        let Some(leased) = run.job(key.job) else { return };
        match self.examine(id, key, (leased.bytes(), leased.ranges()), result) {
            ResultCheck::Good(answer) => {
                if let Some(session) = self.sessions.get_mut(id) {
                    session.count_trials(ctx.now, answer.n_trials);
                }
                self.answer(ctx, key, answer);
            }
            ResultCheck::Foreign => self.verdict(id, key, v1::Verdict::Unknown),
            ResultCheck::Failed(kind, failure) => {
                // The report is recorded as a failed attempt; the worker has nothing more to
                // report.
                self.verdict(id, key, v1::Verdict::Accepted);
                if reported_by == ReportedBy::Holder {
                    self.note_error(ctx, (id, key), kind, failure);
                }
            }
            ResultCheck::Malformed(failure) => {
                self.settings
                    .meters
                    .jobs
                    .count_result(self.experiment(key.run), ResultOutcome::Invalid);
                self.verdict(id, key, v1::Verdict::Invalid);
                if reported_by == ReportedBy::Holder {
                    self.note_error(ctx, (id, key), FailureKind::Malformed, failure);
                }
            }
        }
    }

    /// Handles a result of a job that is resolved or dead: the store compares the result.
    fn late(
        &mut self,
        ctx: &mut StepContext,
        (id, key): (SessionId, JobKey),
        bytes: &[u8],
        result: v1::Result,
    ) {
        let Some(run) = self.runs.get(&key.run) else { return };
        let ranges = ranges(bytes).unwrap_or_default();
        let is_alone = |answer: &JobAnswer| self.eligibility(ctx.now).is_alone(answer, run.open());
        match self.examine(id, key, (bytes, &ranges), result) {
            // It would be stored if the job was dead, and no worker can give a second opinion.
            ResultCheck::Good(answer)
                if answer.trust_level == TrustLevel::Checked || is_alone(&answer) =>
            {
                self.store(ctx, key.run, vec![(key.job, answer)]);
            }
            ResultCheck::Malformed(_) => {
                self.settings
                    .meters
                    .jobs
                    .count_result(&run.open().experiment, ResultOutcome::Invalid);
                self.verdict(id, key, v1::Verdict::Invalid);
            }
            _ => self.verdict(id, key, v1::Verdict::Unknown),
        }
    }

    /// Checks a session's result against the bytes and trials of its job.
    fn examine(
        &self,
        id: SessionId,
        key: JobKey,
        (bytes, ranges): (&[u8], &[TrialRange]),
        result: v1::Result,
    ) -> ResultCheck {
        let JobKey { run, job } = key;
        let (Some(session), Some(open)) = (self.sessions.get(id), self.runs.get(&run)) else {
            return ResultCheck::Foreign;
        };
        if !self.settings.tickets.check(&result.ticket, key, session.worker(), bytes) {
            // A job from before the store was rolled back: it is not needed any more.
            tracing::info!(
                worker = session.name(), %run, generation = job.generation, job = job.index,
                "result of an earlier cut"
            );
            return ResultCheck::Foreign;
        }
        match check(open.open().simulation, job, ranges, session.worker(), result) {
            CheckedResult::Good(result) => {
                let (name, source) = (session.name().to_owned(), session.source().clone());
                ResultCheck::Good(JobAnswer {
                    session: id,
                    name,
                    trust_level: self.audits.trust_level(id),
                    source,
                    experiment: open.open().experiment.as_str().into(),
                    n_trials: n_trials(ranges),
                    result,
                })
            }
            CheckedResult::Failed(failure) => ResultCheck::Failed(FailureKind::NoResult, failure),
            CheckedResult::TooLarge(failure) => ResultCheck::Failed(FailureKind::TooLarge, failure),
            CheckedResult::Malformed(failure) => ResultCheck::Malformed(failure),
        }
    }

    /// Offers answers to the store.
    pub(super) fn store(
        &mut self,
        ctx: &mut StepContext,
        id: RunId,
        mut answers: Vec<(JobId, JobAnswer)>,
    ) {
        let Some(run) = self.runs.get_mut(&id) else {
            return self.discard(id, &answers);
        };
        for (job, answer) in &mut answers {
            answer.experiment = run.open().experiment.as_str().into();
            run.change(*job, |leased| {
                leased.enter(JobStage::Storing);
                answer.n_trials = n_trials(leased.ranges());
            });
        }
        // Answers that arrive together are stored together.
        let last = ctx.effects.iter_mut().rev().find_map(|effect| match effect {
            DispatchEffect::Complete { run, answers } if *run == id => Some(answers),
            _ => None,
        });
        match last {
            Some(waiting) => waiting.extend(answers),
            None => ctx.push(DispatchEffect::Complete { run: id, answers }),
        }
    }

    /// Offers answers again that the store refused before.
    pub(super) fn offer_again(&mut self, ctx: &mut StepContext) {
        for (&id, run) in &mut self.runs {
            let (answers, unleased) = run.take_due(ctx.now);
            if !answers.is_empty() {
                ctx.push(DispatchEffect::Complete { run: id, answers });
            }
            if !unleased.is_empty() {
                ctx.push(DispatchEffect::LocateUnleased { run: id, unleased });
            }
        }
    }

    /// Confirms stored answers to their workers.
    pub(super) fn completed(
        &mut self,
        ctx: &mut StepContext,
        id: RunId,
        answers: Vec<(JobId, JobAnswer)>,
        verdicts: Result<Vec<StoreVerdict>, StoreError>,
    ) {
        let verdicts = match verdicts {
            Ok(verdicts) => verdicts,
            Err(error) => {
                // Without a reply of the store there is no verdict: the workers keep the results.
                let Some(run) = self.runs.get_mut(&id) else {
                    return self.discard(id, &answers);
                };
                run.keep_unstored(ctx.now, answers);
                return run.notify(LeaderNotice::StoreFailed(error));
            }
        };
        self.credit(ctx, id, &answers, &verdicts);
        let mut back = Vec::new();
        for ((job, answer), verdict) in answers.into_iter().zip(verdicts) {
            let key = JobKey { run: id, job };
            if verdict == StoreVerdict::PartsMissing {
                self.parts_missing(ctx, key, &answer);
                continue;
            }
            let leased = self.forget(ctx, key);
            let said = match verdict {
                StoreVerdict::Accepted => {
                    self.count_accepted(leased.as_ref(), &answer);
                    v1::Verdict::Accepted
                }
                StoreVerdict::Duplicate => {
                    let jobs = &self.settings.meters.jobs;
                    jobs.count_result(&answer.experiment, ResultOutcome::Duplicate);
                    v1::Verdict::Duplicate
                }
                // Those whose parts are missing were handled above.
                StoreVerdict::Unknown | StoreVerdict::PartsMissing => {
                    // The run has ended: its job stays for a leader that resumes the run.
                    back.push(job);
                    v1::Verdict::Unknown
                }
                StoreVerdict::Mismatch => {
                    tracing::error!(
                        run = %id,
                        generation = job.generation, job = job.index, worker = answer.name,
                        "two results differ"
                    );
                    let jobs = &self.settings.meters.jobs;
                    jobs.count_result(&answer.experiment, ResultOutcome::Mismatch);
                    // The arbitration decides which of the two answers is wrong.
                    let (answers, deadline) = (vec![answer], self.arbitration_deadline(key));
                    ctx.push(DispatchEffect::Arbitrate { key, bytes: None, answers, deadline });
                    continue;
                }
            };
            self.tell(&answer, key, said);
        }
        if !back.is_empty() {
            ctx.push(DispatchEffect::Release { run: id, jobs: back });
        }
        self.results_available(id);
    }

    /// Handles an answer that names parts which the store lacks. Its worker never sent the parts,
    /// or the store was rolled back.
    fn parts_missing(&mut self, ctx: &mut StepContext, key: JobKey, answer: &JobAnswer) {
        self.settings.meters.jobs.count_result(self.experiment(key.run), ResultOutcome::Invalid);
        self.tell(answer, key, v1::Verdict::PartsMissing);
        if let Some(run) = self.runs.get_mut(&key.run) {
            run.change(key.job, |leased| leased.enter(JobStage::Compute));
        }
        let message =
            format!("worker {} sent a result without the parts that it names", answer.name);
        let failure = RunFailure { message, trial: None };
        let id = answer.session;
        self.note_error(ctx, (id, key), FailureKind::Malformed, failure);
    }

    /// Handles unleased results, now that the store was asked for their jobs.
    pub(super) fn unleased(
        &mut self,
        ctx: &mut StepContext,
        id: RunId,
        unleased: Result<Vec<LocatedResult>, Vec<UnleasedResult>>,
    ) {
        let unleased = match unleased {
            Ok(unleased) => unleased,
            Err(unleased) => {
                let Some(run) = self.runs.get_mut(&id) else {
                    for UnleasedResult { session, job, .. } in unleased {
                        self.verdict(session, JobKey { run: id, job }, v1::Verdict::Unknown);
                    }
                    return;
                };
                return run.keep_unleased(ctx.now, unleased);
            }
        };
        for (UnleasedResult { session, job, result }, bytes, adoption) in unleased {
            let key = JobKey { run: id, job };
            let Some((run, bytes)) = self.runs.get_mut(&id).zip(bytes) else {
                self.verdict(session, key, v1::Verdict::Unknown);
                if adoption == LeaseOwner::Ours {
                    ctx.push(DispatchEffect::Release { run: id, jobs: vec![job] });
                }
                continue;
            };
            if adoption == LeaseOwner::Theirs && !run.has_job(job) {
                self.late(ctx, (session, key), &bytes, result);
                continue;
            }
            let stage = self.settings.stage(key);
            if !run.has_job(job)
                && let Some(leased) = TrackedJob::new(bytes, ctx.now, stage)
            {
                run.insert(job, leased);
            }
            let reported_by = match adoption {
                LeaseOwner::Ours => ReportedBy::Holder,
                LeaseOwner::Theirs => ReportedBy::Other,
            };
            self.result(ctx, (session, reported_by), key, result);
        }
    }

    /// Sends workers the verdict that their answers are not needed any more.
    fn discard(&mut self, run: RunId, answers: &[(JobId, JobAnswer)]) {
        for &(job, ref answer) in answers {
            self.tell(answer, JobKey { run, job }, v1::Verdict::Unknown);
        }
    }

    /// Sends the verdict on an answer to its worker, in its current session: a worker keeps its
    /// results from one session to the next.
    pub(super) fn tell(&mut self, answer: &JobAnswer, key: JobKey, verdict: v1::Verdict) {
        if answer.session == NO_SESSION {
            return;
        }
        let brought = Some(answer.session).filter(|&id| self.sessions.get(id).is_some());
        if let Some(id) = brought.or_else(|| self.sessions.of_worker(answer.result.worker)) {
            self.verdict(id, key, verdict);
        }
    }

    pub(super) fn verdict(&mut self, id: SessionId, key: JobKey, verdict: v1::Verdict) {
        if let Some(session) = self.sessions.get_mut(id) {
            session.send_verdict(key, verdict);
        }
    }
}

/// The reporter of a failure: a repeated report is not another attempt.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ReportedBy {
    /// A session that computed the job until now.
    Holder,
    /// A session that did not compute the job, or whose attempt has been counted.
    Other,
}

/// The outcome of checking a result.
enum ResultCheck {
    /// A well-formed answer.
    Good(JobAnswer),
    /// A result of another job at the same address.
    Foreign,
    /// The report that a trial failed, or that trials return too much.
    Failed(FailureKind, RunFailure),
    /// Malformed: not a result of this job.
    Malformed(RunFailure),
}
