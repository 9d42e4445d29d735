//! `hatchery wait`

use std::io;

use clap::Args;
use hatchery_proto::v1::{RunStatus, StoredEvent};

use super::farm_args::RunArgs;
use super::follow::{outcome, unless_interrupted};
use super::runtime::in_runtime;
use super::show;
use crate::client::{RunFollower, follow};
use crate::error::CommandError;
use crate::format::unix_ms;
use crate::report::farm::RunDocument;

/// Wait until a run ends; the exit code tells its outcome
#[derive(Debug, Args)]
pub(crate) struct WaitCommand {
    #[command(flatten)]
    args: RunArgs,
}

impl WaitCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        in_runtime(unless_interrupted(async {
            let mut farm = self.args.verb.farm.farm()?;
            let run = farm.select(&self.args.run).await?.run;
            let end = RunDocument::from(follow(&mut farm, &run, &mut SilentFollower).await?);
            let outcome = outcome(&end);
            let shown = self.args.verb.print(end, |run| show::table(run, unix_ms()));
            outcome.and(shown)
        }))
    }
}

/// A follower that shows nothing.
struct SilentFollower;

impl RunFollower for SilentFollower {
    fn event(&mut self, _: &StoredEvent) -> io::Result<()> {
        Ok(())
    }

    fn status(&mut self, _: &RunStatus) -> io::Result<()> {
        Ok(())
    }
}
