//! How results become tallies: in job order, each job once.

use std::collections::{BTreeMap, BTreeSet};

use hatchery_core::Malformed;
use hatchery_core::erased::{AnyPlan, TallyAccumulator};
use hatchery_proto::v1::JobCost;
use prost::Message;

use crate::cut::n_trials;
use crate::hands::caught;
use crate::record::{Checkpoint, MAX_SAMPLES, Origin, Spent, StoredOutput};
use crate::store::JobResult;

/// The tallies of a generation so far.
pub struct Ledger {
    gathering: Box<dyn TallyAccumulator>,
    /// How many trials each series has.
    series: Vec<u32>,
    /// The next trial of the row: its series, and its number there.
    next: (u32, u32),
    n_trials: u64,
    spent: Spent,
    workers: BTreeSet<u128>,
    samples: Vec<u64>,
    stride: u64,
    n_missing: u64,
}

/// What a result added.
#[derive(Clone, Copy, Debug, Default)]
pub struct Added {
    /// How many trials it has.
    pub n_trials: u64,
    /// Their CPU time.
    pub cpu_ns: u64,
    /// The size of its output.
    pub n_bytes: usize,
}

/// A stored result that does not fit the plan: the store or the code that wrote it is wrong.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The result is no protobuf message.
    #[error("stored result of job {index} is malformed")]
    Decode {
        /// The job's index.
        index: u64,
        /// What the decoder says.
        source: prost::DecodeError,
    },
    /// A tally of the result is malformed.
    #[error("stored result of job {index} has a malformed tally")]
    Tally {
        /// The job's index.
        index: u64,
        /// What is wrong.
        source: Malformed,
    },
    /// The experiment panicked over a tally: a bug in it.
    #[error("the experiment {message} over the tallies up to job {index}")]
    Panicked {
        /// The job's index.
        index: u64,
        /// What the panic said.
        message: String,
    },
    /// The result is not of the next trials: it was computed before the run was taken back, and the
    /// trials were cut into other jobs since.
    #[error("stored result of job {index} is of trial {series}/{first_trial}, not of {next:?}")]
    OtherCut {
        /// The job's index.
        index: u64,
        /// The series of the trial that it begins with.
        series: u32,
        /// The number of that trial.
        first_trial: u32,
        /// The series and number of the trial that is next.
        next: (u32, u32),
        /// Who brought it.
        worker: u128,
    },
    /// All trials of a subject are missing, so there is nothing to go on with.
    #[error("all trials of subject {series} are missing: their jobs kept failing")]
    NothingOf {
        /// Which subject.
        series: usize,
    },
}

/// What is kept of a sampled output: enough to tell another output from it.
#[must_use]
pub fn sample_hash(output: &[u8]) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = *blake3::hash(output).as_bytes();
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}

impl Ledger {
    /// The ledger of `plan` over an empty `gathering`, with what `checkpoint` has folded already.
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
        let Origin { workers, samples, stride, n_missing } = checkpoint.origin.clone();
        let workers = workers.iter().filter_map(|worker| crate::wire::id(worker)).collect();
        let spent = checkpoint.spent;
        let mut ledger = Self {
            gathering,
            series: plan.series.iter().map(|series| series.n_trials).collect(),
            next: (0, 0),
            n_trials: n_trials(plan),
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
    /// If it is malformed.
    pub fn absorb(&mut self, result: &JobResult) -> Result<Added, LedgerError> {
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
        // What a worker says of its time is not to be trusted with an overflow.
        self.spent.cpu_ns = self.spent.cpu_ns.saturating_add(cost.cpu_ns);
        Ok(Added { n_trials, cpu_ns: cost.cpu_ns, n_bytes: result.output.len() })
    }

    /// Checks that the output is of the next trials of the row, and goes on behind them.
    fn follow(
        &mut self,
        index: u64,
        worker: u128,
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

    /// Goes on by so many trials.
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

    /// Keeps the hash of the output if the job is among the samples; thins them out when there are
    /// too many.
    fn sample(&mut self, index: u64, output: &[u8]) {
        if index.is_multiple_of(self.stride) {
            self.samples.push(sample_hash(output));
        }
        if MAX_SAMPLES < self.samples.len() {
            self.samples = self.samples.iter().copied().step_by(2).collect();
            self.stride *= 2;
        }
    }

    /// Who computed what is in here.
    #[must_use]
    pub fn workers(&self) -> &BTreeSet<u128> {
        &self.workers
    }

    /// Where the results came from.
    #[must_use]
    pub fn origin(&self) -> Origin {
        Origin {
            workers: self.workers.iter().map(|worker| worker.to_be_bytes().to_vec()).collect(),
            samples: self.samples.clone(),
            stride: self.stride,
            n_missing: self.n_missing,
        }
    }

    /// How many trials are missing.
    #[must_use]
    pub fn n_missing(&self) -> u64 {
        self.n_missing
    }

    /// The index of the next job to absorb.
    #[must_use]
    pub fn next_index(&self) -> u64 {
        self.spent.jobs
    }

    /// What the absorbed jobs took; time that passed is for the caller to add.
    #[must_use]
    pub fn spent(&self) -> Spent {
        self.spent
    }

    /// Returns the plan's number of series.
    #[must_use]
    pub fn n_series(&self) -> usize {
        self.series.len()
    }

    /// The tallies so far, by series.
    #[must_use]
    pub fn tallies(&self) -> BTreeMap<u32, Vec<u8>> {
        let tallies = (0..).zip(self.gathering.tallies());
        tallies.filter_map(|(series, tally)| Some((series, tally?))).collect()
    }

    /// All tallies in plan order, once every trial is in or known to be missing.
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

/// Adds a tally by the experiment's own code. A gathering that it panicked over is of no more use.
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
