//! `hatchery wait`

use clap::Args;

use super::farm_args::{AnyRunArgs, FarmVerbArgs};
use super::follow::{outcome, unless_interrupted};
use super::output::OutputFormat;
use super::runtime::in_runtime;
use super::show;
use super::sweep_results::{FarmSweep, SweepResults};
use crate::client::{FailoverPolicy, SelectedRuns, SilentFollower, follow};
use crate::error::CommandError;
use crate::format::unix_ms;
use crate::local_run;
use crate::report::farm::RunDocument;

/// Wait until a run ends, or all runs of a farm's sweep; the exit code is the outcome
///
/// Without a farm, RUN is a run on this machine: when the command ends, the run's files are
/// complete.
#[derive(Debug, Args)]
pub(crate) struct WaitCommand {
    #[command(flatten)]
    args: AnyRunArgs,
}

impl WaitCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        in_runtime(async {
            let FarmVerbArgs { output, farm } = &self.args.verb;
            if let Some(folder) = self.args.folder()? {
                let end = unless_interrupted(local_run::wait(&folder)).await?;
                let state = end.state;
                let outcome = self.print(end);
                if *output == OutputFormat::Table {
                    show::hint(&folder, state);
                }
                return outcome;
            }
            let mut client = farm.farm()?;
            match client.select_run_or_sweep(&self.args.run).await? {
                SelectedRuns::One(run) => {
                    let mut follower = SilentFollower;
                    let end = follow(&mut client, &run.run, &mut follower);
                    self.print(unless_interrupted(end).await?.into())
                }
                SelectedRuns::Sweep(name, runs) => {
                    let sweep = FarmSweep::new(name, runs)?;
                    let (output, failover) = (*output, FailoverPolicy::RetryOutage);
                    let results = SweepResults { farm, failover, output, sweep, out: None };
                    results.wait().await?;
                    unless_interrupted(results.collect()).await?.outcome()
                }
            }
        })
    }

    /// Prints how the run ended, and returns its outcome.
    fn print(&self, end: RunDocument) -> Result<(), CommandError> {
        let outcome = outcome(&end);
        let shown = self.args.verb.print(end, |run| show::table(run, unix_ms()));
        outcome.and(shown)
    }
}
