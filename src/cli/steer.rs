//! `hatchery pause`, `hatchery resume`, `hatchery cancel`

use clap::Args;
use hatchery_proto::v1::{Act, State, SteerRunRequest};

use super::farm_args::AnyRunArgs;
use super::runtime::in_runtime;
use crate::client::{CoordinatorClient, FarmClient, SelectedRuns};
use crate::error::CommandError;
use crate::local_run;
use crate::report::farm::{RunDocument, RunListDocument};
use crate::terminal::print_status;

/// Pause a run, or all runs of a farm's sweep: paused runs get no workers until resumed
///
/// Without a farm, RUN is a run in progress on this machine.
#[derive(Debug, Args)]
pub(crate) struct PauseCommand {
    #[command(flatten)]
    args: AnyRunArgs,
}

/// Resume a paused, cancelled or failed run, or every such run of a farm's sweep
///
/// Without a farm, RUN is a paused run in progress on this machine. To continue any other run, use
/// `hatchery run SPEC --out FOLDER --resume`.
#[derive(Debug, Args)]
pub(crate) struct ResumeCommand {
    #[command(flatten)]
    args: AnyRunArgs,
}

/// Cancel a run, or all runs of a sweep of a farm; a cancelled run can be resumed
///
/// Without a farm, RUN is a run in progress on this machine: its process ends, and the run's folder
/// keeps the finished work.
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
        let line = |run: &RunDocument| format!("{} is {}\n", run.run, run.state.word());
        if let Some(folder) = args.folder()? {
            let (mut client, run) = local_run::steered(&folder).await?;
            return args.verb.print(steer_run(&mut client, run, act).await?, line);
        }
        let mut client = args.verb.farm.farm()?;
        let runs = match client.select_run_or_sweep(&args.run).await? {
            SelectedRuns::One(run) => {
                return args.verb.print(steer_run(&mut client, run.run, act).await?, line);
            }
            SelectedRuns::Sweep(_, runs) => runs,
        };
        if !runs.iter().any(|run| is_fit(act, run.state())) {
            print_status("no run of the sweep is in a state for that");
        }
        let (mut steered, mut failure) = (Vec::new(), Ok(()));
        for run in runs.into_iter().filter(|run| is_fit(act, run.state())) {
            // A run that ends meanwhile does not keep the others from being steered.
            match steer_run(&mut client, run.run, act).await {
                Ok(run) => steered.push(run),
                Err(error) => failure = failure.and(Err(error)),
            }
        }
        let shown = args.verb.print(RunListDocument { runs: steered, next: None }, |list| {
            list.runs.iter().map(line).collect()
        });
        failure.and(shown)
    })
}

async fn steer_run(
    client: &mut FarmClient,
    run: String,
    act: Act,
) -> Result<RunDocument, CommandError> {
    let request = SteerRunRequest { run, act: act.into() };
    let call = async |mut client: CoordinatorClient| client.steer_run(request.clone()).await;
    client.call(call).await.map(RunDocument::from)
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
