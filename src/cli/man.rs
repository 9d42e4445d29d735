//! `hatchery man`

use std::fs;
use std::path::PathBuf;

use clap::{Args, Command};

use crate::error::CommandError;

/// Write the man pages of hatchery and its verbs into a folder
#[derive(Debug, Args)]
#[command(hide = true)]
pub(crate) struct ManCommand {
    /// Folder, which is created if it does not exist
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl ManCommand {
    pub(super) fn run(self, command: Command) -> Result<(), CommandError> {
        let written = fs::create_dir_all(&self.folder)
            .and_then(|()| clap_mangen::generate_to(command, &self.folder));
        written.map_err(|source| {
            let action = "write man pages into";
            CommandError::File { path: self.folder, action, source }
        })
    }
}
