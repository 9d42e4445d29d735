//! The arguments of all verbs that talk to a farm.

use clap::Args;

use super::output::{OutputFormat, print_result};
use crate::client::FarmArgs;
use crate::error::CommandError;
use crate::report::farm::{self, JsonDocument};

/// The farm, and the format of the output.
#[derive(Clone, Debug, Args)]
pub(super) struct FarmVerbArgs {
    /// Output format
    #[arg(long, value_enum, default_value = "table", env = "HATCHERY_OUTPUT", help_heading = None)]
    pub(super) output: OutputFormat,
    #[command(flatten)]
    pub(super) farm: FarmArgs,
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
