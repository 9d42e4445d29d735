//! What becomes of a result: checked, compared where a second opinion is due, stored, and only then
//! confirmed.

use std::collections::BTreeMap;
use std::time::Duration;

use hatchery_proto::v1::{self, JobVerdict, to_worker};
use tokio::time::Instant;

use super::SessionId;
use super::clerk::{Errand, Found, Judged, Stray};
use super::desk::Desk;
use super::job::{Answer, Leased, Stage};
use super::sessions::Trust;
use super::verify::{Checked, check};
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
                tracing::warn!(worker = session.name, %run, ?job, "result without a valid ticket");
                self.verdict(id, run, job, v1::Verdict::Invalid);
                continue;
            }
            let copy = self.drop_copy(now, id, run, job);
            let Some(open) = self.runs.get_mut(&run) else {
                self.verdict(id, run, job, v1::Verdict::Unknown);
                continue;
            };
            if let Some(copy) = copy {
                open.observe(now - copy.since);
            }
            if open.jobs.contains_key(&job) {
                self.result(now, id, (run, job), result, errands);
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
        id: SessionId,
        (run, job): (RunId, JobId),
        result: v1::Result,
        errands: &mut Vec<Errand>,
    ) {
        let Some(session) = self.sessions.get(id) else { return };
        let Some(open) = self.runs.get(&run) else { return };
        let Some(leased) = open.jobs.get(&job) else { return };
        let (tickets, bytes) = (&self.settings.tickets, &leased.bytes);
        if !tickets.check(&result.ticket, run, job, session.worker, bytes) {
            // A job that was there before the run was taken back: nobody needs it any more.
            tracing::info!(worker = session.name, %run, ?job, "result of an earlier cut");
            return self.verdict(id, run, job, v1::Verdict::Unknown);
        }
        let procedure = open.open.procedure.as_ref();
        match check(procedure, job, &leased.ranges, session.worker, result) {
            Checked::Good(result) => {
                let answer = Answer { session: id, name: session.name.clone(), result };
                self.answer(now, (run, job), answer, errands);
            }
            Checked::Failed(failure) => {
                // The report is kept as an attempt, and there is nothing more to bring.
                self.verdict(id, run, job, v1::Verdict::Accepted);
                self.note_error(id, run, job, failure, errands);
            }
            Checked::Malformed(failure) => {
                self.verdict(id, run, job, v1::Verdict::Invalid);
                self.note_error(id, run, job, failure, errands);
            }
        }
    }

    /// Takes in a well-formed result: for the store, or for a second opinion.
    fn answer(
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
        match &mut leased.stage {
            // Somebody's answer is on its way into the store, which will compare them.
            Stage::Busy => return self.store(id, vec![(job, answer)], errands),
            Stage::Audit(answers) => answers.push(answer),
            Stage::Compute if !others => return self.store(id, vec![(job, answer)], errands),
            Stage::Compute => match &mut session.trust {
                Trust::Checked => return self.store(id, vec![(job, answer)], errands),
                Trust::Unchecked => {
                    session.trust = Trust::Pending((id, job), Vec::new());
                    leased.stage = Stage::Audit(vec![answer]);
                }
                Trust::Pending(_, withheld) => {
                    withheld.push((id, job, answer));
                    run.change(job, |leased| leased.stage = Stage::Busy);
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
                let trusted = session.is_none_or(|s| matches!(s.trust, Trust::Checked));
                if (opinion == Opinion::Enough && trusted)
                    || !self.sessions.has_other(worker, &open.experiment, open.version)
                {
                    let answers = std::mem::take(answers);
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
                tracing::debug!(run = %id, ?job, "audit passed");
                self.pass(id, job, &answers, Pass::Checked, errands);
                self.store(id, answers.into_iter().map(|answer| (job, answer)).collect(), errands);
            }
            _ => {
                let (answers, bytes) = (std::mem::take(answers), bytes.clone());
                run.change(job, |leased| leased.stage = Stage::Busy);
                errands.push(Errand::Judge { run: id, job, bytes, answers, stored: false });
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
        let Some(run) = self.runs.get_mut(&id) else { return };
        for (job, _) in &answers {
            run.change(*job, |leased| leased.stage = Stage::Busy);
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
                let Some(run) = self.runs.get_mut(&id) else { return };
                run.unstored.extend(answers);
                run.store_at = now + OFFER_AGAIN;
                return run.notify(crate::driver::Notice::StoreFailed(error));
            }
        };
        let mut back = Vec::new();
        for ((job, answer), verdict) in answers.into_iter().zip(verdicts) {
            let leased = self.runs.get_mut(&id).and_then(|run| run.remove(job));
            for copy in leased.iter().flat_map(|leased| &leased.copies) {
                if let Some(session) = self.sessions.get_mut(copy.session) {
                    session.cancel(&[(id, job)]);
                }
            }
            let said = match verdict {
                Verdict::Accepted => v1::Verdict::Accepted,
                Verdict::Duplicate => v1::Verdict::Duplicate,
                Verdict::Unknown => {
                    // The run has ended: its job is there for whoever takes the run up again.
                    back.push(job);
                    v1::Verdict::Unknown
                }
                Verdict::Mismatch => {
                    tracing::error!(run = %id, ?job, worker = answer.name, "two results differ");
                    if let Some(Leased { bytes, .. }) = leased {
                        let answers = vec![answer.clone()];
                        errands.push(Errand::Judge { run: id, job, bytes, answers, stored: true });
                    }
                    v1::Verdict::Invalid
                }
            };
            self.verdict(answer.session, id, job, said);
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
            let stage = match adoption {
                Adoption::Ours => self.settings.stage(id, job),
                // Resolved before, or the run has ended: the store compares and says so.
                Adoption::Theirs => Stage::Busy,
            };
            let leased = bytes.and_then(|bytes| Leased::new(bytes, now, stage));
            match (self.runs.get_mut(&id), leased) {
                (Some(run), Some(leased)) => {
                    run.jobs.entry(job).or_insert(leased);
                    run.change(job, |_| ());
                    self.result(now, session, (id, job), result, errands);
                }
                _ => self.verdict(session, id, job, v1::Verdict::Unknown),
            }
        }
    }

    /// Acts on the truth about answers that differ.
    pub(super) fn judged(&mut self, now: Instant, judged: Judged, errands: &mut Vec<Errand>) {
        let Judged { run, job, answers, truth, stored } = judged;
        let Some(truth) = truth else {
            tracing::error!(%run, ?job, "results differ, and the job can't be computed here");
            return self.compute_again(now, &[(run, job)]);
        };
        let (right, wrong): (Vec<_>, Vec<_>) =
            answers.into_iter().partition(|answer| answer.result.output == truth.output);
        for Answer { session, name, result } in wrong {
            let reason = format!(
                "worker {name} brought a wrong result for job {} of generation {} of run {run}",
                job.index, job.generation
            );
            self.verdict(session, run, job, v1::Verdict::Invalid);
            errands.push(Errand::Quarantine { worker: result.worker, reason: reason.clone() });
            self.shut_out(now, result.worker, &reason, errands);
        }
        if stored {
            return;
        }
        self.pass(run, job, &right, Pass::Checked, errands);
        let own = Answer { session: 0, name: "coordinator".to_owned(), result: truth };
        let answers = if right.is_empty() { vec![own] } else { right };
        self.store(run, answers.into_iter().map(|answer| (job, answer)).collect(), errands);
    }

    pub(super) fn verdict(&mut self, id: SessionId, run: RunId, job: JobId, verdict: v1::Verdict) {
        let Some(session) = self.sessions.get_mut(id) else { return };
        tracing::debug!(worker = session.name, %run, ?job, ?verdict, "verdict");
        let verdicts = vec![JobVerdict { r#ref: Some(to_ref(run, job)), verdict: verdict.into() }];
        session.send(to_worker::Message::Verdicts(v1::Verdicts { verdicts }));
    }
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

/// Who may have a job computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Adoption {
    /// This coordinator: it has the lease now.
    Ours,
    /// Nobody, or somebody else.
    Theirs,
}
