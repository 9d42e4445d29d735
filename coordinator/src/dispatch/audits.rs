//! The audits of a coordinator: the answers that wait for a second opinion, and the trust that
//! workers gain by audits.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use hatchery_store::{JobKey, RunId, SessionId, WorkerId};
use tokio::time::Instant;

use super::job::{JobAnswer, TrustLevel};
use crate::base::opinions::OpinionSource;

/// An answer that waits until its worker is checked, with its job.
pub(super) type WithheldAnswer = (JobKey, JobAnswer);

/// The trust in a worker: whether its results are accepted without a second opinion.
#[derive(Debug)]
enum WorkerTrust {
    /// Its first result is being checked: the job, and the answers that wait for the outcome.
    Pending(JobKey, Vec<WithheldAnswer>),
    /// Its first result was right.
    Checked,
}

/// The answers to an audited job, at most one answer per worker. Answers of one source count as one
/// opinion.
#[derive(Debug)]
struct AuditedJob {
    answers: Vec<JobAnswer>,
    /// The time of the first answer.
    since: Instant,
}

/// The answers that wait for a second opinion, and the trust in the worker of each session. A
/// worker without an entry has not been checked.
#[derive(Debug, Default)]
pub(super) struct AuditTable {
    trust: BTreeMap<SessionId, WorkerTrust>,
    jobs: BTreeMap<JobKey, AuditedJob>,
}

/// The treatment of an answer to a job that is not audited.
#[derive(Debug)]
pub(super) enum AnswerAdmission {
    /// Its worker is trusted: the answer may be stored.
    Trusted(JobAnswer),
    /// The job becomes an audit that checks the worker, and the answer waits for a second answer.
    Audited,
    /// The answer waits until an audit has checked its worker.
    Withheld,
}

/// The workers that could give another opinion on a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OtherOpinions {
    /// At least one worker may get the job, or is computing it.
    Possible,
    /// There are other workers, but every other worker failed the job, is paused, or counts as the
    /// same opinion as an answer.
    UsedUp,
    /// There is no other worker.
    Nobody,
}

/// The time that an audit has waited for its second opinion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AuditWait {
    /// No longer than usual.
    Usual,
    /// So long that the coordinator computes the second opinion itself: all suitable workers may be
    /// slow, or may be waiting for the same.
    Overdue,
}

/// The decision on an audited job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AuditDecision {
    /// Wait for an answer.
    Wait,
    /// Accept the job's answers.
    Accept(AcceptReason),
    /// Have the coordinator compute the job and decide. Some worker has completed the job, so the
    /// job cannot hang or crash the coordinator.
    Arbitrate,
}

/// The reason why an answer is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AcceptReason {
    /// Another worker or the coordinator agrees.
    Checked,
    /// No other worker can be asked.
    Unchecked,
}

impl AuditTable {
    /// Returns the trust in the worker of a session.
    pub(super) fn trust_level(&self, session: SessionId) -> TrustLevel {
        match self.trust.get(&session) {
            Some(WorkerTrust::Checked) => TrustLevel::Checked,
            Some(WorkerTrust::Pending(..)) | None => TrustLevel::Unchecked,
        }
    }

    /// Returns whether the job has an answer that waits for a second opinion.
    pub(super) fn is_answered(&self, key: JobKey) -> bool {
        self.jobs.contains_key(&key)
    }

    /// Returns whether the worker has answered the job.
    pub(super) fn has_answer_of(&self, key: JobKey, worker: WorkerId) -> bool {
        let job = self.jobs.get(&key);
        job.is_some_and(|job| job.answers.iter().any(|answer| answer.result.worker == worker))
    }

    /// Returns whether the job has an answer from that source.
    pub(super) fn has_answer_from(&self, key: JobKey, source: &OpinionSource) -> bool {
        let job = self.jobs.get(&key);
        job.is_some_and(|job| job.answers.iter().any(|answer| answer.source == *source))
    }

    /// Returns the jobs of a run that wait for a second opinion, and for how long.
    pub(super) fn waiting(&self, now: Instant, run: RunId) -> Vec<(JobKey, Duration)> {
        let jobs = self.jobs.iter().filter(|(key, _)| key.run == run);
        jobs.map(|(&key, job)| (key, now - job.since)).collect()
    }

    /// Returns whether the first result of the session's worker is being checked.
    pub(super) fn is_pending(&self, session: SessionId) -> bool {
        matches!(self.trust.get(&session), Some(WorkerTrust::Pending(..)))
    }

    /// Returns the sessions whose workers wait for verdicts on answers that are being checked.
    pub(super) fn awaiting_verdicts(&self) -> BTreeSet<SessionId> {
        let pending = self.trust.iter();
        let pending = pending.filter(|(_, trust)| matches!(trust, WorkerTrust::Pending(..)));
        let answers = self.jobs.values().flat_map(|job| &job.answers);
        pending.map(|(&id, _)| id).chain(answers.map(|answer| answer.session)).collect()
    }

    /// Admits an answer to a job that is not audited.
    pub(super) fn admit(
        &mut self,
        now: Instant,
        key: JobKey,
        answer: JobAnswer,
    ) -> AnswerAdmission {
        match self.trust.get_mut(&answer.session) {
            Some(WorkerTrust::Checked) => AnswerAdmission::Trusted(answer),
            Some(WorkerTrust::Pending(_, withheld)) => {
                withheld.push((key, answer));
                AnswerAdmission::Withheld
            }
            None => {
                self.trust.insert(answer.session, WorkerTrust::Pending(key, Vec::new()));
                self.add(now, key, answer);
                AnswerAdmission::Audited
            }
        }
    }

    /// Adds an answer to an audited job. A second answer of the same worker is no second opinion:
    /// it replaces the first answer.
    pub(super) fn add(&mut self, now: Instant, key: JobKey, answer: JobAnswer) {
        let new = || AuditedJob { answers: Vec::new(), since: now };
        let answers = &mut self.jobs.entry(key).or_insert_with(new).answers;
        answers.retain(|known| known.result.worker != answer.result.worker);
        answers.push(answer);
    }

    /// Decides what becomes of an audited job.
    pub(super) fn decide(
        &self,
        key: JobKey,
        others: OtherOpinions,
        wait: AuditWait,
    ) -> AuditDecision {
        let answers = self.jobs.get(&key).map(|job| job.answers.as_slice()).unwrap_or_default();
        let Some((first, rest)) = answers.split_first() else { return AuditDecision::Wait };
        if rest.iter().any(|answer| answer.result.output != first.result.output) {
            return AuditDecision::Arbitrate;
        }
        if rest.iter().any(|answer| answer.source != first.source) {
            return AuditDecision::Accept(AcceptReason::Checked);
        }
        match others {
            OtherOpinions::Nobody if !first.source.is_host() => {
                AuditDecision::Accept(AcceptReason::Unchecked)
            }
            OtherOpinions::Nobody | OtherOpinions::UsedUp => AuditDecision::Arbitrate,
            OtherOpinions::Possible => match wait {
                AuditWait::Usual => AuditDecision::Wait,
                AuditWait::Overdue => AuditDecision::Arbitrate,
            },
        }
    }

    /// Ends the audit of a job and returns its answers.
    pub(super) fn end(&mut self, key: JobKey) -> Vec<JobAnswer> {
        self.jobs.remove(&key).map(|job| job.answers).unwrap_or_default()
    }

    /// Trusts the workers of `sessions`, whose answer to the job was accepted after a check, and
    /// returns the answers that waited for that check. Without a check, trust stays as it was.
    pub(super) fn accept(
        &mut self,
        key: JobKey,
        sessions: impl Iterator<Item = SessionId>,
        reason: AcceptReason,
    ) -> Vec<WithheldAnswer> {
        let mut released = Vec::new();
        for session in sessions {
            let trust = self.trust.remove(&session);
            let pending = matches!(&trust, Some(WorkerTrust::Pending(by, _)) if *by == key);
            let next = match (reason, trust) {
                (AcceptReason::Unchecked, trust) if !pending => trust,
                (AcceptReason::Unchecked, Some(WorkerTrust::Pending(_, withheld))) => {
                    released.extend(withheld);
                    None
                }
                (AcceptReason::Checked, Some(WorkerTrust::Pending(_, withheld))) => {
                    released.extend(withheld);
                    Some(WorkerTrust::Checked)
                }
                (_, _) => Some(WorkerTrust::Checked),
            };
            if let Some(next) = next {
                self.trust.insert(session, next);
            }
        }
        released
    }

    /// Removes a session and returns its withheld answers.
    pub(super) fn remove_session(&mut self, session: SessionId) -> Vec<WithheldAnswer> {
        match self.trust.remove(&session) {
            Some(WorkerTrust::Pending(_, withheld)) => withheld,
            Some(WorkerTrust::Checked) | None => Vec::new(),
        }
    }

    /// Removes all answers of a worker to audited jobs.
    pub(super) fn remove_answers_of(&mut self, worker: WorkerId) {
        self.jobs.retain(|_, job| {
            job.answers.retain(|answer| answer.result.worker != worker);
            !job.answers.is_empty()
        });
    }

    /// Removes the answers withheld for a run and returns them.
    pub(super) fn remove_withheld(&mut self, run: RunId) -> Vec<WithheldAnswer> {
        let mut removed = Vec::new();
        for trust in self.trust.values_mut() {
            if let WorkerTrust::Pending(_, withheld) = trust {
                removed.extend(withheld.extract_if(.., |(key, _)| key.run == run));
            }
        }
        removed
    }

    /// Ends the checks of workers by jobs that no longer exist, and returns the answers that waited
    /// for these checks.
    pub(super) fn restart(&mut self, is_gone: impl Fn(JobKey) -> bool) -> Vec<WithheldAnswer> {
        let is_over = |trust: &WorkerTrust| match trust {
            WorkerTrust::Pending(by, _) => is_gone(*by),
            WorkerTrust::Checked => false,
        };
        let over: Vec<_> = self.trust.extract_if(.., |_, trust| is_over(trust)).collect();
        over.into_iter()
            .flat_map(|(_, trust)| match trust {
                WorkerTrust::Pending(_, withheld) => withheld,
                WorkerTrust::Checked => Vec::new(),
            })
            .collect()
    }
}
