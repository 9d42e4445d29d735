//! Experiments as bytes: the only place where typed and untyped meet.
//!
//! The coordinator works with a [`Procedure`] (an experiment with its parameters), the worker with
//! a [`Bench`] (an experiment with the shared input of a generation). Both see only bytes, so
//! neither knows a game.

use std::fmt;
use std::marker::PhantomData;
use std::ops::ControlFlow;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::experiment::{Experiment, Frames, Plan, Preset, Refusal, Series, Step, Tally, Work};
use crate::measure::{Exhibit, Measure};
use crate::seed::{Draws, GenerationSeed, StreamRng};
use crate::spec::{self, SpecError};
use crate::wire::{Malformed, Wire, type_name};

/// Encoded bytes of a state, a shared input, a subject or a tally.
pub type Bytes = Vec<u8>;

/// `E` as the farm sees it.
#[must_use]
pub const fn erased<E: Experiment>() -> &'static dyn AnyExperiment {
    &Erased::<E>(PhantomData)
}

/// The experiments that a process knows.
#[derive(Clone, Copy)]
pub struct Catalog(pub &'static [&'static dyn AnyExperiment]);

impl Catalog {
    /// The experiment called `name`.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&'static dyn AnyExperiment> {
        self.0.iter().copied().find(|experiment| experiment.name() == name)
    }

    /// The preset called `path`, such as `pig/quick`.
    #[must_use]
    pub fn preset(&self, path: &str) -> Option<Preset> {
        let (experiment, name) = path.split_once('/')?;
        let presets = self.find(experiment)?.presets();
        presets.iter().copied().find(|preset| preset.name == name)
    }

    /// The paths of all presets.
    pub fn preset_paths(&self) -> impl Iterator<Item = String> {
        self.0.iter().flat_map(|experiment| {
            experiment
                .presets()
                .iter()
                .map(|preset| format!("{}/{}", experiment.name(), preset.name))
        })
    }
}

impl fmt::Debug for Catalog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|experiment| experiment.name())).finish()
    }
}

/// An experiment, without its types.
pub trait AnyExperiment: Send + Sync {
    /// See [`Experiment::NAME`].
    fn name(&self) -> &'static str;
    /// See [`Experiment::VERSION`].
    fn version(&self) -> u32;
    /// See [`Experiment::SUMMARY`].
    fn summary(&self) -> &'static str;
    /// See [`Experiment::PRESETS`].
    fn presets(&self) -> &'static [Preset];
    /// See [`Experiment::TOGETHER`].
    fn together(&self) -> u32;
    /// The JSON schema of the parameters.
    fn schema(&self) -> serde_json::Value;
    /// The experiment with the parameters that `document` gives.
    ///
    /// # Errors
    /// If a parameter is unknown, of the wrong type or out of range.
    fn procedure(&self, document: &spec::Document) -> Result<Box<dyn Procedure>, SpecError>;
    /// The experiment with parameters that were canonical JSON of [`Procedure::canonical_params`].
    ///
    /// # Errors
    /// If they are no parameters of this experiment.
    fn reopen(&self, canonical_params: &str) -> Result<Box<dyn Procedure>, FarmError>;
    /// The experiment with the shared input of a generation.
    ///
    /// # Errors
    /// If `shared` is malformed.
    fn bench(&self, shared: &[u8]) -> Result<Box<dyn Bench>, Malformed>;
    /// An empty gathering of tallies for `n_series` series.
    fn gather(&self, n_series: usize) -> Box<dyn Gathering>;
}

/// An experiment with its parameters: what plans and folds.
pub trait Procedure: Send + Sync {
    /// The parameters, defaults included, as JSON: equal parameters have equal text.
    fn canonical_params(&self) -> String;
    /// See [`Experiment::generations`].
    fn generations(&self) -> u32;
    /// See [`Experiment::begin`].
    ///
    /// # Errors
    /// If the parameters contradict each other.
    fn begin(&self, seed: &GenerationSeed) -> Result<Bytes, Refusal>;
    /// See [`Experiment::plan`].
    ///
    /// # Errors
    /// If `state` is malformed, or the plan is empty or too large.
    fn plan(&self, state: &[u8]) -> Result<AnyPlan, FarmError>;
    /// See [`Experiment::fold`]: one tally per series, in plan order.
    ///
    /// # Errors
    /// If `state` or a tally is malformed.
    fn fold(
        &self,
        state: &[u8],
        tallies: &[Bytes],
        seed: &GenerationSeed,
    ) -> Result<Step<Bytes>, FarmError>;
    /// See [`Experiment::work`].
    ///
    /// # Errors
    /// If the tally is malformed.
    fn work(&self, tally: &[u8]) -> Result<Vec<Work>, FarmError>;
    /// See [`Experiment::measures`].
    ///
    /// # Errors
    /// If `state` is malformed.
    fn measures(&self, state: &[u8]) -> Result<Vec<Measure>, FarmError>;
    /// See [`Experiment::exhibits`].
    ///
    /// # Errors
    /// If `state` is malformed.
    fn exhibits(&self, state: &[u8]) -> Result<Vec<Exhibit>, FarmError>;
}

/// A plan in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnyPlan {
    /// The shared input.
    pub shared: Bytes,
    /// The subjects and their numbers of trials; none is empty.
    pub series: Vec<Series<Bytes>>,
    /// Whether subjects meet the same random numbers.
    pub draws: Draws,
}

impl PartialEq for Series<Bytes> {
    fn eq(&self, other: &Self) -> bool {
        self.n_trials == other.n_trials && self.subject == other.subject
    }
}

impl Eq for Series<Bytes> {}

/// The tallies of a generation while they come in.
pub trait Gathering: Send {
    /// Adds the tally of the next trials of series number `series`.
    ///
    /// # Errors
    /// If the tally is malformed.
    fn absorb(&mut self, series: u32, tally: &[u8]) -> Result<(), Malformed>;
    /// The tallies so far, in plan order; `None` where no trial came in.
    fn tallies(&self) -> Vec<Option<Bytes>>;
}

/// An experiment with the shared input of a generation: what a worker simulates with.
pub trait Bench: Send + Sync {
    /// See [`Experiment::TOGETHER`].
    fn together(&self) -> u32;
    /// A subject, ready to be simulated.
    ///
    /// # Errors
    /// If `subject` is malformed.
    fn subject<'a>(&'a self, subject: &[u8]) -> Result<Box<dyn Trials + 'a>, Malformed>;
}

/// One subject, ready to be simulated.
pub trait Trials: Send + Sync {
    /// The tally of the trials of all `streams`, at least one. See [`Experiment::trials`].
    fn trials(&self, streams: &mut dyn Iterator<Item = StreamRng>) -> Bytes;
    /// See [`Experiment::narrate`].
    fn narrate(&self, rng: StreamRng, frames: &mut Frames<'_>) -> ControlFlow<()>;
}

/// Something that keeps a run from being planned or folded.
#[derive(Debug, thiserror::Error)]
pub enum FarmError {
    /// Bytes that say no valid value.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// Parameters that contradict each other.
    #[error("parameters refused")]
    Refused(#[from] Refusal),
    /// Parameters that were stored can't be read again.
    #[error("stored parameters are not readable by this build")]
    Params(#[source] serde_json::Error),
    /// A plan without subjects or trials.
    #[error("the plan has no trials for subject {subject} of {n_subjects}")]
    EmptyPlan {
        /// The first subject without trials; 0 if there are no subjects.
        subject: usize,
        /// How many subjects the plan has.
        n_subjects: usize,
    },
    /// A number of tallies that is not the number of series.
    #[error("a fold got {n_tallies} tallies for {n_series} series")]
    WrongTallies {
        /// How many came.
        n_tallies: usize,
        /// How many the plan asks for.
        n_series: usize,
    },
}

struct Erased<E>(PhantomData<E>);

impl<E: Experiment> AnyExperiment for Erased<E> {
    fn name(&self) -> &'static str {
        E::NAME
    }

    fn version(&self) -> u32 {
        E::VERSION
    }

    fn summary(&self) -> &'static str {
        E::SUMMARY
    }

    fn together(&self) -> u32 {
        E::TOGETHER
    }

    fn presets(&self) -> &'static [Preset] {
        E::PRESETS
    }

    fn schema(&self) -> serde_json::Value {
        spec::schema_of::<E::Spec>()
    }

    fn procedure(&self, document: &spec::Document) -> Result<Box<dyn Procedure>, SpecError> {
        Ok(Box::new(Opened::<E> { spec: document.params(&self.schema())? }))
    }

    fn reopen(&self, canonical_params: &str) -> Result<Box<dyn Procedure>, FarmError> {
        let spec = serde_json::from_str(canonical_params).map_err(FarmError::Params)?;
        Ok(Box::new(Opened::<E> { spec }))
    }

    fn bench(&self, shared: &[u8]) -> Result<Box<dyn Bench>, Malformed> {
        Ok(Box::new(Prepared::<E> { shared: E::Shared::decode(shared)? }))
    }

    fn gather(&self, n_series: usize) -> Box<dyn Gathering> {
        Box::new(Gathered::<E>((0..n_series).map(|_| None).collect()))
    }
}

struct Opened<E: Experiment> {
    spec: E::Spec,
}

impl<E: Experiment> Procedure for Opened<E> {
    fn canonical_params(&self) -> String {
        serde_json::to_string(&self.spec).expect("parameters came from text, so they can be text")
    }

    fn generations(&self) -> u32 {
        E::generations(&self.spec)
    }

    fn begin(&self, seed: &GenerationSeed) -> Result<Bytes, Refusal> {
        Ok(encode_state(&E::begin(&self.spec, seed)?))
    }

    fn plan(&self, state: &[u8]) -> Result<AnyPlan, FarmError> {
        let plan = encode_plan(&E::plan(&self.spec, &decode_state(state)?));
        let n_subjects = plan.series.len();
        let empty = plan.series.iter().position(|series| series.n_trials == 0);
        match empty.or_else(|| (n_subjects == 0).then_some(0)) {
            Some(subject) => Err(FarmError::EmptyPlan { subject, n_subjects }),
            None => Ok(plan),
        }
    }

    fn fold(
        &self,
        state: &[u8],
        tallies: &[Bytes],
        seed: &GenerationSeed,
    ) -> Result<Step<Bytes>, FarmError> {
        let state: E::State = decode_state(state)?;
        let n_series = E::plan(&self.spec, &state).series.len();
        if tallies.len() != n_series {
            return Err(FarmError::WrongTallies { n_tallies: tallies.len(), n_series });
        }
        let tallies = tallies.iter().map(|tally| E::Tally::decode(tally));
        let tallies = tallies.collect::<Result<Vec<_>, _>>()?;
        Ok(match E::fold(&self.spec, state, tallies, seed) {
            Step::Continue(next) => Step::Continue(encode_state(&next)),
            Step::Done(last) => Step::Done(encode_state(&last)),
        })
    }

    fn work(&self, tally: &[u8]) -> Result<Vec<Work>, FarmError> {
        Ok(E::work(&E::Tally::decode(tally)?))
    }

    fn measures(&self, state: &[u8]) -> Result<Vec<Measure>, FarmError> {
        Ok(E::measures(&self.spec, &decode_state(state)?))
    }

    fn exhibits(&self, state: &[u8]) -> Result<Vec<Exhibit>, FarmError> {
        Ok(E::exhibits(&self.spec, &decode_state(state)?))
    }
}

struct Gathered<E: Experiment>(Vec<Option<E::Tally>>);

impl<E: Experiment> Gathering for Gathered<E> {
    fn absorb(&mut self, series: u32, tally: &[u8]) -> Result<(), Malformed> {
        let n_series = self.0.len();
        let Some(slot) = usize::try_from(series).ok().and_then(|idx| self.0.get_mut(idx)) else {
            return Err(Malformed::field("series", &series, format!("below {n_series}")));
        };
        let tally = E::Tally::decode(tally)?;
        match slot {
            Some(earlier) => earlier.absorb(tally),
            None => *slot = Some(tally),
        }
        Ok(())
    }

    fn tallies(&self) -> Vec<Option<Bytes>> {
        self.0.iter().map(|tally| tally.as_ref().map(Wire::encode)).collect()
    }
}

struct Prepared<E: Experiment> {
    shared: E::Shared,
}

impl<E: Experiment> Bench for Prepared<E> {
    fn together(&self) -> u32 {
        E::TOGETHER
    }

    fn subject<'a>(&'a self, subject: &[u8]) -> Result<Box<dyn Trials + 'a>, Malformed> {
        let subject = E::Subject::decode(subject)?;
        Ok(Box::new(Ready::<E> { shared: &self.shared, subject }))
    }
}

struct Ready<'a, E: Experiment> {
    shared: &'a E::Shared,
    subject: E::Subject,
}

impl<E: Experiment> Trials for Ready<'_, E> {
    fn trials(&self, streams: &mut dyn Iterator<Item = StreamRng>) -> Bytes {
        E::trials(self.shared, &self.subject, streams).encode()
    }

    fn narrate(&self, rng: StreamRng, frames: &mut Frames<'_>) -> ControlFlow<()> {
        E::narrate(self.shared, &self.subject, rng, frames)
    }
}

pub(crate) fn encode_plan<E: Experiment>(plan: &Plan<E>) -> AnyPlan {
    let Plan { shared, series, draws } = plan;
    let series = series.iter().map(|Series { subject, n_trials }| Series {
        subject: subject.encode(),
        n_trials: *n_trials,
    });
    AnyPlan { shared: shared.encode(), series: series.collect(), draws: *draws }
}

pub(crate) fn encode_state<S: Serialize>(state: &S) -> Bytes {
    postcard::to_allocvec(state).expect("a state is plain data: memory is all that encoding needs")
}

pub(crate) fn decode_state<S: DeserializeOwned>(bytes: &[u8]) -> Result<S, Malformed> {
    let (state, rest) = postcard::take_from_bytes(bytes)
        .map_err(|source| Malformed::State { what: type_name::<S>(), source })?;
    match rest.len() {
        0 => Ok(state),
        n_bytes => Err(Malformed::Trailing { what: type_name::<S>(), n_bytes }),
    }
}
