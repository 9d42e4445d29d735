//! The place that a sequence has reached, and the call that a step becomes there.

use std::sync::LazyLock;

use hatchery_core::part::PART_CHUNK_BYTES;
use hatchery_core::{Digest, Part};
use ulid::Ulid;

use super::super::model::{JobState, Model, Run};
use super::{
    End, Leader, Length, Offer, PartAction, PartNumbers, Retention, Shift, Step, Target, Write,
};
use crate::operation::{
    AddAttempt, AdoptJobs, AppendEvent, CompleteJobs, CreateRun, DeleteRun, DisownResults,
    EnqueueAndLease, FailRun, FinishPart, FoldResults, LeaseJobs, ParkJob, PauseRun,
    QuarantineWorker, ReadPart, ReleaseJobs, RenewLeases, RetryJobs, RewindRun, RunForKey,
    SkipJobs, SteerRun, SummarizeRun, TakeLead, WritePart,
};
use crate::{
    AfterFold, CoordinatorId, EnqueueBatch, FencingToken, FoldCommit, JobId, JobResult,
    LeaderToken, PartRetention, RunId, StoreCall, WorkerId,
};

/// The runs that sequences are about; the second one is rarely there.
pub(in super::super) const RUNS: [RunId; 2] = [RunId(Ulid(5)), RunId(Ulid(6))];

/// Ids that are given with keys and never created: a store may treat the keys of a deleted run as
/// it likes.
const UNMADE: [RunId; 2] = [RunId(Ulid(7)), RunId(Ulid(8))];

/// Returns the parts that sequences are about, with one chunk or two: their hashes and their bytes.
pub(in super::super) fn part_bytes() -> &'static [(Digest, Vec<u8>); 4] {
    static PARTS: LazyLock<[(Digest, Vec<u8>); 4]> = LazyLock::new(|| {
        let two_chunks = [vec![2; PART_CHUNK_BYTES], vec![2]].concat();
        [vec![], vec![1], two_chunks, vec![3; 3]].map(|bytes| (Digest::of(&bytes), bytes))
    });
    &PARTS
}

/// A sequence under way.
#[derive(Debug, Default)]
pub(in super::super) struct Walk {
    pub(in super::super) model: Model,
    pub(in super::super) leads: Vec<LeaderToken>,
    pub(in super::super) calls: Vec<StoreCall>,
}

impl Walk {
    /// Returns the call that `step` becomes here; `None` is a restart.
    pub(in super::super) fn call(&self, step: &Step) -> Option<StoreCall> {
        let jobs = |run, shifts: &super::Shifts, generation| {
            shifts.iter().map(|shift| self.job(run, *shift, generation)).collect()
        };
        let call = match step.clone() {
            Step::Create { run, tag, part } => {
                let [record, checkpoint, summary] = [tag, tag % 4, tag % 3].map(|byte| vec![byte]);
                let parts = bytes_of(part);
                CreateRun { run: RUNS[run], record, checkpoint, summary, parts }.into()
            }
            Step::RunFor { key, tag } => {
                RunForKey { run: UNMADE[usize::from(tag)], key: Digest::of(&[key]) }.into()
            }
            Step::Delete { run } => DeleteRun { run: RUNS[run] }.into(),
            Step::Lead { run } => TakeLead { run: RUNS[run] }.into(),
            Step::Write { run, by, write } => self.write(run, self.lead(run, by), &write),
            Step::Lease { run, consumer, most } => {
                LeaseJobs { run: RUNS[run], consumer, most }.into()
            }
            Step::Release { run, consumer, shifts } => {
                let jobs = jobs(run, &shifts, Shift::Current);
                ReleaseJobs { run: RUNS[run], consumer, jobs }.into()
            }
            Step::Renew { run, consumer, shifts, generation } => {
                RenewLeases { run: RUNS[run], consumer, jobs: jobs(run, &shifts, generation) }
                    .into()
            }
            Step::Adopt { run, consumer, shifts, generation } => {
                AdoptJobs { run: RUNS[run], consumer, jobs: jobs(run, &shifts, generation) }.into()
            }
            Step::Attempt { run, shift, generation, id, tag } => {
                let job = self.job(run, shift, generation);
                AddAttempt { run: RUNS[run], job, id, attempt: vec![tag] }.into()
            }
            Step::Park { run, consumer, shift, generation } => {
                ParkJob { run: RUNS[run], consumer, job: self.job(run, shift, generation) }.into()
            }
            Step::AttemptOpen { run, which, id, tag } => {
                let (_, job) = self.pick(run, which, |state| !matches!(state, JobState::Done(_)));
                AddAttempt { run: RUNS[run], job, id, attempt: vec![tag] }.into()
            }
            Step::ParkHeld { run, which } => {
                let is_held = |state: &JobState| matches!(state, JobState::Leased(_));
                let (consumer, job) = self.pick(run, which, is_held);
                ParkJob { run: RUNS[run], consumer, job }.into()
            }
            Step::Retry { run, shifts } => {
                RetryJobs { run: RUNS[run], jobs: jobs(run, &shifts, Shift::Current) }.into()
            }
            Step::Complete { run, results } => self.complete(run, results),
            Step::Part { run, part, action } => part_call(RUNS[run], part, action),
            Step::Steer { run, steer } => SteerRun { run: RUNS[run], steer }.into(),
            Step::Summarize { run, tag } => {
                SummarizeRun { run: RUNS[run], summary: vec![tag] }.into()
            }
            Step::AppendEvent { run, tag } => {
                AppendEvent { run: RUNS[run], event: vec![tag] }.into()
            }
            Step::Quarantine { worker, tag } => {
                QuarantineWorker { worker, reason: tag.to_string() }.into()
            }
            Step::Again { back } => self.calls[self.calls.len().saturating_sub(back)].clone(),
            Step::Restart => return None,
        };
        Some(call)
    }

    fn complete(&self, run: usize, offers: Vec<Offer>) -> StoreCall {
        let result = |(offer, cost): (Offer, u8)| {
            let Offer { shift, generation, output, worker, named } = offer;
            let parts = named.map(|(part, length)| said(part, length).0).into_iter().collect();
            let (output, cost) = (vec![output], vec![cost]);
            let result = JobResult { worker, output, cost, parts };
            (self.job(run, shift, generation), result)
        };
        CompleteJobs { run: RUNS[run], results: offers.into_iter().zip(0..).map(result).collect() }
            .into()
    }

    fn write(&self, run: usize, lead: LeaderToken, write: &Write) -> StoreCall {
        match write.clone() {
            Write::Enqueue { generation, shift, n_jobs, tag, part, lease } => {
                let cursor = self.at(run, |run| run.position.cursor);
                let enqueue = EnqueueBatch {
                    generation: self.generation(run, generation),
                    first_index: cursor.saturating_add_signed(shift),
                    jobs: (0..n_jobs).map(|_| vec![tag]).collect(),
                    table: vec![tag],
                    parts: bytes_of(part),
                };
                let (consumer, most) = lease.unwrap_or((CoordinatorId(0), 0));
                EnqueueAndLease { lead, enqueue, consumer, most }.into()
            }
            Write::Fold { generation, target, end, tag, part, retention } => {
                let record = vec![tag];
                let fold = FoldCommit {
                    generation: self.generation(run, generation),
                    folded: self.target(run, target),
                    checkpoint: vec![tag],
                    summary: vec![tag, 0],
                    parts: bytes_of(part),
                    retention: match retention {
                        Retention::All => PartRetention::All,
                        Retention::Keep(kept) => PartRetention::Keep(hashes_of(kept)),
                        Retention::Drop(dropped) => PartRetention::Drop(hashes_of(dropped)),
                    },
                    then: match end {
                        End::Same => AfterFold::SameGeneration,
                        End::Next => AfterFold::NextGeneration { record },
                        End::Done => AfterFold::Done { record },
                    },
                };
                FoldResults { lead, fold }.into()
            }
            Write::Skip { shift, generation, tag } => {
                let parked = self.at(run, |run| run.parked(0, 1));
                let ids = parked.iter().map(|parked| parked.job);
                let ids = ids.chain([self.job(run, shift, generation)]);
                let (worker, output) = (WorkerId::NOBODY, vec![tag]);
                let result = JobResult { worker, output, cost: vec![], parts: vec![] };
                SkipJobs { lead, results: ids.map(|id| (id, result.clone())).collect() }.into()
            }
            Write::Pause => PauseRun { lead }.into(),
            Write::Disown { worker } => DisownResults { lead, workers: vec![worker] }.into(),
            Write::Rewind { by, tag, keep } => {
                let current = i64::from(self.at(run, |run| run.position.generation));
                let generation = u32::try_from(current - by).unwrap_or(0);
                let keep = keep.map(hashes_of);
                RewindRun { lead, generation, checkpoint: vec![tag], keep }.into()
            }
            Write::Fail { tag } => FailRun { lead, reason: tag.to_string() }.into(),
        }
    }

    fn at<T: Default>(&self, run: usize, what: impl FnOnce(&Run) -> T) -> T {
        self.model.runs.get(&RUNS[run]).map_or_else(T::default, what)
    }

    fn generation(&self, run: usize, shift: Shift) -> u32 {
        let current = self.at(run, |run| run.position.generation);
        match shift {
            Shift::Current => current,
            Shift::Earlier => current.saturating_sub(1),
            Shift::Later => current + 1,
        }
    }

    fn job(&self, run: usize, shift: i64, generation: Shift) -> JobId {
        let folded = self.at(run, |run| run.position.folded);
        let generation = self.generation(run, generation);
        JobId { generation, index: folded.saturating_add_signed(shift) }
    }

    /// Picks a job in this state, with its holder; any other job if there is none.
    fn pick(&self, run: usize, which: usize, is: fn(&JobState) -> bool) -> (CoordinatorId, JobId) {
        let picked = self.at(run, |run| {
            let fits = || run.jobs.iter().filter(|(_, job)| is(&job.state));
            fits().nth(which % fits().count().max(1)).map(|(&index, job)| {
                let id = JobId { generation: run.position.generation, index };
                match job.state {
                    JobState::Leased(consumer) => (consumer, id),
                    _ => (CoordinatorId(0), id),
                }
            })
        });
        picked.unwrap_or_else(|| (CoordinatorId(0), self.job(run, 0, Shift::Current)))
    }

    fn target(&self, run: usize, target: Target) -> u64 {
        self.at(run, |run| {
            let folded = run.position.folded;
            match target {
                Target::Results(most) => folded + most.min(run.results(folded).count() as u64),
                Target::Cursor => run.position.cursor,
                Target::Off(shift) => folded.saturating_add_signed(shift),
            }
        })
    }

    fn lead(&self, run: usize, by: Leader) -> LeaderToken {
        let run = RUNS[run];
        let invented = LeaderToken { run, token: FencingToken::default() };
        let leads = self.leads.iter();
        let (mine, others): (Vec<LeaderToken>, Vec<_>) = leads.partition(|lead| lead.run == run);
        let lead = match by {
            Leader::Last => mine.last(),
            Leader::Other => mine.iter().rev().nth(1).or_else(|| others.last()),
        };
        lead.map_or(invented, |lead| LeaderToken { run, token: lead.token })
    }
}

fn part_call(run: RunId, part: usize, action: PartAction) -> StoreCall {
    match action {
        PartAction::Write { index, length } => {
            let (part, bytes) = said(part, length);
            let index = index.min(part.n_chunks() - 1);
            let chunk = bytes.chunks(PART_CHUNK_BYTES).nth(index as usize);
            WritePart { run, part, index, chunk: chunk.unwrap_or_default().to_vec() }.into()
        }
        PartAction::Finish { length } => FinishPart { run, part: said(part, length).0 }.into(),
        PartAction::Read { index } => ReadPart { run, hash: part_bytes()[part].0, index }.into(),
    }
}

/// Returns the bytes of a part, as a list with at most one element.
fn bytes_of(part: Option<usize>) -> Vec<Vec<u8>> {
    part.map(|part| part_bytes()[part].1.clone()).into_iter().collect()
}

fn hashes_of(parts: PartNumbers) -> Vec<Digest> {
    parts.into_iter().map(|part| part_bytes()[part].0).collect()
}

/// Returns the name of a part, and its bytes, with the length that it is said to have.
fn said(part: usize, length: Length) -> (Part, Vec<u8>) {
    let (hash, mut bytes) = part_bytes()[part].clone();
    bytes.extend(match length {
        Length::Right => None,
        Length::TooLong => Some(0),
    });
    (Part::new(hash, bytes.len() as u64).expect("it is small"), bytes)
}
