//! The simulation: trials of a known cost. The experiment: one generation of them.

use std::ops::ControlFlow;

use hatchery_core::{
    CostTrend, Draws, Experiment, GenerationSeed, InvalidParam, Measure, Plan, Preset, SceneBase,
    SceneSink, SceneWriter, Series, Simulation, Step, StreamRng, Work, WorkPhase,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::wire::{BurnShared, BurnSubject, BurnTally};

/// Trials of a known cost.
#[derive(Debug)]
pub struct BurnTrials;

impl Simulation for BurnTrials {
    type Shared = BurnShared;
    type Subject = BurnSubject;
    type Tally = BurnTally;

    fn trial(shared: &BurnShared, subject: &BurnSubject, rng: StreamRng) -> BurnTally {
        BurnTally { trials: 1, sum: burn(subject.rounds, start(shared, rng)) }
    }

    fn work(tally: &BurnTally) -> Vec<Work> {
        vec![Work::new("trials", tally.trials)]
    }

    fn replay(
        shared: &BurnShared,
        subject: &BurnSubject,
        rng: StreamRng,
        sink: &mut dyn SceneSink,
    ) -> ControlFlow<()> {
        let start = start(shared, rng);
        let end = burn(subject.rounds, start);
        let mut scene = SceneWriter::begin(sink, &SceneBase::captions())?;
        scene.say(format!("{} rounds from {start:016x} to {end:016x}", subject.rounds))
    }
}

/// One generation of equal trials.
#[derive(Debug)]
pub struct Burn;

/// The parameters of a run.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BurnSpec {
    /// Number of trials.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub trials: u32,
    /// Rounds per trial, of about 2 ns each; with 0, trials cost nothing.
    #[schemars(range(max = 1_000_000_000))]
    pub rounds: u32,
    /// Bytes of shared input, which each worker fetches once; a trial reads eight of them.
    // A farm sends at most 64 MiB.
    #[schemars(range(max = 60_000_000))]
    #[serde(default)]
    pub shared_bytes: u32,
}

/// The trials so far.
#[derive(Debug, Serialize, Deserialize)]
pub struct BurnState {
    trials: u64,
    /// The sum of the trials' ends, modulo 2^64.
    sum: u64,
    /// The start of the generator that makes the shared input.
    shared_start: u64,
}

impl Experiment for Burn {
    const NAME: &'static str = "burn";
    const VERSION: u32 = 2;
    const SUMMARY: &'static str = "trials of a known cost: what can a farm do?";
    const PRESETS: &'static [Preset] = &[
        Preset { name: "quick", text: include_str!("../specs/quick.toml") },
        Preset { name: "smoke", text: include_str!("../specs/smoke.toml") },
    ];

    type Simulation = BurnTrials;
    type Spec = BurnSpec;
    type State = BurnState;

    fn generations(_: &BurnSpec) -> u32 {
        1
    }

    fn phases(spec: &BurnSpec) -> Vec<WorkPhase> {
        let n_trials = u64::from(spec.trials);
        vec![WorkPhase { n_generations: 1, n_trials: n_trials..=n_trials, cost: CostTrend::Steady }]
    }

    fn begin(_: &BurnSpec, seed: &GenerationSeed) -> Result<BurnState, InvalidParam> {
        Ok(BurnState { trials: 0, sum: 0, shared_start: seed.stream("shared").next_u64() })
    }

    fn plan(spec: &BurnSpec, state: &BurnState) -> Plan<BurnTrials> {
        let subject = BurnSubject { rounds: spec.rounds };
        let series = vec![Series { subject, n_trials: spec.trials }];
        let shared =
            BurnShared { bytes: shared_bytes(state.shared_start, spec.shared_bytes).into() };
        Plan { shared, series, draws: Draws::PerSubject }
    }

    fn fold(
        _: &BurnSpec,
        mut state: BurnState,
        tallies: Vec<BurnTally>,
        _: &GenerationSeed,
    ) -> Step<BurnState> {
        for BurnTally { trials, sum } in tallies {
            state.trials += trials;
            state.sum = state.sum.wrapping_add(sum);
        }
        Step::Done(state)
    }

    fn measures(_: &BurnSpec, state: &BurnState) -> Vec<Measure> {
        vec![Measure::new("trials", "trials", state.trials)]
    }
}

/// Returns the end of `rounds` rounds of xorshift64 from `start`: each needs the one before, so
/// that no compiler and no processor gets around them.
#[must_use]
pub fn burn(rounds: u32, start: u64) -> u64 {
    // 0 leads to 0.
    (0..rounds).fold(start | 1, |x, _| xorshift64(x))
}

fn xorshift64(mut x: u64) -> u64 {
    x ^= x << 13;
    x ^= x >> 7;
    x ^ (x << 17)
}

/// Returns the start of a trial: drawn, and combined with eight bytes of the shared input from a
/// drawn position, so that another input gives another tally.
fn start(BurnShared { bytes }: &BurnShared, mut rng: StreamRng) -> u64 {
    let drawn = rng.next_u64();
    if bytes.is_empty() {
        return drawn;
    }
    let n_bytes = u32::try_from(bytes.len()).expect("the wire admits fewer bytes");
    let first = rng.below(n_bytes) as usize;
    let read = std::array::from_fn(|idx| bytes[(first + idx) % bytes.len()]);
    drawn ^ u64::from_le_bytes(read)
}

/// Returns `n_bytes` bytes that no compression makes shorter, another sequence for each `start`.
fn shared_bytes(start: u64, n_bytes: u32) -> Vec<u8> {
    let words = std::iter::successors(Some(xorshift64(start | 1)), |&x| Some(xorshift64(x)));
    let n_bytes = n_bytes as usize;
    let mut bytes = Vec::with_capacity(n_bytes.next_multiple_of(8));
    words.take(n_bytes.div_ceil(8)).for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
    bytes.truncate(n_bytes);
    bytes
}
