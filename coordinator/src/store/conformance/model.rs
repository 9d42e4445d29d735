//! The contract as a program: what a store has to answer, in the plainest data structures.

use std::collections::BTreeMap;

use hatchery_core::Digest;

use super::call::{Answer, Call, Refusal};
use crate::store::{
    Enqueue, Fold, JobId, JobResult, Lead, Led, Position, RunId, RunState, Then, Verdict,
};

/// A store without a disk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    /// The runs.
    pub runs: BTreeMap<RunId, Run>,
    /// The blobs by the bytes of their hashes.
    pub blobs: BTreeMap<[u8; 32], Vec<u8>>,
    /// The token that the next `lead` gives: a store may choose any that it never gave before.
    pub next_token: (u64, u128),
}

/// A run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Its record.
    pub record: Vec<u8>,
    /// Its checkpoint.
    pub checkpoint: Vec<u8>,
    /// Where it stands.
    pub position: Position,
    /// How the generation was cut.
    pub table: Vec<u8>,
    /// The token of the last lead.
    pub token: Option<(u64, u128)>,
    /// The jobs of the generation from `folded` on, by index.
    pub jobs: BTreeMap<u64, (Vec<u8>, JobState)>,
    /// The records of the folded generations.
    pub generations: Vec<Vec<u8>>,
    /// The events.
    pub events: Vec<Vec<u8>>,
}

/// Where a job stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobState {
    /// READY.
    Ready,
    /// LEASED to this consumer.
    Leased(u128),
    /// DONE.
    Done(JobResult),
}

impl Model {
    /// Does what the call asks for.
    pub fn answer(&mut self, call: Call) -> Answer {
        self.apply(call).unwrap_or_else(Answer::Refused)
    }

    /// Ends all leases, as the end of the process does.
    pub fn restart(&mut self) {
        for (_, state) in self.runs.values_mut().flat_map(|run| run.jobs.values_mut()) {
            if let JobState::Leased(_) = state {
                *state = JobState::Ready;
            }
        }
    }

    fn apply(&mut self, call: Call) -> Result<Answer, Refusal> {
        match call {
            Call::Create { run, record, checkpoint } => {
                self.runs.entry(run).or_insert_with(|| Run::new(record, checkpoint));
            }
            Call::Lead { run } => {
                let token = self.next_token;
                return self.run(run)?.lead(Lead { run, token });
            }
            Call::Enqueue { lead, enqueue } => self.led(&lead)?.enqueue(enqueue)?,
            Call::Lease { run, consumer, most } => return self.run(run)?.lease(consumer, most),
            Call::Release { run, consumer, jobs } => self.run(run)?.release(consumer, &jobs),
            Call::Complete { run, results } => {
                let run = self.run(run)?;
                let verdicts = results.into_iter().map(|(id, result)| run.complete(id, result));
                return Ok(Answer::Verdicts(verdicts.collect()));
            }
            Call::Fold { lead, fold } => self.led(&lead)?.fold(fold)?,
            Call::End { lead, state } => self.led(&lead)?.end(state)?,
            Call::Reopen { lead } => self.led(&lead)?.reopen(),
            Call::AppendEvent { run, event } => self.run(run)?.events.push(event),
            Call::PutBlob { blob } => {
                let hash = Digest::of(&blob);
                self.blobs.insert(*hash.as_bytes(), blob);
                return Ok(Answer::Hash(hash));
            }
        }
        Ok(Answer::Done)
    }

    fn run(&mut self, run: RunId) -> Result<&mut Run, Refusal> {
        self.runs.get_mut(&run).ok_or(Refusal::NoRun)
    }

    fn led(&mut self, lead: &Lead) -> Result<&mut Run, Refusal> {
        let run = self.run(lead.run)?;
        if run.token == Some(lead.token) { Ok(run) } else { Err(Refusal::Fenced) }
    }
}

impl Run {
    fn new(record: Vec<u8>, checkpoint: Vec<u8>) -> Self {
        let position =
            Position { state: RunState::Active, revision: 0, generation: 0, cursor: 0, folded: 0 };
        Self {
            record,
            checkpoint,
            position,
            table: Vec::new(),
            token: None,
            jobs: BTreeMap::new(),
            generations: Vec::new(),
            events: Vec::new(),
        }
    }

    /// The results from index `from` on, up to the first job that is not DONE.
    #[must_use]
    pub fn results(&self, from: u64) -> Vec<JobResult> {
        (from..)
            .map_while(|index| match self.jobs.get(&index) {
                Some((_, JobState::Done(result))) => Some(result.clone()),
                _ => None,
            })
            .collect()
    }

    fn is_active(&self, generation: u32) -> bool {
        self.position.state == RunState::Active && self.position.generation == generation
    }

    fn lead(&mut self, lead: Lead) -> Result<Answer, Refusal> {
        self.token = Some(lead.token);
        let (position, checkpoint) = (self.position.clone(), self.checkpoint.clone());
        Ok(Answer::Led(Led { lead, position, checkpoint, table: self.table.clone() }))
    }

    fn enqueue(&mut self, enqueue: Enqueue) -> Result<(), Refusal> {
        let cursor = self.position.cursor;
        if !self.is_active(enqueue.generation) || cursor < enqueue.first_index {
            return Err(Refusal::OutOfStep);
        }
        let jobs = (enqueue.first_index..).zip(enqueue.jobs);
        let fresh: Vec<_> = jobs.filter(|(index, _)| cursor <= *index).collect();
        if !fresh.is_empty() {
            self.position.cursor += fresh.len() as u64;
            self.position.revision += 1;
            self.table = enqueue.table;
        }
        self.jobs.extend(fresh.into_iter().map(|(index, job)| (index, (job, JobState::Ready))));
        Ok(())
    }

    fn lease(&mut self, consumer: u128, most: usize) -> Result<Answer, Refusal> {
        let generation = self.position.generation;
        let most = if self.is_active(generation) { most } else { 0 };
        let ready = self.jobs.iter_mut().filter(|(_, (_, state))| *state == JobState::Ready);
        let leased = ready.take(most).map(|(&index, (job, state))| {
            *state = JobState::Leased(consumer);
            (JobId { generation, index }, job.clone())
        });
        Ok(Answer::Leased(leased.collect()))
    }

    fn release(&mut self, consumer: u128, jobs: &[JobId]) {
        for id in jobs.iter().filter(|id| id.generation == self.position.generation) {
            if let Some((_, state)) = self.jobs.get_mut(&id.index)
                && *state == JobState::Leased(consumer)
            {
                *state = JobState::Ready;
            }
        }
    }

    fn complete(&mut self, id: JobId, result: JobResult) -> Verdict {
        if !self.is_active(id.generation) || self.position.cursor <= id.index {
            return Verdict::Unknown;
        }
        match self.jobs.get_mut(&id.index) {
            None => Verdict::Duplicate,
            Some((_, JobState::Done(first))) if first.output == result.output => Verdict::Duplicate,
            Some((_, JobState::Done(_))) => Verdict::Mismatch,
            Some((_, state)) => {
                *state = JobState::Done(result);
                Verdict::Accepted
            }
        }
    }

    fn fold(&mut self, fold: Fold) -> Result<(), Refusal> {
        let mut after = self.clone();
        after.checkpoint = fold.checkpoint;
        after.position.generation = fold.generation;
        after.position.folded = fold.folded;
        if let Then::NextGeneration { record } | Then::Done { record } = &fold.then {
            after.generations.truncate(fold.generation as usize);
            after.generations.push(record.clone());
        }
        match fold.then {
            Then::SameGeneration => {}
            Then::NextGeneration { .. } => {
                after.position.generation += 1;
                after.position.folded = 0;
            }
            Then::Done { .. } => after.position.state = RunState::Done,
        }
        if after == *self {
            return Ok(());
        }
        let position = &self.position;
        let done = position.folded + self.results(position.folded).len() as u64;
        let fits = match fold.then {
            Then::SameGeneration => position.folded < fold.folded && fold.folded <= done,
            _ => fold.folded == position.cursor && done == position.cursor,
        };
        if !self.is_active(fold.generation) || !fits {
            return Err(Refusal::OutOfStep);
        }
        after.jobs.retain(|index, _| fold.folded <= *index);
        if after.position.generation != position.generation {
            after.position.cursor = 0;
            after.table.clear();
        }
        after.position.revision += 1;
        *self = after;
        Ok(())
    }

    fn end(&mut self, state: RunState) -> Result<(), Refusal> {
        if !matches!(state, RunState::Failed { .. } | RunState::Cancelled) {
            return Err(Refusal::OutOfStep);
        }
        if self.position.state == state {
            return Ok(());
        }
        if self.position.state != RunState::Active {
            return Err(Refusal::OutOfStep);
        }
        self.position.state = state;
        self.position.revision += 1;
        Ok(())
    }

    fn reopen(&mut self) {
        if let RunState::Failed { .. } | RunState::Cancelled = self.position.state {
            self.position.state = RunState::Active;
            self.position.revision += 1;
        }
    }
}
