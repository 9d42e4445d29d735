//! A sweep on this machine: its runs, one after another, and their joint table.

use std::path::Path;

use hatchery_coordinator::RunOutcome;
use hatchery_store::RunId;
use ulid::Ulid;

use super::execution::LocalExecution;
use super::reuse;
use crate::cli::output::OutputFormat;
use crate::cli::spec_args::SpecArgs;
use crate::error::{CommandError, UsageError};
use crate::format::shell_quoted;
use crate::report::{self, ResultDocument, SweepDocument};
use crate::run_folder::RunFolder;
use crate::sweep::{SweepAxis, SweepPoint, points, sweep_name};
use crate::terminal::{escape_controls, print_status};

/// A sweep of a spec.
pub(super) struct LocalSweep<'a> {
    pub(super) spec: &'a SpecArgs,
    pub(super) axes: &'a [SweepAxis],
    pub(super) out: Option<&'a Path>,
    /// Whether the sweep in the folder goes on.
    pub(super) resume: bool,
    /// Whether runs that are done already take the place of the same runs again.
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
        let points = points(&name, self.axes, self.spec.set_keys()).map_err(UsageError::from)?;
        for point in &points {
            self.spec.with(point.assignments()).open()?;
        }
        let mut results = Vec::new();
        for (number, point) in (1..).zip(&points) {
            if self.output != OutputFormat::Quiet {
                let values: Vec<_> = point.assignments().collect();
                let values = escape_controls(&values.join(", "));
                print_status(&format!("run {number} of {}: {values}", points.len()));
            }
            let ended = match self.run_point(&name, point, &folder).await {
                Ok((document, ended)) => {
                    results.extend(document.map(|document| (point.clone(), document)));
                    ended
                }
                Err(error) => Err(error),
            };
            if let Err(error) = ended {
                let table = self.write(&name, &folder, &results);
                print_status(&format!(
                    "nothing that was finished is lost; continue with the same command and --out \
                     {} --resume",
                    shell_quoted(folder.path())
                ));
                return table.and(Err(error));
            }
        }
        let document = self.write(&name, &folder, &results)?;
        self.output.print(|| document.text(), || document.json())?;
        if self.output != OutputFormat::Quiet {
            let folder = shell_quoted(folder.path());
            print_status(&format!("next: hatchery open {folder}  shows the report in a browser"));
        }
        document.outcome()
    }

    /// Runs a point; returns its result, if it can be read, and the error that stops the sweep.
    async fn run_point(
        &self,
        sweep: &str,
        point: &SweepPoint,
        folder: &RunFolder,
    ) -> Result<(Option<ResultDocument>, Result<(), CommandError>), CommandError> {
        let spec = self.spec.with(point.assignments()).open()?;
        if self.reuse
            && let Some((_, document)) = reuse::find(&spec)
        {
            print_status(&format!("reused run {}", document.run));
            return Ok((Some(document), Ok(())));
        }
        let folder = RunFolder::at(&folder.path().join(point.folder_name()));
        if folder.holds_run() && !self.resume {
            return Err(UsageError::FolderHoldsRun { path: folder.path().to_owned() }.into());
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

    /// Writes the joint table of the runs so far.
    fn write(
        &self,
        name: &str,
        folder: &RunFolder,
        results: &[(SweepPoint, ResultDocument)],
    ) -> Result<SweepDocument, CommandError> {
        let document = SweepDocument::new(name, results);
        report::write_sweep(&document, results.iter().map(|(point, _)| point), folder)?;
        Ok(document)
    }
}
