//! The arguments that name a spec.

use std::path::Path;

use clap::Args;
use hatchery_core::AnyExperiment;

use super::input_args::InputArgs;
use super::loaded_spec::{LoadedSpec, run_name};
use crate::error::{CommandError, UsageError};
use crate::program::catalog;
use crate::sweep::SEED;

/// A spec, and the changes to it.
#[derive(Clone, Debug, Args)]
pub(super) struct SpecArgs {
    /// Preset, such as tetris-evolve/quick, or spec file; `-` reads a spec from standard input
    pub(super) spec: String,
    /// Seed for all random numbers: short for --set seed=SEED
    #[arg(long)]
    seed: Option<u64>,
    /// Change a value of the spec, such as seed=2 or games=500; repeat the flag for more values
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
}

impl SpecArgs {
    /// Reads the spec, and applies the changes. Files that it names by their hash are also looked
    /// for among `inputs`.
    ///
    /// # Errors
    ///
    /// Fails if the spec or a file cannot be read or is invalid.
    pub(super) fn open(&self, inputs: &InputArgs) -> Result<LoadedSpec, CommandError> {
        if self.seed.is_some() && self.assigned_keys().any(|key| key == SEED) {
            return Err(UsageError::SeedTwice.into());
        }
        let seed = self.seed.map(|seed| format!("seed={seed}"));
        let set: Vec<_> = self.set.iter().cloned().chain(seed).collect();
        LoadedSpec::open(&self.spec, &set, &inputs.files)
    }

    /// Returns the experiment that is named in place of a spec, if one is.
    pub(super) fn experiment(&self) -> Option<&'static dyn AnyExperiment> {
        let is_file = Path::new(&self.spec).exists();
        let is_changed = !self.set.is_empty() || self.seed.is_some();
        catalog().find(&self.spec).filter(|_| !is_file && !is_changed)
    }

    /// Returns the same arguments with further assignments.
    pub(super) fn with(&self, assignments: impl IntoIterator<Item = String>) -> Self {
        let mut args = self.clone();
        args.set.extend(assignments);
        args
    }

    /// Returns the keys that have a value of their own.
    pub(super) fn set_keys(&self) -> impl Iterator<Item = &str> {
        self.assigned_keys().chain(self.seed.map(|_| SEED))
    }

    fn assigned_keys(&self) -> impl Iterator<Item = &str> {
        let set = self.set.iter().filter_map(|assignment| assignment.split_once('='));
        set.map(|(key, _)| key.trim())
    }

    /// Returns the default name of a run.
    pub(super) fn run_name(&self) -> String {
        run_name(&self.spec)
    }
}
