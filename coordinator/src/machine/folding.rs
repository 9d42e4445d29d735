//! Checkpoints and the end of a generation.

use std::collections::VecDeque;
use std::time::Duration;

use hatchery_core::{Digest, Step, Work};
use hatchery_store::{AfterFold, FoldCommit};
use prost::Message;

use super::{FoldInput, FoldOutput, MachineEffect, RunFailure, RunMachine, RunPhase};
use crate::event::Event;
use crate::record::{Checkpoint, CostTotals, GenerationRecord};

impl RunMachine {
    /// Writes a checkpoint within the generation when half of the window is used up.
    pub(super) fn commit_part(
        &mut self,
        now: Duration,
        absorbed: u64,
        effects: &mut VecDeque<MachineEffect>,
    ) {
        let RunPhase::Simulating(simulating) = &mut self.phase else { return };
        if absorbed - simulating.folded < self.window / 2 {
            return;
        }
        simulating.folded = absorbed;
        self.checkpoint.tallies = simulating.ledger.tallies();
        self.checkpoint.origin = simulating.ledger.origin();
        self.checkpoint.spent = CostTotals {
            elapsed_ns: self.checkpoint.spent.elapsed_ns + tick(&mut self.clock, now),
            ..simulating.ledger.spent()
        };
        effects.push_back(MachineEffect::Commit(FoldCommit {
            generation: self.generation,
            folded: absorbed,
            checkpoint: self.checkpoint.encode_to_vec(),
            summary: self.summary.encode_to_vec(),
            then: AfterFold::SameGeneration,
        }));
    }

    pub(super) fn fold(&mut self, tallies: Vec<Vec<u8>>, effects: &mut VecDeque<MachineEffect>) {
        let RunPhase::Simulating(simulating) =
            std::mem::replace(&mut self.phase, RunPhase::Planning)
        else {
            return;
        };
        let n_series = simulating.ledger.n_series();
        self.phase = RunPhase::Folding(simulating);
        let Some(digest) = Digest::from_bytes(&self.checkpoint.digest) else {
            let message = "the checkpoint holds no digest".to_owned();
            return self.fail(RunFailure { message, trial: None }, effects);
        };
        effects.push_back(MachineEffect::Compute(FoldInput {
            generation: self.generation,
            state: self.checkpoint.state.clone(),
            digest,
            n_series,
            tallies,
        }));
    }

    pub(super) fn computed(
        &mut self,
        now: Duration,
        computed: FoldOutput,
        effects: &mut VecDeque<MachineEffect>,
    ) {
        let FoldOutput { step, digest, measures, work } = computed;
        let RunPhase::Folding(simulating) = std::mem::replace(&mut self.phase, RunPhase::Planning)
        else {
            return;
        };
        let spent = CostTotals {
            elapsed_ns: self.checkpoint.spent.elapsed_ns + tick(&mut self.clock, now),
            ..simulating.ledger.spent()
        };
        let record = GenerationRecord {
            generation: self.generation,
            state: simulating.state.as_bytes().to_vec(),
            digest: digest.as_bytes().to_vec(),
            spent,
            cuts: simulating.table.cuts,
            measures: serde_json::to_string(&measures).unwrap_or_default(),
            work: work.iter().cloned().map(Into::into).collect(),
            origin: simulating.ledger.origin(),
        };
        self.summary.fold(&record, &measures);
        let record = record.encode_to_vec();
        let mut total_work = self.checkpoint.work.drain(..).map(Work::from).collect();
        Work::add(&mut total_work, &work);
        let (Step::Continue(state) | Step::Done(state)) = &step;
        self.checkpoint = Checkpoint {
            state: state.clone(),
            digest: digest.as_bytes().to_vec(),
            total: self.checkpoint.total.plus(spent),
            work: total_work.into_iter().map(Into::into).collect(),
            ..Checkpoint::default()
        };
        let then = match step {
            Step::Continue(_) => AfterFold::NextGeneration { record },
            Step::Done(_) => AfterFold::Done { record },
        };
        let done = matches!(then, AfterFold::Done { .. });
        effects.push_back(MachineEffect::Commit(FoldCommit {
            generation: self.generation,
            folded: simulating.cursor,
            checkpoint: self.checkpoint.encode_to_vec(),
            summary: self.summary.encode_to_vec(),
            then,
        }));
        effects.push_back(MachineEffect::Keep(Event::GenerationFolded {
            generation: self.generation,
            jobs: spent.jobs,
            trials: spent.trials,
            cpu_ns: spent.cpu_ns,
            digest: digest.to_string(),
            work,
            measures,
        }));
        if done {
            self.phase = RunPhase::Ended;
            effects.push_back(MachineEffect::Keep(Event::RunDone { digest: digest.to_string() }));
        } else {
            self.generation += 1;
            effects.push_back(MachineEffect::Plan { state: self.checkpoint.state.clone() });
        }
    }
}

/// Returns the time since `clock`, and sets `clock` to `now`.
fn tick(clock: &mut Duration, now: Duration) -> u64 {
    let elapsed = now.saturating_sub(std::mem::replace(clock, now));
    u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX)
}
