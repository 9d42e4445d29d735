//! What is done wrong before the model answers.

use hatchery_coordinator::store::conformance::{Call, Enroll, JobState, Model, Read, Run};
use hatchery_coordinator::store::{AfterFold, CoordinatorId, RunState, SteerAction};

use super::super::faulty::Place;
use super::Fault;

impl Fault {
    /// Does it wrong.
    pub(crate) fn before(self, model: &mut Model, call: &mut Call, place: Place) {
        self.of_the_farm(model, call, place);
        if let Some(run) = call.run().and_then(|run| model.runs.get_mut(&run)) {
            self.of_leaders(run, call, place);
            self.of_consumers(run, call, place);
            self.of_people(run, call);
        }
    }

    fn of_the_farm(self, model: &mut Model, call: &mut Call, place: Place) {
        match (self, call) {
            (Self::LastRunOfAKeyWins, Call::RunFor { key, .. }) => {
                model.keys.remove(key.as_bytes());
            }
            (Self::DeletesNothing, Call::Delete { run }) => run.0.0 = 0,
            (Self::CreatesWhatIsThere, Call::Create { run, .. }) => {
                model.runs.remove(run);
            }
            (Self::LetsAnyoneClaim, Call::Enroll(Enroll::Claim { run, .. })) => {
                model.claims.remove(run);
            }
            (Self::ClaimsInEachStore, Call::Enroll(Enroll::Claim { run, .. }))
                if place == Place::Second =>
            {
                model.claims.remove(run);
            }
            (Self::KeepsEventsInEachStore, Call::Read(Read::Events { from, .. }))
                if place == Place::Second =>
            {
                *from = u64::MAX;
            }
            (Self::LetsAnyoneUnclaim, Call::Enroll(Enroll::Unclaim { run, .. })) => {
                model.claims.remove(run);
            }
            (Self::LastReasonWins, Call::Enroll(Enroll::Quarantine { worker, .. })) => {
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
            (Self::TurnsWithUnresolvedJobs, Call::Fold { fold, .. })
                if fold.then != AfterFold::SameGeneration && fold.folded < position.cursor =>
            {
                position.cursor = fold.folded;
            }
            (Self::LeavesGaps, Call::Enqueue { enqueue, .. }) => {
                position.cursor = position.cursor.max(enqueue.first_index);
            }
            (Self::ReplacesOldJobs, Call::Enqueue { enqueue, .. }) => {
                for (index, bytes) in (enqueue.first_index..).zip(&enqueue.jobs) {
                    if let Some(old) = run.jobs.get_mut(&index) {
                        old.bytes.clone_from(bytes);
                    }
                }
            }
            (Self::DisownsEverybody, Call::Disown { worker, .. }) => {
                for job in run.jobs.values_mut() {
                    if let JobState::Done(result) = &mut job.state {
                        result.worker = *worker;
                    }
                }
            }
            (Self::RewindsForward, Call::Rewind { rewind, .. }) => {
                position.generation = position.generation.max(rewind.generation);
            }
            (Self::FailsTwice, Call::Fail { .. }) if position.state != RunState::Done => {
                position.state = RunState::Active;
            }
            _ => {}
        }
    }

    fn of_consumers(self, run: &mut Run, call: &mut Call, place: Place) {
        match (self, call) {
            (Self::TakesResultsOfAnyGeneration, Call::Complete { results, .. }) => {
                for (id, _) in results {
                    id.generation = run.position.generation;
                }
            }
            (Self::LetsAnyoneRelease, Call::Release { consumer, jobs, .. }) => {
                for job in jobs {
                    hand_over(run, job.index, *consumer);
                }
            }
            (Self::LetsAnyonePark, Call::Park { consumer, job, .. }) => {
                hand_over(run, job.index, *consumer);
            }
            (Self::AdoptsFromNobody, Call::Adopt { jobs, .. }) => {
                jobs.retain(|id| {
                    let job = run.jobs.get(&id.index);
                    job.is_none_or(|job| !matches!(job.state, JobState::Leased(_)))
                });
            }
            (Self::AdoptsWhatIsDone, Call::Adopt { jobs, .. }) => {
                for job in jobs {
                    make_ready(run, job.index, |state| matches!(state, JobState::Done(_)));
                }
            }
            (Self::AdoptsWhatIsParked, Call::Adopt { jobs, .. }) => {
                for job in jobs {
                    make_ready(run, job.index, |state| *state == JobState::Parked);
                }
            }
            (Self::LeasesWhatIsParked, Call::Lease { .. }) => {
                for index in run.position.folded..run.position.cursor {
                    make_ready(run, index, |state| *state == JobState::Parked);
                }
            }
            (Self::LeasesInEachStore, Call::Lease { .. }) if place == Place::Second => {
                for index in run.position.folded..run.position.cursor {
                    make_ready(run, index, |state| matches!(state, JobState::Leased(_)));
                }
            }
            (Self::RetriesWhatIsLeased, Call::Retry { jobs, .. }) => {
                for job in jobs {
                    make_ready(run, job.index, |state| matches!(state, JobState::Leased(_)));
                }
            }
            (Self::RetriesNothing, Call::Retry { jobs, .. }) => jobs.clear(),
            (Self::LastAttemptWins, Call::Attempt { job, id, .. }) => {
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
            (Self::TakesResultsOfAnEndedRun, Call::Complete { .. })
            | (Self::RewindsWhatRests, Call::Rewind { .. }) => *state = RunState::Active,
            (Self::LeasesWhilePaused, Call::Lease { .. })
            | (Self::EnqueuesAndLeasesWhilePaused, Call::EnqueueAndLease { .. })
            | (Self::AdoptsWhilePaused, Call::Adopt { .. })
                if is_paused =>
            {
                *state = RunState::Active;
            }
            (Self::TakesNoResultsWhilePaused, Call::Complete { .. })
            | (
                Self::WritesNothingWhilePaused,
                Call::Enqueue { .. } | Call::Fold { .. } | Call::Fail { .. },
            ) if is_paused => *state = RunState::Cancelled,
            (Self::SteersFromAnyState, Call::Steer { steer, .. }) => {
                *state = match steer {
                    SteerAction::Resume => RunState::Cancelled,
                    SteerAction::Pause | SteerAction::Cancel => RunState::Active,
                };
            }
            _ => {}
        }
    }
}

/// Makes `consumer` the holder of a job that somebody holds.
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
