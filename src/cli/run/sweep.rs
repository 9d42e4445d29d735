//! A sweep on this machine: its runs, one after another, and their joint table.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use hatchery_coordinator::RunOutcome;
use hatchery_store::RunId;
use ulid::Ulid;

use super::execution::{ExecutedRun, LocalExecution};
use super::reuse::LocalFinishedRuns;
use crate::cli::output::OutputFormat;
use crate::cli::spec_args::SpecArgs;
use crate::cli::sweep_specs::{CheckedSweep, checked_sweep};
use crate::error::{CommandError, UsageError};
use crate::format::shell_quoted;
use crate::local::LocalFarm;
use crate::program;
use crate::report::{self, SweepDocument, SweepRun};
use crate::run_folder::RunFolder;
use crate::signals::StopSignals;
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
        let CheckedSweep { experiment, mut points } =
            checked_sweep(&name, (self.spec, self.execution.input), self.axes)?;
        let known = self.known(&folder, &name, &experiment, &mut points)?;
        folder.create_for_sweep()?;
        report::write_sweep(&known, &folder)?;
        let mut runs = Vec::new();
        let outcome = self.run_points(&known, &points, &folder, &mut runs).await;
        let document = known.with(&points, runs);
        let written = report::write_sweep(&document, &folder);
        // The error that stopped the sweep is the one to tell.
        outcome.inspect_err(|error| {
            if let CommandError::Interrupted = error {
                print_status(&format!(
                    "nothing that was finished is lost; continue with the same command and \
                     --out {} --resume",
                    shell_quoted(folder.path())
                ));
            }
        })?;
        written?;
        self.output.print(|| document.text(), || document.json())?;
        if self.output != OutputFormat::Quiet {
            let folder = shell_quoted(folder.path());
            let program = program::name();
            print_status(&format!("next: {program} open {folder}  shows the report in a browser"));
        }
        document.outcome()
    }

    /// Returns the sweep in the folder, with `points`; a new one if there is none. Nothing in the
    /// folder will be overwritten. Points that it has already get the names that they have there.
    fn known(
        &self,
        folder: &RunFolder,
        name: &str,
        experiment: &str,
        points: &mut [SweepPoint],
    ) -> Result<SweepDocument, CommandError> {
        if !folder.holds_sweep() {
            return Ok(SweepDocument::new(name, experiment, points.to_vec(), Vec::new()));
        }
        let path = || folder.path().to_owned();
        if !self.resume {
            return Err(UsageError::FolderHoldsSweep { path: path() }.into());
        }
        let known = SweepDocument::of_folder(folder)?;
        let by_values: BTreeMap<_, _> =
            known.points.iter().map(|it| (it.sorted_values(), it)).collect();
        for point in points.iter_mut() {
            if let Some(there) = by_values.get(&point.sorted_values()) {
                point.clone_from(there);
            }
        }
        let by_name: BTreeMap<_, _> = points.iter().map(|it| (&it.name, it)).collect();
        let keys: BTreeSet<_> = self.axes.iter().map(SweepAxis::key).collect();
        let is_same = known.experiment == experiment
            && known.points.iter().all(|it| {
                // A point that has a number may be another one in this command.
                let fits = by_name.get(&it.name).is_none_or(|named| named.values == it.values);
                fits && it.keys().collect::<BTreeSet<_>>() == keys
            });
        match is_same {
            true => Ok(known.with(points, Vec::new())),
            false => Err(UsageError::OtherSweep { path: path() }.into()),
        }
    }

    /// Runs all points, and adds their results to `runs`.
    async fn run_points(
        &self,
        known: &SweepDocument,
        points: &[SweepPoint],
        folder: &RunFolder,
        runs: &mut Vec<SweepRun>,
    ) -> Result<(), CommandError> {
        let mut farm = None;
        let ran = self.run_points_on(&mut farm, known, points, folder, runs).await;
        if let Some(farm) = farm {
            farm.end().await;
        }
        ran
    }

    /// Runs all points as [`run_points`](Self::run_points) does, on `farm`; starts one where there
    /// is none.
    async fn run_points_on(
        &self,
        farm: &mut Option<LocalFarm>,
        known: &SweepDocument,
        points: &[SweepPoint],
        folder: &RunFolder,
        runs: &mut Vec<SweepRun>,
    ) -> Result<(), CommandError> {
        let done = known.runs.iter().filter(|run| run.is_done());
        let done: BTreeSet<_> = done.map(|run| &run.point.name).collect();
        // A run listens for signals while it is executed; one may come between two runs.
        let mut signals = StopSignals::listen().map_err(CommandError::set_up)?;
        let finished = self.reuse.then(LocalFinishedRuns::list);
        for (number, point) in (1..).zip(points) {
            if signals.has_come().await {
                return Err(CommandError::Interrupted);
            }
            if self.output != OutputFormat::Quiet {
                let values: Vec<_> = point.assignments().collect();
                let values = escape_controls(&values.join(", "));
                let end = values.floor_char_boundary(SHOWN_BYTES);
                print_status(&format!("run {number} of {}: {}", points.len(), &values[..end]));
            }
            let spec = self.spec.with(point.assignments()).open(self.execution.input)?;
            let folder = RunFolder::at(&folder.path().join(point.folder_name()));
            // Its run is elsewhere: it was reused.
            if !folder.holds_run() && done.contains(&point.name) {
                continue;
            }
            if let Some(finished) = finished.as_ref().filter(|_| !folder.holds_run())
                && let Some((_, document)) = finished.find(&spec).await
            {
                print_status(&format!("reused run {}", document.run));
                runs.push(SweepRun::new(point, &document));
                continue;
            }
            let run = (RunId(Ulid::generate()), &*point.run_name(&known.sweep));
            let mut used = match farm.take() {
                Some(farm) => farm,
                None => self.execution.start_farm().await?,
            };
            let executed = self.execution.run(&mut used, run, spec, &folder).await;
            match &executed {
                Ok(ExecutedRun { outcome: Ok(RunOutcome::Done), .. }) => *farm = Some(used),
                // A trial of the run may not have ended.
                _ => used.end().await,
            }
            let executed = executed?;
            runs.extend(executed.document.map(|result| SweepRun::new(point, &result)));
            // A run that fails, or that somebody cancels, is an outcome as any other.
            let _: RunOutcome = executed.outcome?;
        }
        Ok(())
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
