//! `hatchery report`

use std::path::{Path, PathBuf};

use clap::Args;

use super::output::{OutputFormat, STANDARD_OUTPUT, print_result, write_file, write_named_file};
use super::runtime::in_runtime;
use super::sweep_results::{FarmSweep, SweepResults};
use crate::client::{FailoverPolicy, FarmArgs, SelectedRuns};
use crate::error::{CommandError, ComparisonError, UsageError};
use crate::replay::BestReplay;
use crate::report::{self, ComparedRun, MAX_COMPARED_RUNS, RunComparison, SweepDocument};
use crate::run_folder::{REPORT, RunFolder, plain_name};
use crate::run_source::RunSource;

/// The file for a comparison in the current folder, unless the user gives another file.
const COMPARISON: &str = "comparison.html";

/// Write the report of a run or a sweep as a page, or compare runs
///
/// The page of a run is an HTML file with the run's findings: figures, numbers, the spec, and the
/// command that gives the same digest. Works for unfinished, failed and cancelled runs as well.
///
/// The page of a sweep, given by its folder or its name, has its joint table.
///
/// The page of several runs of an experiment compares the runs with the first run: the parameters
/// that differ, the measures with their differences and intervals, and their courses on one chart.
#[derive(Debug, Args)]
pub(crate) struct ReportCommand {
    /// Run or sweep: its folder, its name, the beginning or end of a run's id, or `last`; with
    /// --coordinator, a run or sweep of the farm
    run: String,
    /// Runs of the same experiment, at most seven, to compare with the first
    #[arg(value_name = "RUN")]
    others: Vec<String>,
    /// File to write, or - for standard output [default: report.html in the run's folder, or
    /// NAME-report.html for a run of a farm; comparison.html in the current folder for several
    /// runs]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    farm: FarmArgs,
}

impl ReportCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        in_runtime(async {
            let (path, page) = match self.others.is_empty() {
                true => match self.sweep().await? {
                    Some(sweep) => sweep,
                    None => self.report().await?,
                },
                false => self.comparison().await?,
            };
            // A report can be written again; a comparison is no report of any run.
            let is_report = self.others.is_empty() && path.file_name() == Some(REPORT.as_ref());
            match self.out.is_some() && !is_report {
                true => write_named_file(&path, page.as_bytes())?,
                false => write_file(&path, page.as_bytes()).map_err(|error| self.named(error))?,
            }
            match path == Path::new(STANDARD_OUTPUT) {
                true => Ok(()),
                false => print_result(&format!("{}\n", path.display())),
            }
        })
    }

    /// Returns the error of writing the report, with a remedy if nobody named its file.
    fn named(&self, error: CommandError) -> CommandError {
        match error {
            CommandError::File { path, source, .. } if self.out.is_none() => {
                CommandError::ReportNotWritten { path, source }
            }
            error => error,
        }
    }

    /// Returns the report of the run and the file to write it to.
    async fn report(&self) -> Result<(PathBuf, String), CommandError> {
        let mut source = RunSource::open(&self.run, &self.farm).await?;
        let replay = BestReplay::read(&mut source).await;
        let page = report::page(&source.run, &source.events().await?, &replay)?;
        let path = match (&self.out, &source.folder) {
            (Some(path), _) => path.clone(),
            (None, Some(folder)) => folder.path().join(REPORT),
            (None, None) => PathBuf::from(format!(
                "{}-{REPORT}",
                plain_name(&source.run.record.name, source.run.id)
            )),
        };
        Ok((path, page))
    }

    /// Returns the joint report of the sweep that is named, and the file to write it to; `None` if
    /// it is a run.
    async fn sweep(&self) -> Result<Option<(PathBuf, String)>, CommandError> {
        // The folder of a run, or of what `fetch` wrote of one, always names that run.
        let fetched = RunFolder::at(Path::new(&self.run)).fetched_run();
        if RunFolder::named(&self.run).is_some() || fetched.is_some() {
            return Ok(None);
        }
        let (document, default) = match RunFolder::sweep(&self.run) {
            Some(folder) => (SweepDocument::of_folder(&folder)?, folder.path().join(REPORT)),
            None if self.farm.is_given() => {
                let mut client = self.farm.farm()?;
                match client.select_run_or_sweep(&self.run).await? {
                    SelectedRuns::One(_) => return Ok(None),
                    SelectedRuns::Sweep(name, runs) => {
                        let folder = RunFolder::of_sweep(&name).name();
                        let (farm, failover) = (&self.farm, FailoverPolicy::RetryUnavailable);
                        let (output, sweep) = (OutputFormat::Quiet, FarmSweep::new(name, runs)?);
                        let results = SweepResults { farm, failover, output, sweep, out: None };
                        (results.document().await?, PathBuf::from(format!("{folder}-{REPORT}")))
                    }
                }
            }
            None => return Ok(None),
        };
        Ok(Some((self.out.clone().unwrap_or(default), report::sweep_page(&document))))
    }

    /// Returns the comparison of the runs and the file to write it to.
    async fn comparison(&self) -> Result<(PathBuf, String), CommandError> {
        let path = self.out.clone().unwrap_or_else(|| PathBuf::from(COMPARISON));
        let (n_runs, most) = (1 + self.others.len(), MAX_COMPARED_RUNS);
        if most < n_runs {
            return Err(UsageError::from(ComparisonError::TooManyRuns { n_runs, most }).into());
        }
        let baseline = self.compared(&self.run).await?;
        let mut others = Vec::new();
        for run in &self.others {
            others.push(self.compared(run).await?);
        }
        let comparison = RunComparison::new(baseline, others).map_err(UsageError::from)?;
        Ok((path, report::comparison_page(&comparison)))
    }

    /// Returns the compared data of a run. Its store is closed again, so that giving the same run
    /// twice is an error that names it.
    async fn compared(&self, run: &str) -> Result<ComparedRun, CommandError> {
        ComparedRun::new(&RunSource::open(run, &self.farm).await?.run)
    }
}
