//! Rules to break, one each, to see that the suite notices.

mod after;
mod before;
mod parts;

use hatchery_store::conformance::{JobState, Model, Run};
use hatchery_store::{RunState, WorkerId};

/// Declares the faults, and their list.
macro_rules! faults {
    ($($fault:ident,)*) => {
        /// A fault of a store.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Fault {
            $($fault,)*
        }

        impl Fault {
            pub(crate) const ALL: &[Self] = &[$(Self::$fault,)*];
        }
    };
}

faults! {
    // Results.
    AcceptsTwice,
    LastResultWins,
    ComparesCosts,
    ComparesWorkers,
    TakesResultsOfAnEndedRun,
    TakesResultsOfAnyGeneration,
    ShowsResultsBehindGaps,
    ForgetsAResultAtRestart,
    ForgetsWorkersAtRestart,
    // Leads, and what leaders write.
    ForgetsTheTableAtRestart,
    ForgetsTheLeadAtRestart,
    LetsAnyLeaderWrite,
    FoldsOneTooMany,
    FoldsOneTooFew,
    FoldsHalfOfWhatItRefuses,
    TurnsWithUnresolvedJobs,
    ReplacesOldJobs,
    LeavesGaps,
    CountsRepeats,
    KeepsTheRevision,
    DisownsEverybody,
    DisownsAllButTheFirst,
    DisownsWithoutARevision,
    RewindsForward,
    RewindsWhatRests,
    RewindKeepsJobs,
    RewindKeepsRecords,
    RewindKeepsTheTable,
    RewindKeepsTheCheckpoint,
    FailsTwice,
    // Leases.
    KeepsLeasesOverRestart,
    LeasesTwice,
    LeasesBackwards,
    EnqueuesWithoutALease,
    EnqueuesAndLeasesTheLast,
    LetsAnyoneRelease,
    LosesReleasedJobs,
    RenewsForAnyone,
    RenewLoses,
    AdoptsFromNobody,
    AdoptsWhatIsDone,
    AdoptsWhatIsParked,
    DropsTheBytesOfDoneJobs,
    // People.
    LeasesWhilePaused,
    EnqueuesAndLeasesWhilePaused,
    AdoptsWhilePaused,
    TakesNoResultsWhilePaused,
    WritesNothingWhilePaused,
    SteersFromAnyState,
    SteersWithARevision,
    ForgetsResultsAtResume,
    ForgetsThePauseAtRestart,
    // Jobs that keep failing.
    LeasesWhatIsParked,
    LetsAnyonePark,
    CountsParkedJobsAsResolved,
    ForgetsParkedJobsAtRestart,
    TakesNoResultsOfParkedJobs,
    RetriesNothing,
    RetriesWhatIsLeased,
    RetryKeepsAttempts,
    ForgetsAttemptsAtRestart,
    ListsAttemptsBackwards,
    LastAttemptWins,
    KeepsAttemptsWithoutEnd,
    KeepsAttemptsOfDoneJobs,
    ForgetsResolversAtRestart,
    CompletesWhatIsSkipped,
    // Runs.
    SharesEvents,
    SharesParts,
    CreatesWhatIsThere,
    DeletesNothing,
    DeleteKeepsEvents,
    DeleteKeepsTheLead,
    DeleteKeepsTheClaim,
    LastRunOfAKeyWins,
    ForgetsKeysAtRestart,
    // Parts.
    FinishesHalfParts,
    ChangesWholeParts,
    KeepsChunksOfAnotherLength,
    TakesPartsOfAnEndedRun,
    ForgetsPartsAtRestart,
    ForgetsTheNamesOfResultsAtRestart,
    CreateDropsParts,
    CreateWritesNoParts,
    DeleteKeepsParts,
    TakesResultsWithoutParts,
    TakesResultsWithPartsOfAnyLength,
    AsksForPartsOfDoneJobs,
    FoldKeepsAllParts,
    FoldKeepsOpenParts,
    FoldDropsItsOwnParts,
    FoldKeepsDroppedParts,
    FoldKeepsDroppedOpenParts,
    FoldDropsWhatItWrites,
    RepeatedFoldDropsParts,
    RewindKeepsAllParts,
    // The membership.
    LetsAnyoneClaim,
    LetsAnyoneUnclaim,
    KeepsTheFirstProgress,
    KeepsWhoWithdraws,
    ForgetsTheQuarantineAtRestart,
    LastReasonWins,
    MakesASecretAtEachStart,
    MakesASecretOfZeros,
    // Several stores.
    LeasesInEachStore,
    LeadsInEachStore,
    ClaimsInEachStore,
    KeepsEventsInEachStore,
    RingsNotForJobs,
    RingsNotForResults,
    RingsNotForStates,
}

impl Fault {
    /// True if random sequences find the fault: they are about one store without announcements and
    /// without many attempts at a job, and seldom ask again about a failed job that is folded.
    pub(crate) fn is_seen_at_random(self) -> bool {
        !matches!(
            self,
            Self::KeepsAttemptsWithoutEnd
                | Self::ForgetsResolversAtRestart
                | Self::FoldKeepsOpenParts
                | Self::FoldKeepsDroppedOpenParts
                | Self::DeleteKeepsTheClaim
                | Self::LetsAnyoneClaim
                | Self::LetsAnyoneUnclaim
                | Self::KeepsTheFirstProgress
                | Self::KeepsWhoWithdraws
                | Self::MakesASecretAtEachStart
                | Self::MakesASecretOfZeros
                | Self::LeasesInEachStore
                | Self::LeadsInEachStore
                | Self::ClaimsInEachStore
                | Self::KeepsEventsInEachStore
                | Self::RingsNotForJobs
                | Self::RingsNotForResults
                | Self::RingsNotForStates
        )
    }

    /// Does it wrong when the process begins anew.
    pub(crate) fn at_restart(self, model: &mut Model) {
        match self {
            Self::ForgetsKeysAtRestart => model.keys.clear(),
            Self::ForgetsTheQuarantineAtRestart => model.quarantined.clear(),
            Self::MakesASecretAtEachStart => model.secret[0] = model.secret[0].wrapping_add(1),
            Self::MakesASecretOfZeros => model.secret = [0; 32],
            _ => {}
        }
        for run in model.runs.values_mut() {
            self.at_restart_of(run);
        }
    }

    fn at_restart_of(self, run: &mut Run) {
        let is_parked = |state: &JobState| *state == JobState::Parked;
        match self {
            Self::ForgetsAResultAtRestart => {
                let is_done = |state: &JobState| matches!(state, JobState::Done(_));
                if let Some(last) = run.jobs.values_mut().rfind(|job| is_done(&job.state)) {
                    last.state = JobState::Ready;
                }
            }
            Self::ForgetsWorkersAtRestart => {
                for job in run.jobs.values_mut() {
                    if let JobState::Done(result) = &mut job.state {
                        result.worker = WorkerId(0);
                    }
                }
            }
            Self::ForgetsParkedJobsAtRestart => {
                for job in run.jobs.values_mut().filter(|job| is_parked(&job.state)) {
                    job.state = JobState::Ready;
                }
            }
            Self::ForgetsAttemptsAtRestart => {
                run.jobs.values_mut().for_each(|job| job.attempts.clear());
            }
            Self::ForgetsResolversAtRestart => run.resolvers.clear(),
            Self::ForgetsThePauseAtRestart if run.position.state == RunState::Paused => {
                run.position.state = RunState::Active;
            }
            Self::ForgetsPartsAtRestart => run.parts.whole.clear(),
            Self::ForgetsTheNamesOfResultsAtRestart => {
                for job in run.jobs.values_mut() {
                    if let JobState::Done(result) = &mut job.state {
                        result.parts.clear();
                    }
                }
            }
            Self::ForgetsTheTableAtRestart => run.table.clear(),
            Self::ForgetsTheLeadAtRestart => run.token = None,
            _ => {}
        }
    }
}
