//! `hatchery fetch`

use std::path::PathBuf;

use clap::Args;
use hatchery_proto::v1::RunExport;

use super::{Output, RunArgs, in_runtime, show};
use crate::client::Asking;
use crate::failure::Failure;
use crate::folder::Folder;
use crate::report::{ResultDocument, StoredRun};

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
            let document = write(&stored, &export, &folder)?;
            match self.args.verb.output {
                Output::Table => show(&document.table(folder.path())),
                Output::Json => show(&format!("{}\n", document.json())),
                Output::Quiet => Ok(()),
            }
        })
    }
}

/// Writes the files of `stored`, which is what `export` says, into `folder`.
pub(super) fn write(
    stored: &StoredRun,
    export: &RunExport,
    folder: &Folder,
) -> Result<ResultDocument, Failure> {
    folder.create_for(stored.id, &stored.record.spec)?;
    folder.write("spec.toml", stored.record.spec.as_bytes())?;
    stored.write_with(&export.events, folder)
}
