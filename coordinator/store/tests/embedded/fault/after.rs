//! The faults after the model has answered.

use hatchery_store::conformance::{JobState, Model, Refusal, Run};
use hatchery_store::membership::StoreChange;
use hatchery_store::operation::{
    AddAttempt, AppendEvent, ClaimRun, CompleteJobs, CreateRun, DeleteRun, EnqueueAndLease,
    FoldResults, ReadJobs, ReadResults, ReleaseJobs, RenewLeases, RetryJobs,
};
use hatchery_store::{
    AttemptedJob, CoordinatorId, LeasedJob, MAX_ATTEMPTS, ResultPage, RunState,
    StoreAnswer as Answer, StoreCall as Call, StoreOperation as _, StoreVerdict, WorkerId,
};

use super::super::faulty::Broken;
use super::Fault;

/// The answer of the model to a call, or its refusal.
pub(super) type Outcome = Result<Answer, Refusal>;

impl Fault {
    /// Does it wrong; `before` is how the store was before the call.
    pub(crate) fn after(self, before: &Model, now: &mut Broken, call: &Call, answer: &mut Outcome) {
        self.with_the_farm(before, now, call);
        self.with_parts(before, &mut now.model, call, answer);
        let run = call.run();
        let before = run.and_then(|run| before.runs.get(&run));
        let run = run.and_then(|run| now.model.runs.get_mut(&run));
        if let (Some(before), Some(run)) = (before, run) {
            self.with_verdicts(before, run, call, answer);
            self.with_what_is_enqueued(run, call, answer);
            self.with_jobs(before, run, call, answer);
            self.with_failing_jobs(before, run, call, answer);
            self.with_the_run(before, run, call, answer);
        }
    }

    /// Whether this bell rings.
    pub(crate) fn rings(self, bell: StoreChange) -> bool {
        match bell {
            StoreChange::Ready(_) => self != Self::RingsNotForJobs,
            StoreChange::Results(_) => self != Self::RingsNotForResults,
            StoreChange::State(_) => self != Self::RingsNotForStates,
            StoreChange::Missed => true,
        }
    }

    fn with_the_farm(self, before: &Model, now: &mut Broken, call: &Call) {
        let Broken { model, deleted, .. } = now;
        match (self, call) {
            (Self::SharesEvents, Call::AppendEvent(AppendEvent { run, event })) => {
                let others = model.runs.iter_mut().filter(|(id, _)| *id != run);
                others.for_each(|(_, other)| other.events.push(event.clone()));
            }
            (Self::DeleteKeepsTheClaim, Call::DeleteRun(DeleteRun { run })) => {
                model.claims.extend(before.claims.get(run).map(|claim| (*run, claim.clone())));
            }
            (
                Self::DeleteKeepsEvents | Self::DeleteKeepsTheLead,
                Call::DeleteRun(DeleteRun { run }),
            ) => {
                deleted.extend(before.runs.get(run).map(|kept| (*run, kept.clone())));
            }
            // What is kept of a deleted run comes to light when it is made again.
            (_, Call::CreateRun(CreateRun { run, .. })) => {
                if let (Some(kept), Some(run)) = (deleted.remove(run), model.runs.get_mut(run)) {
                    match self {
                        Self::DeleteKeepsEvents => run.events = kept.events,
                        _ => run.token = kept.token,
                    }
                }
            }
            (Self::KeepsTheFirstProgress, Call::ClaimRun(ClaimRun { run, .. })) => {
                let first = before.claims.get(run);
                model.claims.extend(first.map(|claim| (*run, claim.clone())));
            }
            (Self::KeepsWhoWithdraws, Call::WithdrawCoordinator(_)) => {
                model.announced.clone_from(&before.announced);
            }
            _ => {}
        }
    }

    fn with_verdicts(self, before: &Run, run: &mut Run, call: &Call, answer: &mut Outcome) {
        let (Call::CompleteJobs(CompleteJobs { results, .. }), Ok(Answer::CompleteJobs(verdicts))) =
            (call, answer)
        else {
            return;
        };
        for ((id, result), verdict) in results.iter().zip(verdicts) {
            let parked = before.jobs.get(&id.index).filter(|job| job.state == JobState::Parked);
            if self == Self::TakesNoResultsOfParkedJobs
                && *verdict == StoreVerdict::Accepted
                && let Some(parked) = parked
            {
                *verdict = StoreVerdict::Unknown;
                run.jobs.insert(id.index, parked.clone());
            }
            let job = run.jobs.get_mut(&id.index).map(|job| &mut job.state);
            let kept = match job {
                Some(JobState::Done(kept)) => Some(kept),
                _ => None,
            };
            match (self, *verdict, kept) {
                (Self::AcceptsTwice, StoreVerdict::Duplicate, _) => {
                    *verdict = StoreVerdict::Accepted;
                }
                (Self::LastResultWins, StoreVerdict::Mismatch, Some(kept)) => {
                    *kept = result.clone();
                }
                (Self::ComparesCosts, StoreVerdict::Duplicate, Some(kept))
                    if kept.cost != result.cost =>
                {
                    *verdict = StoreVerdict::Mismatch;
                }
                (Self::ComparesWorkers, StoreVerdict::Duplicate, Some(kept))
                    if kept.worker != result.worker =>
                {
                    *verdict = StoreVerdict::Mismatch;
                }
                _ => {}
            }
        }
    }

    fn with_what_is_enqueued(self, run: &mut Run, call: &Call, answer: &mut Outcome) {
        match (self, call, answer) {
            (
                Self::EnqueuesWithoutALease,
                Call::EnqueueAndLease(_),
                Ok(Answer::EnqueueAndLease(jobs)),
            ) => {
                for LeasedJob { id, .. } in jobs.drain(..) {
                    run.jobs.entry(id.index).and_modify(|job| job.state = JobState::Ready);
                }
            }
            (
                Self::EnqueuesAndLeasesTheLast,
                Call::EnqueueAndLease(EnqueueAndLease { consumer, .. }),
                Ok(Answer::EnqueueAndLease(jobs)),
            ) => {
                // The same number of jobs, but from the other end.
                for LeasedJob { id, .. } in jobs.iter() {
                    run.jobs.entry(id.index).and_modify(|job| job.state = JobState::Ready);
                }
                let ready = run.jobs.iter_mut().rev();
                let ready = ready.filter(|(_, job)| job.state == JobState::Ready);
                for (LeasedJob { id, bytes }, (&index, job)) in jobs.iter_mut().zip(ready) {
                    (id.index, job.state) = (index, JobState::Leased(*consumer));
                    bytes.clone_from(&job.bytes);
                }
                jobs.reverse();
            }
            _ => {}
        }
    }

    fn with_jobs(self, before: &Run, run: &mut Run, call: &Call, answer: &mut Outcome) {
        match (self, call, answer) {
            (Self::LeasesTwice, Call::LeaseJobs(_), Ok(Answer::LeaseJobs(jobs))) => {
                for LeasedJob { id, .. } in jobs {
                    run.jobs.entry(id.index).and_modify(|job| job.state = JobState::Ready);
                }
            }
            (Self::LeasesBackwards, Call::LeaseJobs(_), Ok(Answer::LeaseJobs(jobs))) => {
                jobs.reverse();
            }
            (Self::LosesReleasedJobs, Call::ReleaseJobs(ReleaseJobs { jobs, .. }), _) => {
                for job in jobs {
                    run.jobs.entry(job.index).and_modify(|job| {
                        if job.state == JobState::Ready {
                            job.state = JobState::Leased(CoordinatorId(0));
                        }
                    });
                }
            }
            (Self::RenewsForAnyone, _, Ok(Answer::RenewLeases(lost))) => lost.clear(),
            (
                Self::RenewLoses,
                Call::RenewLeases(RenewLeases { jobs, .. }),
                Ok(Answer::RenewLeases(lost)),
            ) => {
                lost.clone_from(jobs);
            }
            (
                Self::DropsTheBytesOfDoneJobs,
                Call::ReadJobs(ReadJobs { jobs, .. }),
                Ok(Answer::ReadJobs(bytes)),
            ) => {
                for (id, bytes) in jobs.iter().zip(bytes) {
                    let job = run.jobs.get(&id.index);
                    bytes
                        .take_if(|_| job.is_some_and(|job| matches!(job.state, JobState::Done(_))));
                }
            }
            (Self::FoldsOneTooMany, Call::FoldResults(FoldResults { fold, .. }), Ok(_)) => {
                run.jobs.remove(&fold.folded);
            }
            (Self::FoldsOneTooFew, Call::FoldResults(_), Ok(_)) => {
                if let Some(last) = before.jobs.get(&(run.position.folded.wrapping_sub(1))) {
                    run.jobs.insert(run.position.folded - 1, last.clone());
                }
            }
            (
                Self::FoldsHalfOfWhatItRefuses,
                Call::FoldResults(FoldResults { fold, .. }),
                Err(_),
            ) => {
                run.jobs.retain(|index, job| {
                    fold.folded <= *index || !matches!(job.state, JobState::Done(_))
                });
            }
            (
                Self::ShowsResultsBehindGaps,
                Call::ReadResults(ReadResults { from, most, .. }),
                Ok(Answer::ReadResults(ResultPage { results, .. })),
            ) => {
                let done = run.jobs.range(from..).filter_map(|(_, job)| match &job.state {
                    JobState::Done(result) => Some(result.clone()),
                    _ => None,
                });
                *results = done.take(*most).collect();
            }
            _ => {}
        }
    }

    fn with_failing_jobs(self, before: &Run, run: &mut Run, call: &Call, answer: &mut Outcome) {
        match (self, call, answer) {
            (Self::CountsParkedJobsAsResolved, _, Ok(Answer::ReadResults(page))) => {
                page.n_unresolved -= page.n_parked;
            }
            (Self::RetryKeepsAttempts, Call::RetryJobs(RetryJobs { jobs, .. }), _) => {
                for job in jobs {
                    keep_attempts(before, run, job.index);
                }
            }
            (
                Self::KeepsAttemptsOfDoneJobs,
                Call::CompleteJobs(CompleteJobs { results, .. }),
                _,
            ) => {
                for (job, _) in results {
                    keep_attempts(before, run, job.index);
                }
            }
            (
                Self::KeepsAttemptsOfDoneJobs,
                Call::AddAttempt(AddAttempt { job, .. }),
                Ok(Answer::AddAttempt(answer)),
            ) => {
                if let Some(job) = run.jobs.get(&job.index) {
                    let attempts = job.attempts.values().cloned().collect();
                    *answer = AttemptedJob::Unresolved(attempts);
                }
            }
            (
                Self::KeepsAttemptsWithoutEnd,
                Call::AddAttempt(AddAttempt { job, id, attempt, .. }),
                answer,
            ) => {
                let job = run.jobs.get_mut(&job.index);
                if let (Some(job), Ok(Answer::AddAttempt(AttemptedJob::Unresolved(attempts)))) =
                    (job, answer)
                    && attempts.len() == MAX_ATTEMPTS
                {
                    job.attempts.entry(*id).or_insert_with(|| attempt.clone());
                    *attempts = job.attempts.values().cloned().collect();
                }
            }
            (
                Self::CompletesWhatIsSkipped,
                Call::AddAttempt(_),
                Ok(Answer::AddAttempt(answer @ AttemptedJob::Skipped)),
            ) => {
                *answer = AttemptedJob::Completed(WorkerId::NOBODY);
            }
            (
                Self::ListsAttemptsBackwards,
                Call::AddAttempt(_),
                Ok(Answer::AddAttempt(AttemptedJob::Unresolved(attempts))),
            ) => {
                attempts.reverse();
            }
            _ => {}
        }
    }

    fn with_the_run(self, before: &Run, run: &mut Run, call: &Call, answer: &mut Outcome) {
        let is_state_pretended = matches!(
            (self, call),
            (Self::TakesResultsOfAnEndedRun, Call::CompleteJobs(_))
                | (Self::LeasesWhilePaused, Call::LeaseJobs(_))
                | (Self::EnqueuesAndLeasesWhilePaused, Call::EnqueueAndLease(_))
                | (Self::AdoptsWhilePaused, Call::AdoptJobs(_))
                | (Self::TakesNoResultsWhilePaused, Call::CompleteJobs(_))
                | (Self::RewindsWhatRests, Call::RewindRun(_))
        );
        let is_write_refused = self == Self::WritesNothingWhilePaused
            && run.position.state == RunState::Cancelled
            && before.position.state == RunState::Paused
            && !matches!(call, Call::SteerRun(_));
        if is_state_pretended || is_write_refused {
            run.position.state = before.position.state.clone();
        }
        match (self, call, answer) {
            (Self::CountsRepeats, Call::EnqueueAndLease(_) | Call::FoldResults(_), Ok(_))
                if run.position == before.position =>
            {
                run.position.revision += 1;
            }
            (Self::KeepsTheRevision, ..)
            | (Self::DisownsWithoutARevision, Call::DisownResults(_), _) => {
                run.position.revision = before.position.revision;
            }
            (Self::SteersWithARevision, Call::SteerRun(_), _) => run.position.revision += 1,
            (
                Self::ForgetsResultsAtResume,
                Call::SteerRun(_),
                Ok(Answer::SteerRun(RunState::Active)),
            ) => {
                for job in run.jobs.values_mut() {
                    job.state = JobState::Ready;
                }
            }
            (
                Self::DisownsAllButTheFirst,
                Call::DisownResults(_),
                Ok(Answer::DisownResults(invalidated)),
            ) if !invalidated.is_empty() => {
                let first = before.jobs.iter().find(|(index, job)| run.jobs[*index] != **job);
                run.jobs.extend(first.map(|(index, job)| (*index, job.clone())));
            }
            (Self::RewindKeepsJobs, Call::RewindRun(_), Ok(_)) => {
                run.jobs.clone_from(&before.jobs);
            }
            (Self::RewindKeepsRecords, Call::RewindRun(_), Ok(_)) => {
                run.generations.clone_from(&before.generations);
            }
            (Self::RewindKeepsTheTable, Call::RewindRun(_), Ok(_)) => {
                run.table.clone_from(&before.table);
            }
            (Self::RewindKeepsTheCheckpoint, Call::RewindRun(_), Ok(_)) => {
                run.checkpoint.clone_from(&before.checkpoint);
            }
            _ => {}
        }
    }
}

fn keep_attempts(before: &Run, run: &mut Run, index: u64) {
    if let (Some(before), Some(job)) = (before.jobs.get(&index), run.jobs.get_mut(&index)) {
        job.attempts.clone_from(&before.attempts);
    }
}
