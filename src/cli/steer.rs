//! `hatchery pause`, `hatchery resume`, `hatchery cancel`

use clap::Args;
use hatchery_proto::v1::{Act, SteerRunRequest};

use super::farm_args::RunArgs;
use super::runtime::in_runtime;
use crate::failure::Failure;
use crate::report::farm::Run;

/// Halt a run: nothing more is handed out until it is resumed
#[derive(Debug, Args)]
pub(crate) struct Pause {
    #[command(flatten)]
    args: RunArgs,
}

/// Let a run go on that was paused, was cancelled or failed
#[derive(Debug, Args)]
pub(crate) struct Resume {
    #[command(flatten)]
    args: RunArgs,
}

/// End a run; it can be resumed until it is deleted
#[derive(Debug, Args)]
pub(crate) struct Cancel {
    #[command(flatten)]
    args: RunArgs,
}

impl Pause {
    pub(super) fn run(&self) -> Result<(), Failure> {
        steer(&self.args, Act::Pause)
    }
}

impl Resume {
    pub(super) fn run(&self) -> Result<(), Failure> {
        steer(&self.args, Act::Resume)
    }
}

impl Cancel {
    pub(super) fn run(&self) -> Result<(), Failure> {
        steer(&self.args, Act::Cancel)
    }
}

fn steer(args: &RunArgs, act: Act) -> Result<(), Failure> {
    in_runtime(async {
        let mut farm = args.verb.farm.farm()?;
        let request = SteerRunRequest { run: farm.select(&args.run).await?.run, act: act.into() };
        let steered = farm.call(async |mut client| client.steer_run(request.clone()).await).await?;
        args.verb.print(Run::from(steered), |run| format!("{} is {}\n", run.run, run.state.word()))
    })
}
