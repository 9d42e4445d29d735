//! `hatchery pause`, `hatchery resume`, `hatchery cancel`

use clap::Args;
use hatchery_proto::v1::{Act, RunStatus, State, SteerRunRequest};

use super::farm_args::RunArgs;
use super::runtime::in_runtime;
use crate::client::CoordinatorClient;
use crate::error::CommandError;
use crate::report::farm::{RunDocument, RunListDocument};

/// Pause a run, or all runs of a sweep: no job is assigned until resumed
#[derive(Debug, Args)]
pub(crate) struct PauseCommand {
    #[command(flatten)]
    args: RunArgs,
}

/// Resume a run that was paused or cancelled, or that failed; or all runs of a sweep
#[derive(Debug, Args)]
pub(crate) struct ResumeCommand {
    #[command(flatten)]
    args: RunArgs,
}

/// Cancel a run, or all runs of a sweep; they can be resumed until they are deleted
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
        let mut runs = Vec::new();
        let mut selected = farm.select_all(&args.run).await?;
        if 1 < selected.len() {
            selected.retain(|run| is_fit(act, run.state()));
        }
        for RunStatus { run, .. } in selected {
            let request = SteerRunRequest { run, act: act.into() };
            let act = async |mut client: CoordinatorClient| client.steer_run(request.clone()).await;
            runs.push(RunDocument::from(farm.call(act).await?));
        }
        let line = |run: &RunDocument| format!("{} is {}\n", run.run, run.state.word());
        match <[_; 1]>::try_from(runs) {
            Ok([run]) => args.verb.print(run, line),
            Err(runs) => args.verb.print(RunListDocument { runs, next: None }, |list| {
                list.runs.iter().map(line).collect()
            }),
        }
    })
}

/// Returns true if the act changes anything about a run in this state.
fn is_fit(act: Act, state: State) -> bool {
    match state {
        State::Unspecified | State::Active => act != Act::Resume,
        State::Paused => act != Act::Pause,
        State::Failed | State::Cancelled => act == Act::Resume,
        State::Done => false,
    }
}
