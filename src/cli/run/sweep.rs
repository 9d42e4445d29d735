//! A sweep on this machine: its runs, one after another, and their joint table.

use std::path::Path;

use hatchery_coordinator::RunOutcome;
use hatchery_store::RunId;
use ulid::Ulid;

use super::execution::LocalExecution;
use super::reuse;
use crate::cli::output::OutputFormat;
use crate::cli::spec_args::SpecArgs;
use crate::cli::sweep_specs::{CheckedSweep, checked_sweep};
use crate::error::{CommandError, UsageError};
use crate::format::shell_quoted;
use crate::report::{self, ResultDocument, SweepDocument, SweepRun};
use crate::run_folder::RunFolder;
use crate::sweep::{SweepAxis, SweepPoint, sweep_name};
use crate::terminal::{escape_controls, print_status};

/// The most bytes of the values of a point in a line of progress.
const SHOWN_BYTES: usize = 200;

/// A sweep of a spec.
pub(super) struct LocalSweep<'a> {
    pub(super) spec: &'a SpecArgs,
    pub(super) axes: &'a [SweepAxis],
    pub(super) out: Option<&'a Path>,
    /// True if the sweep in the folder is continued.
    pub(super) resume: bool,
    /// True if runs that are done already are reused.
    pub(super) reuse: bool,
    pub(super) execution: LocalExecution<'a>,
    pub(super) output: OutputFormat,
}

impl LocalSweep<'_> {
    /// Runs each point, and prints the joint table. A run that fails does not keep the others from
    /// running.
    ///
    /// # Errors
    ///
    /// Fails before the first run if a point has no valid spec, and at the end if a run failed.
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let folder = self.folder()?;
        let name = sweep_name(&folder.name());
        let CheckedSweep { experiment, points } = checked_sweep(&name, self.spec, self.axes)?;
        let others = self.check_folder(&folder, &experiment, &points)?;
        folder.create_for_sweep()?;
        let mut runs = Vec::new();
        for (number, point) in (1..).zip(&points) {
            if self.output != OutputFormat::Quiet {
                let values: Vec<_> = point.assignments().collect();
                let values = escape_controls(&values.join(", "));
                let end = values.floor_char_boundary(SHOWN_BYTES);
                print_status(&format!("run {number} of {}: {}", points.len(), &values[..end]));
            }
            let ended = match self.run_point(&name, point, &folder).await {
                Ok((result, ended)) => {
                    runs.extend(result.map(|result| SweepRun::new(point, &result)));
                    ended
                }
                Err(error) => Err(error),
            };
            if let Err(error) = ended {
                let document = SweepDocument::new(&name, &experiment, [runs, others].concat());
                // The error that stopped the sweep is the one to tell.
                report::write_sweep(&document, &folder).unwrap_or(());
                if let CommandError::Interrupted = error {
                    print_status(&format!(
                        "nothing that was finished is lost; continue with the same command and \
                         --out {} --resume",
                        shell_quoted(folder.path())
                    ));
                }
                return Err(error);
            }
        }
        let document = SweepDocument::new(&name, &experiment, [runs, others].concat());
        report::write_sweep(&document, &folder)?;
        self.output.print(|| document.text(), || document.json())?;
        if self.output != OutputFormat::Quiet {
            let folder = shell_quoted(folder.path());
            print_status(&format!("next: hatchery open {folder}  shows the report in a browser"));
        }
        document.outcome()
    }

    /// Checks that nothing in the folder is overwritten, and returns the runs of the sweep in it
    /// that are not among `points`: those of a command with other values of the same keys.
    fn check_folder(
        &self,
        folder: &RunFolder,
        experiment: &str,
        points: &[SweepPoint],
    ) -> Result<Vec<SweepRun>, CommandError> {
        let path = || folder.path().to_owned();
        let Some(known) = SweepDocument::of_folder(folder) else { return Ok(Vec::new()) };
        if !self.resume {
            return Err(UsageError::FolderHoldsSweep { path: path() }.into());
        }
        let keys: Vec<_> = self.axes.iter().map(SweepAxis::key).collect();
        if known.experiment != experiment || known.runs.iter().any(|run| run.keys() != keys) {
            return Err(UsageError::OtherSweep { path: path() }.into());
        }
        let is_other = |run: &SweepRun| points.iter().all(|point| point.name != run.point);
        Ok(known.runs.into_iter().filter(is_other).collect())
    }

    /// Runs a point; returns its result, if it can be read, and the error that stops the sweep.
    async fn run_point(
        &self,
        sweep: &str,
        point: &SweepPoint,
        folder: &RunFolder,
    ) -> Result<(Option<ResultDocument>, Result<(), CommandError>), CommandError> {
        let spec = self.spec.with(point.assignments()).open()?;
        let folder = RunFolder::at(&folder.path().join(point.folder_name()));
        if self.reuse
            && !folder.holds_run()
            && let Some((_, document)) = reuse::find(&spec).await
        {
            print_status(&format!("reused run {}", document.run));
            return Ok((Some(document), Ok(())));
        }
        let run = (RunId(Ulid::generate()), &*point.run_name(sweep));
        let executed = self.execution.run(run, spec, &folder).await?;
        // A run that fails, or that somebody cancels, is an outcome as any other.
        Ok((executed.document, executed.outcome.map(|_: RunOutcome| ())))
    }

    /// Returns the folder of the sweep, which need not exist yet.
    fn folder(&self) -> Result<RunFolder, CommandError> {
        let folder = match self.out {
            Some(out) => RunFolder::at(out),
            None if self.resume => return Err(UsageError::SweepToResume.into()),
            None => {
                let name = format!("{}-sweep", self.spec.run_name());
                RunFolder::for_run(&name, RunId(Ulid::generate()))
            }
        };
        match folder.holds_run() {
            true => Err(UsageError::SweepInRun { path: folder.path().to_owned() }.into()),
            false => Ok(folder),
        }
    }
}
