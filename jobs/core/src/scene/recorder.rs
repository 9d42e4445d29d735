//! Scenes as values of a bounded size.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::ops::ControlFlow;

use schemars::JsonSchema;
use serde::Serialize;

use super::base::SceneBase;
use super::frame::SceneFrame;
use super::sink::SceneSink;
use super::things::SceneThings;

/// The most frames of a [`Scene`]: five minutes of bodies in flight, at 30 frames a second.
pub const MAX_SCENE_FRAMES: usize = 10_000;

/// The most bytes of a [`Scene`] as JSON, with 4 KiB for the rest of the document: a page can load
/// this at once. Its base is expected to have much less than that.
pub const MAX_SCENE_BYTES: usize = 4 << 20;

/// The bytes reserved for everything except the base and the frames.
const AROUND_BYTES: usize = 4 << 10;

/// A trial as a changing picture: the whole trial, or its beginning and its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Scene {
    /// The part that does not change.
    pub base: SceneBase,
    /// The frames, in order.
    pub frames: Vec<SceneFrame>,
    /// The frames left out in the middle, because there were too many; only present if there were.
    /// The next frame has the changes since the last frame before the cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<SceneCut>,
}

/// Frames left out of a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SceneCut {
    /// The number of the first left-out frame.
    pub first: u64,
    /// The number of the last left-out frame.
    pub last: u64,
}

/// A sink that makes a [`Scene`] of at most [`MAX_SCENE_FRAMES`] frames and [`MAX_SCENE_BYTES`].
///
/// ```text
///   1 2 3 4 5 | 6 7 8 9 ... n | ...
///   beginning | cut           | end: a queue, which loses its first frame for each new one
///             |               `- things before the end
///             `- things after the beginning
/// ```
///
/// While it records, it holds at most the scene that it makes, and the things at two moments.
#[derive(Debug)]
pub struct SceneRecorder {
    limits: SceneLimits,
    base: Option<SceneBase>,
    /// The bytes for frames.
    frame_bytes: usize,
    beginning: Vec<SceneFrame>,
    beginning_bytes: usize,
    after_beginning: SceneThings,
    cut: Option<SceneCut>,
    before_end: SceneThings,
    end: VecDeque<SizedFrame>,
    end_bytes: usize,
}

#[derive(Clone, Copy, Debug)]
struct SceneLimits {
    frames: usize,
    bytes: usize,
}

/// A frame with its length as JSON.
#[derive(Debug)]
struct SizedFrame {
    frame: SceneFrame,
    n_bytes: usize,
}

impl SceneRecorder {
    /// Returns a recorder that has recorded nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::limited(SceneLimits { frames: MAX_SCENE_FRAMES, bytes: MAX_SCENE_BYTES })
    }

    /// Returns a recorder whose scene has at most `bytes` as JSON, and at least a frame.
    #[must_use]
    pub fn within(bytes: usize) -> Self {
        Self::limited(SceneLimits { frames: MAX_SCENE_FRAMES, bytes: bytes.min(MAX_SCENE_BYTES) })
    }

    fn limited(limits: SceneLimits) -> Self {
        Self {
            limits,
            base: None,
            frame_bytes: 0,
            beginning: Vec::new(),
            beginning_bytes: 0,
            after_beginning: SceneThings::new(),
            cut: None,
            before_end: SceneThings::new(),
            end: VecDeque::new(),
            end_bytes: 0,
        }
    }

    /// Returns the scene; none if it was not begun.
    #[must_use]
    pub fn finish(mut self) -> Option<Scene> {
        let base = self.base.take()?;
        if self.cut.is_some() {
            self.complete_end();
        }
        let mut frames = self.beginning;
        frames.extend(self.end.into_iter().map(|sized| sized.frame));
        Some(Scene { base, frames, cut: self.cut })
    }

    /// Gives the first frame after the cut the changes since the last frame before the cut. If
    /// there is no room for these changes, the cut grows.
    fn complete_end(&mut self) {
        while let Some(frame) = self.shorten_end() {
            if self.complete(frame) {
                return;
            }
        }
    }

    /// Puts a frame that was just taken off the end back, with the changes since the beginning.
    /// Returns false if there is no room for the frame: then it belongs to the cut.
    fn complete(&mut self, mut frame: SceneFrame) -> bool {
        frame.changes = self.before_end.changes_since(&self.after_beginning);
        let completed = SizedFrame::new(frame);
        if self.frame_bytes < self.beginning_bytes + self.end_bytes + completed.n_bytes {
            self.extend_cut(completed.frame.number);
            return false;
        }
        self.before_end.clone_from(&self.after_beginning);
        self.end_bytes += completed.n_bytes;
        self.end.push_front(completed);
        true
    }

    /// Takes the first frame off the end.
    fn shorten_end(&mut self) -> Option<SceneFrame> {
        let SizedFrame { frame, n_bytes } = self.end.pop_front()?;
        self.end_bytes -= n_bytes;
        self.before_end.apply(&frame.changes);
        Some(frame)
    }

    fn extend_cut(&mut self, number: u64) {
        let first = self.cut.map_or(number, |cut| cut.first);
        self.cut = Some(SceneCut { first, last: number });
    }

    /// Returns true if the frame belongs to the beginning, which has half of the room.
    fn continues_beginning(&self, frame: &SizedFrame) -> bool {
        self.end.is_empty()
            && self.cut.is_none()
            && self.beginning.len() < self.limits.frames / 2
            && self.beginning_bytes + frame.n_bytes <= self.frame_bytes / 2
    }

    fn is_overfull(&self) -> bool {
        self.limits.frames < self.beginning.len() + self.end.len()
            || self.frame_bytes < self.beginning_bytes + self.end_bytes
    }
}

impl Default for SceneRecorder {
    fn default() -> Self {
        Self::new()
    }
}

impl SceneSink for SceneRecorder {
    fn begin(&mut self, base: &SceneBase) -> ControlFlow<()> {
        self.frame_bytes = self.limits.bytes.saturating_sub(AROUND_BYTES + json_bytes(base));
        self.base = Some(base.clone());
        ControlFlow::Continue(())
    }

    fn frame(&mut self, frame: SceneFrame) -> ControlFlow<()> {
        let sized = SizedFrame::new(frame);
        if self.continues_beginning(&sized) {
            self.after_beginning.apply(&sized.frame.changes);
            self.beginning_bytes += sized.n_bytes;
            self.beginning.push(sized.frame);
            return ControlFlow::Continue(());
        }
        if self.end.is_empty() && self.cut.is_none() {
            self.before_end = self.after_beginning.clone();
        }
        self.end_bytes += sized.n_bytes;
        self.end.push_back(sized);
        while self.is_overfull() {
            let Some(frame) = self.shorten_end() else { break };
            if self.end.is_empty() {
                // The trial's last frame so far: it may have less to tell since the beginning.
                self.complete(frame);
            } else {
                self.extend_cut(frame.number);
            }
        }
        ControlFlow::Continue(())
    }
}

impl SizedFrame {
    fn new(frame: SceneFrame) -> Self {
        // With the comma after it.
        let n_bytes = json_bytes(&frame) + 1;
        Self { frame, n_bytes }
    }
}

/// Returns the length of `value` as JSON on one line.
fn json_bytes(value: &impl Serialize) -> usize {
    let mut counter = ByteCounter(0);
    serde_json::to_writer(&mut counter, value)
        .expect("scenes are plain data, and nothing is written");
    counter.0
}

struct ByteCounter(usize);

impl Write for ByteCounter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::{btree_map, vec};
    use proptest::prelude::*;

    use super::*;
    use crate::scene::{ScenePlace, SceneSpace, SceneWriter, SymbolId, ThingId, ThingPose};

    /// Records the moments of a scene. The caption of each moment is its number.
    fn record(limits: SceneLimits, moments: &[SceneThings]) -> Scene {
        let mut recorder = SceneRecorder::limited(limits);
        let space = SceneSpace::Grid { columns: 100, rows: 100, margin: 0 };
        let base = SceneBase::new(space, Vec::new());
        let ControlFlow::Continue(mut scene) = SceneWriter::begin(&mut recorder, &base) else {
            panic!("a recorder takes everything");
        };
        for (number, things) in (1..).zip(moments) {
            assert!(scene.show(format!("frame {number}"), things.clone()).is_continue());
        }
        recorder.finish().unwrap()
    }

    fn things(places: impl IntoIterator<Item = (u32, i32)>) -> SceneThings {
        let pose = |x| ThingPose::at(SymbolId(0), ScenePlace::new(x, 0));
        places.into_iter().map(|(thing, x)| (ThingId(thing), pose(x))).collect()
    }

    /// Checks that applying the differences gives the true things at every kept frame, and that all
    /// frames are kept or in the cut.
    fn check(scene: &Scene, limits: SceneLimits, moments: &[SceneThings]) {
        let json = serde_json::to_string(scene).unwrap();
        assert!(
            scene.frames.len() <= limits.frames && json.len() <= limits.bytes,
            "{}",
            json.len()
        );
        let mut there = SceneThings::new();
        for SceneFrame { number, caption, changes } in &scene.frames {
            there.apply(changes);
            assert_eq!(there, moments[usize::try_from(*number).unwrap() - 1], "frame {number}");
            assert_eq!(*caption, format!("frame {number}"));
        }
        let cut = scene.cut.into_iter().flat_map(|cut| cut.first..=cut.last);
        let mut numbers: Vec<_> = scene.frames.iter().map(|frame| frame.number).collect();
        numbers.extend(cut);
        numbers.sort_unstable();
        assert_eq!(numbers, (1..=moments.len() as u64).collect::<Vec<_>>());
    }

    #[test]
    fn short_scenes_are_whole() {
        let limits = SceneLimits { frames: 10, bytes: 8 << 10 };
        let moments: Vec<_> = (0..10).map(|x| things([(0, x), (1, 7)])).collect();
        let scene = record(limits, &moments);
        check(&scene, limits, &moments);
        assert_eq!((scene.frames.len(), scene.cut), (10, None));
        let json = serde_json::to_value(&scene).unwrap();
        assert_eq!(json["frames"][0]["changes"], serde_json::json!([[0, 0, 0, 0], [1, 0, 7, 0]]));
        assert_eq!(json["frames"][9]["changes"], serde_json::json!([[0, 0, 9, 0]]));
        assert_eq!(json.get("cut"), None);
    }

    #[test]
    fn long_scenes_are_cut_in_the_middle_and_say_so() {
        let limits = SceneLimits { frames: 10, bytes: 8 << 10 };
        // The second thing moves in the part that is cut only.
        let moments: Vec<_> = (0..100).map(|x| things([(0, x), (1, x / 50)])).collect();
        let scene = record(limits, &moments);
        check(&scene, limits, &moments);
        assert_eq!(scene.cut, Some(SceneCut { first: 6, last: 95 }));
        let json = serde_json::to_value(&scene).unwrap();
        assert_eq!(json["cut"], serde_json::json!({"first": 6, "last": 95}));
        assert_eq!(json["frames"][5]["number"], 96);
        assert_eq!(json["frames"][5]["changes"], serde_json::json!([[0, 0, 95, 0], [1, 0, 1, 0]]));
    }

    #[test]
    fn a_frame_without_room_is_cut() {
        let limits = SceneLimits { frames: 10, bytes: 8 << 10 };
        let crowd = || things((0..1000).map(|thing| (thing, 0)));
        let moments = [things([(0, 0)]), crowd(), crowd()];
        let scene = record(limits, &moments);
        check(&scene, limits, &moments);
        assert_eq!((scene.frames.len(), scene.cut), (1, Some(SceneCut { first: 2, last: 3 })));
        let moments = [things([(0, 0)]), crowd(), things([(1, 0)])];
        let scene = record(limits, &moments);
        check(&scene, limits, &moments);
        assert_eq!((scene.frames.len(), scene.cut), (2, Some(SceneCut { first: 2, last: 2 })));
    }

    #[test]
    fn scenes_keep_to_the_limits_of_their_documents() {
        let limits = SceneLimits { frames: MAX_SCENE_FRAMES, bytes: MAX_SCENE_BYTES };
        let moments: Vec<_> = (0..30_000).map(|x| things([(0, x)])).collect();
        let scene = record(limits, &moments);
        check(&scene, limits, &moments);
        assert_eq!(scene.cut, Some(SceneCut { first: 5_001, last: 25_000 }));
        // More than half a kilobyte each.
        let moments: Vec<_> = (0..9_000).map(|x| things((0..50).map(|thing| (thing, x)))).collect();
        let scene = record(limits, &moments);
        check(&scene, limits, &moments);
        assert!(scene.cut.is_some() && 5_000 < scene.frames.len(), "{}", scene.frames.len());
    }

    proptest! {
        #[test]
        fn differences_add_up_to_the_truth(
            moments in vec(btree_map(0..8_u32, 0..4_i32, 0..6), 1..60),
            frames in 2..40_usize,
            bytes in 4_400..8_000_usize,
        ) {
            let limits = SceneLimits { frames, bytes };
            let moments: Vec<_> = moments.into_iter().map(things).collect();
            check(&record(limits, &moments), limits, &moments);
        }
    }
}
