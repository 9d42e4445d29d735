//! The extension point of hatchery.
//!
//! Every study fits one sentence: *per generation, run n seeded trials on each of m subjects, then
//! compute the next state.* Two traits express it. A worker runs a [`Simulation`], the trials. A
//! leader runs an [`Experiment`], everything between the trials. A game crate implements both
//! traits, and the farm then runs it with the same result on any number of machines.
//!
//! Nothing below `jobs/` does I/O, reads a clock or the environment, or starts a thread.
//!
//! - [`simulation`]: what a worker runs: trials, tallies, work
//! - [`experiment`]: what a leader runs: plans, folds, steps
//! - [`forecast`]: what an experiment says about the work to come
//! - [`scene`]: trials as pictures, for people, and the code that turns pictures into text and JSON
//! - [`seed`]: the tree of random numbers; [`fast_rng`]: a faster generator that a leaf seeds
//! - [`wire`]: the encoding of values between processes
//! - [`part`]: large bytes that values name by their hash; [`trial_context`]: how a trial reads and
//!   writes parts, and reports progress; [`byte_cache`]: parts that are kept in memory
//! - [`own_game`]: games that come as inputs of a run: what a trial may ask its host for
//! - [`input`]: parts that a spec names, and the parts that a run begins with
//! - [`invalid_value`]: the error for a value that is not allowed, in a spec or on the wire
//! - [`measure`], [`exhibit`]: the numbers and the files that an experiment shows
//! - [`table`]: tables with typed columns, in files and in findings
//! - [`rich_text`]: texts with emphasis; [`words`]: numbers in them
//! - [`findings`]: what a run found out, for people to read
//! - [`spec`]: the file that a person writes, its errors, its printed form
//! - [`erased`](mod@erased): experiments in bytes, as the farm sees them: the only place where
//!   typed and untyped meet
//! - [`digest`]: the hash that identifies a run's result
//! - [`panic`](mod@panic), [`error`]: panics caught, errors printed with their causes
//! - [`text`]: numbers of things, plain names, excerpts
//! - [`reference`](mod@reference): the plainest way to run an experiment: the farm must give the
//!   same
//! - [`conformance`]: the checks that every experiment must pass

// The derives name this crate as others do.
#[cfg(test)]
extern crate self as hatchery_core;

pub mod byte_cache;
pub mod conformance;
pub mod digest;
pub mod erased;
pub mod error;
pub mod exhibit;
pub mod experiment;
pub mod fast_rng;
pub mod findings;
pub mod forecast;
pub mod input;
pub mod invalid_value;
pub mod measure;
pub mod own_game;
pub mod panic;
pub mod part;
pub mod reference;
pub mod rich_text;
pub mod scene;
pub mod seed;
pub mod simulation;
pub mod spec;
pub mod table;
pub mod text;
pub mod trial_context;
pub mod trial_table;
pub mod wire;
pub mod words;

pub use byte_cache::ByteCache;
pub use digest::Digest;
pub use erased::{AnyExperiment, Catalog, erased};
pub use error::error_chain;
pub use exhibit::{Exhibit, ExhibitContent, TABLE_MEDIA_TYPE};
pub use experiment::{
    Experiment, Plan, Preset, Series, SeriesClass, SharedOf, Step, SubjectTrial, TallyOf,
};
pub use fast_rng::FastRng;
pub use findings::{Findings, GenerationMeasures, RunHistory};
pub use forecast::{CostTrend, WorkPhase};
pub use input::{InitialParts, NamedInput, PartInput};
pub use invalid_value::InvalidValue;
pub use measure::{IntervalEstimate, Measure, MeasureValue};
pub use own_game::{GameAbout, GameFailure, GameModule, GameRunner, OwnGames, TrialWatch};
pub use panic::{CaughtPanic, catch_panic};
pub use part::{LargeValue, Part, PartSet};
pub use scene::{SceneBase, SceneSink, SceneWriter};
pub use seed::{Draws, GenerationSeed, RunSeed, StreamRng};
pub use simulation::{Simulation, SubjectStreams, Tally, Work};
pub use table::DataTable;
pub use trial_context::{PartMemory, TrialContext, TrialHost, TrialPulse};
pub use trial_table::TrialRow;
pub use wire::{DecodeError, MessageValue, PartMessage, WireElement, WireValue};
