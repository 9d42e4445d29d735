//! `hatchery wait`

use std::io;

use clap::Args;
use hatchery_proto::v1::{RunStatus, StoredEvent};

use super::farm_args::RunArgs;
use super::follow::{outcome, unless_interrupted};
use super::runtime::in_runtime;
use super::show;
use crate::client::{Follower, follow};
use crate::failure::Failure;
use crate::report::farm::Run;

/// Wait until a run of a farm ends; the exit code says how
#[derive(Debug, Args)]
pub(crate) struct Wait {
    #[command(flatten)]
    args: RunArgs,
}

impl Wait {
    pub(super) fn run(&self) -> Result<(), Failure> {
        in_runtime(unless_interrupted(async {
            let mut farm = self.args.verb.farm.farm()?;
            let run = farm.select(&self.args.run).await?.run;
            let end = follow(&mut farm, &run, &mut Silent).await?;
            let shown = self.args.verb.print(Run::from(end.clone()), show::table);
            outcome(&end).and(shown)
        }))
    }
}

struct Silent;

impl Follower for Silent {
    fn event(&mut self, _: &StoredEvent) -> io::Result<()> {
        Ok(())
    }

    fn status(&mut self, _: &RunStatus) -> io::Result<()> {
        Ok(())
    }
}
