//! `hatchery watch`

use std::io;

use clap::Args;
use hatchery_proto::v1::{RunStatus, StoredEvent};

use super::farm_args::RunArgs;
use super::follow::{Remote, outcome, unless_interrupted};
use super::output::{Output, print_result, write_stdout};
use super::runtime::in_runtime;
use super::show;
use crate::client::{Follower, follow};
use crate::failure::Failure;
use crate::report::farm::{self, Run, Watched};

/// Show what happens to a run of a farm until it ends; the exit code says how it did
///
/// The run goes on whether somebody watches or not.
#[derive(Debug, Args)]
pub(crate) struct Watch {
    #[command(flatten)]
    args: RunArgs,
}

impl Watch {
    pub(super) fn run(&self) -> Result<(), Failure> {
        in_runtime(unless_interrupted(async {
            let mut farm = self.args.verb.farm.farm()?;
            let run = farm.select(&self.args.run).await?.run;
            let mut shown = Ok(());
            let end = match self.args.verb.output {
                Output::Json => match follow(&mut farm, &run, &mut Lines).await {
                    // The reader has seen enough, and the run goes on.
                    Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
                        return Ok(());
                    }
                    end => end?,
                },
                Output::Table => {
                    let mut progress = Remote::new(false);
                    let end = follow(&mut farm, &run, &mut progress).await;
                    progress.finish();
                    let end = end?;
                    shown = print_result(&show::table(&Run::from(end.clone())));
                    end
                }
                Output::Quiet => follow(&mut farm, &run, &mut Remote::new(true)).await?,
            };
            outcome(&end).and(shown)
        }))
    }
}

/// Everything as JSON, a line each.
struct Lines;

impl Follower for Lines {
    fn event(&mut self, event: &StoredEvent) -> io::Result<()> {
        let number = Some(event.number);
        // What is no JSON is passed on as text.
        let json = serde_json::from_str(&event.json);
        let event = Some(json.unwrap_or_else(|_| serde_json::Value::String(event.json.clone())));
        write_stdout(&(farm::line(Watched { number, event, status: None }) + "\n"))
    }

    fn status(&mut self, status: &RunStatus) -> io::Result<()> {
        let status = Some(Run::from(status.clone()));
        write_stdout(&(farm::line(Watched { number: None, event: None, status }) + "\n"))
    }
}
