//! `hatchery fetch`

use std::path::PathBuf;

use clap::Args;
use hatchery_core::Part;

use super::farm_args::AnyRunArgs;
use super::runtime::in_runtime;
use super::sweep_results::SweepResults;
use crate::client::FailoverPolicy;
use crate::error::{CommandError, UsageError};
use crate::replay::BestReplay;
use crate::report::{self, ResultDocument};
use crate::run_folder::RunFolder;
use crate::run_source::RunSource;
use crate::terminal::print_status;

/// The most attempts to fetch a run that moves on meanwhile, and drops the parts that it showed.
const MAX_ATTEMPTS: usize = 8;

/// Download the results of a run, or of all runs of a farm's sweep, into a folder
///
/// The folder holds the files that `hatchery run` writes, except the run's store. Without a farm,
/// the run is one of this machine: its files are copied to --out, and are in its own folder anyway.
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
                    self.fetch(async || RunSource::in_folder(folder.clone()).await).await?
                }
                None => {
                    let args = &self.args.verb.farm;
                    let mut farm = args.farm()?;
                    let runs = farm.select_all(&self.args.run).await?;
                    let out = || match &self.out {
                        Some(out) => RunFolder::at(out),
                        None => RunFolder::of_sweep(&self.args.run),
                    };
                    if let Some(sweep) = SweepResults::of(&self.args, &runs, Some(out())) {
                        return sweep.collect().await;
                    }
                    let run = &runs[0].run;
                    let read = async || {
                        let export = args.farm()?.export(FailoverPolicy::OneRound, run).await?;
                        RunSource::exported(&export, args.farm()?)
                    };
                    self.fetch(read).await?
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

    /// Returns the result document of the run in `folder`, whose files are there.
    async fn at_hand(folder: RunFolder) -> Result<(ResultDocument, RunFolder), CommandError> {
        let source = RunSource::in_folder(folder.clone()).await?;
        let path = folder.path().display();
        print_status(&format!("the run is one of this machine, and its files are in {path}"));
        Ok((report::document(&source.run)?, folder))
    }

    /// Writes the run that `read` returns as it is now, and again if it has moved on meanwhile.
    async fn fetch(
        &self,
        read: impl AsyncFn() -> Result<RunSource, CommandError>,
    ) -> Result<(ResultDocument, RunFolder), CommandError> {
        let mut retries = 1..MAX_ATTEMPTS;
        loop {
            let retry = retries.next();
            match self.write(read().await?).await {
                Err(CommandError::Usage(UsageError::PartGone { .. })) if retry.is_some() => {}
                written => return written,
            }
        }
    }

    async fn write(
        &self,
        mut source: RunSource,
    ) -> Result<(ResultDocument, RunFolder), CommandError> {
        let replay = BestReplay::read(&mut source).await;
        let events = source.events().await?;
        let (run, mut parts) = source.split();
        let folder = match &self.out {
            Some(out) => RunFolder::at(out),
            None => RunFolder::for_run(&run.record.name, run.id),
        };
        let read = async |part: Part| parts.part(run.id, part.hash()).await;
        let document = report::write_copy(&run, &events, &folder, &replay, read).await?;
        Ok((document, folder))
    }
}
