//! The results of a sweep on a farm: its runs are waited for, downloaded, and put into the joint
//! table.

use hatchery_core::Part;
use hatchery_proto::v1::RunStatus;

use super::farm_args::{AnyRunArgs, FarmVerbArgs};
use super::output::OutputFormat;
use crate::client::{FailoverPolicy, FarmArgs, SilentFollower, follow};
use crate::error::CommandError;
use crate::replay::BestReplay;
use crate::report::{self, ResultDocument, SweepDocument, SweepRun};
use crate::run_folder::RunFolder;
use crate::run_source::RunSource;
use crate::signals::interrupted;
use crate::sweep::SweepPoint;
use crate::terminal::{escape_controls, print_status};

/// A run of a sweep on a farm.
pub(super) struct RunOfSweep {
    pub(super) point: SweepPoint,
    /// The run's id.
    pub(super) run: String,
}

/// The runs of a sweep, and the place for their files.
pub(super) struct SweepResults<'a> {
    pub(super) farm: &'a FarmArgs,
    pub(super) output: OutputFormat,
    pub(super) sweep: &'a str,
    pub(super) runs: Vec<RunOfSweep>,
    pub(super) out: Option<RunFolder>,
}

impl<'a> SweepResults<'a> {
    /// Returns the results of the sweep that the arguments name; `None` if `runs`, which they
    /// select, are not those of a sweep.
    pub(super) fn of(
        args: &'a AnyRunArgs,
        runs: &[RunStatus],
        out: Option<RunFolder>,
    ) -> Option<Self> {
        let FarmVerbArgs { output, farm } = &args.verb;
        let (sweep, runs) = Self::select(&args.run, runs)?;
        Some(Self { farm, output: *output, sweep, runs, out })
    }

    /// Returns the sweep called `selector` with its points, of which `runs` are all.
    pub(super) fn select(
        selector: &'a str,
        runs: &[RunStatus],
    ) -> Option<(&'a str, Vec<RunOfSweep>)> {
        let of_sweep = |status: &RunStatus| {
            let (sweep, point) = SweepPoint::of_run(&status.name)?;
            (sweep == selector).then(|| RunOfSweep { point, run: status.run.clone() })
        };
        Some((selector, runs.iter().map(of_sweep).collect::<Option<Vec<_>>>()?))
    }

    /// Waits until all runs have ended.
    ///
    /// # Errors
    /// If no coordinator answers, a run is gone, or the command is interrupted.
    pub(super) async fn wait(&self) -> Result<(), CommandError> {
        let mut farm = self.farm.farm()?;
        for (number, RunOfSweep { point, run }) in (1..).zip(&self.runs) {
            if self.output != OutputFormat::Quiet {
                let (n_all, point) = (self.runs.len(), escape_controls(&point.name));
                print_status(&format!("waiting for run {number} of {n_all}: {point}"));
            }
            let mut follower = SilentFollower;
            tokio::select! {
                end = follow(&mut farm, run, &mut follower) => end?,
                () = interrupted() => {
                    let flags = self.farm.flags();
                    print_status(&format!(
                        "the sweep continues on the farm; wait for it with: hatchery wait {}\
                         {flags}",
                        self.sweep
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
    /// If a run cannot be downloaded or written, or is not done.
    pub(super) async fn collect(&self) -> Result<(), CommandError> {
        if let Some(folder) = &self.out {
            folder.create_for_sweep()?;
        }
        let document = self.document().await?;
        if let Some(folder) = &self.out {
            report::write_sweep(&document, folder)?;
        }
        self.output.print(|| document.text(), || document.json())?;
        document.outcome()
    }

    /// Downloads the results, and writes the files of the runs if there is a place for them.
    ///
    /// # Errors
    /// If a run cannot be downloaded or written.
    pub(super) async fn document(&self) -> Result<SweepDocument, CommandError> {
        let (mut experiment, mut runs) = (String::new(), Vec::new());
        for RunOfSweep { point, run } in &self.runs {
            let result = self.download(point, run).await?;
            experiment.clone_from(&result.experiment);
            runs.push(SweepRun::new(point, &result));
        }
        Ok(SweepDocument::new(self.sweep, &experiment, runs))
    }

    async fn download(
        &self,
        point: &SweepPoint,
        run: &str,
    ) -> Result<ResultDocument, CommandError> {
        let mut farm = self.farm.farm()?;
        let export = farm.export(FailoverPolicy::UntilAnswered, run).await?;
        let mut source = RunSource::exported(&export, self.farm.farm()?)?;
        let Some(folder) = &self.out else { return report::document(&source.run) };
        let replay = BestReplay::read(&mut source).await;
        let stored = &source.run;
        let read = async |part: Part| farm.part(stored.id, part.hash()).await;
        let folder = RunFolder::at(&folder.path().join(point.folder_name()));
        report::write_copy(stored, &export.events, &folder, &replay, read).await
    }
}
