//! `hatchery pause`, `hatchery resume`, `hatchery cancel`

use clap::Args;
use hatchery_proto::v1::{Act, SteerRunRequest};

use super::farm_args::RunArgs;
use super::runtime::in_runtime;
use crate::error::CommandError;
use crate::report::farm::RunDocument;

/// Pause a run: no job is assigned until it is resumed
#[derive(Debug, Args)]
pub(crate) struct PauseCommand {
    #[command(flatten)]
    args: RunArgs,
}

/// Resume a run that was paused or cancelled, or that failed
#[derive(Debug, Args)]
pub(crate) struct ResumeCommand {
    #[command(flatten)]
    args: RunArgs,
}

/// Cancel a run, which can be resumed until it is deleted
#[derive(Debug, Args)]
pub(crate) struct CancelCommand {
    #[command(flatten)]
    args: RunArgs,
}

impl PauseCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        steer(&self.args, Act::Pause)
    }
}

impl ResumeCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        steer(&self.args, Act::Resume)
    }
}

impl CancelCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        steer(&self.args, Act::Cancel)
    }
}

fn steer(args: &RunArgs, act: Act) -> Result<(), CommandError> {
    in_runtime(async {
        let mut farm = args.verb.farm.farm()?;
        let request = SteerRunRequest { run: farm.select(&args.run).await?.run, act: act.into() };
        let steered = farm.call(async |mut client| client.steer_run(request.clone()).await).await?;
        args.verb.print(RunDocument::from(steered), |run| {
            format!("{} is {}\n", run.run, run.state.word())
        })
    })
}
