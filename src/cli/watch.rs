//! `hatchery watch`

use std::io;
use std::time::Duration;

use clap::Args;
use hatchery_proto::v1::{RunStatus, StoredEvent};

use super::farm_args::AnyRunArgs;
use super::follow::{ProgressFollower, outcome, unless_interrupted};
use super::output::{OutputFormat, print_result, write_stdout};
use super::runtime::in_runtime;
use super::show;
use crate::client::{FarmClient, RunFollower, follow};
use crate::error::CommandError;
use crate::format::unix_ms;
use crate::local_run::LocalRun;
use crate::report::farm::{self, RunDocument, WatchDocument};
use crate::run_folder::RunFolder;

/// The time that a process may take to end after it has stopped to answer, and the interval at
/// which it is looked at.
const END_TIMEOUT: Duration = Duration::from_secs(60);
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Follow the progress of a run until it ends; the exit code is the run's outcome
///
/// Watching does not affect the run. Without a farm, RUN is a run on this machine.
#[derive(Debug, Args)]
pub(crate) struct WatchCommand {
    #[command(flatten)]
    args: AnyRunArgs,
}

impl WatchCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        in_runtime(unless_interrupted(async {
            let Some(folder) = self.args.folder()? else {
                let mut farm = self.args.verb.farm.farm()?;
                let run = farm.select(&self.args.run).await?.run;
                let end = self.follow(&mut farm, &run).await?;
                return end.map_or(Ok(()), |end| self.ended(&RunDocument::from(end)));
            };
            self.watch_local(&folder).await
        }))
    }

    /// Watches the run in `folder`.
    async fn watch_local(&self, folder: &RunFolder) -> Result<(), CommandError> {
        let mut run = LocalRun::look(folder).await?;
        if let LocalRun::InProgress { client, status } = &mut run {
            match self.follow(client, &status.run).await {
                Ok(end) => return end.map_or(Ok(()), |end| self.ended(&RunDocument::from(end))),
                // The process has ended before the run, or is about to: its last files tell how.
                Err(CommandError::NoCoordinator(_)) => {
                    wait_for_end(folder).await;
                    run = LocalRun::look(folder).await?;
                }
                Err(error) => return Err(error),
            }
        }
        let end = run.document();
        let ended = self.ended(&end);
        match self.args.verb.output {
            OutputFormat::Table => show::hint(folder, end.state),
            OutputFormat::Json => {
                let status = Some(end);
                let line = farm::line(WatchDocument { number: None, event: None, status });
                print_result(&(line + "\n"))?;
            }
            OutputFormat::Quiet => {}
        }
        ended
    }

    /// Follows `run` to its end, and returns its last status; `None` if the output is closed.
    async fn follow(
        &self,
        farm: &mut FarmClient,
        run: &str,
    ) -> Result<Option<RunStatus>, CommandError> {
        let end = match self.args.verb.output {
            OutputFormat::Json => match follow(farm, run, &mut JsonFollower).await {
                // The reader has closed the pipe; the run continues.
                Err(CommandError::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
                    return Ok(None);
                }
                end => end?,
            },
            OutputFormat::Table => {
                let mut progress = ProgressFollower::new(false);
                let end = follow(farm, run, &mut progress).await;
                progress.finish();
                end?
            }
            OutputFormat::Quiet => follow(farm, run, &mut ProgressFollower::new(true)).await?,
        };
        Ok(Some(end))
    }

    /// Shows how the run has ended.
    fn ended(&self, end: &RunDocument) -> Result<(), CommandError> {
        let shown = match self.args.verb.output {
            OutputFormat::Table => print_result(&show::table(end, unix_ms())),
            OutputFormat::Json | OutputFormat::Quiet => Ok(()),
        };
        outcome(end).and(shown)
    }
}

/// Waits until no process has the run in `folder` open, for as long as one may take to end.
async fn wait_for_end(folder: &RunFolder) {
    let ended = async {
        while folder.is_in_use() {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    };
    // One that takes longer hangs, and the run is shown as it is.
    tokio::time::timeout(END_TIMEOUT, ended).await.unwrap_or(());
}

/// A follower that prints each update as a line of JSON.
struct JsonFollower;

impl RunFollower for JsonFollower {
    fn event(&mut self, event: &StoredEvent) -> io::Result<()> {
        let number = Some(event.number);
        // An event that is not JSON is passed on as text.
        let json = serde_json::from_str(&event.json);
        let event = Some(json.unwrap_or_else(|_| serde_json::Value::String(event.json.clone())));
        write_line(WatchDocument { number, event, status: None })
    }

    fn status(&mut self, status: &RunStatus) -> io::Result<()> {
        let status = Some(RunDocument::from(status.clone()));
        write_line(WatchDocument { number: None, event: None, status })
    }
}

/// Writes an update to standard output as a line of JSON.
fn write_line(update: WatchDocument) -> io::Result<()> {
    write_stdout((farm::line(update) + "\n").as_bytes())
}
