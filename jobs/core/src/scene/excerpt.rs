//! Some of a scene's frames.

use std::fmt;
use std::ops::{ControlFlow, RangeInclusive};

use super::base::SceneBase;
use super::frame::SceneFrame;
use super::sink::SceneSink;
use super::things::SceneThings;

/// A sink that passes some frames on to another sink, and breaks after the last such frame. The
/// first frame that is passed on is complete: its changes are all present things.
pub struct SceneExcerpt<'a> {
    frames: RangeInclusive<u64>,
    sink: &'a mut dyn SceneSink,
    /// The things before the first frame that is passed on.
    things: SceneThings,
    n_seen: u64,
}

impl<'a> SceneExcerpt<'a> {
    /// Returns a sink that passes the frames with these numbers on to `sink`.
    pub fn new(frames: RangeInclusive<u64>, sink: &'a mut dyn SceneSink) -> Self {
        Self { frames, sink, things: SceneThings::new(), n_seen: 0 }
    }

    /// Returns the number of the last frame seen, passed on or not; 0 if there was none.
    #[must_use]
    pub const fn n_seen(&self) -> u64 {
        self.n_seen
    }
}

impl SceneSink for SceneExcerpt<'_> {
    fn begin(&mut self, base: &SceneBase) -> ControlFlow<()> {
        self.sink.begin(base)
    }

    fn frame(&mut self, mut frame: SceneFrame) -> ControlFlow<()> {
        let (number, first, last) = (frame.number, *self.frames.start(), *self.frames.end());
        self.n_seen = number;
        if last < number {
            return ControlFlow::Break(());
        }
        if number <= first {
            self.things.apply(&frame.changes);
        }
        if number < first {
            return ControlFlow::Continue(());
        }
        if number == first {
            frame.changes = self.things.changes_since(&SceneThings::new());
        }
        self.sink.frame(frame)?;
        if number < last { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

impl fmt::Debug for SceneExcerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { frames, sink: _, things, n_seen } = self;
        let mut text = f.debug_struct("SceneExcerpt");
        text.field("frames", frames).field("things", things).field("n_seen", n_seen);
        text.finish_non_exhaustive()
    }
}
