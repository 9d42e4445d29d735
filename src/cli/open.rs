//! `hatchery open`

use std::path::PathBuf;

use clap::Args;

use super::output::{print_result, write_file};
use super::runtime::in_runtime;
use crate::error::CommandError;
use crate::replay::BestReplay;
use crate::report;
use crate::run_folder::{REPORT, RunFolder};
use crate::run_source::RunSource;
use crate::selector::LAST;
use crate::terminal::{escape_line, print_status};

/// Open the report of a run on this machine in a browser
///
/// Without a browser, copy the file that --print names to a machine that has one.
#[derive(Debug, Args)]
pub(crate) struct OpenCommand {
    /// Run: its folder, its name, the beginning or end of its id, or `last`
    #[arg(default_value = LAST)]
    run: String,
    /// Print the path of the report instead
    #[arg(long)]
    print: bool,
}

impl OpenCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        let path = self.report()?;
        if self.print {
            return print_result(&format!("{}\n", path.display()));
        }
        if !has_display() {
            return Err(CommandError::NoBrowser { path });
        }
        print_status(&format!("opening {} in a browser", escape_line(&path.display().to_string())));
        open::that_detached(&path).map_err(|_| CommandError::NoBrowser { path })
    }

    /// Returns the path of the report, which is written if the folder has none yet.
    fn report(&self) -> Result<PathBuf, CommandError> {
        if let Some(report) = RunFolder::report(&self.run) {
            return Ok(report);
        }
        let folder = RunFolder::find(&self.run)?;
        let path = folder.path().join(REPORT);
        if !path.exists() {
            in_runtime(async {
                let mut source = RunSource::in_folder(folder).await?;
                let replay = BestReplay::read(&mut source).await;
                let page = report::page(&source.run, &source.events().await?, &replay)?;
                write_file(&path, page.as_bytes())
            })?;
        }
        Ok(path)
    }
}

/// Returns false if this machine surely has no display: a server that one is logged in to.
fn has_display() -> bool {
    // The variable that names a browser, those of displays, and that of Windows' subsystem.
    const SIGNS: [&str; 4] = ["BROWSER", "DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"];
    !cfg!(target_os = "linux") || SIGNS.iter().any(|name| std::env::var_os(name).is_some())
}
