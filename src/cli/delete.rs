//! `hatchery delete`

use clap::Args;
use hatchery_proto::v1::DeleteRunRequest;
use tonic::Code;

use super::farm_args::RunArgs;
use super::runtime::in_runtime;
use crate::client::Asking;
use crate::failure::Failure;
use crate::report::farm::Deleted;

/// Remove a run that has ended, and all that the farm has of it
#[derive(Debug, Args)]
pub(crate) struct Delete {
    #[command(flatten)]
    args: RunArgs,
}

impl Delete {
    pub(super) fn run(&self) -> Result<(), Failure> {
        in_runtime(async {
            let mut farm = self.args.verb.farm.farm()?;
            let run = farm.select(&self.args.run).await?.run;
            let request = DeleteRunRequest { run: run.clone() };
            let act =
                async |mut client: crate::client::Client| client.delete_run(request.clone()).await;
            match farm.ask(Asking::Once, act).await? {
                Ok(_) => {}
                // It was there a moment ago: the answer to an earlier attempt was lost.
                Err(status) if status.code() == Code::NotFound => {}
                Err(status) => return Err(Failure::refused(&status)),
            }
            self.args.verb.print(Deleted { run }, |deleted| format!("{} is deleted\n", deleted.run))
        })
    }
}
