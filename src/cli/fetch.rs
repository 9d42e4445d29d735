//! `hatchery fetch`

use std::path::PathBuf;

use clap::Args;

use super::farm_args::RunArgs;
use super::output::{Output, print_result};
use super::runtime::in_runtime;
use crate::client::Asking;
use crate::failure::Failure;
use crate::folder::Folder;
use crate::report::{self, StoredRun};

/// Write what a farm has of a run into a folder: as `run` does, but for the store
#[derive(Debug, Args)]
pub(crate) struct Fetch {
    #[command(flatten)]
    args: RunArgs,
    /// The folder [default: runs/NAME-ID]
    #[arg(long, value_name = "DIR", env = "HATCHERY_OUT")]
    out: Option<PathBuf>,
}

impl Fetch {
    pub(super) fn run(&self) -> Result<(), Failure> {
        in_runtime(async {
            let mut farm = self.args.verb.farm.farm()?;
            let run = farm.select(&self.args.run).await?.run;
            let export = farm.export(Asking::Once, &run).await?;
            let stored = StoredRun::exported(&export)?;
            let folder = match &self.out {
                Some(out) => Folder::at(out),
                None => Folder::of(&stored.record.name, stored.id),
            };
            let document = report::write_exported(&stored, &export, &folder)?;
            match self.args.verb.output {
                Output::Table => print_result(&document.table(folder.path())),
                Output::Json => print_result(&format!("{}\n", document.json())),
                Output::Quiet => Ok(()),
            }
        })
    }
}
