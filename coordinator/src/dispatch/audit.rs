//! Audits: jobs that two workers compute, and the trust that workers gain by them.

use std::collections::BTreeMap;

use hatchery_meters::labels::{AuditOutcome, ResultOutcome};
use hatchery_proto::v1;
use tokio::time::Instant;

use super::dispatcher::Dispatcher;
use super::effect::{Arbitration, DispatchEffect};
use super::job::{JobAnswer, JobStage, TrustLevel};
use super::sessions::{OtherOpinions, WorkerTrust};
use crate::store::{JobId, JobKey, RunId, WorkerId};

impl Dispatcher {
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
        let checked = session.trust.trust_level() == TrustLevel::Checked || !others;
        match &mut leased.stage {
            // The store compares it with the answer on its way there; an answer of a trusted worker
            // waits for no check.
            JobStage::Storing | JobStage::Withheld if checked => {
                return self.store(id, vec![(job, answer)], effects);
            }
            // Otherwise a repeated report would count although the first does not yet.
            JobStage::Storing | JobStage::Withheld | JobStage::Arbitrating => {
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
        let Some(tracked) = run.jobs.get_mut(&job) else { return };
        let others = self.sessions.other_opinions(tracked, &open.experiment, open.version);
        let JobStage::Audit(answers) = &mut tracked.stage else { return };
        let same = answers.windows(2).all(|pair| pair[0].result.output == pair[1].result.output);
        match answers.as_slice() {
            [] => {}
            [only] => {
                let session = self.sessions.get(only.session);
                let trust_level = session.map_or(only.trust_level, |s| s.trust.trust_level());
                let trusted = trust_level == TrustLevel::Checked;
                if others == OtherOpinions::UsedUp {
                    self.arbitrate(key, effects);
                } else if (opinion == AuditPolicy::Enough && trusted)
                    || others == OtherOpinions::Nobody
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
                self.settings.meters.jobs.count_audit(AuditOutcome::Failed);
                self.arbitrate(key, effects);
            }
        }
    }

    /// Has the coordinator compute a job itself that some worker has completed, to decide on its
    /// answers.
    fn arbitrate(&mut self, key: JobKey, effects: &mut Vec<DispatchEffect>) {
        let Some(run) = self.runs.get_mut(&key.run) else { return };
        let answers = run.change(key.job, |tracked| {
            let stage = std::mem::replace(&mut tracked.stage, JobStage::Arbitrating);
            let JobStage::Audit(answers) = stage else { return None };
            Some((answers, tracked.bytes.clone()))
        });
        if let Some(Some((answers, bytes))) = answers {
            effects.push(DispatchEffect::Arbitrate { key, bytes: Some(bytes), answers });
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

    /// Acts on the outcome of an arbitration.
    pub(super) fn arbitrated(
        &mut self,
        now: Instant,
        arbitrated: Arbitration,
        effects: &mut Vec<DispatchEffect>,
    ) {
        let Arbitration { key, answers, truth, stored } = arbitrated;
        let JobKey { run, job } = key;
        let Some(truth) = truth else {
            tracing::error!(
                %run, generation = job.generation, job = job.index,
                "the answers to a job cannot be judged here"
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
                    "a result that no worker reported is wrong"
                );
                continue;
            }
            let reason = format!(
                "worker {name} reported a wrong result for job {} of generation {} of run {run}",
                job.index, job.generation
            );
            effects.push(DispatchEffect::Quarantine { worker, reason: reason.clone() });
            self.quarantine(now, worker, &reason, effects);
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
}

/// The reason why an answer is accepted.
#[derive(Clone, Copy)]
enum AcceptReason {
    /// Another worker or the coordinator agrees.
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
