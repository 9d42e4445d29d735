//! `hatchery replay`

mod player;
mod screen;

use std::io::Write;
use std::num::NonZeroU64;
use std::ops::ControlFlow;

use clap::Args;
use hatchery_core::SceneBase;
use hatchery_core::scene::{Scene, SceneFrame, SceneRecorder, SceneSink, SceneText};

use super::farm_args::FarmVerbArgs;
use super::output::{OutputFormat, ignore_closed_pipe, print_result};
use super::runtime::in_runtime;
use crate::error::CommandError;
use crate::replay::{FrameRange, RunTrial, TrialSelector};
use crate::report::StoredRun;
use crate::report::farm::{self, SceneDocument};
use crate::run_source::RunSource;
use crate::terminal::escape_controls;
use player::PlaySpeed;

/// Replay one trial of a run and show it
#[derive(Debug, Args)]
pub(crate) struct ReplayCommand {
    /// Run: its folder, its name below runs/, the beginning of its id, or `last`; with
    /// --coordinator also the end of its id, or its name on the farm
    run: String,
    /// Trial: `best`, for one of the best subject, or GENERATION/SUBJECT/TRIAL, each counted from 0
    trial: TrialSelector,
    /// Frames to show, such as 1..20, counted from 1 [default: all]
    #[arg(long, value_name = "FROM..TO", value_parser = FrameRange::parse)]
    frames: Option<FrameRange>,
    /// Show the last N frames
    #[arg(long, value_name = "N", conflicts_with = "frames")]
    last: Option<NonZeroU64>,
    /// Play the frames in the terminal, SPEED frames a second [default: 2, or 20 for bodies in
    /// motion]; space pauses, the arrows step and change the speed, q quits
    #[arg(long, value_name = "SPEED", num_args = 0..=1)]
    play: Option<Option<PlaySpeed>>,
    #[command(flatten)]
    verb: FarmVerbArgs,
}

impl ReplayCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        if self.play.is_some() {
            screen::check_terminal()?;
        }
        in_runtime(async {
            let mut source = RunSource::open(&self.run, &self.verb.farm).await?;
            let trial = RunTrial::read(&mut source, self.trial).await?;
            self.show(&source.run, &trial)
        })
    }

    fn show(&self, run: &StoredRun, trial: &RunTrial) -> Result<(), CommandError> {
        let frames = self.range(run, trial)?;
        if let Some(speed) = self.play {
            return screen::play(&trial.scene(run, frames, SceneRecorder::new())?, speed);
        }
        match self.verb.output {
            OutputFormat::Table => print_text(run, trial, frames),
            OutputFormat::Json => {
                let scene = trial.scene(run, frames, SceneRecorder::new())?;
                print_result(&document(run, trial, scene))
            }
            OutputFormat::Quiet => {
                let n_frames = trial.play(run, frames, &mut NoOutput)?;
                Ok(frames.check(n_frames)?)
            }
        }
    }

    /// Returns the frames that are wanted. To know which are the last, the trial is played once
    /// more: that takes no memory, however long it is.
    fn range(&self, run: &StoredRun, trial: &RunTrial) -> Result<FrameRange, CommandError> {
        match (self.frames, self.last) {
            (Some(frames), _) => Ok(frames),
            (None, None) => Ok(FrameRange::ALL),
            (None, Some(n)) => {
                let n_frames = trial.play(run, FrameRange::ALL, &mut NoOutput)?;
                Ok(FrameRange::last_of(n.get(), n_frames))
            }
        }
    }
}

/// Returns the scene as JSON on one line, which is the shortest.
fn document(run: &StoredRun, trial: &RunTrial, scene: Scene) -> String {
    let document = SceneDocument {
        run: run.id.to_string(),
        experiment: run.record.experiment.clone(),
        version: run.record.version,
        trial: trial.address.to_string(),
        scene,
    };
    farm::line(document) + "\n"
}

/// Prints frames as text while they are played.
fn print_text(run: &StoredRun, trial: &RunTrial, frames: FrameRange) -> Result<(), CommandError> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut written = Ok(());
    let mut text = SceneText::new(|frame: &str| {
        written = writeln!(out, "{}", escape_controls(frame));
        // A reader that has closed the pipe ends the trial.
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    let n_frames = trial.play(run, frames, &mut text)?;
    ignore_closed_pipe(written.and_then(|()| out.flush()))?;
    Ok(frames.check(n_frames)?)
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
