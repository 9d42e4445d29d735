//! The path of a scene from its simulation to the program that shows it.

use std::fmt;
use std::ops::ControlFlow;

use super::base::SceneBase;
use super::frame::SceneFrame;
use super::things::SceneThings;

/// A receiver of a scene while its trial is played.
///
/// A sink gets the base once, then the frames in order, numbered from 1. A sink that wants no more
/// frames breaks, and gets nothing after that.
pub trait SceneSink {
    /// Receives the base.
    fn begin(&mut self, base: &SceneBase) -> ControlFlow<()>;

    /// Receives the next frame.
    fn frame(&mut self, frame: SceneFrame) -> ControlFlow<()>;
}

/// Writes a scene to a sink: computes the changes, and numbers the frames.
pub struct SceneWriter<'a> {
    sink: &'a mut dyn SceneSink,
    shown: SceneThings,
    n_frames: u64,
}

impl<'a> SceneWriter<'a> {
    /// Begins a scene on `base`, or breaks if the sink wants no scene.
    pub fn begin(sink: &'a mut dyn SceneSink, base: &SceneBase) -> ControlFlow<(), Self> {
        sink.begin(base)?;
        ControlFlow::Continue(Self { sink, shown: SceneThings::new(), n_frames: 0 })
    }

    /// Shows a frame with exactly these things.
    pub fn show(&mut self, caption: impl Into<String>, things: SceneThings) -> ControlFlow<()> {
        let changes = things.changes_since(&self.shown);
        self.shown = things;
        self.n_frames += 1;
        self.sink.frame(SceneFrame { number: self.n_frames, caption: caption.into(), changes })
    }

    /// Shows a frame with all things as before.
    pub fn say(&mut self, caption: impl Into<String>) -> ControlFlow<()> {
        self.n_frames += 1;
        let (number, caption) = (self.n_frames, caption.into());
        self.sink.frame(SceneFrame { number, caption, changes: Vec::new() })
    }
}

impl fmt::Debug for SceneWriter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sink: _, shown, n_frames } = self;
        let mut text = f.debug_struct("SceneWriter");
        text.field("shown", shown).field("n_frames", n_frames).finish_non_exhaustive()
    }
}
