//! `hatchery wait`

use clap::Args;

use super::farm_args::RunArgs;
use super::follow::{SilentFollower, outcome, unless_interrupted};
use super::runtime::in_runtime;
use super::show;
use super::sweep_results::SweepResults;
use crate::client::follow;
use crate::error::CommandError;
use crate::format::unix_ms;
use crate::report::farm::RunDocument;

/// Wait until a run ends, or all runs of a sweep; the exit code tells the outcome
#[derive(Debug, Args)]
pub(crate) struct WaitCommand {
    #[command(flatten)]
    args: RunArgs,
}

impl WaitCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        in_runtime(unless_interrupted(async {
            let mut farm = self.args.verb.farm.farm()?;
            let runs = farm.select_all(&self.args.run).await?;
            if let Some(sweep) = SweepResults::of(&self.args, &runs, None) {
                sweep.wait().await?;
                return sweep.collect().await;
            }
            let mut follower = SilentFollower;
            let end = follow(&mut farm, &runs[0].run, &mut follower).await?;
            let end = RunDocument::from(end);
            let outcome = outcome(&end);
            let shown = self.args.verb.print(end, |run| show::table(run, unix_ms()));
            outcome.and(shown)
        }))
    }
}
