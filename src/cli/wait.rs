//! `hatchery wait`

use clap::Args;

use super::farm_args::AnyRunArgs;
use super::follow::{outcome, unless_interrupted};
use super::output::OutputFormat;
use super::runtime::in_runtime;
use super::show;
use super::sweep_results::SweepResults;
use crate::client::{SilentFollower, follow};
use crate::error::CommandError;
use crate::format::unix_ms;
use crate::local_run;
use crate::report::farm::RunDocument;

/// Wait until a run ends, or all runs of a farm's sweep; the exit code tells the outcome
///
/// Without a farm, the run is one of this machine: when the command ends, its files are complete.
#[derive(Debug, Args)]
pub(crate) struct WaitCommand {
    #[command(flatten)]
    args: AnyRunArgs,
}

impl WaitCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        in_runtime(unless_interrupted(async {
            let verb = &self.args.verb;
            let folder = self.args.folder()?;
            let end = match &folder {
                Some(folder) => local_run::wait(folder).await?,
                None => {
                    let mut farm = verb.farm.farm()?;
                    let runs = farm.select_all(&self.args.run).await?;
                    if let Some(sweep) = SweepResults::of(&self.args, &runs, None) {
                        sweep.wait().await?;
                        return sweep.collect().await;
                    }
                    let run = &runs[0].run;
                    RunDocument::from(follow(&mut farm, run, &mut SilentFollower).await?)
                }
            };
            let (outcome, state) = (outcome(&end), end.state);
            let shown = verb.print(end, |run| show::table(run, unix_ms()));
            if let (Some(folder), OutputFormat::Table) = (&folder, verb.output) {
                show::hint(folder, state);
            }
            outcome.and(shown)
        }))
    }
}
