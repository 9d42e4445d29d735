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
mod failure;
mod folding;
mod input;
mod plan_limits;
mod progress;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::num::NonZeroU64;
use std::time::Duration;

use hatchery_core::Digest;
use hatchery_proto::v1;
use hatchery_store::{EnqueueBatch, LeaderState, ResultPage, RunState, WorkerId};
use prost::Message;
use prost::bytes::Bytes;

use crate::cut::{Cut, JobCutter, JobSizer};
use crate::event::Event;
use crate::ledger::{AbsorbedResult, Ledger, LedgerError};
use crate::record::{Checkpoint, CutTable, RunRecord};
use crate::run_summary::RunSummary;

pub use effect::MachineEffect;
pub use failure::RunFailure;
pub use input::{FoldInput, FoldOutput, MachineInput, PlannedGeneration};
pub use plan_limits::{MAX_GENERATION_PART_BYTES, MAX_SERIES_PART_BYTES, MAX_STATE_PART_BYTES};

use plan_limits::oversized;

/// The most jobs between `folded` and `cursor`: the most that a store holds of a generation,
/// whatever its size.
pub const WINDOW_JOBS: u64 = 4096;

/// Bytes of jobs that are enqueued in one call (the last job may exceed it): a larger call would
/// keep the store from serving others.
const BYTES_PER_ENQUEUE: usize = 4 << 20;

/// The most results read from the store in one call.
pub const RESULTS_PER_READ: usize = 256;

/// The state machine of one run, owned by its leader.
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
    /// Unknown: not all of it is cut, or nothing is being simulated.
    Unknown,
    /// Some of its jobs.
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
    reading: bool,
    /// Whether dead jobs are being handled.
    handling_dead: bool,
    /// The number of trials of each skipped job that is not in the ledger yet.
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

    /// Returns the generation and cursor that the store must agree on, because only this leader may
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
            MachineInput::ResultsRead(page) => self.results_read(now, &page, effects),
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
        let folded = ledger.next_index();
        let cursor = if found { led.position.cursor } else { 0 };
        // Otherwise there are no results yet.
        let has_results = folded < cursor;
        self.phase = RunPhase::Simulating(Box::new(SimulationPhase {
            cutter: JobCutter::new(plan, template, table.next_trial),
            together,
            cursor,
            folded,
            n_trials,
            n_resolved: folded,
            n_parked: 0,
            reading: has_results,
            handling_dead: false,
            skipped: BTreeMap::new(),
            ledger,
            table,
            shared,
            parts,
        }));
        if has_results {
            effects.push_back(MachineEffect::ReadResults { from: folded });
        }
        self.enqueue(effects);
    }

    fn results_available(&mut self, effects: &mut VecDeque<MachineEffect>) {
        let RunPhase::Simulating(simulating) = &mut self.phase else { return };
        if !std::mem::replace(&mut simulating.reading, true) {
            effects.push_back(MachineEffect::ReadResults { from: simulating.ledger.next_index() });
        }
    }

    fn results_read(
        &mut self,
        now: Duration,
        page: &ResultPage,
        effects: &mut VecDeque<MachineEffect>,
    ) {
        let RunPhase::Simulating(simulating) = &mut self.phase else { return };
        simulating.reading = false;
        match &page.state {
            RunState::Active | RunState::Paused => {}
            state @ (RunState::Done | RunState::Failed { .. } | RunState::Cancelled) => {
                self.ended = Some(state.clone());
                self.phase = RunPhase::Ended;
                return effects.clear();
            }
        }
        let mut added = AbsorbedResult::default();
        for result in &page.results {
            match simulating.ledger.absorb(result) {
                Ok(AbsorbedResult { n_trials, cpu_ns, n_bytes }) => {
                    added.n_trials += n_trials;
                    added.cpu_ns = added.cpu_ns.saturating_add(cpu_ns);
                    added.n_bytes += n_bytes;
                }
                Err(LedgerError::OtherCut { worker, .. }) => {
                    return effects.push_back(MachineEffect::Disown { worker });
                }
                Err(error) => return self.fail(RunFailure::of(&error), effects),
            }
        }
        let absorbed = simulating.ledger.next_index();
        simulating.skipped.retain(|&index, _| absorbed <= index);
        // An earlier leader may have skipped jobs that this one learns of only now.
        let n_missing = simulating.ledger.n_missing();
        if self.record.exceeds_missing(simulating.n_trials, n_missing) {
            let message = format!(
                "{n_missing} of {} trials are missing: more than the run allows",
                simulating.n_trials
            );
            return self.fail(RunFailure { message, trial: None }, effects);
        }
        let resolved = simulating.cursor.saturating_sub(page.n_unresolved);
        simulating.n_resolved = resolved.max(absorbed);
        simulating.n_parked = page.n_parked;
        if !page.results.is_empty() {
            let AbsorbedResult { n_trials: trials, cpu_ns, n_bytes } = added;
            self.pace = self.pace.observe(trials, cpu_ns, n_bytes);
            let (generation, jobs) = (self.generation, page.results.len() as u64);
            effects.push_back(MachineEffect::Publish(Event::JobsDone {
                generation,
                jobs,
                trials,
                cpu_ns,
            }));
        }
        match simulating.ledger.complete() {
            Ok(Some(tallies)) => return self.fold(tallies, effects),
            Ok(None) => {}
            Err(error) => return self.fail(RunFailure::of(&error), effects),
        }
        // A store may return fewer results than it has, because it limits bytes too.
        if !page.results.is_empty() && absorbed < resolved {
            simulating.reading = true;
            effects.push_back(MachineEffect::ReadResults { from: absorbed });
        }
        // Once is enough: jobs that were dead when the run was paused wait until it is resumed.
        let goes_on = page.state == RunState::Active;
        if goes_on && 0 < page.n_parked && !std::mem::replace(&mut simulating.handling_dead, true) {
            effects.push_back(MachineEffect::ReadDeadJobs);
        }
        self.commit_part(now, absorbed, effects);
        self.enqueue(effects);
    }

    /// Enqueues as many jobs as the slots can use soon and the window allows.
    fn enqueue(&mut self, effects: &mut VecDeque<MachineEffect>) {
        let RunPhase::Simulating(simulating) = &mut self.phase else { return };
        let SimulationPhase { cutter, together, table, cursor, folded, n_resolved, parts, .. } =
            simulating.as_mut();
        let parts = std::mem::take(parts);
        let together = u64::from(*together).min(cutter.n_trials_left_in_series());
        let trials_per_job = self.pace.trials_per_job(cutter.n_trials_left(), self.slots, together);
        let ahead = self.pace.jobs_ahead(self.slots, together, trials_per_job);
        let room = ahead
            .saturating_sub(*cursor - (*n_resolved).min(*cursor))
            .min((*folded + self.window).saturating_sub(*cursor));
        let has_room = room != 0 && 0 < cutter.n_trials_left();
        if !has_room && parts.is_empty() {
            return;
        }
        if has_room && table.cuts.last().is_none_or(|cut| cut.trials_per_job != trials_per_job) {
            table.cuts.push(Cut { first_index: *cursor, trials_per_job });
        }
        let (mut jobs, mut n_bytes) = (Vec::new(), 0);
        while (jobs.len() as u64) < room
            && n_bytes < BYTES_PER_ENQUEUE
            && let Some(job) = cutter.next_job(trials_per_job)
        {
            table.next_trial += job.segments.iter().map(|s| u64::from(s.n_trials)).sum::<u64>();
            let job = job.encode_to_vec();
            n_bytes += job.len();
            jobs.push(job);
        }
        let is_cut_short = (jobs.len() as u64) < room && 0 < cutter.n_trials_left();
        let first_index = *cursor;
        *cursor += jobs.len() as u64;
        effects.push_back(MachineEffect::Enqueue(EnqueueBatch {
            generation: self.generation,
            first_index,
            jobs,
            table: table.encode_to_vec(),
            parts,
        }));
        if is_cut_short {
            // The rest follows after the next read.
            self.results_available(effects);
        }
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
