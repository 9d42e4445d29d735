//! Experiments as bytes: the only place where typed and untyped meet.
//!
//! Coordinator and worker see only bytes, so neither depends on any game:
//!
//! ```text
//! coordinator   AnyExperiment -configure(spec)-> ConfiguredExperiment: begins, plans, folds, shows
//!      |
//!  simulation()
//!      v
//! worker        AnySimulation -prepare(shared)-> PreparedSimulation
//!                                      -subjects(bytes)-> PreparedSubjects: run trials together
//!                                      -subject(bytes)-> PreparedSubject: runs trials, shows one
//! ```

mod experiment;
mod plan;
mod simulation;
mod tallies;

use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::experiment::Preset;
use crate::wire::{DecodeError, type_name};

pub use experiment::{
    AnyExperiment, Beginning, ClosedGeneration, ConfiguredExperiment, ExperimentError, erased,
    stored_files,
};
pub(crate) use plan::encode_plan;
pub use plan::{AnyPlan, AnySeries, MissingPart};
pub use simulation::{AnySimulation, PreparedSimulation, PreparedSubject, PreparedSubjects};
pub use tallies::TallyAccumulator;

/// Encoded bytes of a state, a shared input, a subject or a tally.
pub type EncodedBytes = Vec<u8>;

/// The experiments of a game, as the game's crate lists them.
pub type GameExperiments = [&'static dyn AnyExperiment];

/// The experiments of a process, game by game.
///
/// An experiment has a name, a version and a simulation. A worker announces the name and the
/// version, and runs the simulation.
#[derive(Clone, Copy)]
pub struct Catalog(pub &'static [&'static GameExperiments]);

impl Catalog {
    /// Returns all experiments, in the order of lists for people.
    pub fn experiments(&self) -> impl Iterator<Item = &'static dyn AnyExperiment> + use<> {
        self.0.iter().copied().flatten().copied()
    }

    /// Returns the experiment called `name`.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&'static dyn AnyExperiment> {
        self.experiments().find(|experiment| experiment.name() == name)
    }

    /// Returns the experiment called `name` if this process has it in `version`.
    #[must_use]
    pub fn find_version(&self, name: &str, version: u32) -> Option<&'static dyn AnyExperiment> {
        self.find(name).filter(|experiment| experiment.version() == version)
    }

    /// Returns the preset called `path`, such as `pig/quick`.
    #[must_use]
    pub fn preset(&self, path: &str) -> Option<Preset> {
        let (experiment, name) = path.split_once('/')?;
        let presets = self.find(experiment)?.presets();
        presets.iter().copied().find(|preset| preset.name == name)
    }

    /// Returns the paths of the presets of all experiments.
    pub fn preset_paths(&self) -> impl Iterator<Item = String> {
        self.experiments().flat_map(|experiment| {
            experiment
                .presets()
                .iter()
                .map(|preset| format!("{}/{}", experiment.name(), preset.name))
        })
    }
}

impl fmt::Debug for Catalog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.experiments().map(|experiment| experiment.name())).finish()
    }
}

pub(crate) fn encode_state<S: Serialize>(state: &S) -> EncodedBytes {
    postcard::to_allocvec(state).expect("a state is plain data: memory is all that encoding needs")
}

pub(crate) fn decode_state<S: DeserializeOwned>(bytes: &[u8]) -> Result<S, DecodeError> {
    let (state, rest) = postcard::take_from_bytes(bytes)
        .map_err(|source| DecodeError::State { what: type_name::<S>(), source })?;
    match rest.len() {
        0 => Ok(state),
        n_bytes => Err(DecodeError::Trailing { what: type_name::<S>(), n_bytes }),
    }
}
