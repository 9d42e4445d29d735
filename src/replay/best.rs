//! A replay of the best trial of a run, for its report.

use hatchery_core::scene::SceneRecorder;
use maud::{Markup, html};

use super::{FrameRange, RunTrial, TrialSelector};
use crate::html::Shown;
use crate::program;
use crate::report::{ReportReplay, StoredRun};
use crate::run_source::RunSource;
use crate::scene_player::inline_player;

/// The share of a replay's bytes that its frames may have; the rest is for the picture.
const FRAMES_SHARE: usize = 2;

/// A replay of the best trial of a run that is done and has one.
pub(crate) struct BestReplay(Option<RunTrial>);

impl BestReplay {
    /// Reads the trial.
    pub(crate) async fn read(source: &mut RunSource) -> Self {
        if !source.run.is_done() {
            return Self(None);
        }
        // A report without a replay is better than none.
        let trial = RunTrial::read(source, TrialSelector::Best).await;
        Self(trial.inspect_err(|error| tracing::debug!(%error, "the report has no replay")).ok())
    }

    /// Returns whether there is such a trial.
    pub(crate) fn is_some(&self) -> bool {
        self.0.is_some()
    }
}

impl ReportReplay for BestReplay {
    fn section(&self, run: &StoredRun, max_bytes: usize) -> Option<Markup> {
        let trial = self.0.as_ref()?;
        let recorder = SceneRecorder::within(max_bytes / FRAMES_SHARE);
        let scene = trial.scene(run, FrameRange::ALL, recorder);
        let scene = scene.inspect_err(|error| tracing::warn!(%error, "the report has no replay"));
        let name = format!("trial {}", trial.address);
        let section = html! {
            h2 { "A replay" }
            p {
                "A trial of the best, " (Shown(&name)) ". "
                code { (program::name()) " replay " (run.id) " " (trial.address) " --play" }
                " plays it in a terminal."
            }
            (inline_player(&scene.ok()?, &name))
        };
        Some(section).filter(|section| section.0.len() <= max_bytes)
    }
}
