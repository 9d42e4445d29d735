//! `hatchery completions`

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::{Cli, show};
use crate::failure::Failure;

/// Print completions for a shell
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "hatchery", &mut script);
        show(&String::from_utf8_lossy(&script))
    }
}
