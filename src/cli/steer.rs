//! `hatchery pause`, `hatchery resume`, `hatchery cancel`

use clap::Args;
use hatchery_proto::v1::{Act, SteerRunRequest};

use super::farm_args::AnyRunArgs;
use super::runtime::in_runtime;
use crate::error::CommandError;
use crate::local_run;
use crate::report::farm::RunDocument;

/// Pause a run: no job is assigned until it is resumed
///
/// Without a farm, the run is one of this machine that is in progress.
#[derive(Debug, Args)]
pub(crate) struct PauseCommand {
    #[command(flatten)]
    args: AnyRunArgs,
}

/// Resume a run that was paused or cancelled, or that failed
///
/// Without a farm, the run is one of this machine that is in progress and was paused. Any other is
/// continued with `hatchery run SPEC --out FOLDER --resume`.
#[derive(Debug, Args)]
pub(crate) struct ResumeCommand {
    #[command(flatten)]
    args: AnyRunArgs,
}

/// Cancel a run, which can be resumed until it is deleted
///
/// Without a farm, the run is one of this machine that is in progress: its process ends, with what
/// was finished in the run's folder.
#[derive(Debug, Args)]
pub(crate) struct CancelCommand {
    #[command(flatten)]
    args: AnyRunArgs,
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

fn steer(args: &AnyRunArgs, act: Act) -> Result<(), CommandError> {
    in_runtime(async {
        let (mut client, run) = match args.folder()? {
            Some(folder) => local_run::steered(&folder).await?,
            None => {
                let mut farm = args.verb.farm.farm()?;
                let run = farm.select(&args.run).await?.run;
                (Box::new(farm), run)
            }
        };
        let request = SteerRunRequest { run, act: act.into() };
        let steered = client.call(async |mut client| client.steer_run(request.clone()).await);
        args.verb.print(RunDocument::from(steered.await?), |run| {
            format!("{} is {}\n", run.run, run.state.word())
        })
    })
}
