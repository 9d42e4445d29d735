//! Inputs of the run machine, and the failures among them: types only.

use std::collections::BTreeMap;
use std::fmt;

use hatchery_core::erased::{AnyPlan, TallyAccumulator};
use hatchery_core::{Digest, Measure, Part, SeriesClass, Step, Work, error_chain};
use hatchery_store::{DeadJobRecord, ResultPage};
use prost::bytes::Bytes;

use crate::run::summary::RunFinding;

/// Input of the machine: something that happened to the run.
#[derive(Debug)]
pub enum MachineInput {
    /// The plan of the generation.
    Planned(PlannedGeneration),
    /// There may be results to read.
    ResultsAvailable,
    /// A page of results of jobs of a class.
    ResultsRead(SeriesClass, ResultPage),
    /// Dead jobs with their attempts.
    Parked(Vec<DeadJobRecord>),
    /// The outcome of the fold.
    Computed(FoldOutput),
    /// The current number of slots in the farm, over all workers.
    Slots(u32),
    /// A failure that trying again cannot mend.
    Failed(RunFailure),
}

/// A planned generation.
pub struct PlannedGeneration {
    /// The plan.
    pub plan: AnyPlan,
    /// An empty accumulator for its tallies.
    pub gathering: Box<dyn TallyAccumulator>,
    /// [`Simulation::BATCH`](hatchery_core::Simulation::BATCH).
    pub together: u32,
}

impl fmt::Debug for PlannedGeneration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Planned").field(&self.plan.series.len()).finish()
    }
}

/// The input of a fold.
#[derive(Debug)]
pub struct FoldInput {
    /// The generation.
    pub generation: u32,
    /// The state before the fold.
    pub state: Bytes,
    /// The digest before the fold.
    pub digest: Digest,
    /// The classes of the plan's series.
    pub classes: Vec<SeriesClass>,
    /// The tallies in plan order.
    pub tallies: Vec<Vec<u8>>,
}

impl FoldInput {
    /// Returns the bytes of the state and the tallies.
    #[must_use]
    pub fn n_bytes(&self) -> u64 {
        let tallies: usize = self.tallies.iter().map(Vec::len).sum();
        (self.state.len() + tallies) as u64
    }
}

/// The outcome of a fold.
#[derive(Debug)]
pub struct FoldOutput {
    /// The next state, or the last state.
    pub step: Step<Vec<u8>>,
    /// The digest after the fold.
    pub digest: Digest,
    /// The parts that the new state names.
    pub parts: Vec<Part>,
    /// The measures of the new state.
    pub measures: Vec<Measure>,
    /// The work of the generation's trials by their class.
    pub work: BTreeMap<SeriesClass, Vec<Work>>,
    /// The finding of the run after its last generation.
    pub finding: Option<RunFinding>,
}

/// The reason why a run cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFailure {
    /// The reason, for a person.
    pub message: String,
    /// The trial that failed, as `GENERATION/SUBJECT/TRIAL`.
    pub trial: Option<String>,
}

impl RunFailure {
    /// Returns the failure that `error` and its causes describe.
    pub fn of(error: &dyn std::error::Error) -> Self {
        Self { message: error_chain(error), trial: None }
    }
}
