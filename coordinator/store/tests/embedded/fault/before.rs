//! The faults before the model answers.

use hatchery_store::conformance::{JobState, Model, Run};
use hatchery_store::operation::{
    AddAttempt, AdoptJobs, ClaimRun, CompleteJobs, CreateRun, DeleteRun, DisownResults,
    EnqueueAndLease, FoldResults, ParkJob, QuarantineWorker, ReadEvents, ReleaseJobs, RetryJobs,
    RewindRun, RunForKey, SteerRun, UnclaimRun,
};
use hatchery_store::{
    AfterFold, CoordinatorId, RunState, SteerAction, StoreCall as Call, StoreOperation as _,
};

use super::super::faulty::Place;
use super::Fault;

impl Fault {
    /// Does it wrong.
    pub(crate) fn before(self, model: &mut Model, call: &mut Call, place: Place) {
        self.of_the_farm(model, call, place);
        self.of_parts(model, call);
        if let Some(run) = call.run().and_then(|run| model.runs.get_mut(&run)) {
            self.of_leaders(run, call, place);
            self.of_consumers(run, call, place);
            self.of_people(run, call);
        }
    }

    fn of_the_farm(self, model: &mut Model, call: &mut Call, place: Place) {
        match (self, call) {
            (Self::LastRunOfAKeyWins, Call::RunForKey(RunForKey { key, .. })) => {
                model.keys.remove(key.as_bytes());
            }
            (Self::DeletesNothing, Call::DeleteRun(DeleteRun { run })) => run.0.0 = 0,
            (Self::CreatesWhatIsThere, Call::CreateRun(CreateRun { run, .. })) => {
                model.runs.remove(run);
            }
            (Self::LetsAnyoneClaim, Call::ClaimRun(ClaimRun { run, .. })) => {
                model.claims.remove(run);
            }
            (Self::ClaimsInEachStore, Call::ClaimRun(ClaimRun { run, .. }))
                if place == Place::Second =>
            {
                model.claims.remove(run);
            }
            (Self::KeepsEventsInEachStore, Call::ReadEvents(ReadEvents { from, .. }))
                if place == Place::Second =>
            {
                *from = u64::MAX;
            }
            (Self::LetsAnyoneUnclaim, Call::UnclaimRun(UnclaimRun { run, .. })) => {
                model.claims.remove(run);
            }
            (Self::LastReasonWins, Call::QuarantineWorker(QuarantineWorker { worker, .. })) => {
                model.quarantined.remove(worker);
            }
            _ => {}
        }
    }

    fn of_leaders(self, run: &mut Run, call: &mut Call, place: Place) {
        let position = &mut run.position;
        match (self, call) {
            (Self::LetsAnyLeaderWrite, call) => {
                if let Some(lead) = call.lead_mut() {
                    lead.token = run.token.unwrap_or_default();
                }
            }
            (Self::LeadsInEachStore, call) if place == Place::First => {
                if let Some(lead) = call.lead_mut() {
                    lead.token = run.token.unwrap_or_default();
                }
            }
            (Self::TurnsWithUnresolvedJobs, Call::FoldResults(FoldResults { fold, .. }))
                if fold.then != AfterFold::SameGeneration && fold.folded < position.cursor =>
            {
                position.cursor = fold.folded;
            }
            (Self::LeavesGaps, Call::EnqueueAndLease(EnqueueAndLease { enqueue, .. })) => {
                position.cursor = position.cursor.max(enqueue.first_index);
            }
            (Self::ReplacesOldJobs, Call::EnqueueAndLease(EnqueueAndLease { enqueue, .. })) => {
                for (index, bytes) in (enqueue.first_index..).zip(&enqueue.jobs) {
                    if let Some(old) = run.jobs.get_mut(&index) {
                        old.bytes.clone_from(bytes);
                    }
                }
            }
            (Self::DisownsEverybody, Call::DisownResults(DisownResults { workers, .. })) => {
                for job in run.jobs.values_mut() {
                    if let JobState::Done(result) = &mut job.state {
                        result.worker = workers[0];
                    }
                }
            }
            (Self::RewindsForward, Call::RewindRun(RewindRun { generation, .. })) => {
                position.generation = position.generation.max(*generation);
            }
            (Self::FailsTwice, Call::FailRun(_)) if position.state != RunState::Done => {
                position.state = RunState::Active;
            }
            _ => {}
        }
    }

    fn of_consumers(self, run: &mut Run, call: &mut Call, place: Place) {
        match (self, call) {
            (
                Self::TakesResultsOfAnyGeneration,
                Call::CompleteJobs(CompleteJobs { results, .. }),
            ) => {
                for (id, _) in results {
                    id.generation = run.position.generation;
                }
            }
            (Self::LetsAnyoneRelease, Call::ReleaseJobs(ReleaseJobs { consumer, jobs, .. })) => {
                for job in jobs {
                    hand_over(run, job.index, *consumer);
                }
            }
            (Self::LetsAnyonePark, Call::ParkJob(ParkJob { consumer, job, .. })) => {
                hand_over(run, job.index, *consumer);
            }
            (Self::AdoptsFromNobody, Call::AdoptJobs(AdoptJobs { jobs, .. })) => {
                jobs.retain(|id| {
                    let job = run.jobs.get(&id.index);
                    job.is_none_or(|job| !matches!(job.state, JobState::Leased(_)))
                });
            }
            (Self::AdoptsWhatIsDone, Call::AdoptJobs(AdoptJobs { jobs, .. })) => {
                for job in jobs {
                    make_ready(run, job.index, |state| matches!(state, JobState::Done(_)));
                }
            }
            (Self::AdoptsWhatIsParked, Call::AdoptJobs(AdoptJobs { jobs, .. })) => {
                for job in jobs {
                    make_ready(run, job.index, |state| *state == JobState::Parked);
                }
            }
            (Self::LeasesWhatIsParked, Call::LeaseJobs(_)) => {
                for index in run.position.folded..run.position.cursor {
                    make_ready(run, index, |state| *state == JobState::Parked);
                }
            }
            (Self::LeasesInEachStore, Call::LeaseJobs(_)) if place == Place::Second => {
                for index in run.position.folded..run.position.cursor {
                    make_ready(run, index, |state| matches!(state, JobState::Leased(_)));
                }
            }
            (Self::RetriesWhatIsLeased, Call::RetryJobs(RetryJobs { jobs, .. })) => {
                for job in jobs {
                    make_ready(run, job.index, |state| matches!(state, JobState::Leased(_)));
                }
            }
            (Self::RetriesNothing, Call::RetryJobs(RetryJobs { jobs, .. })) => jobs.clear(),
            (Self::LastAttemptWins, Call::AddAttempt(AddAttempt { job, id, .. })) => {
                run.jobs.entry(job.index).and_modify(|job| {
                    job.attempts.remove(id);
                });
            }
            _ => {}
        }
    }

    /// States that the model is made to believe in; `after` puts them right.
    fn of_people(self, run: &mut Run, call: &mut Call) {
        let state = &mut run.position.state;
        let is_paused = *state == RunState::Paused;
        match (self, call) {
            (Self::TakesResultsOfAnEndedRun, Call::CompleteJobs(_))
            | (Self::RewindsWhatRests, Call::RewindRun(_)) => *state = RunState::Active,
            (Self::LeasesWhilePaused, Call::LeaseJobs(_))
            | (Self::EnqueuesAndLeasesWhilePaused, Call::EnqueueAndLease(_))
            | (Self::AdoptsWhilePaused, Call::AdoptJobs(_))
                if is_paused =>
            {
                *state = RunState::Active;
            }
            (Self::TakesNoResultsWhilePaused, Call::CompleteJobs(_))
            | (
                Self::WritesNothingWhilePaused,
                Call::EnqueueAndLease(_) | Call::FoldResults(_) | Call::FailRun(_),
            ) if is_paused => *state = RunState::Cancelled,
            (Self::SteersFromAnyState, Call::SteerRun(SteerRun { steer, .. })) => {
                *state = match steer {
                    SteerAction::Resume => RunState::Cancelled,
                    SteerAction::Pause | SteerAction::Cancel => RunState::Active,
                };
            }
            _ => {}
        }
    }
}

/// Makes `consumer` the holder of a job that another consumer holds.
fn hand_over(run: &mut Run, index: u64, consumer: CoordinatorId) {
    if let Some(job) = run.jobs.get_mut(&index)
        && let JobState::Leased(holder) = &mut job.state
    {
        *holder = consumer;
    }
}

fn make_ready(run: &mut Run, index: u64, from: impl FnOnce(&JobState) -> bool) {
    if let Some(job) = run.jobs.get_mut(&index)
        && from(&job.state)
    {
        job.state = JobState::Ready;
    }
}
