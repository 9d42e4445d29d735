//! The parts that the points share: a run, its leader, and shorthands.

use super::call::{Answer, Call, Read, Refusal};
use super::medium::Medium;
use super::view::View;
use crate::store::{
    AfterFold, CoordinatorId, EnqueueBatch, FoldCommit, JobId, JobResult, LeaderToken, LeasedJob,
    ResultPage, Rewind, RunId, RunPosition, RunState, SteerAction, Store, StoreVerdict, WorkerId,
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
    store: Option<Box<dyn Store>>,
    pub(super) lead: LeaderToken,
}

impl<'a> Play<'a> {
    /// Opens the store, creates [`RUN`] and takes its lead.
    pub(super) async fn begin(medium: &'a dyn Medium) -> Self {
        let store = medium.open().await;
        store
            .create(RUN, b"record", b"checkpoint", b"summary")
            .await
            .expect("a run can be created");
        let lead = store.lead(RUN).await.expect("a run can be led").lead;
        Self { medium, store: Some(store), lead }
    }

    pub(super) fn store(&self) -> &dyn Store {
        self.store.as_deref().expect("it is there but in `restart`")
    }

    /// Ends the process and starts another one.
    pub(super) async fn restart(&mut self) {
        drop(self.store.take());
        self.store = Some(self.medium.open().await);
    }

    pub(super) async fn ask(&self, call: Call) -> Answer {
        match call.ask(self.store()).await {
            Ok(answer) => answer,
            Err(error) => panic!("{call:?} failed: {error:?}"),
        }
    }

    /// Asks, and compares the answer.
    pub(super) async fn check(&self, call: Call, wanted: Answer) {
        let answer = self.ask(call.clone()).await;
        assert_eq!(answer, wanted, "the answer to {call:?}");
    }

    pub(super) async fn done(&self, call: Call) {
        self.check(call, Answer::Done).await;
    }

    /// Checks that the call is refused so, and changes nothing that can be read.
    pub(super) async fn refused(&self, call: Call, refusal: Refusal) {
        self.still(call, Answer::Refused(refusal)).await;
    }

    /// Checks the answer, and that nothing that can be read has changed.
    pub(super) async fn still(&self, call: Call, wanted: Answer) {
        let before = self.view().await;
        self.check(call.clone(), wanted).await;
        assert_eq!(self.view().await, before, "after {call:?}");
    }

    pub(super) async fn view(&self) -> View {
        View::of(self.store()).await.expect("a store can be read")
    }

    pub(super) async fn position(&self) -> RunPosition {
        self.store().position(RUN).await.expect("the run is there")
    }

    /// Returns the results from `folded` on, as a leader reads them.
    pub(super) async fn page(&self) -> ResultPage {
        let folded = self.position().await.folded;
        self.store().results(RUN, folded, usize::MAX).await.expect("the run is there")
    }

    /// Returns the outputs of the results from `folded` on.
    pub(super) async fn outputs(&self) -> Vec<Vec<u8>> {
        self.page().await.results.into_iter().map(|result| result.output).collect()
    }

    /// Returns the number of unresolved jobs, and the number of PARKED ones among them.
    pub(super) async fn counts(&self) -> (u64, u64) {
        let ResultPage { n_unresolved, n_parked, .. } = self.page().await;
        (n_unresolved, n_parked)
    }

    /// Leases jobs and returns their indices.
    pub(super) async fn lease(&self, consumer: CoordinatorId, most: usize) -> Vec<u64> {
        match self.ask(Call::Lease { run: RUN, consumer, most }).await {
            Answer::Leased(jobs) => jobs.iter().map(|job| job.id.index).collect(),
            answer => panic!("a lease gave {answer:?}"),
        }
    }

    pub(super) async fn release(&self, consumer: CoordinatorId, indices: &[u64]) {
        self.done(Call::Release { run: RUN, consumer, jobs: ids(0, indices) }).await;
    }

    pub(super) async fn park(&self, consumer: CoordinatorId, index: u64) {
        self.done(Call::Park { run: RUN, consumer, job: job(0, index) }).await;
    }

    /// Steers the run, which must lead to `state`.
    pub(super) async fn steer(&self, steer: SteerAction, state: RunState) {
        self.check(Call::Steer { run: RUN, steer }, Answer::State(state.clone())).await;
        assert_eq!(self.position().await.state, state, "after {steer:?}");
    }

    /// Enqueues `n` jobs from `first` on, with the content of `job_bytes`.
    pub(super) fn enqueue(&self, generation: u32, first: u64, n: u64) -> Call {
        let jobs = (first..first + n).map(|index| job_bytes(generation, index)).collect();
        let table = format!("table to {}", first + n).into_bytes();
        let blobs = Vec::new();
        let enqueue = EnqueueBatch { generation, first_index: first, jobs, table, blobs };
        Call::Enqueue { lead: self.lead.clone(), enqueue }
    }

    /// Enqueues `n` jobs of generation 0 from `first` on, with these blobs.
    pub(super) fn enqueue_with(&self, first: u64, n: u64, blobs: &[&[u8]]) -> Call {
        match self.enqueue(0, first, n) {
            Call::Enqueue { lead, enqueue } => {
                let blobs = blobs.iter().map(|blob| blob.to_vec()).collect();
                Call::Enqueue { lead, enqueue: EnqueueBatch { blobs, ..enqueue } }
            }
            _ => unreachable!("it is one"),
        }
    }

    /// Enqueues like [`enqueue`](Self::enqueue), and leases up to `most` jobs.
    pub(super) fn enqueue_and_lease(
        &self,
        generation: u32,
        first: u64,
        n: u64,
        consumer: CoordinatorId,
        most: usize,
    ) -> Call {
        match self.enqueue(generation, first, n) {
            Call::Enqueue { lead, enqueue } => {
                Call::EnqueueAndLease { lead, enqueue, consumer, most }
            }
            _ => unreachable!("it is one"),
        }
    }

    pub(super) fn fold(&self, generation: u32, folded: u64, then: AfterFold) -> Call {
        let checkpoint = format!("checkpoint {generation}.{folded}").into_bytes();
        let fold = FoldCommit { generation, folded, summary: checkpoint.clone(), checkpoint, then };
        Call::Fold { lead: self.lead.clone(), fold }
    }

    pub(super) fn fail(&self, reason: &str) -> Call {
        Call::Fail { lead: self.lead.clone(), reason: reason.to_owned() }
    }

    /// Skips these jobs of generation 0.
    pub(super) fn skip(&self, indices: &[u64]) -> Call {
        let result =
            JobResult { worker: WorkerId::NOBODY, output: b"skipped".to_vec(), cost: vec![] };
        let results = ids(0, indices).into_iter().map(|id| (id, result.clone())).collect();
        Call::Skip { lead: self.lead.clone(), results }
    }

    pub(super) fn pause(&self) -> Call {
        Call::Pause { lead: self.lead.clone() }
    }

    pub(super) fn standing(&self) -> Call {
        Call::Read(Read::Standing { lead: self.lead.clone() })
    }

    pub(super) fn disown(&self, worker: WorkerId) -> Call {
        Call::Disown { lead: self.lead.clone(), worker }
    }

    pub(super) fn rewind(&self, generation: u32, checkpoint: &[u8]) -> Call {
        let rewind = Rewind { generation, checkpoint: checkpoint.to_owned() };
        Call::Rewind { lead: self.lead.clone(), rewind }
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
pub(super) fn leased(indices: &[u64]) -> Answer {
    Answer::Leased(indices.iter().map(|index| leased_job(0, *index)).collect())
}

/// The job as `lease` and `adopt` give it.
pub(super) fn leased_job(generation: u32, index: u64) -> LeasedJob {
    LeasedJob { id: job(generation, index), bytes: job_bytes(generation, index) }
}

pub(super) fn output(index: u64) -> Vec<u8> {
    format!("output {index}").into_bytes()
}

/// Completes these jobs with the right results, from [`WORKER`].
pub(super) fn complete(generation: u32, indices: impl IntoIterator<Item = u64>) -> Call {
    complete_by(WORKER, generation, indices)
}

/// Completes these jobs with the right results of a worker.
pub(super) fn complete_by(
    worker: WorkerId,
    generation: u32,
    indices: impl IntoIterator<Item = u64>,
) -> Call {
    let result = |index| JobResult { worker, output: output(index), cost: b"cost".to_vec() };
    let results = indices.into_iter().map(|index| (job(generation, index), result(index)));
    Call::Complete { run: RUN, results: results.collect() }
}

/// Completes a job with this output.
pub(super) fn claim(index: u64, output: &[u8]) -> Call {
    let result = JobResult { worker: WORKER, output: output.to_owned(), cost: b"cost".to_vec() };
    Call::Complete { run: RUN, results: vec![(job(0, index), result)] }
}

pub(super) fn all(n: usize, verdict: StoreVerdict) -> Answer {
    Answer::Verdicts(vec![verdict; n])
}

pub(super) fn next_generation() -> AfterFold {
    AfterFold::NextGeneration { record: b"record of a generation".to_vec() }
}
