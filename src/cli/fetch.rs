//! `hatchery fetch`

use std::path::PathBuf;

use clap::Args;

use super::download::{copy_run, read_run};
use super::farm_args::{AnyRunArgs, FarmVerbArgs};
use super::runtime::in_runtime;
use super::sweep_results::{FarmSweep, SweepResults};
use crate::client::{FailoverPolicy, SelectedRuns};
use crate::error::CommandError;
use crate::format::shown_path;
use crate::report::{self, ResultDocument, StoredRun};
use crate::run_folder::RunFolder;
use crate::run_source::RunSource;
use crate::terminal::print_status;

/// Download the results of a run, or of a farm's whole sweep, into a folder
///
/// The folder holds the files that `hatchery run` writes, except the run's store. Without a farm,
/// RUN is a run on this machine: its files are copied from its own folder to --out.
#[derive(Debug, Args)]
pub(crate) struct FetchCommand {
    /// Folder to write to [default: runs/NAME-ID, or the run's own folder]
    #[arg(long, value_name = "DIR", env = "HATCHERY_OUT")]
    out: Option<PathBuf>,
    #[command(flatten)]
    args: AnyRunArgs,
}

impl FetchCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        in_runtime(async {
            let (document, folder) = match self.args.folder()? {
                Some(folder) if self.is_out(&folder) => Self::at_hand(folder).await?,
                Some(folder) => {
                    let read = async || RunSource::in_folder(folder.clone()).await;
                    copy_run(read, |run| self.place(run)).await?
                }
                None => {
                    let farm = &self.args.verb.farm;
                    let run = match farm.farm()?.select_run_or_sweep(&self.args.run).await? {
                        SelectedRuns::One(run) => run.run,
                        SelectedRuns::Sweep(name, runs) => {
                            return self.fetch_sweep(FarmSweep::new(name, runs)?).await;
                        }
                    };
                    let read =
                        async || read_run(farm, FailoverPolicy::RetryUnavailable, &run).await;
                    copy_run(read, |run| self.place(run)).await?
                }
            };
            self.args.verb.output.print(|| document.table(folder.path()), || document.json())
        })
    }

    /// Returns whether the files of the run in `folder` are to be where they are.
    fn is_out(&self, folder: &RunFolder) -> bool {
        let Some(out) = &self.out else { return true };
        let whole = [out, folder.path()].map(|path| path.canonicalize().ok());
        whole[0].is_some() && whole[0] == whole[1]
    }

    /// Returns the result document of the run in `folder`, whose files exist.
    async fn at_hand(folder: RunFolder) -> Result<(ResultDocument, RunFolder), CommandError> {
        let source = RunSource::in_folder(folder.clone()).await?;
        let path = shown_path(folder.path());
        print_status(&format!("the run is one of this machine, and its files are in {path}"));
        Ok((report::document(&source.run)?, folder))
    }

    /// Downloads all runs of a sweep as they are now.
    async fn fetch_sweep(&self, sweep: FarmSweep) -> Result<(), CommandError> {
        let out = match &self.out {
            Some(out) => RunFolder::at(out),
            None => RunFolder::of_sweep(&sweep.name),
        };
        let FarmVerbArgs { output, farm } = &self.args.verb;
        let (output, failover) = (*output, FailoverPolicy::RetryUnavailable);
        SweepResults { farm, failover, output, sweep, out: Some(out) }.collect().await?;
        Ok(())
    }

    /// Returns the folder for the files of a run.
    fn place(&self, run: &StoredRun) -> RunFolder {
        match &self.out {
            Some(out) => RunFolder::at(out),
            None => RunFolder::for_run(&run.record.name, run.id),
        }
    }
}
