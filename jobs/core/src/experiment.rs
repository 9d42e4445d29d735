//! The trait that a study implements, and the words it is written in.

use std::fmt::Display;
use std::ops::ControlFlow;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::measure::{Exhibit, Measure};
use crate::seed::{Draws, GenerationSeed, StreamRng};
use crate::wire::Wire;

/// A paper's procedure: per generation, run n seeded trials on each of m subjects, then compute
/// the next state.
///
/// All functions are associated functions without `self`: nothing can leak from one trial, one
/// generation or one machine to another. They are pure: the same arguments give the same bytes on
/// every machine. [`crate::conformance`] checks what follows from that.
///
/// ```text
/// spec -begin-> state -plan-> subjects x trials -trial-> tallies -fold-> next state, or the last
/// ```
pub trait Experiment: Sized + Send + Sync + 'static {
    /// The name in specs, on the wire and in metrics: `kebab-case`.
    const NAME: &'static str;
    /// The version of the procedure: raised whenever a trial or a fold can give another result.
    const VERSION: u32;
    /// What it computes, in one line.
    const SUMMARY: &'static str;
    /// The specs that ship with it.
    const PRESETS: &'static [Preset];
    /// How many trials of one subject [`trials`](Self::trials) should get at once, where that does
    /// not take long: more than 1 if they are much cheaper together.
    const TOGETHER: u32 = 1;

    /// The parameters that a person writes; unknown keys are errors (`deny_unknown_fields`).
    type Spec: DeserializeOwned + Serialize + JsonSchema + Send + Sync;
    /// All memory between generations: it is checkpointed, and a run can go on from it anywhere.
    type State: Serialize + DeserializeOwned + Send;
    /// Immutable input common to a generation's trials; a worker fetches it once.
    type Shared: Wire;
    /// What is being simulated: an individual, a map, a pairing, a level.
    type Subject: Wire;
    /// What trials return.
    type Tally: Tally;

    /// The most generations that a run of `spec` takes, for progress and time left.
    fn generations(spec: &Self::Spec) -> u32;

    /// The state before generation 0.
    ///
    /// # Errors
    /// If the parameters contradict each other.
    fn begin(spec: &Self::Spec, seed: &GenerationSeed) -> Result<Self::State, Refusal>;

    /// What the generation that starts from `state` simulates.
    fn plan(spec: &Self::Spec, state: &Self::State) -> Plan<Self>;

    /// One seeded simulation. Bad input was refused when it was decoded, so a failure here is a
    /// bug and panics; the worker catches it.
    fn trial(shared: &Self::Shared, subject: &Self::Subject, rng: StreamRng) -> Self::Tally;

    /// The trials of all `streams` (at least one) of one subject, absorbed in order. An experiment
    /// that can play many at once overrides this; the result must equal the default's.
    fn trials(
        shared: &Self::Shared,
        subject: &Self::Subject,
        mut streams: impl Iterator<Item = StreamRng>,
    ) -> Self::Tally {
        let first = streams.next().expect("a block of trials has at least one");
        let mut tally = Self::trial(shared, subject, first);
        for rng in streams {
            tally.absorb(Self::trial(shared, subject, rng));
        }
        tally
    }

    /// The state after a generation, from its tallies: one per series, in plan order.
    fn fold(
        spec: &Self::Spec,
        state: Self::State,
        tallies: Vec<Self::Tally>,
        seed: &GenerationSeed,
    ) -> Step<Self::State>;

    /// The work that a tally stands for, such as pieces placed: exact counts, which add up when
    /// tallies are absorbed. Always the same units in the same order.
    fn work(tally: &Self::Tally) -> Vec<Work>;

    /// The numbers that `state` shows, the most important first.
    fn measures(spec: &Self::Spec, state: &Self::State) -> Vec<Measure>;

    /// The files that `state` shows.
    fn exhibits(spec: &Self::Spec, state: &Self::State) -> Vec<Exhibit>;

    /// Shows one trial to a person, frame by frame, until the trial ends or `frames` breaks off.
    fn narrate(
        shared: &Self::Shared,
        subject: &Self::Subject,
        rng: StreamRng,
        frames: &mut Frames<'_>,
    ) -> ControlFlow<()>;
}

/// Where [`Experiment::narrate`] sends its frames; breaks when no more are wanted.
pub type Frames<'a> = dyn FnMut(&str) -> ControlFlow<()> + 'a;

/// What trials return: a value that merges exactly.
///
/// Integers or lists, never running float sums, so that `absorb` is associative to the byte and
/// job sizes cannot change a result.
pub trait Tally: Wire {
    /// Adds `later`: the tally of trials that come behind this one's.
    fn absorb(&mut self, later: Self);
}

/// What one generation simulates.
#[derive(Debug)]
pub struct Plan<E: Experiment> {
    /// Input common to all trials.
    pub shared: E::Shared,
    /// The subjects, in the order in which fold gets their tallies; at least one.
    pub series: Vec<Series<E::Subject>>,
    /// Whether subjects meet the same random numbers.
    pub draws: Draws,
}

/// A subject and how often it is simulated.
#[derive(Clone, Debug)]
pub struct Series<S> {
    /// What is simulated.
    pub subject: S,
    /// How many trials; at least 1.
    pub n_trials: u32,
}

/// What a fold leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step<S> {
    /// The run goes on with the generation planned from this state.
    Continue(S),
    /// The run ends; this state is its result.
    Done(S),
}

/// An exact count of work done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
pub struct Work {
    /// What is counted, in the plural, such as `pieces`.
    pub unit: String,
    /// How many.
    pub count: u64,
}

impl Work {
    /// `count` of `unit`.
    pub fn new(unit: impl Into<String>, count: u64) -> Self {
        Self { unit: unit.into(), count }
    }

    /// Adds `more` to `sum`, unit by unit.
    pub fn add(sum: &mut Vec<Self>, more: &[Self]) {
        for work in more {
            match sum.iter_mut().find(|known| known.unit == work.unit) {
                Some(known) => known.count += work.count,
                None => sum.push(work.clone()),
            }
        }
    }
}

/// A spec that ships with an experiment, as `EXPERIMENT/NAME`.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// The name behind the slash.
    pub name: &'static str,
    /// The spec's text.
    pub text: &'static str,
}

/// Parameters that an experiment can't run with, although each alone is in range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key} = {value}, but must be {expected}")]
pub struct Refusal {
    /// The parameter's path below `params`, such as `fitness.games` or `boards.0.width`.
    pub key: String,
    /// Its value.
    pub value: String,
    /// What would be right.
    pub expected: String,
}

impl Refusal {
    /// The refusal of `key` holding `value` where `expected` would be right.
    pub fn new(
        key: impl Into<String>,
        value: &(impl Display + ?Sized),
        expected: impl Into<String>,
    ) -> Self {
        Self { key: key.into(), value: value.to_string(), expected: expected.into() }
    }
}
