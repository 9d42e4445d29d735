//! The model behind the trait: a store without a disk, which may have a fault.

use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use hatchery_coordinator::store::conformance::{
    Answer, Call, JobState, Medium, Model, Refusal, Run,
};
use hatchery_coordinator::store::{
    Enqueue, Fold, JobId, JobResult, Lead, Led, Position, RunId, RunState, Store, StoreError,
    Verdict,
};
use hatchery_core::Digest;

use super::fault::Fault;

/// The model as a store, and what keeps it; with a fault or none.
#[derive(Clone, Debug)]
pub(crate) struct Faulty {
    model: Arc<Mutex<Model>>,
    fault: Option<Fault>,
}

impl Faulty {
    pub(crate) fn new(fault: Option<Fault>) -> Self {
        Self { model: Arc::default(), fault }
    }

    fn model(&self) -> MutexGuard<'_, Model> {
        self.model.lock().expect("nobody panics with it")
    }

    fn see<T>(&self, run: RunId, what: impl FnOnce(&Run) -> T) -> Result<T, StoreError> {
        self.model().runs.get(&run).map(what).ok_or(StoreError::NoRun { run })
    }

    fn ask(&self, run: RunId, mut call: Call) -> Result<Answer, StoreError> {
        let mut model = self.model();
        model.next_token.0 += 1;
        let before = model.runs.get(&run).cloned();
        if let (Some(fault), Some(run)) = (self.fault, model.runs.get_mut(&run)) {
            fault.before(run, &mut call);
        }
        let mut answer = model.answer(call.clone());
        if let (Some(fault), Some(before), Some(run)) =
            (self.fault, before, model.runs.get_mut(&run))
        {
            fault.after(&before, run, &call, &mut answer);
        }
        match answer {
            Answer::Refused(Refusal::NoRun) => Err(StoreError::NoRun { run }),
            Answer::Refused(Refusal::Fenced) => Err(StoreError::Fenced { run }),
            Answer::Refused(Refusal::OutOfStep) => {
                let position = Box::new(model.runs[&run].position.clone());
                Err(StoreError::OutOfStep { run, position, operation: "this" })
            }
            answer => Ok(answer),
        }
    }
}

#[async_trait]
impl Medium for Faulty {
    async fn open(&self) -> Box<dyn Store> {
        let mut model = self.model();
        if self.fault != Some(Fault::KeepsLeasesOverRestart) {
            model.restart();
        }
        if let Some(fault) = self.fault {
            model.runs.values_mut().for_each(|run| fault.at_restart(run));
        }
        Box::new(self.clone())
    }
}

#[async_trait]
impl Store for Faulty {
    async fn create(&self, run: RunId, record: &[u8], checkpoint: &[u8]) -> Result<(), StoreError> {
        let (record, checkpoint) = (record.to_owned(), checkpoint.to_owned());
        self.ask(run, Call::Create { run, record, checkpoint }).map(drop)
    }

    async fn runs(&self) -> Result<Vec<RunId>, StoreError> {
        Ok(self.model().runs.keys().copied().collect())
    }

    async fn record(&self, run: RunId) -> Result<Vec<u8>, StoreError> {
        self.see(run, |run| run.record.clone())
    }

    async fn position(&self, run: RunId) -> Result<Position, StoreError> {
        self.see(run, |run| run.position.clone())
    }

    async fn checkpoint(&self, run: RunId) -> Result<Vec<u8>, StoreError> {
        self.see(run, |run| run.checkpoint.clone())
    }

    async fn lead(&self, run: RunId) -> Result<Led, StoreError> {
        match self.ask(run, Call::Lead { run })? {
            Answer::Led(led) => Ok(led),
            answer => panic!("a lead gave {answer:?}"),
        }
    }

    async fn enqueue(&self, lead: &Lead, enqueue: Enqueue) -> Result<(), StoreError> {
        self.ask(lead.run, Call::Enqueue { lead: lead.clone(), enqueue }).map(drop)
    }

    async fn lease(
        &self,
        run: RunId,
        consumer: u128,
        most: usize,
    ) -> Result<Vec<(JobId, Vec<u8>)>, StoreError> {
        match self.ask(run, Call::Lease { run, consumer, most })? {
            Answer::Leased(jobs) => Ok(jobs),
            answer => panic!("a lease gave {answer:?}"),
        }
    }

    async fn release(&self, run: RunId, consumer: u128, jobs: &[JobId]) -> Result<(), StoreError> {
        self.ask(run, Call::Release { run, consumer, jobs: jobs.to_owned() }).map(drop)
    }

    async fn complete(
        &self,
        run: RunId,
        results: Vec<(JobId, JobResult)>,
    ) -> Result<Vec<Verdict>, StoreError> {
        match self.ask(run, Call::Complete { run, results })? {
            Answer::Verdicts(verdicts) => Ok(verdicts),
            answer => panic!("results gave {answer:?}"),
        }
    }

    async fn results(
        &self,
        run: RunId,
        from: u64,
        most: usize,
    ) -> Result<Vec<JobResult>, StoreError> {
        let behind_gaps = self.fault == Some(Fault::ShowsResultsBehindGaps);
        let done = |(_, state): &(Vec<u8>, JobState)| match state {
            JobState::Done(result) => Some(result.clone()),
            _ => None,
        };
        let mut results = self.see(run, |run| match behind_gaps {
            true => run.jobs.range(from..).filter_map(|(_, job)| done(job)).collect(),
            false => run.results(from),
        })?;
        results.truncate(most);
        Ok(results)
    }

    async fn fold(&self, lead: &Lead, fold: Fold) -> Result<(), StoreError> {
        self.ask(lead.run, Call::Fold { lead: lead.clone(), fold }).map(drop)
    }

    async fn end(&self, lead: &Lead, state: RunState) -> Result<(), StoreError> {
        self.ask(lead.run, Call::End { lead: lead.clone(), state }).map(drop)
    }

    async fn reopen(&self, lead: &Lead) -> Result<(), StoreError> {
        self.ask(lead.run, Call::Reopen { lead: lead.clone() }).map(drop)
    }

    async fn generations(&self, run: RunId, from: u32) -> Result<Vec<Vec<u8>>, StoreError> {
        self.see(run, |run| run.generations.iter().skip(from as usize).cloned().collect())
    }

    async fn append_event(&self, run: RunId, event: &[u8]) -> Result<(), StoreError> {
        self.ask(run, Call::AppendEvent { run, event: event.to_owned() })?;
        if self.fault == Some(Fault::SharesEvents) {
            let mut model = self.model();
            let others = model.runs.iter_mut().filter(|(id, _)| **id != run);
            others.for_each(|(_, other)| other.events.push(event.to_owned()));
        }
        Ok(())
    }

    async fn events(&self, run: RunId, from: u64) -> Result<Vec<Vec<u8>>, StoreError> {
        let from = usize::try_from(from).expect("tests have few events");
        self.see(run, |run| run.events.iter().skip(from).cloned().collect())
    }

    async fn put_blob(&self, blob: &[u8]) -> Result<Digest, StoreError> {
        match self.model().answer(Call::PutBlob { blob: blob.to_owned() }) {
            Answer::Hash(hash) => Ok(hash),
            answer => panic!("a blob gave {answer:?}"),
        }
    }

    async fn blob(&self, hash: Digest) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.model().blobs.get(hash.as_bytes()).cloned())
    }
}
