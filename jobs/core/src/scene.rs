//! Trials as pictures: a trial is shown as a scene, from which text, JSON and pictures are made.
//!
//! A scene has a [`SceneBase`], which does not change: the space that places are in, the named
//! symbols, tiles and labels. Each [`SceneFrame`] of the scene has a caption, and names the things
//! that have appeared, moved, turned, changed or gone since the frame before.
//!
//! ```text
//!   Simulation::replay -> SceneWriter -> SceneSink
//!     a caption, and all      what has      SceneExcerpt   the frames that are wanted
//!     things that are         changed       SceneText      text for a terminal
//!     there now                             SceneRecorder  a bounded Scene, for JSON
//! ```
//!
//! A scene is streamed: even for a long game, a sink needs to hold only the present things.
//!
//! ```
//! use std::ops::ControlFlow;
//!
//! use hatchery_core::scene::{
//!     SceneBase, SceneColor, ScenePlace, SceneSink, SceneSpace, SceneSymbol, SceneText,
//!     SceneThings, SceneWriter, SymbolId, SymbolShape, ThingId, ThingPose,
//! };
//!
//! fn replay(sink: &mut dyn SceneSink) -> ControlFlow<()> {
//!     let space = SceneSpace::Grid { columns: 3, rows: 1, margin: 0 };
//!     let disk = SymbolShape::Disk { radius: 400 };
//!     let ball = SceneSymbol::new("ball", "o", SceneColor::Red, disk);
//!     let mut scene = SceneWriter::begin(sink, &SceneBase::new(space, vec![ball]))?;
//!     for x in 0..2 {
//!         let pose = ThingPose::at(SymbolId(0), ScenePlace::new(x, 0));
//!         scene.show(format!("step {x}"), SceneThings::from_iter([(ThingId(0), pose)]))?;
//!     }
//!     scene.say("it stops")
//! }
//!
//! let mut shown = String::new();
//! let mut text = SceneText::new(|frame: &str| {
//!     shown += frame;
//!     shown += "\n";
//!     ControlFlow::Continue(())
//! });
//! assert!(replay(&mut text).is_continue());
//! let expected = "step 0\n| o · ·|\n+------+\n\nstep 1\n| · o ·|\n+------+\n\nit stops\n";
//! assert_eq!(shown, expected);
//! ```

mod base;
mod excerpt;
mod frame;
mod place;
mod recorder;
mod sink;
mod text;
mod things;

pub use base::{
    SceneBase, SceneColor, SceneLabel, SceneSpace, SceneSymbol, SceneTile, SymbolId, SymbolShape,
};
pub use excerpt::SceneExcerpt;
pub use frame::{SceneChange, SceneFrame, ThingId, ThingPose};
pub use place::{ScenePlace, SceneTurn};
pub use recorder::{MAX_SCENE_BYTES, MAX_SCENE_FRAMES, Scene, SceneCut, SceneRecorder};
pub use sink::{SceneSink, SceneWriter};
pub use text::SceneText;
pub use things::SceneThings;
