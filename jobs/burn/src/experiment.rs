//! The experiment: generations of equal trials, and values of any size between them.

use hatchery_core::{
    CostTrend, Draws, Exhibit, Experiment, GenerationSeed, InitialParts, InvalidValue, Measure,
    NamedInput, Part, Plan, Preset, Series, Step, WorkPhase, presets,
};
use serde::{Deserialize, Serialize};

use crate::noise::noise;
use crate::simulation::BurnTrials;
use crate::spec::BurnSpec;
use crate::wire::{BurnShared, BurnSubject, BurnTally};

/// Generations of equal trials.
#[derive(Debug)]
pub struct Burn;

/// The trials so far.
#[derive(Debug, Serialize, Deserialize)]
pub struct BurnState {
    generation: u32,
    trials: u64,
    /// The sum of the trials' ends, modulo 2^64.
    sum: u64,
    /// The start of the generator that makes the shared input.
    shared_start: u64,
    /// The run's input, if it has one, and the parts, the oldest first.
    parts: Vec<Part>,
    /// Bytes that no code reads.
    filling: Vec<u8>,
}

impl BurnState {
    /// Returns the run's input, if it has one, and the other parts.
    fn split(&self, spec: &BurnSpec) -> (Option<Part>, &[Part]) {
        let (input, parts) = self.parts.split_at(usize::from(spec.input.is_some()));
        (input.first().copied(), parts)
    }
}

impl Experiment for Burn {
    const NAME: &'static str = "burn";
    const VERSION: u32 = 3;
    const SUMMARY: &'static str = "trials of a known cost: what can a farm do?";
    const PRESETS: &'static [Preset] = presets!["": "quick", "smoke"];

    type Simulation = BurnTrials;
    type Spec = BurnSpec;
    type Checked = BurnSpec;
    type State = BurnState;

    fn check(spec: BurnSpec) -> Result<BurnSpec, InvalidValue> {
        spec.check()?;
        Ok(spec)
    }

    fn generations(spec: &BurnSpec) -> u32 {
        spec.generations
    }

    fn phases(spec: &BurnSpec) -> Vec<WorkPhase> {
        let n_trials = [spec.trials, spec.new_parts, spec.long_trials].map(u64::from).iter().sum();
        let n_generations = spec.generations;
        vec![WorkPhase::new(n_generations, n_trials..=n_trials, CostTrend::Steady)]
    }

    fn inputs(spec: &BurnSpec) -> Vec<NamedInput> {
        spec.input.iter().map(|input| input.named("input")).collect()
    }

    fn begin(
        spec: &BurnSpec,
        seed: &GenerationSeed,
        parts: &mut InitialParts,
    ) -> Result<BurnState, InvalidValue> {
        let mut starts = seed.stream("parts");
        let input = spec.input.map(|input| parts.input(&input));
        let part = |_| parts.add(noise(starts.next_u64(), spec.part_bytes));
        let shared_start = seed.stream("shared").next_u64();
        Ok(BurnState {
            generation: 0,
            trials: 0,
            sum: 0,
            shared_start,
            parts: input.into_iter().chain((0..spec.parts).map(part)).collect(),
            filling: noise(shared_start, spec.state_bytes),
        })
    }

    fn parts(state: &BurnState) -> Vec<Part> {
        state.parts.clone()
    }

    fn plan(spec: &BurnSpec, state: &BurnState) -> Plan<BurnTrials> {
        let (input, parts) = state.split(spec);
        let (rounds, tally_bytes, parts) = (spec.rounds.into(), spec.tally_bytes, parts.to_vec());
        let subject = BurnSubject { rounds, parts, part_bytes: None, tally_bytes, input };
        let other = BurnSubject { rounds, input, ..BurnSubject::default() };
        let writer = BurnSubject { part_bytes: Some(spec.part_bytes), ..other.clone() };
        let long = BurnSubject { rounds: spec.long_rounds, ..other };
        let series = [
            Series::new(subject, spec.trials),
            Series::new(writer, spec.new_parts),
            Series::new(long, spec.long_trials).alone(),
        ];
        let series = series.into_iter().filter(|series| series.n_trials != 0).collect();
        let shared = BurnShared { bytes: noise(state.shared_start, spec.shared_bytes).into() };
        Plan { shared, series, draws: Draws::PerSubject }
    }

    fn fold(
        spec: &BurnSpec,
        mut state: BurnState,
        tallies: &[BurnTally],
        _: &GenerationSeed,
    ) -> Step<BurnState> {
        for BurnTally { trials, sum, written, filling: _ } in tallies {
            state.trials += trials;
            state.sum = state.sum.wrapping_add(*sum);
            state.parts.extend(written);
        }
        let n_inputs = usize::from(spec.input.is_some());
        let n_old = state.parts.len() - n_inputs - spec.parts as usize;
        state.parts.drain(n_inputs..n_inputs + n_old);
        state.filling = noise(state.sum, spec.state_bytes);
        state.generation += 1;
        match state.generation < spec.generations {
            true => Step::Continue(state),
            false => Step::Done(state),
        }
    }

    fn measures(_: &BurnSpec, state: &BurnState) -> Vec<Measure> {
        vec![Measure::new("trials", "trials", state.trials)]
    }

    /// Shows the newest part, which another run can take as its input.
    fn exhibits(spec: &BurnSpec, state: &BurnState) -> Vec<Exhibit> {
        let (_, parts) = state.split(spec);
        let newest = parts.last();
        let exhibit = |part: &Part| Exhibit::new("part.bin", "application/octet-stream", *part);
        newest.map(exhibit).into_iter().collect()
    }
}
