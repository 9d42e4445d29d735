//! The way of a result: checked, compared where a second opinion is due, stored, and only then
//! confirmed.

use std::collections::BTreeMap;
use std::time::Duration;

use hatchery_meters::labels::{AuditOutcome, AuthFailure, ResultOutcome};
use hatchery_proto::v1::{self, JobVerdict, to_worker};
use tokio::time::Instant;

use super::dispatcher::Dispatcher;
use super::effect::{Arbitration, DispatchEffect, LeaseOwner, LocatedResult, UnleasedResult};
use super::job::{JobAnswer, JobStage, NO_SESSION, TrackedJob, TrialRange, TrustLevel, ranges};
use super::message::LeaderNotice;
use super::sessions::WorkerTrust;
use super::verify::{CheckedResult, check};
use crate::machine::RunFailure;
use crate::store::{JobId, JobKey, RunId, SessionId, StoreError, StoreVerdict, WorkerId};

/// The delay before answers are offered again to a store that did not take them.
const OFFER_AGAIN: Duration = Duration::from_millis(250);

impl Dispatcher {
    /// Handles results of a session.
    pub(super) fn results(
        &mut self,
        now: Instant,
        id: SessionId,
        v1::Results { results }: v1::Results,
        effects: &mut Vec<DispatchEffect>,
    ) {
        let mut strays: BTreeMap<RunId, Vec<UnleasedResult>> = BTreeMap::new();
        for result in results {
            let Some(session) = self.sessions.get(id) else { return };
            let Ok(key) = JobKey::from_wire(result.r#ref.as_ref()) else {
                tracing::warn!(worker = session.name, "result without an address");
                continue;
            };
            let JobKey { run, job } = key;
            if !self.settings.tickets.is_for(&result.ticket, key, session.worker) {
                tracing::warn!(
                    worker = session.name, %run, generation = job.generation, job = job.index,
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
            let copy = self.drop_copy(now, id, key);
            let Some(open) = self.runs.get_mut(&run) else {
                self.verdict(id, key, v1::Verdict::Unknown);
                continue;
            };
            let bringer = match copy {
                Some(copy) => {
                    open.observe(now - copy.since);
                    ReportedBy::Holder
                }
                None => ReportedBy::Other,
            };
            if open.jobs.contains_key(&job) {
                self.result(now, (id, bringer), key, result, effects);
            } else {
                strays.entry(run).or_default().push(UnleasedResult { session: id, job, result });
            }
        }
        for (run, strays) in strays {
            effects.push(DispatchEffect::Strays { run, strays });
        }
    }

    /// Handles a result of a job that is leased here.
    fn result(
        &mut self,
        now: Instant,
        (id, bringer): (SessionId, ReportedBy),
        key: JobKey,
        result: v1::Result,
        effects: &mut Vec<DispatchEffect>,
    ) {
        let Some(run) = self.runs.get(&key.run) else { return };
        let Some(TrackedJob { bytes, ranges, .. }) = run.jobs.get(&key.job) else { return };
        match self.examine(id, key, (bytes, ranges), result) {
            ResultCheck::Good(answer) => self.answer(now, key, answer, effects),
            ResultCheck::Foreign => self.verdict(id, key, v1::Verdict::Unknown),
            ResultCheck::Failed(failure) => {
                // The report is recorded as a failed attempt; the worker has nothing more to
                // report.
                self.verdict(id, key, v1::Verdict::Accepted);
                if bringer == ReportedBy::Holder {
                    self.note_error(id, key, failure, effects);
                }
            }
            ResultCheck::Malformed(failure) => {
                self.settings
                    .meters
                    .jobs
                    .count_result(self.experiment(key.run), ResultOutcome::Invalid);
                self.verdict(id, key, v1::Verdict::Invalid);
                if bringer == ReportedBy::Holder {
                    self.note_error(id, key, failure, effects);
                }
            }
        }
    }

    /// Handles a result of a job that is resolved or dead: the store compares it.
    fn late(
        &mut self,
        id: SessionId,
        key: JobKey,
        bytes: &[u8],
        result: v1::Result,
        effects: &mut Vec<DispatchEffect>,
    ) {
        let Some(run) = self.runs.get(&key.run) else { return };
        let ranges = ranges(bytes).unwrap_or_default();
        let (experiment, version) = (&run.open.experiment, run.open.version);
        match self.examine(id, key, (bytes, &ranges), result) {
            // It would be stored if the job was dead, and no worker can give a second opinion.
            ResultCheck::Good(answer)
                if answer.standing == TrustLevel::Checked
                    || !self.sessions.has_other(answer.result.worker, experiment, version) =>
            {
                self.store(key.run, vec![(key.job, answer)], effects);
            }
            ResultCheck::Malformed(_) => {
                self.settings.meters.jobs.count_result(experiment, ResultOutcome::Invalid);
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
        if !self.settings.tickets.check(&result.ticket, key, session.worker, bytes) {
            // A job from before the store was rolled back: it is not needed any more.
            tracing::info!(
                worker = session.name, %run, generation = job.generation, job = job.index,
                "result of an earlier cut"
            );
            return ResultCheck::Foreign;
        }
        match check(open.open.simulation, job, ranges, session.worker, result) {
            CheckedResult::Good(result) => {
                let (name, standing) = (session.name.clone(), session.trust.standing());
                ResultCheck::Good(JobAnswer { session: id, name, standing, result })
            }
            CheckedResult::Failed(failure) => ResultCheck::Failed(failure),
            CheckedResult::Malformed(failure) => ResultCheck::Malformed(failure),
        }
    }

    /// Handles a well-formed result: stores it, or waits for a second opinion.
    pub(super) fn answer(
        &mut self,
        now: Instant,
        key: JobKey,
        answer: JobAnswer,
        effects: &mut Vec<DispatchEffect>,
    ) {
        let JobKey { run: id, job } = key;
        let Some(run) = self.runs.get_mut(&id) else { return };
        let (experiment, version) = (run.open.experiment.clone(), run.open.version);
        let others = self.sessions.has_other(answer.result.worker, &experiment, version);
        let Some(session) = self.sessions.get_mut(answer.session) else { return };
        let Some(leased) = run.jobs.get_mut(&job) else { return };
        let checked = session.trust.standing() == TrustLevel::Checked || !others;
        match &mut leased.stage {
            // The store compares it with the answer on its way there; an answer of a trusted worker
            // waits for no check.
            JobStage::Storing | JobStage::Withheld if checked => {
                return self.store(id, vec![(job, answer)], effects);
            }
            // Otherwise a repeated report would count although the first does not yet.
            JobStage::Storing | JobStage::Withheld | JobStage::Judging => {
                return self.tell(&answer, key, v1::Verdict::Unknown);
            }
            // A second answer of the same worker is no second opinion.
            JobStage::Audit(answers) => {
                answers.retain(|known| known.result.worker != answer.result.worker);
                answers.push(answer);
            }
            JobStage::Compute | JobStage::Noting if !others => {
                return self.store(id, vec![(job, answer)], effects);
            }
            JobStage::Compute | JobStage::Noting => match &mut session.trust {
                WorkerTrust::Checked => return self.store(id, vec![(job, answer)], effects),
                WorkerTrust::Unchecked => {
                    session.trust = WorkerTrust::Pending(key, Vec::new());
                    leased.stage = JobStage::Audit(vec![answer]);
                }
                WorkerTrust::Pending(_, withheld) => {
                    withheld.push((key, answer));
                    run.change(job, |leased| leased.stage = JobStage::Withheld);
                    return;
                }
            },
        }
        run.change(job, |leased| leased.idle_since = now);
        self.compare(key, AuditPolicy::Wanted, effects);
    }

    /// Compares the answers of a job that is computed twice.
    pub(super) fn compare(
        &mut self,
        key: JobKey,
        opinion: AuditPolicy,
        effects: &mut Vec<DispatchEffect>,
    ) {
        let JobKey { run: id, job } = key;
        let Some(run) = self.runs.get_mut(&id) else { return };
        let open = &run.open;
        let Some(TrackedJob { stage: JobStage::Audit(answers), bytes, .. }) =
            run.jobs.get_mut(&job)
        else {
            return;
        };
        let same = answers.windows(2).all(|pair| pair[0].result.output == pair[1].result.output);
        match answers.as_slice() {
            [] => {}
            [only] => {
                let (worker, session) = (only.result.worker, self.sessions.get(only.session));
                let standing = session.map_or(only.standing, |s| s.trust.standing());
                let trusted = standing == TrustLevel::Checked;
                if (opinion == AuditPolicy::Enough && trusted)
                    || !self.sessions.has_other(worker, &open.experiment, open.version)
                {
                    let answers = std::mem::take(answers);
                    self.settings.meters.jobs.count_audit(AuditOutcome::Skipped);
                    self.pass(key, &answers, AcceptReason::Unchecked, effects);
                    self.store(
                        id,
                        answers.into_iter().map(|answer| (job, answer)).collect(),
                        effects,
                    );
                }
            }
            _ if same => {
                let answers = std::mem::take(answers);
                tracing::debug!(
                    run = %id, generation = job.generation, job = job.index,
                    "audit passed"
                );
                self.settings.meters.jobs.count_audit(AuditOutcome::Passed);
                self.pass(key, &answers, AcceptReason::Checked, effects);
                self.store(id, answers.into_iter().map(|answer| (job, answer)).collect(), effects);
            }
            _ => {
                let (answers, bytes) = (std::mem::take(answers), bytes.clone());
                self.settings.meters.jobs.count_audit(AuditOutcome::Failed);
                run.change(job, |leased| leased.stage = JobStage::Judging);
                effects.push(DispatchEffect::Judge { key, bytes: Some(bytes), answers });
            }
        }
    }

    /// Trusts the workers whose answer this job has checked, and stores the answers that waited for
    /// it.
    fn pass(
        &mut self,
        key: JobKey,
        answers: &[JobAnswer],
        pass: AcceptReason,
        effects: &mut Vec<DispatchEffect>,
    ) {
        for answer in answers {
            let Some(session) = self.sessions.get_mut(answer.session) else { continue };
            let pending = matches!(&session.trust, WorkerTrust::Pending(by, _) if *by == key);
            let next = match pass {
                AcceptReason::Checked => WorkerTrust::Checked,
                AcceptReason::Unchecked if pending => WorkerTrust::Unchecked,
                AcceptReason::Unchecked => continue,
            };
            if let WorkerTrust::Pending(_, withheld) = std::mem::replace(&mut session.trust, next) {
                let mut by_run: BTreeMap<RunId, Vec<(JobId, JobAnswer)>> = BTreeMap::new();
                for (JobKey { run, job }, answer) in withheld {
                    by_run.entry(run).or_default().push((job, answer));
                }
                for (run, answers) in by_run {
                    self.store(run, answers, effects);
                }
            }
        }
    }

    /// Offers answers to the store.
    fn store(
        &mut self,
        id: RunId,
        answers: Vec<(JobId, JobAnswer)>,
        effects: &mut Vec<DispatchEffect>,
    ) {
        let Some(run) = self.runs.get_mut(&id) else {
            return self.discard(id, &answers);
        };
        for (job, _) in &answers {
            run.change(*job, |leased| leased.stage = JobStage::Storing);
        }
        // Answers that arrive together are stored together.
        let last = effects.iter_mut().rev().find_map(|effect| match effect {
            DispatchEffect::Complete { run, answers } if *run == id => Some(answers),
            _ => None,
        });
        match last {
            Some(waiting) => waiting.extend(answers),
            None => effects.push(DispatchEffect::Complete { run: id, answers }),
        }
    }

    /// Offers answers again that the store did not take.
    pub(super) fn offer_again(&mut self, now: Instant, effects: &mut Vec<DispatchEffect>) {
        if self.convict_at.is_some_and(|at| at <= now) {
            self.convict_at = None;
            let convictions = std::mem::take(&mut self.convictions).into_iter();
            effects.extend(
                convictions.map(|(worker, reason)| DispatchEffect::Quarantine { worker, reason }),
            );
        }
        for (&id, run) in &mut self.runs {
            if !run.unstored.is_empty() && run.store_at <= now {
                let answers = std::mem::take(&mut run.unstored);
                effects.push(DispatchEffect::Complete { run: id, answers });
            }
            if !run.strays.is_empty() && run.store_at <= now {
                let strays = std::mem::take(&mut run.strays);
                effects.push(DispatchEffect::Strays { run: id, strays });
            }
        }
    }

    /// Confirms stored answers to their workers.
    pub(super) fn completed(
        &mut self,
        now: Instant,
        id: RunId,
        answers: Vec<(JobId, JobAnswer)>,
        verdicts: Result<Vec<StoreVerdict>, StoreError>,
        effects: &mut Vec<DispatchEffect>,
    ) {
        let verdicts = match verdicts {
            Ok(verdicts) => verdicts,
            Err(error) => {
                // Without a reply of the store there is no verdict: the workers keep the results.
                let Some(run) = self.runs.get_mut(&id) else {
                    return self.discard(id, &answers);
                };
                run.unstored.extend(answers);
                run.store_at = now + OFFER_AGAIN;
                return run.notify(LeaderNotice::StoreFailed(error));
            }
        };
        let mut back = Vec::new();
        for ((job, answer), verdict) in answers.into_iter().zip(verdicts) {
            let key = JobKey { run: id, job };
            let leased = self.forget(now, key, effects);
            let said = match verdict {
                StoreVerdict::Accepted => {
                    self.count_accepted(id, leased.as_ref(), &answer);
                    v1::Verdict::Accepted
                }
                StoreVerdict::Duplicate => {
                    self.settings
                        .meters
                        .jobs
                        .count_result(self.experiment(id), ResultOutcome::Duplicate);
                    v1::Verdict::Duplicate
                }
                StoreVerdict::Unknown => {
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
                    self.settings
                        .meters
                        .jobs
                        .count_result(self.experiment(id), ResultOutcome::Mismatch);
                    // The arbitration decides which of the two answers is wrong.
                    let answers = vec![answer];
                    effects.push(DispatchEffect::Judge { key, bytes: None, answers });
                    continue;
                }
            };
            self.tell(&answer, key, said);
        }
        if !back.is_empty() {
            effects.push(DispatchEffect::Release { run: id, jobs: back });
        }
        self.stir(id);
    }

    /// Handles unleased results, now that the store was asked for their jobs.
    pub(super) fn strays(
        &mut self,
        now: Instant,
        id: RunId,
        strays: Result<Vec<LocatedResult>, Vec<UnleasedResult>>,
        effects: &mut Vec<DispatchEffect>,
    ) {
        let strays = match strays {
            Ok(strays) => strays,
            Err(strays) => {
                let Some(run) = self.runs.get_mut(&id) else { return };
                run.strays.extend(strays);
                run.store_at = now + OFFER_AGAIN;
                return;
            }
        };
        for (UnleasedResult { session, job, result }, bytes, adoption) in strays {
            let key = JobKey { run: id, job };
            let Some((run, bytes)) = self.runs.get_mut(&id).zip(bytes) else {
                self.verdict(session, key, v1::Verdict::Unknown);
                if adoption == LeaseOwner::Ours {
                    effects.push(DispatchEffect::Release { run: id, jobs: vec![job] });
                }
                continue;
            };
            if adoption == LeaseOwner::Theirs && !run.jobs.contains_key(&job) {
                self.late(session, key, &bytes, result, effects);
                continue;
            }
            let stage = self.settings.stage(key);
            if !run.jobs.contains_key(&job)
                && let Some(leased) = TrackedJob::new(bytes, now, stage)
            {
                run.insert(job, leased);
            }
            let bringer = match adoption {
                LeaseOwner::Ours => ReportedBy::Holder,
                LeaseOwner::Theirs => ReportedBy::Other,
            };
            self.result(now, (session, bringer), key, result, effects);
        }
    }

    /// Acts on the outcome of an arbitration.
    pub(super) fn judged(
        &mut self,
        now: Instant,
        judged: Arbitration,
        effects: &mut Vec<DispatchEffect>,
    ) {
        let Arbitration { key, answers, truth, stored } = judged;
        let JobKey { run, job } = key;
        let Some(truth) = truth else {
            tracing::error!(
                %run, generation = job.generation, job = job.index,
                "results differ, and the job cannot be judged here"
            );
            for answer in &answers {
                self.tell(answer, key, v1::Verdict::Unknown);
            }
            if stored {
                return;
            }
            self.compute_again(now, &[key]);
            return self.reopen(now, |by| by == key, effects);
        };
        let (right, wrong): (Vec<_>, Vec<_>) =
            answers.into_iter().partition(|answer| answer.result.output == truth.output);
        for answer in wrong {
            let (worker, name) = (answer.result.worker, &answer.name);
            // Otherwise it was counted as a mismatch before.
            if !stored {
                self.settings
                    .meters
                    .jobs
                    .count_result(self.experiment(run), ResultOutcome::Invalid);
            }
            self.tell(&answer, key, v1::Verdict::Invalid);
            if [WorkerId::NOBODY, self.settings.consumer.into()].contains(&worker) {
                tracing::error!(
                    %run, generation = job.generation, job = job.index,
                    "a result that no worker brought is wrong"
                );
                continue;
            }
            let reason = format!(
                "worker {name} brought a wrong result for job {} of generation {} of run {run}",
                job.index, job.generation
            );
            effects.push(DispatchEffect::Quarantine { worker, reason: reason.clone() });
            self.shut_out(now, worker, &reason, effects);
        }
        if stored {
            for answer in &right {
                self.tell(answer, key, v1::Verdict::Duplicate);
            }
            return;
        }
        self.pass(key, &right, AcceptReason::Checked, effects);
        let own = JobAnswer::own("coordinator".to_owned(), truth);
        let answers = if right.is_empty() { vec![own] } else { right };
        self.store(run, answers.into_iter().map(|answer| (job, answer)).collect(), effects);
    }

    /// Has leaders invalidate a worker's results once its quarantine is stored; stores it again if
    /// that failed.
    pub(super) fn quarantine_stored(
        &mut self,
        now: Instant,
        worker: WorkerId,
        reason: String,
        written: Result<(), StoreError>,
    ) {
        match written {
            Ok(()) => self.runs.values().for_each(|run| run.notify(LeaderNotice::ShutOut)),
            Err(error) => {
                tracing::warn!(%error, "quarantine not stored yet");
                self.convictions.push((worker, reason));
                self.convict_at = Some(now + OFFER_AGAIN);
            }
        }
    }

    /// Tells workers that answers are not needed any more.
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
        let Some(session) = self.sessions.get_mut(id) else { return };
        let JobKey { run, job } = key;
        tracing::debug!(
            worker = session.name, %run, generation = job.generation, job = job.index, ?verdict,
            "verdict"
        );
        let verdicts = vec![JobVerdict { r#ref: Some(key.to_wire()), verdict: verdict.into() }];
        session.send(to_worker::Message::Verdicts(v1::Verdicts { verdicts }));
    }
}

/// The reporter of a failure: a repeated report is not another attempt.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ReportedBy {
    /// A session that computed the job until now.
    Holder,
    /// A session that did not, or whose attempt has been counted.
    Other,
}

/// The outcome of checking a result.
enum ResultCheck {
    /// A well-formed answer.
    Good(JobAnswer),
    /// A result of another job at the same address.
    Foreign,
    /// The report of a trial that failed.
    Failed(RunFailure),
    /// Malformed: not a result of this job.
    Malformed(RunFailure),
}

/// The reason why an answer is accepted.
#[derive(Clone, Copy)]
enum AcceptReason {
    /// Another worker agrees.
    Checked,
    /// No other worker can be asked.
    Unchecked,
}

/// The policy where two answers are due and one is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AuditPolicy {
    /// Wait for another worker's answer.
    Wanted,
    /// Accept it if its worker is trusted: it has waited long enough.
    Enough,
}
