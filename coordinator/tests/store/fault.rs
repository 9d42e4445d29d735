//! Rules to break, one each, to see that the suite notices.

use hatchery_coordinator::store::conformance::{Answer, Call, JobState, Run};
use hatchery_coordinator::store::{RunState, Then, Verdict};

/// What a store does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    AcceptsTwice,
    LastResultWins,
    ComparesCosts,
    TakesResultsOfAnEndedRun,
    TakesResultsOfAnyGeneration,
    ForgetsAResultAtRestart,
    ForgetsTheTableAtRestart,
    ForgetsTheLeadAtRestart,
    KeepsLeasesOverRestart,
    LetsAnyLeaderWrite,
    LeasesTwice,
    LeasesBackwards,
    LetsAnyoneRelease,
    LosesReleasedJobs,
    FoldsOneTooMany,
    FoldsOneTooFew,
    FoldsHalfOfWhatItRefuses,
    TurnsWithUnresolvedJobs,
    ReplacesOldJobs,
    LeavesGaps,
    CountsRepeats,
    KeepsTheRevision,
    ShowsResultsBehindGaps,
    ForgetsResultsAtReopen,
    SharesEvents,
}

impl Fault {
    pub(crate) const ALL: [Self; 25] = [
        Self::AcceptsTwice,
        Self::LastResultWins,
        Self::ComparesCosts,
        Self::TakesResultsOfAnEndedRun,
        Self::TakesResultsOfAnyGeneration,
        Self::ForgetsAResultAtRestart,
        Self::ForgetsTheTableAtRestart,
        Self::ForgetsTheLeadAtRestart,
        Self::KeepsLeasesOverRestart,
        Self::LetsAnyLeaderWrite,
        Self::LeasesTwice,
        Self::LeasesBackwards,
        Self::LetsAnyoneRelease,
        Self::LosesReleasedJobs,
        Self::FoldsOneTooMany,
        Self::FoldsOneTooFew,
        Self::FoldsHalfOfWhatItRefuses,
        Self::TurnsWithUnresolvedJobs,
        Self::ReplacesOldJobs,
        Self::LeavesGaps,
        Self::CountsRepeats,
        Self::KeepsTheRevision,
        Self::ShowsResultsBehindGaps,
        Self::ForgetsResultsAtReopen,
        Self::SharesEvents,
    ];

    /// What is done wrong before the model answers.
    pub(crate) fn before(self, run: &mut Run, call: &mut Call) {
        let position = &mut run.position;
        match (self, call) {
            (
                Self::LetsAnyLeaderWrite,
                Call::Enqueue { lead, .. }
                | Call::Fold { lead, .. }
                | Call::End { lead, .. }
                | Call::Reopen { lead },
            ) => lead.token = run.token.unwrap_or_default(),
            (Self::TakesResultsOfAnEndedRun, Call::Complete { .. }) => {
                position.state = RunState::Active;
            }
            (Self::TakesResultsOfAnyGeneration, Call::Complete { results, .. }) => {
                for (id, _) in results {
                    id.generation = position.generation;
                }
            }
            (Self::LetsAnyoneRelease, Call::Release { consumer, jobs, .. }) => {
                for job in jobs {
                    if let Some((_, JobState::Leased(holder))) = run.jobs.get_mut(&job.index) {
                        *holder = *consumer;
                    }
                }
            }
            (Self::TurnsWithUnresolvedJobs, Call::Fold { fold, .. })
                if fold.then != Then::SameGeneration && fold.folded < position.cursor =>
            {
                position.cursor = fold.folded;
            }
            (Self::LeavesGaps, Call::Enqueue { enqueue, .. }) => {
                position.cursor = position.cursor.max(enqueue.first_index);
            }
            (Self::ReplacesOldJobs, Call::Enqueue { enqueue, .. }) => {
                for (index, job) in (enqueue.first_index..).zip(&enqueue.jobs) {
                    if let Some((old, _)) = run.jobs.get_mut(&index) {
                        old.clone_from(job);
                    }
                }
            }
            _ => {}
        }
    }

    /// What is done wrong after the model has answered; `before` is how the run was.
    pub(crate) fn after(self, before: &Run, run: &mut Run, call: &Call, answer: &mut Answer) {
        match (self, call, answer) {
            (Self::AcceptsTwice, _, Answer::Verdicts(verdicts)) => {
                for verdict in verdicts.iter_mut().filter(|it| **it == Verdict::Duplicate) {
                    *verdict = Verdict::Accepted;
                }
            }
            (
                Self::LastResultWins | Self::ComparesCosts,
                Call::Complete { results, .. },
                Answer::Verdicts(verdicts),
            ) => {
                for ((id, result), verdict) in results.iter().zip(verdicts) {
                    let Some((_, JobState::Done(kept))) = run.jobs.get_mut(&id.index) else {
                        continue;
                    };
                    match verdict {
                        Verdict::Mismatch if self == Self::LastResultWins => *kept = result.clone(),
                        Verdict::Duplicate if self == Self::ComparesCosts && kept != result => {
                            *verdict = Verdict::Mismatch;
                        }
                        _ => {}
                    }
                }
            }
            (Self::TakesResultsOfAnEndedRun, Call::Complete { .. }, _) => {
                run.position.state = before.position.state.clone();
            }
            (Self::LeasesTwice, _, Answer::Leased(jobs)) => {
                for (id, _) in jobs {
                    run.jobs.entry(id.index).and_modify(|(_, state)| *state = JobState::Ready);
                }
            }
            (Self::LeasesBackwards, _, Answer::Leased(jobs)) => jobs.reverse(),
            (Self::LosesReleasedJobs, Call::Release { jobs, .. }, _) => {
                for job in jobs {
                    run.jobs.entry(job.index).and_modify(|(_, state)| {
                        if *state == JobState::Ready {
                            *state = JobState::Leased(0);
                        }
                    });
                }
            }
            (Self::FoldsOneTooMany, Call::Fold { fold, .. }, Answer::Done) => {
                run.jobs.remove(&fold.folded);
            }
            (Self::FoldsOneTooFew, Call::Fold { .. }, Answer::Done) => {
                if let Some(last) = before.jobs.get(&(run.position.folded.wrapping_sub(1))) {
                    run.jobs.insert(run.position.folded - 1, last.clone());
                }
            }
            (Self::FoldsHalfOfWhatItRefuses, Call::Fold { fold, .. }, Answer::Refused(_)) => {
                run.jobs.retain(|index, (_, state)| {
                    fold.folded <= *index || !matches!(state, JobState::Done(_))
                });
            }
            (Self::CountsRepeats, Call::Enqueue { .. } | Call::Fold { .. }, Answer::Done)
                if run.position == before.position =>
            {
                run.position.revision += 1;
            }
            (Self::KeepsTheRevision, ..) => run.position.revision = before.position.revision,
            (Self::ForgetsResultsAtReopen, Call::Reopen { .. }, Answer::Done) => {
                for (_, state) in run.jobs.values_mut() {
                    *state = JobState::Ready;
                }
            }
            _ => {}
        }
    }

    /// What is done wrong when the process begins anew.
    pub(crate) fn at_restart(self, run: &mut Run) {
        match self {
            Self::ForgetsAResultAtRestart => {
                let done = run.jobs.values_mut().filter(|(_, it)| matches!(it, JobState::Done(_)));
                if let Some((_, last)) = done.last() {
                    *last = JobState::Ready;
                }
            }
            Self::ForgetsTheTableAtRestart => run.table.clear(),
            Self::ForgetsTheLeadAtRestart => run.token = None,
            _ => {}
        }
    }
}
