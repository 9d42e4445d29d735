//! `hatchery completions`

use clap::{Args, Command};
use clap_complete::Shell;

use super::output::print_result;
use crate::failure::Failure;

/// Print completions for a shell
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(super) fn run(&self, command: &mut Command) -> Result<(), Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, command, "hatchery", &mut script);
        print_result(&String::from_utf8_lossy(&script))
    }
}
