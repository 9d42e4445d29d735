//! Replays: trials of a run, played again for a person to see.

mod address;
mod best;
mod frames;

use std::ops::ControlFlow;

use hatchery_core::erased::{AnyPlan, ExperimentError, PreparedSubject};
use hatchery_core::scene::{Scene, SceneExcerpt, SceneRecorder, SceneSink};
use hatchery_core::{
    PartMemory, PartSet, RunSeed, StreamRng, SubjectTrial, TrialContext, catch_panic,
};

use crate::error::{CommandError, ReplayableTrials, UsageError};
use crate::report::StoredRun;
use crate::run_source::RunSource;

pub(crate) use address::{TrialAddress, TrialSelector};
pub(crate) use best::BestReplay;
pub(crate) use frames::FrameRange;

/// A trial with all that it takes to play it again.
pub(crate) struct RunTrial {
    pub(crate) address: TrialAddress,
    plan: AnyPlan,
    inputs: PartSet,
}

impl RunTrial {
    /// Reads the trial that `selector` names.
    pub(crate) async fn read(
        source: &mut RunSource,
        selector: TrialSelector,
    ) -> Result<Self, CommandError> {
        match selector {
            TrialSelector::Best => Self::best(source).await,
            TrialSelector::Address(address) => Self::at(source, address).await,
        }
    }

    /// Reads the trial at `address`.
    async fn at(source: &mut RunSource, address: TrialAddress) -> Result<Self, CommandError> {
        let TrialAddress { generation, subject, trial } = address;
        let state = source.state(generation).await?;
        let plan = source.run.procedure.plan(&state)?;
        let series = plan.series.get(subject as usize).ok_or_else(|| {
            let n_subjects = plan.series.len();
            UsageError::NoSuchSubject { generation, subject, n_subjects }
        })?;
        if series.n_trials <= trial {
            let n_trials = series.n_trials;
            return Err(UsageError::NoSuchTrial { subject, trial, n_trials }.into());
        }
        let inputs = source.inputs(&plan.inputs(series)).await?;
        Ok(Self { address, plan, inputs })
    }

    /// Reads a trial of the best subject, from the last generation that has the subject and whose
    /// state is kept.
    async fn best(source: &mut RunSource) -> Result<Self, CommandError> {
        let generations = source.run.replayable_generations();
        // Before a generation is folded, nothing is known to be best.
        let is_known = !source.run.generations.is_empty();
        for &generation in generations.iter().rev().filter(|_| is_known) {
            let begun = source.state(generation).await?;
            let run = &source.run;
            let best = run.procedure.best_trial(run.latest_state(), &begun)?;
            if let Some(SubjectTrial { subject, trial }) = best {
                return Self::at(source, TrialAddress { generation, subject, trial }).await;
            }
        }
        Err(Self::no_best(source, generations).await?.into())
    }

    /// Returns the error of a run without a best trial, which says what trials there are.
    async fn no_best(
        source: &mut RunSource,
        generations: Vec<u32>,
    ) -> Result<UsageError, CommandError> {
        let mut trials = ReplayableTrials { generations, n_subjects: 0, n_trials: 0 };
        if let Some(&last) = trials.generations.last() {
            let state = source.state(last).await?;
            let plan = source.run.procedure.plan(&state)?;
            trials.n_subjects = plan.series.len();
            trials.n_trials = plan.series.first().map_or(0, |series| series.n_trials);
        }
        Ok(match source.run.generations.is_empty() {
            true => UsageError::NothingBestYet { trials },
            false => {
                let experiment = source.run.record.experiment.clone();
                UsageError::NoBestTrial { experiment, trials }
            }
        })
    }

    /// Plays the trial until `sink` has the frames of this range, and returns the number of the
    /// last frame seen.
    ///
    /// # Errors
    ///
    /// Fails if the trial panics.
    pub(crate) fn play(
        &self,
        run: &StoredRun,
        frames: FrameRange,
        sink: &mut dyn SceneSink,
    ) -> Result<u64, CommandError> {
        let mut excerpt = SceneExcerpt::new(frames.first..=frames.last, sink);
        // A trial that was not shown to its end is no error, so how the replay ends is not asked.
        self.with_subject(run, |subject, rng, context| {
            let (ControlFlow::Continue(()) | ControlFlow::Break(())) =
                subject.replay(rng, context, &mut excerpt);
        })?;
        Ok(excerpt.n_seen())
    }

    /// Returns the trial as a file for other programs.
    ///
    /// # Errors
    ///
    /// Fails if the experiment has no such format, or if the trial panics.
    pub(crate) fn export(&self, run: &StoredRun) -> Result<String, CommandError> {
        self.with_subject(run, |subject, rng, context| subject.export(rng, context))?.ok_or_else(
            || UsageError::NoExportFormat { experiment: run.record.experiment.clone() }.into(),
        )
    }

    /// Prepares the trial and calls `run_trial` with its subject, stream and context.
    ///
    /// # Errors
    ///
    /// Fails if the plan cannot be decoded, or if the trial panics.
    fn with_subject<T>(
        &self,
        run: &StoredRun,
        run_trial: impl FnOnce(&dyn PreparedSubject, StreamRng, &TrialContext<'_>) -> T,
    ) -> Result<T, CommandError> {
        let host = PartMemory::new(self.inputs.clone());
        let context = TrialContext::new(&host);
        let TrialAddress { generation, subject, trial } = self.address;
        let series = &self.plan.series[subject as usize];
        let simulation = run.procedure.simulation();
        let prepared = simulation.prepare(&self.plan.shared).map_err(ExperimentError::from)?;
        let ready = prepared.subject(&series.subject).map_err(ExperimentError::from)?;
        let seed = RunSeed::new(&run.record.experiment, run.record.seed).generation(generation);
        let rng = seed.trial(self.plan.draws, subject, trial);
        catch_panic(|| run_trial(ready.as_ref(), rng, &context)).map_err(|panic| {
            let reason = format!("trial {} cannot be shown: {panic}", self.address);
            CommandError::RunFailed { reason }
        })
    }

    /// Returns the frames of this range as a scene of a bounded size.
    pub(crate) fn scene(
        &self,
        run: &StoredRun,
        frames: FrameRange,
        mut recorder: SceneRecorder,
    ) -> Result<Scene, CommandError> {
        let n_frames = self.play(run, frames, &mut recorder)?;
        frames.check(n_frames)?;
        recorder.finish().ok_or_else(|| CommandError::RunFailed {
            reason: format!("trial {} shows nothing", self.address),
        })
    }
}
