//! Merges results into tallies: in job order, each job once.

use std::collections::{BTreeMap, BTreeSet};

use hatchery_core::DecodeError;
use hatchery_core::erased::{AnyPlan, TallyAccumulator};
use hatchery_proto::v1::JobCost;
use hatchery_store::{JobResult, WorkerId};
use prost::Message;

use crate::compute_pool::caught;
use crate::record::{Checkpoint, CostTotals, MAX_SAMPLES, ResultOrigin, StoredOutput};

/// The tallies of a generation so far, merged in job order.
pub struct Ledger {
    gathering: Box<dyn TallyAccumulator>,
    /// The number of trials of each series.
    series: Vec<u32>,
    /// The next trial of the row: its series and its number there.
    next: (u32, u32),
    n_trials: u64,
    spent: CostTotals,
    workers: BTreeSet<WorkerId>,
    samples: Vec<u64>,
    stride: u64,
    n_missing: u64,
}

/// The contribution of one result.
#[derive(Clone, Copy, Debug, Default)]
pub struct AbsorbedResult {
    /// Its number of trials.
    pub n_trials: u64,
    /// Their CPU time.
    pub cpu_ns: u64,
    /// The size of its output.
    pub n_bytes: usize,
}

/// A stored result that does not fit the plan: the store, or the code that wrote to it, is faulty.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The result is not a valid protobuf message.
    #[error("stored result of job {index} is malformed")]
    Decode {
        /// The job's index.
        index: u64,
        /// The decoding error.
        source: prost::DecodeError,
    },
    /// A tally of the result is malformed.
    #[error("stored result of job {index} has a malformed tally")]
    Tally {
        /// The job's index.
        index: u64,
        /// The decoding error.
        source: DecodeError,
    },
    /// The experiment panicked while it merged a tally: a bug in the experiment.
    #[error("the experiment {message} over the tallies up to job {index}")]
    Panicked {
        /// The job's index.
        index: u64,
        /// The panic's message.
        message: String,
    },
    /// The result does not cover the next trials: it was computed before the store was rolled back,
    /// and the trials have been cut into other jobs since.
    #[error("stored result of job {index} is of trial {series}/{first_trial}, not of {next:?}")]
    OtherCut {
        /// The job's index.
        index: u64,
        /// The series of its first trial.
        series: u32,
        /// The number of that trial in its series.
        first_trial: u32,
        /// The series and number of the next trial.
        next: (u32, u32),
        /// The worker that reported it.
        worker: WorkerId,
    },
    /// All trials of a subject are missing, so its tally does not exist.
    #[error("all trials of subject {series} are missing: their jobs are dead")]
    NothingOf {
        /// The subject.
        series: usize,
    },
}

/// Returns the hash kept of a sampled output: enough to tell a different output from it.
#[must_use]
pub fn sample_hash(output: &[u8]) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = *blake3::hash(output).as_bytes();
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}

impl Ledger {
    /// Creates the ledger of `plan` over an empty `gathering`, including the tallies that
    /// `checkpoint` holds.
    ///
    /// # Errors
    /// If a tally of the checkpoint is malformed.
    pub fn new(
        mut gathering: Box<dyn TallyAccumulator>,
        plan: &AnyPlan,
        checkpoint: &Checkpoint,
    ) -> Result<Self, LedgerError> {
        for (&series, tally) in &checkpoint.tallies {
            absorb(gathering.as_mut(), checkpoint.spent.jobs, series, tally)?;
        }
        let ResultOrigin { workers, samples, stride, n_missing } = checkpoint.origin.clone();
        let workers = workers.iter().filter_map(|worker| WorkerId::from_bytes(worker)).collect();
        let spent = checkpoint.spent;
        let mut ledger = Self {
            gathering,
            series: plan.series.iter().map(|series| series.n_trials).collect(),
            next: (0, 0),
            n_trials: plan.n_trials(),
            spent,
            workers,
            samples,
            stride: stride.max(1),
            n_missing,
        };
        ledger.skip(spent.trials);
        Ok(ledger)
    }

    /// Adds the result of the next job.
    ///
    /// # Errors
    /// If the result is malformed or is not of the next trials.
    pub fn absorb(&mut self, result: &JobResult) -> Result<AbsorbedResult, LedgerError> {
        let index = self.spent.jobs;
        let decode = |source| LedgerError::Decode { index, source };
        let output = StoredOutput::decode(result.output.as_slice()).map_err(decode)?;
        let cost = JobCost::decode(result.cost.as_slice()).map_err(decode)?;
        self.follow(index, result.worker, &output)?;
        let mut n_trials = 0;
        for part in &output.parts {
            n_trials += u64::from(part.n_trials);
            if 0 < output.n_missing {
                continue;
            }
            absorb(self.gathering.as_mut(), index, part.series, &part.tally)?;
        }
        self.sample(index, &result.output);
        self.workers.insert(result.worker);
        self.n_missing += output.n_missing;
        self.spent.trials += n_trials;
        self.spent.jobs += 1;
        // A worker may claim any CPU time; the sum must not overflow.
        self.spent.cpu_ns = self.spent.cpu_ns.saturating_add(cost.cpu_ns);
        Ok(AbsorbedResult { n_trials, cpu_ns: cost.cpu_ns, n_bytes: result.output.len() })
    }

    /// Checks that the output covers the next trials of the row, and moves past them.
    fn follow(
        &mut self,
        index: u64,
        worker: WorkerId,
        output: &StoredOutput,
    ) -> Result<(), LedgerError> {
        let before = self.next;
        for part in &output.parts {
            let next = self.next;
            let (series, first_trial) = (part.series, part.first_trial);
            let end = u64::from(first_trial) + u64::from(part.n_trials);
            let fits = self.series.get(series as usize).is_some_and(|&n| end <= u64::from(n));
            if (series, first_trial) != next || !fits {
                self.next = before;
                return Err(LedgerError::OtherCut { index, series, first_trial, next, worker });
            }
            self.skip(part.n_trials.into());
        }
        Ok(())
    }

    /// Moves on by `n_trials` trials.
    fn skip(&mut self, mut n_trials: u64) {
        while let Some(&all) = self.series.get(self.next.0 as usize) {
            let left = all - self.next.1;
            match u32::try_from(n_trials) {
                Ok(few) if few < left => return self.next.1 += few,
                _ => self.next = (self.next.0 + 1, 0),
            }
            n_trials -= u64::from(left);
        }
    }

    /// Keeps the hash of the output if the job is sampled; halves the samples when there are too
    /// many.
    fn sample(&mut self, index: u64, output: &[u8]) {
        if index.is_multiple_of(self.stride) {
            self.samples.push(sample_hash(output));
        }
        if MAX_SAMPLES < self.samples.len() {
            self.samples = self.samples.iter().copied().step_by(2).collect();
            self.stride *= 2;
        }
    }

    /// Returns the workers whose results the ledger holds.
    #[must_use]
    pub fn workers(&self) -> &BTreeSet<WorkerId> {
        &self.workers
    }

    /// Returns the origin of the results.
    #[must_use]
    pub fn origin(&self) -> ResultOrigin {
        ResultOrigin {
            workers: self.workers.iter().map(|worker| worker.to_bytes().to_vec()).collect(),
            samples: self.samples.clone(),
            stride: self.stride,
            n_missing: self.n_missing,
        }
    }

    /// Returns the number of missing trials.
    #[must_use]
    pub fn n_missing(&self) -> u64 {
        self.n_missing
    }

    /// Returns the index of the next job to absorb.
    #[must_use]
    pub fn next_index(&self) -> u64 {
        self.spent.jobs
    }

    /// Returns the cost of the absorbed jobs; the caller adds the elapsed time.
    #[must_use]
    pub fn spent(&self) -> CostTotals {
        self.spent
    }

    /// Returns the plan's number of series.
    #[must_use]
    pub fn n_series(&self) -> usize {
        self.series.len()
    }

    /// Returns the tallies so far, by series.
    #[must_use]
    pub fn tallies(&self) -> BTreeMap<u32, Vec<u8>> {
        let tallies = (0..).zip(self.gathering.tallies());
        tallies.filter_map(|(series, tally)| Some((series, tally?))).collect()
    }

    /// Returns all tallies in plan order once every trial is absorbed or known to be missing.
    ///
    /// # Errors
    /// If a subject has no tally because all its trials are missing.
    pub fn complete(&self) -> Result<Option<Vec<Vec<u8>>>, LedgerError> {
        if self.spent.trials != self.n_trials {
            return Ok(None);
        }
        let index = self.spent.jobs;
        let tallies = caught(|| self.gathering.tallies());
        let tallies = tallies.map_err(|message| LedgerError::Panicked { index, message })?;
        let tallies = tallies.into_iter().enumerate();
        let tallies = tallies.map(|(series, t)| t.ok_or(LedgerError::NothingOf { series }));
        tallies.collect::<Result<_, _>>().map(Some)
    }
}

/// Merges a tally with the experiment's own code. A gathering is unusable after a panic.
fn absorb(
    gathering: &mut dyn TallyAccumulator,
    index: u64,
    series: u32,
    tally: &[u8],
) -> Result<(), LedgerError> {
    caught(|| gathering.absorb(series, tally))
        .map_err(|message| LedgerError::Panicked { index, message })?
        .map_err(|source| LedgerError::Tally { index, source })
}

impl std::fmt::Debug for Ledger {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { n_trials, spent, .. } = self;
        f.debug_struct("Ledger")
            .field("n_trials", n_trials)
            .field("spent", spent)
            .finish_non_exhaustive()
    }
}
