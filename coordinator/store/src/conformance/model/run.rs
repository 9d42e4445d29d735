//! A run of the model.

use std::collections::{BTreeMap, BTreeSet};

use hatchery_core::Digest;

use super::super::refusal::Refusal;
use super::job::{Job, JobState};
use super::parts::RunParts;
use crate::membership::RunClaim;
use crate::{
    AfterFold, DeadJobRecord, EnqueueBatch, FencingToken, FoldCommit, JobId, JobResult,
    LeaderState, LeaderToken, PartRetention, ResultPage, RunOverview, RunPosition, RunState,
    SteerAction, WorkerId,
};

/// A run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Its record.
    pub record: Vec<u8>,
    /// Its checkpoint.
    pub checkpoint: Vec<u8>,
    /// Its summary.
    pub summary: Vec<u8>,
    /// The position of the run.
    pub position: RunPosition,
    /// The table of the generation's cuts.
    pub table: Vec<u8>,
    /// The token of the last lead.
    pub token: Option<FencingToken>,
    /// The jobs of the generation from `folded` on, by index.
    pub jobs: BTreeMap<u64, Job>,
    /// The records of the folded generations.
    pub generations: Vec<Vec<u8>>,
    /// The events.
    pub events: Vec<Vec<u8>>,
    /// The parts.
    pub parts: RunParts,
    /// The resolvers of failed and skipped jobs, of this generation and the one before;
    /// [`WorkerId::NOBODY`] for skipped jobs.
    pub resolvers: BTreeMap<JobId, WorkerId>,
}

impl Run {
    pub(super) fn new(record: Vec<u8>, checkpoint: Vec<u8>, summary: Vec<u8>) -> Self {
        Self {
            record,
            checkpoint,
            summary,
            position: RunPosition::FIRST,
            table: Vec::new(),
            token: None,
            jobs: BTreeMap::new(),
            generations: Vec::new(),
            events: Vec::new(),
            parts: RunParts::default(),
            resolvers: BTreeMap::new(),
        }
    }

    /// Returns the results from index `from` on, up to the first job that is not DONE.
    pub fn results(&self, from: u64) -> impl Iterator<Item = &JobResult> {
        (from..).map_while(|index| match &self.jobs.get(&index)?.state {
            JobState::Done(result) => Some(result),
            _ => None,
        })
    }

    /// Returns a page of results, as a leader reads it.
    #[must_use]
    pub fn page(&self, from: u64, most: usize) -> ResultPage {
        let count = |is: fn(&JobState) -> bool| {
            self.jobs.values().filter(|job| is(&job.state)).count() as u64
        };
        ResultPage {
            state: self.position.state.clone(),
            results: self.results(from).take(most).cloned().collect(),
            n_unresolved: count(|state| !matches!(state, JobState::Done(_))),
            n_parked: count(|state| *state == JobState::Parked),
        }
    }

    /// Returns the overview.
    #[must_use]
    pub fn overview(&self, claim: Option<&RunClaim>) -> RunOverview {
        let ResultPage { n_unresolved, n_parked, .. } = self.page(0, 0);
        RunOverview {
            position: self.position.clone(),
            summary: self.summary.clone(),
            n_unresolved,
            n_parked,
            claim: claim.cloned(),
            first_event: self.events.first().cloned(),
            last_event: self.events.last().cloned(),
        }
    }

    /// Returns the PARKED jobs.
    #[must_use]
    pub fn parked(&self, from: u64, most: usize) -> Vec<DeadJobRecord> {
        let generation = self.position.generation;
        let parked = self.jobs.range(from..).filter(|(_, job)| job.state == JobState::Parked);
        let told = parked.take(most).map(|(&index, job)| DeadJobRecord {
            job: JobId { generation, index },
            bytes: job.bytes.clone(),
            attempts: job.attempts.values().cloned().collect(),
        });
        told.collect()
    }

    /// Returns the jobs' bytes; `None` for a job that does not exist.
    #[must_use]
    pub fn bytes_of(&self, jobs: &[JobId]) -> Vec<Option<Vec<u8>>> {
        let of_now = |id: &JobId| id.generation == self.position.generation;
        let job = |id| Some(id).filter(of_now).and_then(|id| self.jobs.get(&id.index));
        jobs.iter().map(|id| job(*id).map(|job| job.bytes.clone())).collect()
    }

    pub(super) fn lead(&mut self, lead: LeaderToken) -> LeaderState {
        self.token = Some(lead.token);
        let (position, checkpoint) = (self.position.clone(), self.checkpoint.clone());
        LeaderState { lead, position, checkpoint, table: self.table.clone() }
    }

    pub(super) fn enqueue(&mut self, enqueue: EnqueueBatch) -> Result<(), Refusal> {
        let cursor = self.position.cursor;
        if !self.goes_on_at(enqueue.generation) || cursor < enqueue.first_index {
            return Err(Refusal::OutOfStep);
        }
        self.parts.insert(enqueue.parts);
        let jobs = (enqueue.first_index..).zip(enqueue.jobs);
        for (index, bytes) in jobs.filter(|(index, _)| cursor <= *index) {
            let job = Job { bytes, state: JobState::Ready, attempts: BTreeMap::new() };
            self.jobs.insert(index, job);
            self.position.cursor = index + 1;
        }
        if cursor < self.position.cursor {
            self.position.revision += 1;
            self.table = enqueue.table;
        }
        Ok(())
    }

    pub(super) fn fold(&mut self, fold: FoldCommit) -> Result<(), Refusal> {
        if self.has_folded(&fold) {
            return Ok(());
        }
        let position = &self.position;
        let done = position.folded + self.results(position.folded).count() as u64;
        let fits = match fold.then {
            AfterFold::SameGeneration => position.folded < fold.folded && fold.folded <= done,
            _ => fold.folded == position.cursor && done == position.cursor,
        };
        if !self.goes_on_at(fold.generation) || !fits {
            return Err(Refusal::OutOfStep);
        }
        self.jobs.retain(|index, _| fold.folded <= *index);
        self.checkpoint = fold.checkpoint;
        self.summary = fold.summary;
        let own: BTreeSet<_> = fold.parts.iter().map(|bytes| Digest::of(bytes)).collect();
        self.parts.insert(fold.parts);
        match fold.retention {
            PartRetention::All => {}
            PartRetention::Keep(kept) => self.parts.keep(&kept.into_iter().chain(own).collect()),
            PartRetention::Drop(dropped) => {
                let gone = dropped.iter().filter(|hash| !own.contains(*hash));
                gone.for_each(|hash| self.parts.remove(hash));
            }
        }
        self.position.folded = fold.folded;
        self.position.revision += 1;
        if !matches!(fold.then, AfterFold::SameGeneration) {
            let is_last = matches!(fold.then, AfterFold::Done { .. });
            self.resolvers.retain(|job, _| job.generation == fold.generation && !is_last);
        }
        match fold.then {
            AfterFold::SameGeneration => {}
            AfterFold::NextGeneration { record } => {
                self.generations.push(record);
                self.begin(fold.generation + 1);
            }
            AfterFold::Done { record } => {
                self.generations.push(record);
                self.position.state = RunState::Done;
            }
        }
        Ok(())
    }

    pub(super) fn disown(&mut self, workers: &[WorkerId]) -> Vec<(WorkerId, u64)> {
        let mut n_invalidated: BTreeMap<WorkerId, u64> = BTreeMap::new();
        let generation = self.position.generation;
        for (&index, job) in &mut self.jobs {
            if let JobState::Done(JobResult { worker, .. }) = job.state
                && workers.contains(&worker)
            {
                job.state = JobState::Ready;
                self.resolvers.remove(&JobId { generation, index });
                *n_invalidated.entry(worker).or_default() += 1;
            }
        }
        self.position.revision += u64::from(!n_invalidated.is_empty());
        n_invalidated.into_iter().collect()
    }

    pub(super) fn pause(&mut self) {
        if self.position.state == RunState::Active {
            self.position.state = RunState::Paused;
            self.position.revision += 1;
        }
    }

    pub(super) fn rewind(
        &mut self,
        generation: u32,
        checkpoint: Vec<u8>,
        keep: Option<Vec<Digest>>,
    ) -> Result<(), Refusal> {
        let RunPosition { generation: current, cursor, .. } = self.position;
        let is_there =
            current == generation && cursor == 0 && self.position.state != RunState::Done;
        if is_there && self.checkpoint == checkpoint {
            return Ok(());
        }
        if self.position.state != RunState::Active || current < generation {
            return Err(Refusal::OutOfStep);
        }
        self.generations.truncate(generation as usize);
        self.jobs.clear();
        self.resolvers.clear();
        self.checkpoint = checkpoint;
        if let Some(kept) = keep {
            self.parts.keep(&BTreeSet::from_iter(kept));
        }
        self.position.revision += 1;
        self.begin(generation);
        Ok(())
    }

    pub(super) fn fail(&mut self, reason: String) -> Result<(), Refusal> {
        let failed = RunState::Failed { reason };
        if self.position.state == failed {
            return Ok(());
        }
        if !matches!(self.position.state, RunState::Active | RunState::Paused) {
            return Err(Refusal::OutOfStep);
        }
        self.position.state = failed;
        self.position.revision += 1;
        Ok(())
    }

    pub(super) fn steer(&mut self, steer: SteerAction) -> RunState {
        let state = &mut self.position.state;
        match (steer, &*state) {
            (SteerAction::Pause, RunState::Active) => *state = RunState::Paused,
            (
                SteerAction::Resume,
                RunState::Paused | RunState::Failed { .. } | RunState::Cancelled,
            ) => {
                *state = RunState::Active;
            }
            (SteerAction::Cancel, RunState::Active | RunState::Paused) => {
                *state = RunState::Cancelled;
            }
            _ => {}
        }
        state.clone()
    }

    /// Returns true if results and jobs of this generation are accepted.
    pub(super) fn goes_on_at(&self, generation: u32) -> bool {
        !self.has_ended() && self.position.generation == generation
    }

    pub(super) fn has_ended(&self) -> bool {
        !matches!(self.position.state, RunState::Active | RunState::Paused)
    }

    /// Returns true if `fold` has taken effect already. The cursor may have moved on since.
    fn has_folded(&self, fold: &FoldCommit) -> bool {
        let RunPosition { state, generation, folded, .. } = &self.position;
        let (is_there, record) = match &fold.then {
            AfterFold::SameGeneration => {
                ((*generation, *folded) == (fold.generation, fold.folded), None)
            }
            AfterFold::NextGeneration { record } => {
                (fold.generation.checked_add(1) == Some(*generation) && *folded == 0, Some(record))
            }
            AfterFold::Done { record } => {
                let is_there = (*generation, *folded) == (fold.generation, fold.folded);
                (is_there && *state == RunState::Done, Some(record))
            }
        };
        is_there
            && self.checkpoint == fold.checkpoint
            && record.is_none_or(|it| self.generations.get(fold.generation as usize) == Some(it))
    }

    fn begin(&mut self, generation: u32) {
        self.position.generation = generation;
        self.position.cursor = 0;
        self.position.folded = 0;
        self.table.clear();
    }
}
