//! Decides what a run does next: a pure state machine, without I/O and without a clock.
//!
//! ```text
//!            +----------------- Planned <- Plan <------------------+
//!            v                                                     |
//!   Simulating: Enqueue, ReadResults  -- all trials in -->  Compute -> Computed -> Commit
//!        ^  |                                                      |
//!        +--+ ResultsAvailable, ResultsRead, Slots                 +--> Done: ended
//! ```
//!
//! The leader performs effects one after the other and feeds back their results, so each write is
//! finished before the machine decides on the next.

pub(crate) mod dead_jobs;
mod effect;
mod enqueuing;
mod folding;
mod input;
mod plan_limits;
mod progress;
mod reading;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::num::NonZeroU64;
use std::time::Duration;

use hatchery_core::{Digest, SeriesClass};
use hatchery_proto::v1;
use hatchery_store::{LeaderState, RunState, WorkerId};
use prost::Message;
use prost::bytes::Bytes;

use super::cutter::JobCutter;
use super::cutter::sizer::JobSizer;
use super::ledger::Ledger;
use super::record::{Checkpoint, CutTable, RunRecord};
use super::summary::RunSummary;
use crate::base::event::Event;

pub use effect::MachineEffect;
pub use enqueuing::WINDOW_JOBS;
pub use input::{FoldInput, FoldOutput, MachineInput, PlannedGeneration, RunFailure};
pub use plan_limits::{MAX_GENERATION_PART_BYTES, MAX_SERIES_PART_BYTES, MAX_STATE_PART_BYTES};
pub use reading::RESULTS_PER_READ;

use plan_limits::oversized;

/// The state machine of a run, owned by the run's leader.
#[derive(Debug)]
pub struct RunMachine {
    record: RunRecord,
    generation: u32,
    /// The last checkpoint, with tallies of the current generation as bytes.
    checkpoint: Checkpoint,
    /// The state that the current generation starts from, or the last one.
    state: Bytes,
    summary: RunSummary,
    phase: RunPhase,
    pace: JobSizer,
    /// The pace of long trials.
    alone_pace: JobSizer,
    slots: u32,
    window: u64,
    generations: u32,
    /// The final state, if the run ended without a result.
    ended: Option<RunState>,
    /// The time up to which `checkpoint` counts elapsed time.
    clock: Duration,
}

/// The part of a generation that is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemainingJobs {
    /// Unknown: part of the generation is not cut yet, or nothing is being simulated.
    Unknown,
    /// Some jobs of the generation.
    Jobs {
        /// Jobs that are not resolved.
        n_unresolved: u64,
        /// All jobs of the generation.
        n_jobs: u64,
    },
    /// Nothing: the generation is being folded.
    Nothing,
}

#[derive(Debug)]
enum RunPhase {
    Planning,
    Simulating(Box<SimulationPhase>),
    Folding(Box<SimulationPhase>),
    Ended,
}

#[derive(Debug)]
struct SimulationPhase {
    ledger: Ledger,
    cutter: JobCutter,
    /// The number of trials of a series that are cheaper in one job.
    together: u32,
    table: CutTable,
    shared: Digest,
    /// The shared input, until it is enqueued with the first jobs.
    parts: Vec<Vec<u8>>,
    cursor: u64,
    folded: u64,
    n_trials: u64,
    /// Jobs known to be resolved.
    n_resolved: u64,
    /// Jobs known to be dead.
    n_parked: u64,
    /// The classes whose results are being read.
    reading: BTreeSet<SeriesClass>,
    /// Whether dead jobs are being handled.
    handling_dead: bool,
    /// The skipped jobs that are not in the ledger yet, with their numbers of trials.
    skipped: BTreeMap<u64, u64>,
}

impl SimulationPhase {
    /// Returns the number of enqueued jobs that are not known to be resolved.
    fn n_unresolved(&self) -> u64 {
        self.cursor.saturating_sub(self.n_resolved)
    }
}

impl RunMachine {
    /// Creates the machine of a run that continues at `led` at time `now`, and returns its first
    /// effects.
    #[must_use]
    pub fn start(
        record: RunRecord,
        generations: u32,
        led: &LeaderState,
        (checkpoint, state): (Checkpoint, Bytes),
        summary: RunSummary,
        now: Duration,
    ) -> (Self, VecDeque<MachineEffect>) {
        let effects = VecDeque::from([
            MachineEffect::Keep(Event::RunLed {
                experiment: record.experiment.clone(),
                version: record.version,
                seed: record.seed,
                generation: led.position.generation,
                generations,
            }),
            MachineEffect::Plan { state: state.clone() },
        ]);
        let machine = Self {
            record,
            generation: led.position.generation,
            checkpoint,
            state,
            summary,
            phase: RunPhase::Planning,
            pace: JobSizer::default(),
            alone_pace: JobSizer::default(),
            slots: 0,
            window: WINDOW_JOBS,
            generations,
            ended: None,
            clock: now,
        };
        (machine, effects)
    }

    /// Limits jobs to `most` trials.
    #[must_use]
    pub fn with_job_trials(self, most: Option<NonZeroU64>) -> Self {
        Self { pace: JobSizer::new(most), ..self }
    }

    /// Returns the current generation.
    #[must_use]
    pub fn generation(&self) -> u32 {
        self.generation
    }

    /// Returns the final state of a run that ended without a result.
    #[must_use]
    pub fn ended_as(&self) -> Option<&RunState> {
        self.ended.as_ref()
    }

    /// Returns the workers whose results the current generation holds.
    #[must_use]
    pub fn workers(&self) -> BTreeSet<WorkerId> {
        match &self.phase {
            RunPhase::Simulating(now) | RunPhase::Folding(now) => now.ledger.workers().clone(),
            RunPhase::Planning | RunPhase::Ended => BTreeSet::new(),
        }
    }

    /// Returns the generation and cursor that the store must have too, because only this leader may
    /// advance them; `None` while nothing is being simulated.
    #[must_use]
    pub fn place(&self) -> Option<(u32, u64)> {
        match &self.phase {
            RunPhase::Simulating(now) => Some((self.generation, now.cursor)),
            RunPhase::Planning | RunPhase::Folding(_) | RunPhase::Ended => None,
        }
    }

    /// Returns whether a generation is being planned: its trials are not known yet.
    #[must_use]
    pub fn is_planning(&self) -> bool {
        matches!(self.phase, RunPhase::Planning)
    }

    /// Returns the part of the generation that is left to simulate.
    #[must_use]
    pub fn rest(&self) -> RemainingJobs {
        match &self.phase {
            RunPhase::Simulating(now) if now.cutter.n_trials_left() == 0 => {
                RemainingJobs::Jobs { n_unresolved: now.n_unresolved(), n_jobs: now.cursor }
            }
            RunPhase::Folding(_) => RemainingJobs::Nothing,
            RunPhase::Simulating(_) | RunPhase::Planning | RunPhase::Ended => {
                RemainingJobs::Unknown
            }
        }
    }

    /// Returns whether the run has ended.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        matches!(self.phase, RunPhase::Ended)
    }

    /// Processes `input` at time `now` and appends the effects to perform.
    pub fn handle(
        &mut self,
        now: Duration,
        led: &LeaderState,
        input: MachineInput,
        effects: &mut VecDeque<MachineEffect>,
    ) {
        match input {
            MachineInput::Failed(failure) => self.fail(failure, effects),
            MachineInput::Slots(slots) => {
                self.slots = slots;
                self.enqueue(effects);
            }
            MachineInput::Planned(planned) => self.planned(led, planned, effects),
            MachineInput::ResultsAvailable => self.results_available(effects),
            MachineInput::ResultsRead(class, page) => {
                self.results_read(now, class, &page, effects);
            }
            MachineInput::Parked(parked) => self.parked(parked, effects),
            MachineInput::Computed(computed) => self.computed(now, computed, effects),
        }
    }

    fn planned(
        &mut self,
        led: &LeaderState,
        PlannedGeneration { mut plan, gathering, together }: PlannedGeneration,
        effects: &mut VecDeque<MachineEffect>,
    ) {
        if let Some(failure) = oversized(&plan) {
            return self.fail(failure, effects);
        }
        // The position and the table are those of the generation that this leader found.
        let found = led.position.generation == self.generation;
        let table =
            if found { CutTable::decode(led.table.as_slice()) } else { Ok(CutTable::default()) };
        let ledger = Ledger::new(gathering, &plan, &self.checkpoint);
        let (table, ledger) = match (table, ledger) {
            (Ok(table), Ok(ledger)) => (table, ledger),
            (Err(error), _) => return self.fail(RunFailure::of(&error), effects),
            (_, Err(error)) => return self.fail(RunFailure::of(&error), effects),
        };
        let n_trials = plan.n_trials();
        effects.push_back(MachineEffect::Publish(Event::GenerationPlanned {
            generation: self.generation,
            subjects: plan.series.len() as u64,
            trials: n_trials,
            trials_done: ledger.spent().trials,
            alone_trials: plan.n_trials_of(SeriesClass::Alone),
        }));
        let parts = vec![std::mem::take(&mut plan.shared)];
        let shared = Digest::of(&parts[0]);
        let template = v1::Job {
            experiment: self.record.experiment.clone(),
            version: self.record.version,
            seed: self.record.seed,
            generation: self.generation,
            shared: shared.as_bytes().to_vec(),
            ..v1::Job::default()
        };
        let folded = ledger.n_jobs();
        let cursor = if found { led.position.cursor } else { 0 };
        // Otherwise there are no results yet.
        let has_results = folded < cursor;
        let mut simulating = Box::new(SimulationPhase {
            cutter: JobCutter::new(plan, template, table.next_trial),
            together,
            cursor,
            folded,
            n_trials,
            n_resolved: folded,
            n_parked: 0,
            reading: BTreeSet::new(),
            handling_dead: false,
            skipped: BTreeMap::new(),
            ledger,
            table,
            shared,
            parts,
        });
        if has_results {
            simulating.read(SeriesClass::Pooled, effects);
        }
        self.phase = RunPhase::Simulating(simulating);
        self.enqueue(effects);
    }

    fn fail(&mut self, failure: RunFailure, effects: &mut VecDeque<MachineEffect>) {
        if self.has_ended() {
            return;
        }
        self.phase = RunPhase::Ended;
        let RunFailure { message: reason, trial } = failure;
        self.ended = Some(RunState::Failed { reason: reason.clone() });
        // Pending effects belong to a run that continues.
        effects.clear();
        effects.push_back(MachineEffect::Fail { reason: reason.clone() });
        effects.push_back(MachineEffect::Keep(Event::RunFailed { reason, trial }));
    }
}
