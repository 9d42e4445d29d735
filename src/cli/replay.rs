//! `hatchery replay`

use std::fmt;
use std::io::Write;
use std::ops::{ControlFlow, RangeInclusive};
use std::str::FromStr;

use clap::Args;
use hatchery_core::erased::{AnyPlan, ExperimentError, PreparedSubject};
use hatchery_core::scene::{
    Scene, SceneBase, SceneExcerpt, SceneFrame, SceneRecorder, SceneSink, SceneText,
};
use hatchery_core::{PartMemory, PartSet, RunSeed, StreamRng, TrialContext, catch_panic};

use super::farm_args::FarmVerbArgs;
use super::output::{OutputFormat, ignore_closed_pipe, print_result};
use super::runtime::in_runtime;
use crate::error::{CommandError, UsageError};
use crate::report::StoredRun;
use crate::report::farm::{self, SceneDocument};
use crate::run_source::RunSource;
use crate::terminal::escape_controls;

/// Replay one trial of a run and show it
#[derive(Debug, Args)]
pub(crate) struct ReplayCommand {
    /// Run: its folder, its name below runs/, the beginning of its id, or `last`; with
    /// --coordinator also the end of its id, or its name on the farm
    run: String,
    /// Trial: GENERATION/SUBJECT/TRIAL, each counted from 0
    trial: TrialAddress,
    /// Frames to show, such as 1..20, counted from 1 [default: all]
    #[arg(long, value_name = "FROM..TO", value_parser = frames)]
    frames: Option<RangeInclusive<u64>>,
    #[command(flatten)]
    verb: FarmVerbArgs,
}

/// The address of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TrialAddress {
    generation: u32,
    subject: u32,
    trial: u32,
}

impl fmt::Display for TrialAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { generation, subject, trial } = self;
        write!(f, "{generation}/{subject}/{trial}")
    }
}

impl FromStr for TrialAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts: Vec<_> = text.split('/').map(str::parse).collect();
        match parts.as_slice() {
            [Ok(generation), Ok(subject), Ok(trial)] => {
                Ok(Self { generation: *generation, subject: *subject, trial: *trial })
            }
            _ => Err("not of the form GENERATION/SUBJECT/TRIAL, such as 3/0/17".to_owned()),
        }
    }
}

fn frames(text: &str) -> Result<RangeInclusive<u64>, String> {
    let bounds =
        text.split_once("..").and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
    match bounds {
        Some((0, _)) => Err("frames are counted from 1".to_owned()),
        Some((from, to)) if to < from => Err(format!("the last frame, {to}, is before {from}")),
        Some((from, to)) => Ok(from..=to),
        None => Err("not of the form FROM..TO, such as 1..20".to_owned()),
    }
}

impl ReplayCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        in_runtime(async {
            let mut source = RunSource::open(&self.run, &self.verb.farm).await?;
            let state = source.state(self.trial.generation).await?;
            let plan = source.run.procedure.plan(&state)?;
            let inputs = match plan.series.get(self.trial.subject as usize) {
                Some(series) => source.inputs(&plan.inputs(series)).await?,
                None => PartSet::default(),
            };
            self.show(&source.run, &plan, inputs)
        })
    }

    fn show(&self, run: &StoredRun, plan: &AnyPlan, inputs: PartSet) -> Result<(), CommandError> {
        let TrialAddress { generation, subject, trial } = self.trial;
        let host = PartMemory::new(inputs);
        let context = TrialContext::new(&host);
        let series = plan.series.get(subject as usize).ok_or_else(|| {
            let n_subjects = plan.series.len();
            UsageError::NoSuchSubject { generation, subject, n_subjects }
        })?;
        if series.n_trials <= trial {
            let n_trials = series.n_trials;
            return Err(UsageError::NoSuchTrial { subject, trial, n_trials }.into());
        }
        let simulation = run.procedure.simulation();
        let prepared = simulation.prepare(&plan.shared).map_err(ExperimentError::from)?;
        let ready = prepared.subject(&series.subject).map_err(ExperimentError::from)?;
        let seed = RunSeed::new(&run.record.experiment, run.record.seed).generation(generation);
        let rng = seed.trial(plan.draws, subject, trial);
        let shown = ShownTrial { subject: ready.as_ref(), rng, context };

        let frames = self.frames.clone().unwrap_or(1..=u64::MAX);
        let first = *frames.start();
        // A trial that was not shown to its end is no error, so how the replay ends is not asked.
        let played = catch_panic(|| self.print(run, &shown, frames));
        let n_frames = played.map_err(|panic| CommandError::RunFailed {
            reason: format!("trial {} cannot be shown: {panic}", self.trial),
        })??;
        if n_frames < first {
            return Err(UsageError::NoSuchFrame { frame: first, n_frames }.into());
        }
        Ok(())
    }

    /// Prints the frames of a trial, and returns the number of the last frame seen.
    fn print(
        &self,
        run: &StoredRun,
        shown: &ShownTrial<'_>,
        frames: RangeInclusive<u64>,
    ) -> Result<u64, CommandError> {
        let first = *frames.start();
        match self.verb.output {
            OutputFormat::Table => print_text(shown, frames),
            OutputFormat::Json => {
                let mut recorder = SceneRecorder::new();
                let n_frames = play(shown, frames, &mut recorder);
                if let Some(scene) = recorder.finish().filter(|_| first <= n_frames) {
                    print_result(&self.document(run, scene))?;
                }
                Ok(n_frames)
            }
            OutputFormat::Quiet => Ok(play(shown, frames, &mut NoOutput)),
        }
    }

    /// Returns the scene as JSON on one line, which is the shortest.
    fn document(&self, run: &StoredRun, scene: Scene) -> String {
        let document = SceneDocument {
            run: run.id.to_string(),
            experiment: run.record.experiment.clone(),
            version: run.record.version,
            trial: self.trial.to_string(),
            scene,
        };
        farm::line(document) + "\n"
    }
}

/// A trial that is ready to be shown.
struct ShownTrial<'a> {
    subject: &'a dyn PreparedSubject,
    rng: StreamRng,
    context: TrialContext<'a>,
}

/// Replays a trial until `sink` has its `frames`, and returns the number of the last frame seen.
fn play(trial: &ShownTrial<'_>, frames: RangeInclusive<u64>, sink: &mut dyn SceneSink) -> u64 {
    let mut excerpt = SceneExcerpt::new(frames, sink);
    let (ControlFlow::Continue(()) | ControlFlow::Break(())) =
        trial.subject.replay(trial.rng.clone(), &trial.context, &mut excerpt);
    excerpt.n_seen()
}

/// Prints `frames` as text while they are played, and returns the number of the last frame seen.
fn print_text(trial: &ShownTrial<'_>, frames: RangeInclusive<u64>) -> Result<u64, CommandError> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut written = Ok(());
    let mut text = SceneText::new(|frame: &str| {
        written = writeln!(out, "{}", escape_controls(frame));
        // A reader that has closed the pipe ends the trial.
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    let n_frames = play(trial, frames, &mut text);
    ignore_closed_pipe(written.and_then(|()| out.flush()))?;
    Ok(n_frames)
}

/// A sink for frames that nobody sees.
struct NoOutput;

impl SceneSink for NoOutput {
    fn begin(&mut self, _: &SceneBase) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn frame(&mut self, _: SceneFrame) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
