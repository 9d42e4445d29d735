//! `hatchery watch`

use std::io;

use clap::Args;
use hatchery_proto::v1::{RunStatus, StoredEvent};

use super::farm_args::RunArgs;
use super::follow::{ProgressFollower, outcome, unless_interrupted};
use super::output::{OutputFormat, print_result, write_stdout};
use super::runtime::in_runtime;
use super::show;
use crate::client::{RunFollower, follow};
use crate::error::CommandError;
use crate::format::unix_ms;
use crate::report::farm::{self, RunDocument, WatchDocument};

/// Follow the progress of a run until it ends; the exit code tells its outcome
///
/// Watching does not affect the run.
#[derive(Debug, Args)]
pub(crate) struct WatchCommand {
    #[command(flatten)]
    args: RunArgs,
}

impl WatchCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        in_runtime(unless_interrupted(async {
            let mut farm = self.args.verb.farm.farm()?;
            let run = farm.select(&self.args.run).await?.run;
            let mut shown = Ok(());
            let end = match self.args.verb.output {
                OutputFormat::Json => match follow(&mut farm, &run, &mut JsonFollower).await {
                    // The reader has closed the pipe; the run continues.
                    Err(CommandError::Output(error))
                        if error.kind() == io::ErrorKind::BrokenPipe =>
                    {
                        return Ok(());
                    }
                    end => end?,
                },
                OutputFormat::Table => {
                    let mut progress = ProgressFollower::new(false);
                    let end = follow(&mut farm, &run, &mut progress).await;
                    progress.finish();
                    let end = end?;
                    shown = print_result(&show::table(&RunDocument::from(end.clone()), unix_ms()));
                    end
                }
                OutputFormat::Quiet => {
                    follow(&mut farm, &run, &mut ProgressFollower::new(true)).await?
                }
            };
            outcome(&end).and(shown)
        }))
    }
}

/// A follower that prints each update as a line of JSON.
struct JsonFollower;

impl RunFollower for JsonFollower {
    fn event(&mut self, event: &StoredEvent) -> io::Result<()> {
        let number = Some(event.number);
        // An event that is not JSON is passed on as text.
        let json = serde_json::from_str(&event.json);
        let event = Some(json.unwrap_or_else(|_| serde_json::Value::String(event.json.clone())));
        write_stdout(&(farm::line(WatchDocument { number, event, status: None }) + "\n"))
    }

    fn status(&mut self, status: &RunStatus) -> io::Result<()> {
        let status = Some(RunDocument::from(status.clone()));
        write_stdout(&(farm::line(WatchDocument { number: None, event: None, status }) + "\n"))
    }
}
