//! `hatchery submit`

mod request;
mod reuse;
mod sweep;

use std::path::PathBuf;

use clap::Args;
use hatchery_proto::v1::SubmitResponse;
use ulid::Ulid;

use super::download::{copy_run, read_run};
use super::farm_args::FarmVerbArgs;
use super::follow::{ProgressFollower, outcome, unless_interrupted};
use super::input_args::InputArgs;
use super::output::OutputFormat;
use super::runtime::in_runtime;
use super::spec_args::SpecArgs;
use super::submission::{run_id, submit_with_inputs};
use crate::client::{FailoverPolicy, FarmClient, follow};
use crate::environment::variable;
use crate::error::CommandError;
use crate::format::shown_path;
use crate::program;
use crate::report;
use crate::report::farm::{RunDocument, SubmittedDocument};
use crate::run_folder::RunFolder;
use crate::signals::interrupted;
use crate::sweep::SweepAxis;
use crate::terminal::print_status;

use request::{RequestArgs, parse_key, parse_name};
use reuse::FinishedRuns;
use sweep::SweepSubmission;

/// Submit a spec or a preset to a farm and print the run's id
#[derive(Debug, Args)]
pub(crate) struct SubmitCommand {
    #[command(flatten)]
    spec: SpecArgs,
    /// Submit the spec once for each value of a key, such as seed=1..20 (both ends included) or
    /// games=50,100; several keys submit each combination
    #[arg(long, value_name = "KEY=VALUES")]
    sweep: Vec<SweepAxis>,
    /// Wait until the run ends, and print its result as `hatchery run` does
    #[arg(long)]
    wait: bool,
    /// Idempotency key: submitting again with the same key returns the same run [default: a new
    /// key]
    #[arg(long, value_name = "KEY", value_parser = parse_key)]
    idempotency_key: Option<String>,
    /// Return a finished run with the same spec and version, if the farm has one, instead of
    /// computing it again; the finished run keeps its name
    #[arg(long)]
    reuse: bool,
    /// Name of the run or the sweep [default: the name of the preset or file]
    #[arg(long, value_parser = parse_name)]
    name: Option<String>,
    #[command(flatten)]
    input: InputArgs,
    /// Folder for the run's files once it has ended; needs --wait [env: HATCHERY_OUT]
    // A variable cannot require a flag: it may be set for other verbs.
    #[arg(long, value_name = "DIR", requires = "wait")]
    out: Option<PathBuf>,
    // It has sections of its own, so it comes after what has none.
    #[command(flatten)]
    request: RequestArgs,
    #[command(flatten)]
    verb: FarmVerbArgs,
}

impl SubmitCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        in_runtime(async {
            match self.sweep.is_empty() {
                true => self.submit_one().await,
                false => self.submit_sweep().await,
            }
        })
    }

    /// Returns the key of the submission: the given key, or a new key.
    fn key(&self) -> String {
        self.idempotency_key.clone().unwrap_or_else(|| Ulid::generate().to_string())
    }

    /// Returns the folder for the files of a run, or of a sweep, that is waited for.
    fn out(&self) -> Option<RunFolder> {
        let out = self.out.clone().or_else(|| variable("HATCHERY_OUT").map(PathBuf::from));
        out.map(|out| RunFolder::at(&out))
    }

    fn failover(&self) -> FailoverPolicy {
        match self.wait {
            true => FailoverPolicy::RetryOutage,
            false => FailoverPolicy::RetryUnavailable,
        }
    }

    async fn submit_sweep(&self) -> Result<(), CommandError> {
        let sweep = SweepSubmission {
            spec: &self.spec,
            axes: &self.sweep,
            name: self.name.as_deref(),
            key: self.key(),
            request: &self.request,
            input: &self.input,
            failover: self.failover(),
            reuse: self.reuse,
            verb: &self.verb,
        };
        match self.wait {
            true => sweep.submit_and_wait(self.out()).await,
            false => sweep.submit_and_print().await,
        }
    }

    async fn submit_one(&self) -> Result<(), CommandError> {
        let spec = self.spec.open(&self.input)?;
        spec.print_warnings();
        let mut inputs = self.input.find(&spec)?;
        let mut farm = self.verb.farm.farm()?;
        let key = self.key();
        let failover = self.failover();
        if self.reuse
            && let mut finished = FinishedRuns::list(&mut farm, &spec.head.experiment).await?
            && let Some(run) = finished.find(&mut farm, failover, &spec).await?
        {
            print_status(&format!("reused run {run}"));
            let reused = SubmittedDocument { run, created: false, idempotency_key: key };
            return self.answer(&mut farm, reused).await;
        }
        let name = self.name.clone().unwrap_or_else(|| self.spec.run_name());
        let has_token = self.verb.farm.has_token();
        let request = self.request.request(&spec, &name, key.clone(), has_token);
        let submission = submit_with_inputs(&mut farm, failover, &request, &spec, &mut inputs);
        let submitted = match unless_interrupted(submission).await {
            // The request may have been sent.
            Err(CommandError::Interrupted) => Err(CommandError::Interrupted),
            submitted => submitted?,
        };
        let SubmitResponse { run, created, .. } = match submitted {
            Ok(submitted) => submitted,
            Err(failure) => {
                // Of several rounds, only the last one is known.
                if self.wait || failure.may_have_been_seen() {
                    print_status(&format!(
                        "the run may exist already: repeat the command with --idempotency-key {key}"
                    ));
                }
                return Err(failure);
            }
        };
        let run = run_id(&run)?;
        if !created {
            print_status(&format!("run {run} was already created with this idempotency key"));
        }
        let submitted = SubmittedDocument { run, created, idempotency_key: key };
        self.answer(&mut farm, submitted).await
    }

    /// Prints the run's id or, if it is waited for, its result.
    async fn answer(
        &self,
        farm: &mut FarmClient,
        submitted: SubmittedDocument,
    ) -> Result<(), CommandError> {
        match self.wait {
            true => self.follow(farm, &submitted.run).await,
            false => self.verb.print(submitted, |submitted| format!("{}\n", submitted.run)),
        }
    }

    /// Follows `run` to its end, and prints its result.
    async fn follow(&self, farm: &mut FarmClient, run: &str) -> Result<(), CommandError> {
        let mut progress = ProgressFollower::new(self.verb.output == OutputFormat::Quiet);
        let end = tokio::select! {
            end = follow(farm, run, &mut progress) => end,
            () = interrupted() => Err(CommandError::Interrupted),
        };
        progress.finish();
        if end.is_err() {
            let flags = self.verb.farm.flags();
            print_status(&format!(
                "run {run} continues on the farm; follow it with: {} watch {run}{flags}",
                program::name()
            ));
        }
        let end = end?;
        let read = async || read_run(&self.verb.farm, FailoverPolicy::RetryOutage, run).await;
        let (document, place) = match self.out() {
            Some(folder) => {
                let (document, folder) = copy_run(read, |_| folder.clone()).await?;
                (document, format!("in {}", shown_path(folder.path())))
            }
            None => (
                report::document(&read().await?.run)?,
                format!("is on the farm: `{} fetch {run}` downloads it", program::name()),
            ),
        };
        let shown = self.verb.output.print(|| document.table_with(&place), || document.json());
        outcome(&RunDocument::from(end)).and(shown)
    }
}
