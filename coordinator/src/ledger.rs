//! How results become tallies: in job order, each job once.

use std::collections::BTreeMap;

use hatchery_core::Malformed;
use hatchery_core::erased::{AnyPlan, Gathering};
use hatchery_proto::v1::JobCost;
use prost::Message;

use crate::cut::n_trials;
use crate::record::{Checkpoint, Spent, StoredOutput};
use crate::store::JobResult;

/// The tallies of a generation so far.
pub struct Ledger {
    gathering: Box<dyn Gathering>,
    n_trials: u64,
    spent: Spent,
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
}

impl Ledger {
    /// The ledger of `plan` over an empty `gathering`, with what `checkpoint` has folded already.
    ///
    /// # Errors
    /// If a tally of the checkpoint is malformed.
    pub fn new(
        mut gathering: Box<dyn Gathering>,
        plan: &AnyPlan,
        checkpoint: &Checkpoint,
    ) -> Result<Self, LedgerError> {
        for (&series, tally) in &checkpoint.tallies {
            gathering
                .absorb(series, tally)
                .map_err(|source| LedgerError::Tally { index: checkpoint.spent.jobs, source })?;
        }
        Ok(Self { gathering, n_trials: n_trials(plan), spent: checkpoint.spent })
    }

    /// Adds the result of the next job.
    ///
    /// # Errors
    /// If it is malformed.
    pub fn absorb(&mut self, result: &JobResult) -> Result<(), LedgerError> {
        let index = self.spent.jobs;
        let decode = |source| LedgerError::Decode { index, source };
        let output = StoredOutput::decode(result.output.as_slice()).map_err(decode)?;
        let cost = JobCost::decode(result.cost.as_slice()).map_err(decode)?;
        for part in &output.parts {
            self.gathering
                .absorb(part.series, &part.tally)
                .map_err(|source| LedgerError::Tally { index, source })?;
            self.spent.trials += u64::from(part.n_trials);
        }
        self.spent.jobs += 1;
        self.spent.cpu_ns += cost.cpu_ns;
        Ok(())
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

    /// The tallies so far, by series.
    #[must_use]
    pub fn tallies(&self) -> BTreeMap<u32, Vec<u8>> {
        let tallies = (0..).zip(self.gathering.tallies());
        tallies.filter_map(|(series, tally)| Some((series, tally?))).collect()
    }

    /// All tallies in plan order, once every trial is in.
    #[must_use]
    pub fn complete(&self) -> Option<Vec<Vec<u8>>> {
        (self.spent.trials == self.n_trials)
            .then(|| self.gathering.tallies())?
            .into_iter()
            .collect()
    }
}

impl std::fmt::Debug for Ledger {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { gathering: _, n_trials, spent } = self;
        f.debug_struct("Ledger").field("n_trials", n_trials).field("spent", spent).finish()
    }
}
