//! The simulation: trials of a known cost. The experiment: one generation of them.

use std::ops::ControlFlow;

use hatchery_core::{
    Draws, Experiment, Frames, GenerationSeed, InvalidParam, Measure, Plan, Preset, Series,
    Simulation, Step, StreamRng, Work,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::wire::{Ends, Rounds};

/// Trials of a known cost.
#[derive(Debug)]
pub struct BurnTrials;

impl Simulation for BurnTrials {
    type Shared = ();
    type Subject = Rounds;
    type Tally = Ends;

    fn trial((): &(), subject: &Rounds, mut rng: StreamRng) -> Ends {
        Ends { trials: 1, sum: burn(subject.rounds, rng.next_u64()) }
    }

    fn work(tally: &Ends) -> Vec<Work> {
        vec![Work::new("trials", tally.trials)]
    }

    fn replay(
        (): &(),
        subject: &Rounds,
        mut rng: StreamRng,
        frames: &mut Frames<'_>,
    ) -> ControlFlow<()> {
        let start = rng.next_u64();
        let end = burn(subject.rounds, start);
        frames(&format!("{} rounds from {start:016x} to {end:016x}", subject.rounds))
    }
}

/// One generation of equal trials.
#[derive(Debug)]
pub struct Burn;

/// What a person writes.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// How many trials.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub trials: u32,
    /// Rounds per trial, of about 2 ns each; with 0, trials cost nothing.
    #[schemars(range(max = 1_000_000_000))]
    pub rounds: u32,
}

/// The trials so far, and the sum of where they came to, modulo 2^64.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct State {
    trials: u64,
    sum: u64,
}

impl Experiment for Burn {
    const NAME: &'static str = "burn";
    const VERSION: u32 = 1;
    const SUMMARY: &'static str = "trials of a known cost: what can a farm do?";
    const PRESETS: &'static [Preset] = &[
        Preset { name: "quick", text: include_str!("../specs/quick.toml") },
        Preset { name: "smoke", text: include_str!("../specs/smoke.toml") },
    ];

    type Simulation = BurnTrials;
    type Spec = Spec;
    type State = State;

    fn generations(_: &Spec) -> u32 {
        1
    }

    fn begin(_: &Spec, _: &GenerationSeed) -> Result<State, InvalidParam> {
        Ok(State::default())
    }

    fn plan(spec: &Spec, _: &State) -> Plan<BurnTrials> {
        let subject = Rounds { rounds: spec.rounds };
        let series = vec![Series { subject, n_trials: spec.trials }];
        Plan { shared: (), series, draws: Draws::PerSubject }
    }

    fn fold(_: &Spec, mut state: State, tallies: Vec<Ends>, _: &GenerationSeed) -> Step<State> {
        for Ends { trials, sum } in tallies {
            state.trials += trials;
            state.sum = state.sum.wrapping_add(sum);
        }
        Step::Done(state)
    }

    fn measures(_: &Spec, state: &State) -> Vec<Measure> {
        vec![Measure::new("trials", "trials", state.trials)]
    }
}

/// Where `rounds` rounds of xorshift64 lead from `start`: each needs the one before, so that no
/// compiler and no processor gets around them.
#[must_use]
pub fn burn(rounds: u32, start: u64) -> u64 {
    // 0 leads to 0.
    (0..rounds).fold(start | 1, |mut x, _| {
        x ^= x << 13;
        x ^= x >> 7;
        x ^ (x << 17)
    })
}
