//! `hatchery fetch`

use std::path::PathBuf;

use clap::Args;
use hatchery_core::Part;

use super::farm_args::RunArgs;
use super::output::{OutputFormat, print_result};
use super::runtime::in_runtime;
use super::sweep_results::SweepResults;
use crate::client::{FailoverPolicy, FarmClient};
use crate::error::{CommandError, UsageError};
use crate::replay::BestReplay;
use crate::report::{self, ResultDocument};
use crate::run_folder::RunFolder;
use crate::run_source::RunSource;

/// The most attempts to fetch a run that moves on meanwhile, and drops the parts that it showed.
const MAX_ATTEMPTS: usize = 8;

/// Download the results of a run, or of all runs of a sweep, into a folder
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
            let runs = farm.select_all(&self.args.run).await?;
            let out = || match &self.out {
                Some(out) => RunFolder::at(out),
                None => RunFolder::of_sweep(&self.args.run),
            };
            if let Some(sweep) = SweepResults::of(&self.args, &runs, Some(out())) {
                return sweep.collect().await;
            }
            let run = &runs[0].run;
            let mut retries = 1..MAX_ATTEMPTS;
            let (document, folder) = loop {
                let retry = retries.next();
                match self.write(&mut farm, run).await {
                    Err(CommandError::Usage(UsageError::PartGone { .. })) if retry.is_some() => {}
                    written => break written?,
                }
            };
            match self.args.verb.output {
                OutputFormat::Table => print_result(&document.table(folder.path())),
                OutputFormat::Json => print_result(&format!("{}\n", document.json())),
                OutputFormat::Quiet => Ok(()),
            }
        })
    }

    /// Writes the run as it is now.
    async fn write(
        &self,
        farm: &mut FarmClient,
        run: &str,
    ) -> Result<(ResultDocument, RunFolder), CommandError> {
        let export = farm.export(FailoverPolicy::OneRound, run).await?;
        let mut source = RunSource::exported(&export, self.args.verb.farm.farm()?)?;
        let replay = BestReplay::read(&mut source).await;
        let stored = source.run;
        let folder = match &self.out {
            Some(out) => RunFolder::at(out),
            None => RunFolder::for_run(&stored.record.name, stored.id),
        };
        let read = async |part: Part| farm.part(stored.id, part.hash()).await;
        let document = report::write_exported(&stored, &export, &folder, &replay, read).await?;
        Ok((document, folder))
    }
}
