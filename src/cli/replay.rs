//! `hatchery replay`

mod player;
mod screen;

use std::io::Write;
use std::num::NonZeroU64;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use clap::Args;
use hatchery_core::SceneBase;
use hatchery_core::scene::{Scene, SceneCut, SceneFrame, SceneRecorder, SceneSink, SceneText};

use super::farm_args::FarmVerbArgs;
use super::output::{
    OutputFormat, STANDARD_OUTPUT, ignore_closed_pipe, print_result, write_named_file,
};
use super::runtime::in_runtime;
use crate::error::{CommandError, UsageError};
use crate::replay::{FrameRange, RunTrial, TrialAddress, TrialSelector};
use crate::report::StoredRun;
use crate::report::farm::{self, SceneDocument};
use crate::run_source::RunSource;
use crate::scene_player::{AnimatedScene, MAX_PLAYER_BYTES, animated_svg, player_page};
use crate::terminal::{escape_controls, print_status};
use player::PlaySpeed;

/// Replay trials of a run: show one, or write files of several
#[derive(Debug, Args)]
pub(crate) struct ReplayCommand {
    /// Run: its folder, its name, the beginning or end of its id, or `last`; with
    /// --coordinator, a run of the farm
    run: String,
    /// Trial: `best` for a trial of the best subject, or GENERATION/SUBJECT/TRIAL, each counted
    /// from 0. Several trials are written to files whose names have {}, such as --export
    /// game-{}.json: it stands for the trial, as in game-0-33-0.json
    #[arg(required = true, value_name = "TRIAL")]
    trials: Vec<TrialSelector>,
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
    /// Write the frames to FILE, or to standard output for -, as a picture that plays by itself; if
    /// there are many frames, evenly spaced frames
    #[arg(long, value_name = "FILE", conflicts_with = "play")]
    svg: Option<PathBuf>,
    /// Write the frames to FILE, or to standard output for -, as a page with buttons, a slider and
    /// keys, which needs no network
    #[arg(long, value_name = "FILE", conflicts_with = "play")]
    html: Option<PathBuf>,
    /// Write the whole trial to FILE, or to standard output for -, in a format for other programs,
    /// if the experiment has such a format: games of Catan in the JSON of Catanatron
    #[arg(long, value_name = "FILE", conflicts_with_all = ["play", "frames", "last"])]
    export: Option<PathBuf>,
    #[command(flatten)]
    verb: FarmVerbArgs,
}

impl ReplayCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        self.check_files()?;
        if self.play.is_some() {
            screen::check_terminal()?;
        }
        in_runtime(async {
            let mut source = RunSource::open(&self.run, &self.verb.farm).await?;
            for &selector in &self.trials {
                let trial = RunTrial::read(&mut source, selector).await?;
                self.show(&source.run, &trial)?;
            }
            Ok(())
        })
    }

    /// Checks that several trials are written to a file each.
    fn check_files(&self) -> Result<(), UsageError> {
        let mut files = self.files().peekable();
        let is_written = files.peek().is_some() && files.all(|path| names_trial(path));
        match self.trials.len() == 1 || is_written {
            true => Ok(()),
            false => Err(UsageError::ManyTrials { n_trials: self.trials.len() }),
        }
    }

    /// Returns the files that are written.
    fn files(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.svg, &self.html, &self.export].into_iter().flatten()
    }

    fn show(&self, run: &StoredRun, trial: &RunTrial) -> Result<(), CommandError> {
        let frames = self.range(run, trial)?;
        if let Some(speed) = self.play {
            return screen::play(&trial.scene(run, frames, SceneRecorder::new())?, speed);
        }
        if self.files().next().is_some() {
            return self.write(run, trial, frames);
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

    /// Writes files, and prints their paths unless a file is standard output.
    fn write(
        &self,
        run: &StoredRun,
        trial: &RunTrial,
        frames: FrameRange,
    ) -> Result<(), CommandError> {
        if 1 < self.n_to_stdout() {
            return Err(UsageError::ManyToStandardOutput.into());
        }
        let title = format!("{}: trial {}", run.record.name, trial.address);
        // Before anything is written: there may be no format.
        let export =
            |path: &Path| Ok::<_, CommandError>((file_of(path, trial), trial.export(run)?));
        let export = self.export.as_deref().map(export).transpose()?;
        if let Some(path) = self.svg.as_deref().map(|path| file_of(path, trial)) {
            let scene = trial.scene(run, frames, SceneRecorder::new())?;
            let AnimatedScene { svg, n_shown, n_frames } = animated_svg(&scene, &title);
            write_named_file(&path, svg.as_bytes())?;
            if n_shown < n_frames {
                print_status(&format!(
                    "{n_shown} of {n_frames} frames are shown: others are between"
                ));
            }
            print_left_out(&scene);
            self.print_path(&path)?;
        }
        if let Some(path) = self.html.as_deref().map(|path| file_of(path, trial)) {
            let scene = trial.scene(run, frames, SceneRecorder::within(MAX_PLAYER_BYTES))?;
            write_named_file(&path, player_page(&scene, &title).as_bytes())?;
            print_left_out(&scene);
            self.print_path(&path)?;
        }
        if let Some((path, content)) = export {
            write_named_file(&path, content.as_bytes())?;
            self.print_path(&path)?;
        }
        Ok(())
    }

    fn print_path(&self, path: &Path) -> Result<(), CommandError> {
        match self.verb.output == OutputFormat::Table && self.n_to_stdout() == 0 {
            true => print_result(&format!("{}\n", path.display())),
            false => Ok(()),
        }
    }

    /// Returns the number of files that are standard output.
    fn n_to_stdout(&self) -> usize {
        self.files().filter(|path| *path == Path::new(STANDARD_OUTPUT)).count()
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

/// What stands for the trial in the name of a file.
const TRIAL_MARK: &str = "{}";

fn names_trial(path: &Path) -> bool {
    path.to_str().is_some_and(|path| path.contains(TRIAL_MARK))
}

/// Returns the file of `trial`.
fn file_of(path: &Path, trial: &RunTrial) -> PathBuf {
    let TrialAddress { generation, subject, trial } = trial.address;
    let name = format!("{generation}-{subject}-{trial}");
    path.to_str().map_or_else(|| path.to_owned(), |path| path.replace(TRIAL_MARK, &name).into())
}

/// Says which frames a scene leaves out.
fn print_left_out(scene: &Scene) {
    if let Some(SceneCut { first, last }) = scene.cut {
        print_status(&format!("frames {first} to {last} are left out: there are too many"));
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

/// A sink that discards frames.
struct NoOutput;

impl SceneSink for NoOutput {
    fn begin(&mut self, _: &SceneBase) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn frame(&mut self, _: SceneFrame) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
