//! The operations of a store as values: their fields, and the types of their answers.
//!
//! A line of the list in this file is an operation: its name in metrics, its type with its fields,
//! its answer, and the [views](crate::StoreView) that may execute it for parts of a coordinator;
//! none if only tests do. [`StoreCall`] is any operation and [`StoreAnswer`] any answer, for all
//! that treats them alike: backends, metering, recording, faults, the model of the contract.
//!
//! An operation that is added needs its line here, an arm in each backend, and a rule in the model
//! (`conformance`).

mod define;
mod views;

pub use views::{ControlView, DispatchView, EventView, LeaderView, SummaryView, SupervisorView};

use std::fmt::Debug;

use hatchery_core::{Digest, Part};

use self::define::operations;
use super::error::StoreError;
use super::ids::{AttemptId, CoordinatorId, JobId, RunId, WorkerId};
use super::membership::RunClaim;
use super::overview::RunOverview;
use super::types::{
    AttemptedJob, DeadJobRecord, EnqueueBatch, FoldCommit, JobResult, LeaderState, LeaderToken,
    LeasedJob, ResultPage, RunPosition, RunState, SteerAction, StoreMemory, StoreVerdict,
};

/// An operation of a store as a value.
///
/// A [`StoreCall`] is one too: its answer is a [`StoreAnswer`].
pub trait StoreOperation:
    Into<StoreCall> + Clone + Debug + PartialEq + Eq + Send + Sync + 'static
{
    /// The answer of a store.
    type Answer: Clone + Debug + PartialEq + Eq + Send + Sync + 'static;

    /// Returns the operation's name in metrics.
    fn name(&self) -> &'static str;

    /// Returns the run that the operation is about, if it is about one.
    fn run(&self) -> Option<RunId>;

    /// Returns the leader's token that the operation shows, if it needs one.
    fn lead(&self) -> Option<&LeaderToken>;

    /// Returns the leader's token to change it.
    fn lead_mut(&mut self) -> Option<&mut LeaderToken>;

    /// Returns the content of an answer.
    ///
    /// # Errors
    /// [`StoreError::WrongAnswer`] for the answer to another operation.
    fn parse(answer: StoreAnswer) -> Result<Self::Answer, StoreError>;
}

/// An operation that the part of a coordinator with this view may execute.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no operation of `{View}`",
    note = "the list in operation.rs says which views have it"
)]
pub trait AllowedIn<View>: StoreOperation {}

// The operations on runs as a whole, on jobs, of leaders, on what a run keeps, and of members.
operations! {
    /// Creates a run at generation 0 with an immutable `record`, a first `checkpoint`, a first
    /// `summary` and `parts` besides the parts that were written for it before, and returns `true`;
    /// leaves an existing run as it is, and returns `false`.
    create: CreateRun {
        run: RunId, record: Vec<u8>, checkpoint: Vec<u8>, summary: Vec<u8>, parts: Vec<Vec<u8>>
    } -> bool, for ControlView;

    /// Returns the run of `key`: `run`, unless the key was given before with another run.
    run_for: RunForKey { run: RunId, key: Digest } -> RunId, for ControlView;

    /// Returns the run of `key`; `None` if the key was never given with a run.
    run_of: FindRun { key: Digest } -> Option<RunId>, for ControlView;

    /// Deletes a run. Deleting an unknown run is a no-op.
    delete: DeleteRun { run: RunId } -> (), for ControlView;

    /// Returns all runs, oldest first.
    runs: ListRuns -> Vec<RunId>, for SupervisorView, ControlView;

    /// Returns the last of all runs; `None` if there are none.
    last_run: FindLastRun -> Option<RunId>, for ControlView;

    /// Returns an overview for each of `runs`, in order; `None` for a run that does not exist. A
    /// run whose data is damaged has failed.
    overviews: ReadOverviews { runs: Vec<RunId> } -> Vec<Option<RunOverview>>,
        for LeaderView, SupervisorView, ControlView;

    /// Replaces the run's summary, which the next fold replaces again.
    summarize: SummarizeRun { run: RunId, summary: Vec<u8> } -> (), for SummaryView;

    /// Returns the run's record.
    record: ReadRecord { run: RunId } -> Vec<u8>, for SupervisorView, ControlView, SummaryView;

    /// Returns the run's position.
    position: ReadPosition { run: RunId } -> RunPosition, for LeaderView, ControlView;

    /// Returns the run's position if `lead` is its last token: then no other leader caused a
    /// difference from the leader's writes.
    standing: ReadStanding { lead: LeaderToken } -> RunPosition, for LeaderView;

    /// Returns the run's checkpoint.
    checkpoint: ReadCheckpoint { run: RunId } -> Vec<u8>, for ControlView, SummaryView;

    /// Changes the run's state if `steer` applies to its current one, and returns the new state.
    steer: SteerRun { run: RunId, steer: SteerAction } -> RunState, for ControlView;

    /// Takes the lead of a run and returns its state with a new token.
    lead: TakeLead { run: RunId } -> LeaderState, for LeaderView;

    /// Enqueues jobs, which makes them READY, then leases up to `most` READY jobs to `consumer`, in
    /// one call.
    enqueue_and_lease: EnqueueAndLease {
        lead: LeaderToken, enqueue: EnqueueBatch, consumer: CoordinatorId, most: usize
    } -> Vec<LeasedJob>, for DispatchView;

    /// Leases up to `most` READY jobs to `consumer`, and returns them with their bytes.
    lease: LeaseJobs { run: RunId, consumer: CoordinatorId, most: usize } -> Vec<LeasedJob>,
        for DispatchView;

    /// Makes the `jobs` READY that are LEASED to `consumer`, whatever the state of the run.
    release: ReleaseJobs { run: RunId, consumer: CoordinatorId, jobs: Vec<JobId> } -> (),
        for DispatchView;

    /// Renews the leases of `consumer` on `jobs`; returns the jobs that are no longer LEASED to it.
    renew: RenewLeases { run: RunId, consumer: CoordinatorId, jobs: Vec<JobId> } -> Vec<JobId>,
        for DispatchView;

    /// Makes the `jobs` that are READY, or LEASED to anyone, LEASED to `consumer`, and returns them
    /// with their bytes: its workers already compute them. None in a run that is not active.
    adopt: AdoptJobs { run: RunId, consumer: CoordinatorId, jobs: Vec<JobId> } -> Vec<LeasedJob>,
        for DispatchView;

    /// Returns the bytes of the jobs of the current generation that are not folded; `None` for any
    /// other job.
    jobs: ReadJobs { run: RunId, jobs: Vec<JobId> } -> Vec<Option<Vec<u8>>>, for DispatchView;

    /// Records a failed attempt at a job, and returns the job's attempts. Returns who has resolved
    /// a job that is resolved, and records nothing then. A known id changes nothing.
    attempt: AddAttempt { run: RunId, job: JobId, id: AttemptId, attempt: Vec<u8> } -> AttemptedJob,
        for DispatchView;

    /// Makes a job PARKED that is LEASED to `consumer`; leaves any other job alone.
    park: ParkJob { run: RunId, consumer: CoordinatorId, job: JobId } -> (), for DispatchView;

    /// Returns the PARKED jobs, lowest index first, from index `from` on, at most `most`.
    parked: ReadDeadJobs { run: RunId, from: u64, most: usize } -> Vec<DeadJobRecord>,
        for LeaderView, ControlView;

    /// Makes the `jobs` READY that are PARKED, without their attempts; returns their number.
    retry: RetryJobs { run: RunId, jobs: Vec<JobId> } -> u64, for ControlView;

    /// Offers results; returns one verdict for each, in order.
    complete: CompleteJobs { run: RunId, results: Vec<(JobId, JobResult)> } -> Vec<StoreVerdict>,
        for DispatchView;

    /// Returns the results of the current generation from index `from` on, up to the first job that
    /// is not DONE, at most `most` results; none if `from` is folded already. They stay when a run
    /// ends.
    results: ReadResults { run: RunId, from: u64, most: usize } -> ResultPage,
        for LeaderView, DispatchView;

    /// Replaces the checkpoint with a checkpoint that includes more results.
    fold: FoldResults { lead: LeaderToken, fold: FoldCommit } -> (), for LeaderView;

    /// Resolves the PARKED jobs among these jobs, in a run that has not ended; leaves other jobs
    /// alone.
    skip: SkipJobs { lead: LeaderToken, results: Vec<(JobId, JobResult)> } -> (), for LeaderView;

    /// Makes all DONE jobs of `workers` that are not folded READY again; returns the workers that
    /// had such jobs, by id, with the number of these jobs.
    disown: DisownResults { lead: LeaderToken, workers: Vec<WorkerId> } -> Vec<(WorkerId, u64)>,
        for LeaderView;

    /// Rewinds an active run to the beginning of `generation`, the current one or one before it,
    /// with the `checkpoint` of that time: its jobs, results and attempts are gone, and so are the
    /// records of this and later generations, and all parts except the parts in `keep` if that is
    /// given.
    rewind: RewindRun {
        lead: LeaderToken, generation: u32, checkpoint: Vec<u8>, keep: Option<Vec<Digest>>
    } -> (), for LeaderView;

    /// Makes an active run `Paused`; leaves any other run alone.
    pause: PauseRun { lead: LeaderToken } -> (), for LeaderView;

    /// Ends an active or paused run as `Failed`; jobs, leases and results stay.
    fail: FailRun { lead: LeaderToken, reason: String } -> (), for LeaderView;

    /// Returns the records of the folded generations, from generation `from` on.
    generations: ReadGenerations { run: RunId, from: u32 } -> Vec<Vec<u8>>,
        for LeaderView, ControlView, SummaryView;

    /// Appends an event of the run.
    append_event: AppendEvent { run: RunId, event: Vec<u8> } -> (), for EventView;

    /// Returns the events of the run from number `from` (counted from 0) on.
    events: ReadEvents { run: RunId, from: u64 } -> Vec<Vec<u8>>, for ControlView;

    /// Writes a chunk of a part, replacing a chunk that was written before; leaves a whole part
    /// alone. The run need not be created yet. The write is durable once the part is finished. If a
    /// part is written with two lengths, the last length counts: the chunks of the other length are
    /// gone.
    write_part: WritePart { run: RunId, part: Part, index: u32, chunk: Vec<u8> } -> (),
        for LeaderView, DispatchView, ControlView;

    /// Makes a part whole if it has all its chunks; returns whether it is whole now. The caller has
    /// checked the hash.
    finish_part: FinishPart { run: RunId, part: Part } -> bool,
        for LeaderView, DispatchView, ControlView;

    /// Returns the run's whole parts with these hashes, in order; `None` for a missing part. The
    /// run need not be created yet.
    find_parts: FindParts { run: RunId, parts: Vec<Digest> } -> Vec<Option<Part>>,
        for LeaderView, DispatchView, SupervisorView, ControlView, SummaryView;

    /// Returns a chunk of a whole part of the run; `None` if there is none.
    part_chunk: ReadPart { run: RunId, hash: Digest, index: u32 } -> Option<Vec<u8>>,
        for LeaderView, DispatchView, SupervisorView, ControlView, SummaryView;

    /// Returns the path of the file that has the bytes of a part of the run; `None` if it has no
    /// file of its own.
    part_file: LocatePart { run: RunId, hash: Digest } -> Option<String>,
        for LeaderView, DispatchView, SupervisorView, ControlView, SummaryView;

    /// Claims a run for a coordinator, or renews its claim; returns whether it has the claim now.
    claim: ClaimRun { run: RunId, coordinator: CoordinatorId, progress: Vec<u8> } -> bool,
        for SupervisorView;

    /// Gives the claim up, if the coordinator has it.
    unclaim: UnclaimRun { run: RunId, coordinator: CoordinatorId } -> (), for SupervisorView;

    /// Returns the claim on a run.
    claimed: ReadClaim { run: RunId } -> Option<RunClaim>;

    /// Renews the presence of a coordinator, with its announcement.
    announce: AnnounceCoordinator { coordinator: CoordinatorId, announcement: Vec<u8> } -> (),
        for SupervisorView;

    /// Ends the presence of a coordinator.
    withdraw: WithdrawCoordinator { coordinator: CoordinatorId } -> (), for SupervisorView;

    /// Returns the present coordinators with their announcements, by id.
    announced: ListCoordinators -> Vec<(CoordinatorId, Vec<u8>)>, for SupervisorView;

    /// Quarantines a worker for good. A repeated call keeps the first reason.
    quarantine: QuarantineWorker { worker: WorkerId, reason: String } -> (),
        for DispatchView, ControlView;

    /// Returns the quarantined workers with the reasons, by id.
    quarantined: ListQuarantined -> Vec<(WorkerId, String)>,
        for LeaderView, SupervisorView, ControlView;

    /// Returns the quarantined workers among `workers`, with the reasons, in the order of
    /// `workers`.
    find_quarantined: FindQuarantined { workers: Vec<WorkerId> } -> Vec<(WorkerId, String)>,
        for LeaderView;

    /// Returns the farm's secret, known only to the coordinators of this store: random, generated
    /// when it is first asked for. A store that has lost all its data gets the secret again that
    /// was last returned here, unless another process was faster: coordinators ask from time to
    /// time.
    secret: ReadSecret -> [u8; 32], for SupervisorView;

    /// Returns the memory of the store; `None` if it keeps its data elsewhere.
    memory: ReadMemory -> Option<StoreMemory>, for SupervisorView;
}

/// Answers a call by the arm for its operation: an expression of the type of its answer.
macro_rules! answer {
    ($call:ident { $($Op:ident { $($fields:tt)* } => $answer:expr,)+ }) => {{
        use $crate::operation;
        match $call {
            $(operation::StoreCall::$Op(operation::$Op { $($fields)* }) => {
                operation::StoreAnswer::$Op($answer)
            })+
        }
    }};
}

pub(crate) use answer;

#[cfg(test)]
mod tests {
    use ulid::Ulid;

    use super::*;

    const RUN: RunId = RunId(Ulid(3));

    /// Checks the name of an operation, its run, and whether it needs a token.
    fn check(operation: &impl StoreOperation, name: &str, run: Option<RunId>, needs_lead: bool) {
        let call: StoreCall = operation.clone().into();
        assert_eq!((operation.name(), call.name()), (name, name));
        assert_eq!((operation.run(), call.run()), (run, run));
        assert_eq!((operation.lead().is_some(), call.lead().is_some()), (needs_lead, needs_lead));
    }

    #[test]
    fn an_operation_is_about_the_run_of_its_first_field() {
        let lead = LeaderToken { run: RUN, token: super::super::ids::FencingToken::default() };
        let lease = LeaseJobs { run: RUN, consumer: CoordinatorId(1), most: 2 };
        check(&lease, "lease", Some(RUN), false);
        check(&PauseRun { lead }, "pause", Some(RUN), true);
        check(&ReadOverviews { runs: vec![RUN] }, "overviews", None, false);
        check(&ReadSecret, "secret", None, false);
        check(&ReadMemory, "memory", None, false);
    }

    #[test]
    fn the_answer_to_another_operation_is_an_error() {
        let answer = StoreAnswer::ReadRecord(vec![1]);
        assert_eq!(ReadRecord::parse(answer.clone()).ok(), Some(vec![1]));
        let wrong = ReadCheckpoint::parse(answer);
        assert!(matches!(wrong, Err(StoreError::WrongAnswer { operation: "checkpoint" })));
    }
}
