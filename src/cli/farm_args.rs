//! The arguments that all farm verbs share.

use clap::Args;

use super::output::{OutputFormat, print_result};
use crate::client::FarmArgs;
use crate::error::CommandError;
use crate::report::farm::{self, JsonDocument};
use crate::run_folder::RunFolder;

/// The farm, and the format of the output.
#[derive(Clone, Debug, Args)]
pub(super) struct FarmVerbArgs {
    /// Output format
    #[arg(long, value_enum, default_value = "table", env = "HATCHERY_OUTPUT", help_heading = None)]
    pub(super) output: OutputFormat,
    #[command(flatten)]
    pub(super) farm: FarmArgs,
}

/// A run of this machine or, if a farm is named, of the farm.
#[derive(Clone, Debug, Args)]
pub(super) struct AnyRunArgs {
    /// Run: its folder, its name, the beginning or end of its id, or `last`
    pub(super) run: String,
    #[command(flatten)]
    pub(super) verb: FarmVerbArgs,
}

impl AnyRunArgs {
    /// Returns the folder of the run; `None` if it is a run of the farm. The folder of a run always
    /// names that run.
    ///
    /// # Errors
    /// If no farm is named, and no run of this machine or several.
    pub(super) fn folder(&self) -> Result<Option<RunFolder>, CommandError> {
        match RunFolder::named(&self.run) {
            None if self.verb.farm.is_given() => Ok(None),
            None => RunFolder::find(&self.run).map(Some),
            folder => Ok(folder),
        }
    }
}

/// A run of a farm.
#[derive(Clone, Debug, Args)]
pub(super) struct RunArgs {
    /// Run: its id, the beginning or end of the id, its name, or `last`
    pub(super) run: String,
    #[command(flatten)]
    pub(super) verb: FarmVerbArgs,
}

impl FarmVerbArgs {
    /// Prints a farm's answer in the chosen format.
    pub(super) fn print<A: JsonDocument>(
        &self,
        answer: A,
        table: impl FnOnce(&A) -> String,
    ) -> Result<(), CommandError> {
        match self.output {
            OutputFormat::Table => print_result(&table(&answer)),
            OutputFormat::Json => print_result(&farm::json(answer)),
            OutputFormat::Quiet => Ok(()),
        }
    }
}
