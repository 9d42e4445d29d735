//! `hatchery completions`

use clap::{Args, Command};
use clap_complete::Shell;

use super::output::print_result;
use crate::error::CommandError;

/// Print a shell completion script
#[derive(Debug, Args)]
pub(crate) struct CompletionsCommand {
    /// Shell to complete commands in
    shell: Shell,
}

impl CompletionsCommand {
    pub(super) fn run(&self, command: &mut Command) -> Result<(), CommandError> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, command, "hatchery", &mut script);
        print_result(&String::from_utf8_lossy(&script))
    }
}
