//! `hatchery delete`

use clap::Args;
use hatchery_proto::v1::DeleteRunRequest;
use tonic::Code;

use super::farm_args::RunArgs;
use super::runtime::in_runtime;
use crate::client::FailoverPolicy;
use crate::error::CommandError;
use crate::report::farm::DeletedDocument;

/// Delete a finished run and all its data
///
/// A Redis gives the space back at once. The file of an embedded store (`coordinator --store`)
/// gives it back when half of the file is free and no run is active or paused; until then, other
/// runs use the space.
#[derive(Debug, Args)]
pub(crate) struct DeleteCommand {
    #[command(flatten)]
    args: RunArgs,
}

impl DeleteCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        in_runtime(async {
            let mut farm = self.args.verb.farm.farm()?;
            let run = farm.select(&self.args.run).await?.run;
            let request = DeleteRunRequest { run: run.clone() };
            let act = async |mut client: crate::client::CoordinatorClient| {
                client.delete_run(request.clone()).await
            };
            match farm.try_call(FailoverPolicy::RetryUnavailable, act).await? {
                Ok(_) => {}
                // The run existed a moment ago: the response to an earlier attempt was lost.
                Err(status) if status.code() == Code::NotFound => {}
                Err(status) => return Err(CommandError::refused(&status)),
            }
            self.args
                .verb
                .print(DeletedDocument { run }, |deleted| format!("deleted {}\n", deleted.run))
        })
    }
}
