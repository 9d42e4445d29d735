//! The parts that the points share: a run, its leader, and shorthands.

use super::medium::Medium;
use super::refusal::Refusal;
use super::view::View;
use crate::operation::{
    CompleteJobs, CreateRun, DisownResults, EnqueueAndLease, FailRun, FoldResults, LeaseJobs,
    ParkJob, PauseRun, ReadPosition, ReadResults, ReadStanding, ReleaseJobs, RewindRun, SkipJobs,
    SteerRun, TakeLead,
};
use crate::{
    AfterFold, CoordinatorId, EnqueueBatch, FoldCommit, JobId, JobResult, LeaderToken, LeasedJob,
    PartRetention, ResultPage, RunId, RunPosition, RunState, SteerAction, Store, StoreOperation,
    StoreVerdict, WorkerId,
};
use ulid::Ulid;

/// The run that the points play with.
pub(super) const RUN: RunId = RunId(Ulid(1 << 64));

/// Consumers.
pub(super) const ANN: CoordinatorId = CoordinatorId(1);
/// Another one.
pub(super) const BEN: CoordinatorId = CoordinatorId(u128::MAX);

/// The worker of the results of [`complete`].
pub(super) const WORKER: WorkerId = WorkerId(7 << 100);

/// A store with one run, in the hands of its leader.
pub(super) struct Play<'a> {
    medium: &'a dyn Medium,
    store: Option<Store>,
    pub(super) lead: LeaderToken,
}

impl<'a> Play<'a> {
    /// Opens the store, creates [`RUN`] and takes its lead.
    pub(super) async fn begin(medium: &'a dyn Medium) -> Self {
        let store = medium.open().await;
        store
            .execute(CreateRun {
                run: RUN,
                record: b"record".to_vec(),
                checkpoint: b"checkpoint".to_vec(),
                summary: b"summary".to_vec(),
                parts: vec![],
            })
            .await
            .expect("a run can be created");
        let lead = store.execute(TakeLead { run: RUN }).await.expect("a run can be led").lead;
        Self { medium, store: Some(store), lead }
    }

    pub(super) fn store(&self) -> &Store {
        self.store.as_ref().expect("it is there but in `restart`")
    }

    /// Ends the process and starts another process.
    pub(super) async fn restart(&mut self) {
        drop(self.store.take());
        self.store = Some(self.medium.open().await);
    }

    /// Executes an operation that is not refused.
    pub(super) async fn ask<Op: StoreOperation>(&self, operation: Op) -> Op::Answer {
        self.outcome(operation.clone()).await.unwrap_or_else(|refusal| {
            panic!("{operation:?} was refused: {refusal:?}");
        })
    }

    /// Executes an operation, and compares the answer.
    pub(super) async fn check<Op: StoreOperation>(&self, operation: Op, wanted: Op::Answer) {
        let answer = self.ask(operation.clone()).await;
        assert_eq!(answer, wanted, "the answer to {operation:?}");
    }

    /// Executes an operation that answers nothing.
    pub(super) async fn done<Op: StoreOperation<Answer: Default>>(&self, operation: Op) {
        self.check(operation, Op::Answer::default()).await;
    }

    /// Checks that the operation is refused so, and changes nothing that can be read.
    pub(super) async fn refused(&self, operation: impl StoreOperation, refusal: Refusal) {
        self.unchanged(operation, Err(refusal)).await;
    }

    /// Checks the answer, and that nothing that can be read has changed.
    pub(super) async fn still<Op: StoreOperation>(&self, operation: Op, wanted: Op::Answer) {
        self.unchanged(operation, Ok(wanted)).await;
    }

    async fn unchanged<Op: StoreOperation>(
        &self,
        operation: Op,
        wanted: Result<Op::Answer, Refusal>,
    ) {
        let before = self.view().await;
        let outcome = self.outcome(operation.clone()).await;
        assert_eq!(outcome, wanted, "the answer to {operation:?}");
        assert_eq!(self.view().await, before, "after {operation:?}");
    }

    async fn outcome<Op: StoreOperation>(&self, operation: Op) -> Result<Op::Answer, Refusal> {
        let outcome = Refusal::of(self.store().execute(operation.clone()).await);
        outcome.unwrap_or_else(|error| panic!("{operation:?} failed: {error:?}"))
    }

    pub(super) async fn view(&self) -> View {
        View::of(self.store()).await.expect("a store can be read")
    }

    pub(super) async fn position(&self) -> RunPosition {
        self.store().execute(ReadPosition { run: RUN }).await.expect("the run is there")
    }

    /// Returns the results from `folded` on, as a leader reads them.
    pub(super) async fn page(&self) -> ResultPage {
        let folded = self.position().await.folded;
        self.store()
            .execute(ReadResults { run: RUN, from: folded, most: usize::MAX })
            .await
            .expect("the run is there")
    }

    /// Returns the outputs of the results from `folded` on.
    pub(super) async fn outputs(&self) -> Vec<Vec<u8>> {
        self.page().await.results.into_iter().map(|result| result.output).collect()
    }

    /// Returns the number of unresolved jobs, and the number of PARKED jobs among them.
    pub(super) async fn counts(&self) -> (u64, u64) {
        let ResultPage { n_unresolved, n_parked, .. } = self.page().await;
        (n_unresolved, n_parked)
    }

    /// Leases jobs and returns their indices.
    pub(super) async fn lease(&self, consumer: CoordinatorId, most: usize) -> Vec<u64> {
        let leased = self.ask(LeaseJobs { run: RUN, consumer, most }).await;
        leased.iter().map(|job| job.id.index).collect()
    }

    pub(super) async fn release(&self, consumer: CoordinatorId, indices: &[u64]) {
        self.done(ReleaseJobs { run: RUN, consumer, jobs: ids(0, indices) }).await;
    }

    pub(super) async fn park(&self, consumer: CoordinatorId, index: u64) {
        self.done(ParkJob { run: RUN, consumer, job: job(0, index) }).await;
    }

    /// Steers the run, which must lead to `state`.
    pub(super) async fn steer(&self, steer: SteerAction, state: RunState) {
        self.check(SteerRun { run: RUN, steer }, state.clone()).await;
        assert_eq!(self.position().await.state, state, "after {steer:?}");
    }

    /// Enqueues `n` jobs from `first` on, with the content of `job_bytes`.
    pub(super) fn enqueue(&self, generation: u32, first: u64, n: u64) -> EnqueueAndLease {
        let jobs = (first..first + n).map(|index| job_bytes(generation, index)).collect();
        let table = format!("table to {}", first + n).into_bytes();
        let parts = Vec::new();
        let enqueue = EnqueueBatch { generation, first_index: first, jobs, table, parts };
        EnqueueAndLease { lead: self.lead, enqueue, consumer: ANN, most: 0 }
    }

    /// Enqueues `n` jobs of generation 0 from `first` on, with these parts.
    pub(super) fn enqueue_with(&self, first: u64, n: u64, parts: &[&[u8]]) -> EnqueueAndLease {
        let mut operation = self.enqueue(0, first, n);
        operation.enqueue.parts = parts.iter().map(|part| part.to_vec()).collect();
        operation
    }

    pub(super) fn fold(&self, generation: u32, folded: u64, then: AfterFold) -> FoldResults {
        let checkpoint = format!("checkpoint {generation}.{folded}").into_bytes();
        let (summary, parts, retention) = (checkpoint.clone(), vec![], PartRetention::All);
        let fold = FoldCommit { generation, folded, summary, checkpoint, parts, retention, then };
        FoldResults { lead: self.lead, fold }
    }

    pub(super) fn fail(&self, reason: &str) -> FailRun {
        FailRun { lead: self.lead, reason: reason.to_owned() }
    }

    /// Skips these jobs of generation 0.
    pub(super) fn skip(&self, indices: &[u64]) -> SkipJobs {
        let (output, worker) = (b"skipped".to_vec(), WorkerId::NOBODY);
        let result = JobResult { worker, output, cost: vec![], parts: vec![] };
        let results = ids(0, indices).into_iter().map(|id| (id, result.clone())).collect();
        SkipJobs { lead: self.lead, results }
    }

    pub(super) fn pause(&self) -> PauseRun {
        PauseRun { lead: self.lead }
    }

    pub(super) fn standing(&self) -> ReadStanding {
        ReadStanding { lead: self.lead }
    }

    pub(super) fn disown(&self, worker: WorkerId) -> DisownResults {
        DisownResults { lead: self.lead, workers: vec![worker] }
    }

    pub(super) fn rewind(&self, generation: u32, checkpoint: &[u8]) -> RewindRun {
        let checkpoint = checkpoint.to_owned();
        RewindRun { lead: self.lead, generation, checkpoint, keep: None }
    }
}

pub(super) fn job(generation: u32, index: u64) -> JobId {
    JobId { generation, index }
}

pub(super) fn ids(generation: u32, indices: &[u64]) -> Vec<JobId> {
    indices.iter().map(|index| job(generation, *index)).collect()
}

pub(super) fn job_bytes(generation: u32, index: u64) -> Vec<u8> {
    format!("job {generation}.{index}").into_bytes()
}

/// Returns jobs of generation 0 as `lease` and `adopt` return them.
pub(super) fn leased(indices: &[u64]) -> Vec<LeasedJob> {
    indices.iter().map(|index| leased_job(0, *index)).collect()
}

/// The job as `lease` and `adopt` give it.
pub(super) fn leased_job(generation: u32, index: u64) -> LeasedJob {
    LeasedJob { id: job(generation, index), bytes: job_bytes(generation, index) }
}

pub(super) fn output(index: u64) -> Vec<u8> {
    format!("output {index}").into_bytes()
}

/// Completes these jobs with the right results, from [`WORKER`].
pub(super) fn complete(generation: u32, indices: impl IntoIterator<Item = u64>) -> CompleteJobs {
    complete_by(WORKER, generation, indices)
}

/// Completes these jobs with the right results of a worker.
pub(super) fn complete_by(
    worker: WorkerId,
    generation: u32,
    indices: impl IntoIterator<Item = u64>,
) -> CompleteJobs {
    let cost = b"cost".to_vec();
    let result =
        |index| JobResult { worker, output: output(index), cost: cost.clone(), parts: vec![] };
    let results = indices.into_iter().map(|index| (job(generation, index), result(index)));
    CompleteJobs { run: RUN, results: results.collect() }
}

/// Completes a job with this output.
pub(super) fn claim(index: u64, output: &[u8]) -> CompleteJobs {
    let (output, cost) = (output.to_owned(), b"cost".to_vec());
    let result = JobResult { worker: WORKER, output, cost, parts: vec![] };
    CompleteJobs { run: RUN, results: vec![(job(0, index), result)] }
}

pub(super) fn all(n: usize, verdict: StoreVerdict) -> Vec<StoreVerdict> {
    vec![verdict; n]
}

pub(super) fn next_generation() -> AfterFold {
    AfterFold::NextGeneration { record: b"record of a generation".to_vec() }
}
