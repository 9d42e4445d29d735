//! What becomes of a result: checked, compared where a second opinion is due, stored, and only then
//! confirmed.

use std::collections::BTreeMap;
use std::time::Duration;

use hatchery_meters::labels::{Audit, AuthFailure, Outcome};
use hatchery_proto::v1::{self, JobVerdict, to_worker};
use tokio::time::Instant;

use super::desk::Desk;
use super::effect::{Adoption, Errand, Found, Judged, Stray};
use super::job::{Answer, Leased, NO_SESSION, Stage, Standing, TrialRange, ranges};
use super::message::{LeaderNotice, SessionId};
use super::sessions::Trust;
use super::verify::{Checked, check};
use crate::machine::Failure;
use crate::machine::burial::NOBODY;
use crate::store::{JobId, RunId, StoreError, Verdict};
use crate::wire::{from_ref, to_ref};

/// How soon answers are offered again to a store that could not take them.
const OFFER_AGAIN: Duration = Duration::from_millis(250);

impl Desk {
    /// Takes in results of a session.
    pub(super) fn results(
        &mut self,
        now: Instant,
        id: SessionId,
        v1::Results { results }: v1::Results,
        errands: &mut Vec<Errand>,
    ) {
        let mut strays: BTreeMap<RunId, Vec<Stray>> = BTreeMap::new();
        for result in results {
            let Some(session) = self.sessions.get(id) else { return };
            let Ok((run, job)) = from_ref(result.r#ref.as_ref()) else {
                tracing::warn!(worker = session.name, "result without an address");
                continue;
            };
            if !self.settings.tickets.is_for(&result.ticket, run, job, session.worker) {
                tracing::warn!(
                    worker = session.name, %run, generation = job.generation, job = job.index,
                    "result without a valid ticket"
                );
                self.settings.meters.sessions.refused(AuthFailure::Ticket);
                self.settings.meters.jobs.completed(self.experiment(run), Outcome::Invalid);
                self.verdict(id, run, job, v1::Verdict::Invalid);
                continue;
            }
            let copy = self.drop_copy(now, id, run, job);
            let Some(open) = self.runs.get_mut(&run) else {
                self.verdict(id, run, job, v1::Verdict::Unknown);
                continue;
            };
            let bringer = match copy {
                Some(copy) => {
                    open.observe(now - copy.since);
                    Bringer::Holder
                }
                None => Bringer::Other,
            };
            if open.jobs.contains_key(&job) {
                self.result(now, (id, bringer), (run, job), result, errands);
            } else {
                strays.entry(run).or_default().push(Stray { session: id, job, result });
            }
        }
        for (run, strays) in strays {
            errands.push(Errand::Strays { run, strays });
        }
    }

    /// Takes in a result for a job that is leased here.
    fn result(
        &mut self,
        now: Instant,
        (id, bringer): (SessionId, Bringer),
        (run, job): (RunId, JobId),
        result: v1::Result,
        errands: &mut Vec<Errand>,
    ) {
        let Some(open) = self.runs.get(&run) else { return };
        let Some(Leased { bytes, ranges, .. }) = open.jobs.get(&job) else { return };
        match self.examine(id, (run, job), (bytes, ranges), result) {
            Examined::Good(answer) => self.answer(now, (run, job), answer, errands),
            Examined::Foreign => self.verdict(id, run, job, v1::Verdict::Unknown),
            Examined::Failed(failure) => {
                // The report is kept as an attempt, and there is nothing more to bring.
                self.verdict(id, run, job, v1::Verdict::Accepted);
                if bringer == Bringer::Holder {
                    self.note_error(id, run, job, failure, errands);
                }
            }
            Examined::Malformed(failure) => {
                self.settings.meters.jobs.completed(self.experiment(run), Outcome::Invalid);
                self.verdict(id, run, job, v1::Verdict::Invalid);
                if bringer == Bringer::Holder {
                    self.note_error(id, run, job, failure, errands);
                }
            }
        }
    }

    /// Takes in a result for a job that is resolved, or that nobody is to have: the store compares.
    fn late(
        &mut self,
        id: SessionId,
        (run, job): (RunId, JobId),
        bytes: &[u8],
        result: v1::Result,
        errands: &mut Vec<Errand>,
    ) {
        let Some(open) = self.runs.get(&run) else { return };
        let ranges = ranges(bytes).unwrap_or_default();
        let (experiment, version) = (&open.open.experiment, open.open.version);
        match self.examine(id, (run, job), (bytes, &ranges), result) {
            // It would be stored if the job was parked, and nobody can be asked for an opinion.
            Examined::Good(answer)
                if answer.standing == Standing::Checked
                    || !self.sessions.has_other(answer.result.worker, experiment, version) =>
            {
                self.store(run, vec![(job, answer)], errands);
            }
            Examined::Malformed(_) => {
                self.settings.meters.jobs.completed(experiment, Outcome::Invalid);
                self.verdict(id, run, job, v1::Verdict::Invalid);
            }
            _ => self.verdict(id, run, job, v1::Verdict::Unknown),
        }
    }

    /// What a session's result for a job of these bytes and trials is.
    fn examine(
        &self,
        id: SessionId,
        (run, job): (RunId, JobId),
        (bytes, ranges): (&[u8], &[TrialRange]),
        result: v1::Result,
    ) -> Examined {
        let (Some(session), Some(open)) = (self.sessions.get(id), self.runs.get(&run)) else {
            return Examined::Foreign;
        };
        if !self.settings.tickets.check(&result.ticket, run, job, session.worker, bytes) {
            // A job that was there before the run was taken back: nobody needs it any more.
            tracing::info!(
                worker = session.name, %run, generation = job.generation, job = job.index,
                "result of an earlier cut"
            );
            return Examined::Foreign;
        }
        match check(open.open.simulation, job, ranges, session.worker, result) {
            Checked::Good(result) => {
                let (name, standing) = (session.name.clone(), session.trust.standing());
                Examined::Good(Answer { session: id, name, standing, result })
            }
            Checked::Failed(failure) => Examined::Failed(failure),
            Checked::Malformed(failure) => Examined::Malformed(failure),
        }
    }

    /// Takes in a well-formed result: for the store, or for a second opinion.
    pub(super) fn answer(
        &mut self,
        now: Instant,
        (id, job): (RunId, JobId),
        answer: Answer,
        errands: &mut Vec<Errand>,
    ) {
        let Some(run) = self.runs.get_mut(&id) else { return };
        let (experiment, version) = (run.open.experiment.clone(), run.open.version);
        let others = self.sessions.has_other(answer.result.worker, &experiment, version);
        let Some(session) = self.sessions.get_mut(answer.session) else { return };
        let Some(leased) = run.jobs.get_mut(&job) else { return };
        let checked = session.trust.standing() == Standing::Checked || !others;
        match &mut leased.stage {
            // The store compares it with what is on its way there; nothing has to wait for the
            // outcome of a check if a worker brings it that needs none.
            Stage::Storing | Stage::Withheld if checked => {
                return self.store(id, vec![(job, answer)], errands);
            }
            // Otherwise one that is brought twice would count although the first one does not yet.
            Stage::Storing | Stage::Withheld | Stage::Judging => {
                return self.tell(&answer, id, job, v1::Verdict::Unknown);
            }
            // A worker's second answer is no second opinion.
            Stage::Audit(answers) => {
                answers.retain(|known| known.result.worker != answer.result.worker);
                answers.push(answer);
            }
            Stage::Compute | Stage::Noting if !others => {
                return self.store(id, vec![(job, answer)], errands);
            }
            Stage::Compute | Stage::Noting => match &mut session.trust {
                Trust::Checked => return self.store(id, vec![(job, answer)], errands),
                Trust::Unchecked => {
                    session.trust = Trust::Pending((id, job), Vec::new());
                    leased.stage = Stage::Audit(vec![answer]);
                }
                Trust::Pending(_, withheld) => {
                    withheld.push((id, job, answer));
                    run.change(job, |leased| leased.stage = Stage::Withheld);
                    return;
                }
            },
        }
        run.change(job, |leased| leased.idle_since = now);
        self.compare(id, job, Opinion::Wanted, errands);
    }

    /// Looks at the answers of a job that is computed twice.
    pub(super) fn compare(
        &mut self,
        id: RunId,
        job: JobId,
        opinion: Opinion,
        errands: &mut Vec<Errand>,
    ) {
        let Some(run) = self.runs.get_mut(&id) else { return };
        let open = &run.open;
        let Some(Leased { stage: Stage::Audit(answers), bytes, .. }) = run.jobs.get_mut(&job)
        else {
            return;
        };
        let same = answers.windows(2).all(|pair| pair[0].result.output == pair[1].result.output);
        match answers.as_slice() {
            [] => {}
            [only] => {
                let (worker, session) = (only.result.worker, self.sessions.get(only.session));
                let standing = session.map_or(only.standing, |s| s.trust.standing());
                let trusted = standing == Standing::Checked;
                if (opinion == Opinion::Enough && trusted)
                    || !self.sessions.has_other(worker, &open.experiment, open.version)
                {
                    let answers = std::mem::take(answers);
                    self.settings.meters.jobs.audited(Audit::Skipped);
                    self.pass(id, job, &answers, Pass::Unchecked, errands);
                    self.store(
                        id,
                        answers.into_iter().map(|answer| (job, answer)).collect(),
                        errands,
                    );
                }
            }
            _ if same => {
                let answers = std::mem::take(answers);
                tracing::debug!(
                    run = %id, generation = job.generation, job = job.index,
                    "audit passed"
                );
                self.settings.meters.jobs.audited(Audit::Passed);
                self.pass(id, job, &answers, Pass::Checked, errands);
                self.store(id, answers.into_iter().map(|answer| (job, answer)).collect(), errands);
            }
            _ => {
                let (answers, bytes) = (std::mem::take(answers), bytes.clone());
                self.settings.meters.jobs.audited(Audit::Failed);
                run.change(job, |leased| leased.stage = Stage::Judging);
                errands.push(Errand::Judge { run: id, job, bytes: Some(bytes), answers });
            }
        }
    }

    /// Trusts those whose answer was checked by this job, and stores what waited for that.
    fn pass(
        &mut self,
        run: RunId,
        job: JobId,
        answers: &[Answer],
        pass: Pass,
        errands: &mut Vec<Errand>,
    ) {
        for answer in answers {
            let Some(session) = self.sessions.get_mut(answer.session) else { continue };
            let pending = matches!(&session.trust, Trust::Pending(by, _) if *by == (run, job));
            let next = match pass {
                Pass::Checked => Trust::Checked,
                Pass::Unchecked if pending => Trust::Unchecked,
                Pass::Unchecked => continue,
            };
            if let Trust::Pending(_, withheld) = std::mem::replace(&mut session.trust, next) {
                let mut by_run: BTreeMap<RunId, Vec<(JobId, Answer)>> = BTreeMap::new();
                for (run, job, answer) in withheld {
                    by_run.entry(run).or_default().push((job, answer));
                }
                for (run, answers) in by_run {
                    self.store(run, answers, errands);
                }
            }
        }
    }

    /// Offers answers to the store.
    fn store(&mut self, id: RunId, answers: Vec<(JobId, Answer)>, errands: &mut Vec<Errand>) {
        let Some(run) = self.runs.get_mut(&id) else {
            return self.discard(id, &answers);
        };
        for (job, _) in &answers {
            run.change(*job, |leased| leased.stage = Stage::Storing);
        }
        // What comes in together goes to the store together.
        let last = errands.iter_mut().rev().find_map(|errand| match errand {
            Errand::Complete { run, answers } if *run == id => Some(answers),
            _ => None,
        });
        match last {
            Some(waiting) => waiting.extend(answers),
            None => errands.push(Errand::Complete { run: id, answers }),
        }
    }

    /// Offers answers again that the store could not take.
    pub(super) fn offer_again(&mut self, now: Instant, errands: &mut Vec<Errand>) {
        if self.convict_at.is_some_and(|at| at <= now) {
            self.convict_at = None;
            let convictions = std::mem::take(&mut self.convictions).into_iter();
            errands
                .extend(convictions.map(|(worker, reason)| Errand::Quarantine { worker, reason }));
        }
        for (&id, run) in &mut self.runs {
            if !run.unstored.is_empty() && run.store_at <= now {
                let answers = std::mem::take(&mut run.unstored);
                errands.push(Errand::Complete { run: id, answers });
            }
            if !run.strays.is_empty() && run.store_at <= now {
                let strays = std::mem::take(&mut run.strays);
                errands.push(Errand::Strays { run: id, strays });
            }
        }
    }

    /// Confirms what the store has.
    pub(super) fn completed(
        &mut self,
        now: Instant,
        id: RunId,
        answers: Vec<(JobId, Answer)>,
        verdicts: Result<Vec<Verdict>, StoreError>,
        errands: &mut Vec<Errand>,
    ) {
        let verdicts = match verdicts {
            Ok(verdicts) => verdicts,
            Err(error) => {
                // Without an answer of the store there is no verdict: the workers keep the results.
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
            let leased = self.forget(now, id, job, errands);
            let said = match verdict {
                Verdict::Accepted => {
                    self.count_accepted(id, leased.as_ref(), &answer);
                    v1::Verdict::Accepted
                }
                Verdict::Duplicate => {
                    self.settings.meters.jobs.completed(self.experiment(id), Outcome::Duplicate);
                    v1::Verdict::Duplicate
                }
                Verdict::Unknown => {
                    // The run has ended: its job is there for whoever takes the run up again.
                    back.push(job);
                    v1::Verdict::Unknown
                }
                Verdict::Mismatch => {
                    tracing::error!(
                        run = %id,
                        generation = job.generation, job = job.index, worker = answer.name,
                        "two results differ"
                    );
                    self.settings.meters.jobs.completed(self.experiment(id), Outcome::Mismatch);
                    // Who is wrong, this one or the one before, the judgment says.
                    let answers = vec![answer];
                    errands.push(Errand::Judge { run: id, job, bytes: None, answers });
                    continue;
                }
            };
            self.tell(&answer, id, job, said);
        }
        if !back.is_empty() {
            errands.push(Errand::Release { run: id, jobs: back });
        }
        self.stir(id);
    }

    /// Takes in results for jobs that were not leased here, now that the store was asked for them.
    pub(super) fn strays(
        &mut self,
        now: Instant,
        id: RunId,
        strays: Result<Vec<Found>, Vec<Stray>>,
        errands: &mut Vec<Errand>,
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
        for (Stray { session, job, result }, bytes, adoption) in strays {
            let Some((run, bytes)) = self.runs.get_mut(&id).zip(bytes) else {
                self.verdict(session, id, job, v1::Verdict::Unknown);
                if adoption == Adoption::Ours {
                    errands.push(Errand::Release { run: id, jobs: vec![job] });
                }
                continue;
            };
            if adoption == Adoption::Theirs && !run.jobs.contains_key(&job) {
                self.late(session, (id, job), &bytes, result, errands);
                continue;
            }
            let stage = self.settings.stage(id, job);
            if !run.jobs.contains_key(&job)
                && let Some(leased) = Leased::new(bytes, now, stage)
            {
                run.insert(job, leased);
            }
            let bringer = match adoption {
                Adoption::Ours => Bringer::Holder,
                Adoption::Theirs => Bringer::Other,
            };
            self.result(now, (session, bringer), (id, job), result, errands);
        }
    }

    /// Acts on the truth about answers that differ.
    pub(super) fn judged(&mut self, now: Instant, judged: Judged, errands: &mut Vec<Errand>) {
        let Judged { run, job, answers, truth, stored } = judged;
        let Some(truth) = truth else {
            tracing::error!(
                %run, generation = job.generation, job = job.index,
                "results differ, and the job can't be judged here"
            );
            for answer in &answers {
                self.tell(answer, run, job, v1::Verdict::Unknown);
            }
            if stored {
                return;
            }
            self.compute_again(now, &[(run, job)]);
            return self.reopen(now, |by| by == (run, job), errands);
        };
        let (right, wrong): (Vec<_>, Vec<_>) =
            answers.into_iter().partition(|answer| answer.result.output == truth.output);
        for answer in wrong {
            let (worker, name) = (answer.result.worker, &answer.name);
            // Otherwise it was counted as a mismatch.
            if !stored {
                self.settings.meters.jobs.completed(self.experiment(run), Outcome::Invalid);
            }
            self.tell(&answer, run, job, v1::Verdict::Invalid);
            if [NOBODY, self.settings.consumer].contains(&worker) {
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
            errands.push(Errand::Quarantine { worker, reason: reason.clone() });
            self.shut_out(now, worker, &reason, errands);
        }
        if stored {
            for answer in &right {
                self.tell(answer, run, job, v1::Verdict::Duplicate);
            }
            return;
        }
        self.pass(run, job, &right, Pass::Checked, errands);
        let own = Answer::own("coordinator".to_owned(), truth);
        let answers = if right.is_empty() { vec![own] } else { right };
        self.store(run, answers.into_iter().map(|answer| (job, answer)).collect(), errands);
    }

    /// Has leaders take back what a worker did, now that the store knows that it is shut out; tells
    /// the store again if it does not.
    pub(super) fn convicted(
        &mut self,
        now: Instant,
        worker: u128,
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

    /// Says of answers that nobody needs them any more.
    fn discard(&mut self, run: RunId, answers: &[(JobId, Answer)]) {
        for (job, answer) in answers {
            self.tell(answer, run, *job, v1::Verdict::Unknown);
        }
    }

    /// Tells the worker of an answer what became of it: in the session that it has now, for it keeps
    /// its results from one to the next.
    pub(super) fn tell(&mut self, answer: &Answer, run: RunId, job: JobId, verdict: v1::Verdict) {
        if answer.session == NO_SESSION {
            return;
        }
        let brought = Some(answer.session).filter(|&id| self.sessions.get(id).is_some());
        if let Some(id) = brought.or_else(|| self.sessions.of_worker(answer.result.worker)) {
            self.verdict(id, run, job, verdict);
        }
    }

    pub(super) fn verdict(&mut self, id: SessionId, run: RunId, job: JobId, verdict: v1::Verdict) {
        let Some(session) = self.sessions.get_mut(id) else { return };
        tracing::debug!(
            worker = session.name, %run, generation = job.generation, job = job.index, ?verdict,
            "verdict"
        );
        let verdicts = vec![JobVerdict { r#ref: Some(to_ref(run, job)), verdict: verdict.into() }];
        session.send(to_worker::Message::Verdicts(v1::Verdicts { verdicts }));
    }
}

/// Whether a failure that a worker reports is an attempt: one that comes again is none.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bringer {
    /// It was at the job until now.
    Holder,
    /// It was not, or its attempt has been counted.
    Other,
}

/// What a result turned out to be.
enum Examined {
    /// An answer.
    Good(Answer),
    /// A result of another job at the same address.
    Foreign,
    /// The report of a trial that failed.
    Failed(Failure),
    /// No result of this job.
    Malformed(Failure),
}

/// Why a worker's answer is taken.
#[derive(Clone, Copy)]
enum Pass {
    /// Another worker says the same.
    Checked,
    /// There is nobody else to ask.
    Unchecked,
}

/// Whether one answer is enough where two are due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opinion {
    /// No: another worker's is waited for.
    Wanted,
    /// Yes, if its worker was right before: it was waited for long enough.
    Enough,
}
