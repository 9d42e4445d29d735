//! The results of a sweep on a farm: its runs are waited for, downloaded, and put into the joint
//! table.

use std::collections::BTreeMap;
use std::path::Path;

use hatchery_core::text::counted;
use hatchery_proto::v1::RunStatus;

use super::download::{copy_run, read_run};
use super::output::OutputFormat;
use crate::client::{FailoverPolicy, FarmArgs, SilentFollower, follow};
use crate::error::{CommandError, SelectionError, UsageError};
use crate::format::shell_quoted;
use crate::program;
use crate::report::{self, ResultDocument, SweepDocument, SweepRun};
use crate::run_folder::RunFolder;
use crate::signals::interrupted;
use crate::sweep::SweepPoint;
use crate::terminal::{escape_controls, print_status};

/// A sweep on a farm.
pub(super) struct FarmSweep {
    pub(super) name: String,
    pub(super) experiment: String,
    /// Its points, each with the id of its run.
    pub(super) runs: Vec<(SweepPoint, String)>,
}

impl FarmSweep {
    /// Creates the sweep called `name` from its runs, the oldest first. Where a point has several,
    /// the latest is its run: a sweep may have been submitted again under its name.
    ///
    /// # Errors
    /// If the runs are of more than one experiment.
    pub(super) fn new(name: String, statuses: Vec<RunStatus>) -> Result<Self, SelectionError> {
        let experiment = statuses.first().map(|run| run.experiment.clone()).unwrap_or_default();
        if let Some(other) = statuses.iter().find(|run| run.experiment != experiment) {
            let second = other.experiment.clone();
            return Err(SelectionError::MixedSweep { sweep: name, first: experiment, second });
        }
        let (n_all, mut places, mut runs) = (statuses.len(), BTreeMap::new(), Vec::new());
        for status in statuses {
            let Some((_, point)) = SweepPoint::of_run(&status.name) else { continue };
            let place = *places.entry(point.name.clone()).or_insert(runs.len());
            match runs.get_mut(place) {
                Some((_, run)) => *run = status.run,
                None => runs.push((point, status.run)),
            }
        }
        let n_earlier = (n_all - runs.len()) as u64;
        if 0 < n_earlier {
            let earlier = counted(n_earlier, "earlier run");
            print_status(&format!("{earlier} of the same points left out"));
        }
        Ok(Self { name, experiment, runs })
    }

    /// Returns the points in their order.
    fn points(&self) -> Vec<SweepPoint> {
        self.runs.iter().map(|(point, _)| point.clone()).collect()
    }
}

/// A sweep on a farm, and the place for the files of its runs.
pub(super) struct SweepResults<'a> {
    pub(super) farm: &'a FarmArgs,
    pub(super) failover: FailoverPolicy,
    pub(super) output: OutputFormat,
    pub(super) sweep: FarmSweep,
    pub(super) out: Option<RunFolder>,
}

impl SweepResults<'_> {
    /// Waits until all runs have ended.
    ///
    /// # Errors
    /// If no coordinator answers, a run is gone, or the command is interrupted.
    pub(super) async fn wait(&self) -> Result<(), CommandError> {
        let mut farm = self.farm.farm()?;
        for (number, (point, run)) in (1..).zip(&self.sweep.runs) {
            if self.output != OutputFormat::Quiet {
                let (n_all, point) = (self.sweep.runs.len(), escape_controls(&point.name));
                print_status(&format!("waiting for run {number} of {n_all}: {point}"));
            }
            let mut follower = SilentFollower;
            tokio::select! {
                end = follow(&mut farm, run, &mut follower) => end?,
                () = interrupted() => {
                    // The slash tells it from a run of the same name.
                    let (sweep, flags) = (format!("{}/", self.sweep.name), self.farm.flags());
                    print_status(&format!(
                        "the sweep continues on the farm; wait for it with: {} wait {}{flags}",
                        program::name(),
                        shell_quoted(Path::new(&sweep))
                    ));
                    return Err(CommandError::Interrupted);
                }
            };
        }
        Ok(())
    }

    /// Downloads the results, writes the files if there is a place for them, and prints the joint
    /// table.
    ///
    /// # Errors
    /// If a run cannot be downloaded or written.
    pub(super) async fn collect(mut self) -> Result<SweepDocument, CommandError> {
        if let Some(folder) = self.out.clone() {
            self.begin(&folder)?;
        }
        let document = self.document().await?;
        if let Some(folder) = &self.out {
            report::write_sweep(&document, folder)?;
        }
        self.output.print(|| document.text(), || document.json())?;
        Ok(document)
    }

    /// Makes `folder` the folder of the sweep. If it already is, it may have the values of points
    /// that are named by their numbers.
    fn begin(&mut self, folder: &RunFolder) -> Result<(), CommandError> {
        folder.create_for_sweep()?;
        let FarmSweep { name, experiment, .. } = &self.sweep;
        if !folder.holds_sweep() {
            let empty = SweepDocument::new(name, experiment, self.sweep.points(), Vec::new());
            return report::write_sweep(&empty, folder);
        }
        let known = SweepDocument::of_folder(folder)?;
        let mut known_points: BTreeMap<_, _> =
            known.points.into_iter().map(|point| (point.name, point.values)).collect();
        let is_same = known.sweep == *name && known.experiment == *experiment;
        for (point, _) in &mut self.sweep.runs {
            if let Some(values) = known_points.remove(&point.name) {
                point.values = values;
            }
        }
        // A farm's sweep grows, but loses no point.
        if is_same && known_points.is_empty() {
            return Ok(());
        }
        let (path, sweep) = (folder.path().to_owned(), escape_controls(&self.sweep.name));
        Err(UsageError::FolderOfOtherSweep { path, sweep }.into())
    }

    /// Downloads the results, and writes the files of the runs if there is a place for them.
    ///
    /// # Errors
    /// If a run cannot be downloaded or written.
    pub(super) async fn document(&self) -> Result<SweepDocument, CommandError> {
        let mut runs = Vec::new();
        for (point, run) in &self.sweep.runs {
            runs.push(SweepRun::new(point, &self.download(point, run).await?));
        }
        let FarmSweep { name, experiment, .. } = &self.sweep;
        Ok(SweepDocument::new(name, experiment, self.sweep.points(), runs))
    }

    async fn download(
        &self,
        point: &SweepPoint,
        run: &str,
    ) -> Result<ResultDocument, CommandError> {
        let read = async || read_run(self.farm, self.failover, run).await;
        let Some(folder) = &self.out else { return report::document(&read().await?.run) };
        let folder = RunFolder::at(&folder.path().join(point.folder_name()));
        let (document, _) = copy_run(read, |_| folder.clone()).await?;
        Ok(document)
    }
}
