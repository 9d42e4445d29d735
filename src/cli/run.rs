//! `hatchery run`

mod execution;
mod reuse;
mod sweep;

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use hatchery_coordinator::RunOutcome;
use hatchery_store::RunId;
use ulid::Ulid;

use super::hints::print_hints;
use super::input_args::InputArgs;
use super::loaded_spec::LoadedSpec;
use super::output::OutputFormat;
use super::spec_args::SpecArgs;
use super::stall_args::StallArgs;
use super::threads::trial_threads;
use crate::build_info::available_cores;
use crate::error::{CommandError, UsageError};
use crate::local_run::open_store;
use crate::report::ResultDocument;
use crate::run_folder::RunFolder;
use crate::signals::refuse_large_files;
use crate::sweep::SweepAxis;
use crate::terminal::print_status;

use execution::{ExecutedRun, LocalExecution, check_same_spec};
use reuse::LocalFinishedRuns;
use sweep::LocalSweep;

/// Run a spec or a preset on this machine
#[derive(Debug, Args)]
pub(crate) struct RunCommand {
    #[command(flatten)]
    spec: SpecArgs,
    /// Run the spec once for each value of a key, such as seed=1..20 (both ends included) or
    /// games=50,100; several keys run each combination
    #[arg(long, value_name = "KEY=VALUES")]
    sweep: Vec<SweepAxis>,
    /// Number of trials to run at the same time [default: one per core]
    #[arg(long, value_name = "N", env = "HATCHERY_THREADS",
          value_parser = clap::value_parser!(u32).range(1..=4096))]
    threads: Option<u32>,
    /// Folder of the run [default: runs/NAME-ID]
    #[arg(long, value_name = "DIR", env = "HATCHERY_OUT")]
    out: Option<PathBuf>,
    /// Continue the run in the folder, or the last run of this spec
    #[arg(long)]
    resume: bool,
    /// Print the result of a finished run below runs/ with the same spec and version, if there is
    /// one, instead of computing it again
    #[arg(long)]
    reuse: bool,
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    stall: StallArgs,
    /// Output format
    #[arg(long, value_enum, default_value = "table", env = "HATCHERY_OUTPUT")]
    output: OutputFormat,
}

impl RunCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        let n_threads = self.threads.unwrap_or_else(available_cores);
        let warn = |warning: &str| print_status(&format!("warning: {warning}"));
        let n_threads = trial_threads(n_threads, warn)?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .map_err(CommandError::set_up)?;
        let outcome = runtime.block_on(async {
            refuse_large_files();
            match self.sweep.is_empty() {
                true => self.run_one(n_threads).await,
                false => self.run_sweep(n_threads).await,
            }
        });
        // A trial that does not end must not keep the process alive.
        runtime.shutdown_timeout(Duration::ZERO);
        outcome
    }

    async fn run_one(&self, n_threads: u32) -> Result<(), CommandError> {
        let spec = self.spec.open(&self.input)?;
        spec.print_warnings();
        if self.reuse && self.resume {
            return Err(UsageError::ReuseAndResume.into());
        }
        if self.reuse && self.out.is_some() {
            return Err(UsageError::ReuseInFolder.into());
        }
        if self.reuse
            && let Some((folder, document)) = LocalFinishedRuns::list().find(&spec).await
        {
            print_status(&format!("reused run {}", document.run));
            return self.print(&document, &folder);
        }
        let id = RunId(Ulid::generate());
        let folder = self.folder(id, &spec).await?;
        let run = (id, &*self.spec.run_name());
        let execution = self.execution(n_threads);
        let mut farm = execution.start_farm().await?;
        let executed = execution.run(&mut farm, run, spec, &folder).await;
        farm.end().await;
        let executed = executed?;
        let ExecutedRun { outcome, document, has_best } = executed;
        let shown = document.as_ref().map_or(Ok(()), |document| self.print(document, &folder));
        match outcome {
            Ok(RunOutcome::Done) => {
                shown?;
                if let (Some(document), true) = (document, self.output != OutputFormat::Quiet) {
                    print_hints(&folder, &document.run, has_best);
                }
                Ok(())
            }
            Ok(RunOutcome::Failed { reason }) => Err(CommandError::RunFailed { reason }),
            Ok(RunOutcome::Cancelled) => Err(unfinished(&folder, CommandError::RunCancelled)),
            Err(gone @ CommandError::FolderGone { .. }) => Err(gone),
            Err(failure) => Err(unfinished(&folder, failure)),
        }
    }

    async fn run_sweep(&self, n_threads: u32) -> Result<(), CommandError> {
        let sweep = LocalSweep {
            spec: &self.spec,
            axes: &self.sweep,
            out: self.out.as_deref(),
            resume: self.resume,
            reuse: self.reuse,
            execution: self.execution(n_threads),
            output: self.output,
        };
        sweep.run().await
    }

    fn execution(&self, n_threads: u32) -> LocalExecution<'_> {
        LocalExecution {
            input: &self.input,
            stall: &self.stall,
            n_threads,
            quiet: self.output == OutputFormat::Quiet,
        }
    }

    /// Returns the folder of the run, which need not exist yet.
    async fn folder(&self, id: RunId, spec: &LoadedSpec) -> Result<RunFolder, CommandError> {
        let name = self.spec.run_name();
        let folder = match (&self.out, self.resume) {
            (Some(out), _) => RunFolder::at(out),
            (None, false) => RunFolder::for_run(&name, id),
            (None, true) => {
                let mut found = None;
                for folder in RunFolder::all_named(&name) {
                    if folder.is_in_use() && spec.is_that_of(&folder) {
                        let path = folder.path().to_owned();
                        return Err(UsageError::FolderInUse { path }.into());
                    }
                    let Ok((store, known)) = open_store(&folder).await else { continue };
                    if check_same_spec(&store, known, spec, &folder).await.is_ok() {
                        found = Some(folder);
                        break;
                    }
                }
                found.ok_or_else(|| UsageError::NothingToResume { spec: self.spec.spec.clone() })?
            }
        };
        if folder.holds_run() && !self.resume {
            return Err(UsageError::FolderHoldsRun { path: folder.path().to_owned() }.into());
        }
        Ok(folder)
    }

    fn print(&self, document: &ResultDocument, folder: &RunFolder) -> Result<(), CommandError> {
        self.output.print(|| document.table(folder.path()), || document.json())
    }
}

/// Says how the run in `folder` can be continued, and returns the error that has ended it.
fn unfinished(folder: &RunFolder, error: CommandError) -> CommandError {
    let resume = folder.resume_command();
    print_status(&format!("nothing that was finished is lost; continue with: {resume}"));
    error
}
