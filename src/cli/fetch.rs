//! `hatchery fetch`

use std::path::PathBuf;

use clap::Args;

use super::farm_args::RunArgs;
use super::output::{OutputFormat, print_result};
use super::runtime::in_runtime;
use crate::client::FailoverPolicy;
use crate::error::CommandError;
use crate::report::{self, StoredRun};
use crate::run_folder::RunFolder;

/// Download a run's results into a folder
///
/// The folder holds the files that `hatchery run` writes, except the run's store.
#[derive(Debug, Args)]
pub(crate) struct FetchCommand {
    /// Folder to write to [default: runs/NAME-ID]
    #[arg(long, value_name = "DIR", env = "HATCHERY_OUT")]
    out: Option<PathBuf>,
    #[command(flatten)]
    args: RunArgs,
}

impl FetchCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        in_runtime(async {
            let mut farm = self.args.verb.farm.farm()?;
            let run = farm.select(&self.args.run).await?.run;
            let export = farm.export(FailoverPolicy::OneRound, &run).await?;
            let stored = StoredRun::exported(&export)?;
            let folder = match &self.out {
                Some(out) => RunFolder::at(out),
                None => RunFolder::for_run(&stored.record.name, stored.id),
            };
            let document = report::write_exported(&stored, &export, &folder)?;
            match self.args.verb.output {
                OutputFormat::Table => print_result(&document.table(folder.path())),
                OutputFormat::Json => print_result(&format!("{}\n", document.json())),
                OutputFormat::Quiet => Ok(()),
            }
        })
    }
}
