//! The arguments that all verbs of a farm have.

use clap::Args;

use super::output::{Output, print_result};
use crate::client::FarmArgs;
use crate::failure::Failure;
use crate::report::farm::{self, Answer};

/// Which farm, and how to show what it says.
#[derive(Clone, Debug, Args)]
pub(super) struct FarmVerb {
    #[command(flatten)]
    pub(super) farm: FarmArgs,
    /// How to show the result
    #[arg(long, value_enum, default_value = "table", env = "HATCHERY_OUTPUT")]
    pub(super) output: Output,
}

/// A run of a farm.
#[derive(Clone, Debug, Args)]
pub(super) struct RunArgs {
    /// The run: its id, the beginning or end of that, its name, or `last`
    pub(super) run: String,
    #[command(flatten)]
    pub(super) verb: FarmVerb,
}

impl FarmVerb {
    /// Prints what a farm said.
    pub(super) fn print<A: Answer>(
        &self,
        answer: A,
        table: impl FnOnce(&A) -> String,
    ) -> Result<(), Failure> {
        match self.output {
            Output::Table => print_result(&table(&answer)),
            Output::Json => print_result(&farm::json(answer)),
            Output::Quiet => Ok(()),
        }
    }
}
