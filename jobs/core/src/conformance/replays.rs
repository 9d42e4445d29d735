//! Checks of replays.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use crate::experiment::Experiment;
use crate::scene::{
    SceneBase, SceneFrame, ScenePlace, SceneSink, SceneSpace, SceneThings, SymbolId,
};
use crate::simulation::Simulation;
use crate::trial_context::{PartMemory, TrialContext};

use super::recording::{Block, Recording};
use super::violation::{Difference, Violation};

/// The number of frames of a replay that are checked: games can be long.
const FRAMES: usize = 100;

/// The most characters of a glyph, so that a row of a board fits a terminal.
const GLYPH_CHARACTERS: usize = 12;

/// The most bytes of a base as JSON: a quarter of the bytes that a scene may have.
const BASE_BYTES: usize = 1 << 20;

/// Checks that a replay has a frame, is the same when it is repeated, and stops when its sink wants
/// no more frames.
///
/// # Errors
/// [`Violation::Wrong`], or [`Violation::Unrepeatable`] if scenes differ.
pub fn replays_can_be_stopped<E: Experiment>(recording: &Recording<E>) -> Result<(), Violation> {
    for_some_replays(recording, |what, shared, block| {
        for wanted in [1, FRAMES] {
            let (scene, flow) = SceneCollector::collect(shared, block, wanted);
            let n_frames = scene.frames.len();
            let stops = (n_frames < wanted) == flow.is_continue();
            if n_frames == 0 || wanted < n_frames || !stops {
                let value = format!("of {n_frames} frames, then {flow:?}");
                let expected = format!("of 1 frame or more, and Break(()) after {wanted}");
                return Err(Violation::wrong(what, value, expected));
            }
            let (again, _) = SceneCollector::collect(shared, block, wanted);
            let [value, expected] = [again, scene].map(|scene| scene.json());
            Difference::check(what, value.as_bytes(), expected.as_bytes())
                .map_err(Violation::Unrepeatable)?;
        }
        Ok(())
    })
}

/// Checks that a replay begins a single scene, in a space of some size. Checks that its symbols
/// have names of their own and glyphs that a terminal can show, that tiles and things have known
/// symbols and are within the space, and that frames are counted from 1. Checks that a frame's
/// changes are exactly its differences from the frame before.
///
/// # Errors
/// [`Violation::Wrong`]
pub fn replays_are_scenes<E: Experiment>(recording: &Recording<E>) -> Result<(), Violation> {
    for_some_replays(recording, |what, shared, block| {
        let (scene, _) = SceneCollector::collect(shared, block, FRAMES);
        let wrong = |part: &str, value: String, expected: &str| {
            Violation::wrong(format!("{part} of {what}"), value, expected)
        };
        let [base] = scene.bases.as_slice() else {
            let n_bases = format!("{} bases", scene.bases.len());
            return Err(wrong("the scene", n_bases, "1, before its frames"));
        };
        if scene.n_early != 0 {
            return Err(wrong("a frame", "before the base".to_owned(), "after it"));
        }
        check_base(base, &wrong)?;
        check_frames(base, &scene.frames, &wrong)
    })
}

/// Checks that repeating the export of a trial gives the same file.
///
/// # Errors
/// [`Violation::Unrepeatable`]
pub fn exports_are_repeatable<E: Experiment>(recording: &Recording<E>) -> Result<(), Violation> {
    for_some_replays(recording, |what, shared, block| {
        let export = || {
            let host = PartMemory::new(block.inputs.clone());
            let (rng, context) = (block.streams[0].clone(), TrialContext::new(&host));
            E::Simulation::export(shared, &block.subject, rng, &context).unwrap_or_default()
        };
        let (expected, value) = (export(), export());
        Difference::check(&format!("the export of {what}"), value.as_bytes(), expected.as_bytes())
            .map_err(Violation::Unrepeatable)
    })
}

/// Returns the violation for a part of a scene with an unexpected value.
type WrongPart<'a> = dyn Fn(&str, String, &str) -> Violation + 'a;

fn check_base(base: &SceneBase, wrong: &WrongPart<'_>) -> Result<(), Violation> {
    let n_bytes = serde_json::to_string(base).map_or(0, |json| json.len());
    if BASE_BYTES < n_bytes {
        let value = format!("of {n_bytes} bytes");
        return Err(wrong("the base", value, "at most 1 MiB as JSON"));
    }
    let is_empty = match base.space {
        SceneSpace::Captions => !base.symbols.is_empty(),
        SceneSpace::Grid { columns, rows, margin: _ } => columns == 0 || rows == 0,
        SceneSpace::Hexes => base.tiles.is_empty(),
        SceneSpace::World { left, right, bottom, top } => right <= left || top <= bottom,
    };
    if is_empty {
        let expected = "of some size, or without symbols";
        return Err(wrong("the space", format!("{:?}", base.space), expected));
    }
    let mut names = BTreeSet::new();
    for symbol in &base.symbols {
        if symbol.name.is_empty() || !names.insert(&symbol.name) {
            let expected = "named, unlike the others";
            return Err(wrong("a symbol", format!("named {:?}", symbol.name), expected));
        }
        let n_characters = symbol.glyph.chars().count();
        if !(1..=GLYPH_CHARACTERS).contains(&n_characters)
            || symbol.glyph.chars().any(char::is_control)
        {
            let expected = "1 to 12 characters to be seen";
            return Err(wrong("a glyph", format!("{:?}", symbol.glyph), expected));
        }
    }
    for tile in &base.tiles {
        check_pose(base, "a tile", tile.symbol, tile.place, wrong)?;
    }
    Ok(())
}

fn check_frames(
    base: &SceneBase,
    frames: &[SceneFrame],
    wrong: &WrongPart<'_>,
) -> Result<(), Violation> {
    let mut before = SceneThings::new();
    for (number, frame) in (1..).zip(frames) {
        let name = format!("frame {number}");
        if frame.number != number {
            let value = format!("numbered {}", frame.number);
            return Err(wrong(&name, value, "counted from 1"));
        }
        for change in &frame.changes {
            if let Some(pose) = change.pose {
                let thing = format!("thing {} in {name}", change.thing.0);
                check_pose(base, &thing, pose.symbol, pose.place, wrong)?;
            }
        }
        let mut after = before.clone();
        after.apply(&frame.changes);
        if frame.changes != after.changes_since(&before) {
            let expected = "what is different from the frame before, each thing once, in order";
            return Err(wrong(&format!("a change in {name}"), "needless".to_owned(), expected));
        }
        before = after;
    }
    Ok(())
}

fn check_pose(
    base: &SceneBase,
    part: &str,
    symbol: SymbolId,
    place: ScenePlace,
    wrong: &WrongPart<'_>,
) -> Result<(), Violation> {
    if base.symbol(symbol).is_none() {
        let expected = format!("one of {}", base.symbols.len());
        return Err(wrong(part, format!("symbol {}", symbol.0), &expected));
    }
    if !base.contains(place) {
        let ScenePlace { x, y } = place;
        return Err(wrong(part, format!("at ({x}, {y})"), "within the scene's space"));
    }
    Ok(())
}

/// Makes `check` for the first series of some generations. `check` gets a description of the
/// replay, the shared input and the series.
fn for_some_replays<E: Experiment>(
    recording: &Recording<E>,
    check: impl Fn(
        &str,
        &<E::Simulation as Simulation>::Shared,
        &Block<E::Simulation>,
    ) -> Result<(), Violation>,
) -> Result<(), Violation> {
    for generation in recording.some_generations() {
        let (shared, blocks) =
            (generation.shared::<E::Simulation>()?, generation.blocks::<E::Simulation>()?);
        for block in blocks.iter().take(1) {
            check(&format!("the replay of {}", block.of), &shared, block)?;
        }
    }
    Ok(())
}

/// Collects everything that a replay sends, until there are enough frames.
#[derive(Default)]
struct SceneCollector {
    n_wanted: usize,
    bases: Vec<SceneBase>,
    frames: Vec<SceneFrame>,
    /// The number of frames before the base.
    n_early: usize,
}

impl SceneCollector {
    /// Replays the first trial of `block` until there are `n_wanted` frames.
    fn collect<S: Simulation>(
        shared: &S::Shared,
        block: &Block<S>,
        n_wanted: usize,
    ) -> (Self, ControlFlow<()>) {
        let mut scene = Self { n_wanted, ..Self::default() };
        let host = PartMemory::new(block.inputs.clone());
        let (rng, context) = (block.streams[0].clone(), TrialContext::new(&host));
        let flow = S::replay(shared, &block.subject, rng, &context, &mut scene);
        (scene, flow)
    }

    fn json(&self) -> String {
        serde_json::to_string(&(&self.bases, &self.frames)).unwrap_or_default()
    }
}

impl SceneSink for SceneCollector {
    fn begin(&mut self, base: &SceneBase) -> ControlFlow<()> {
        self.bases.push(base.clone());
        ControlFlow::Continue(())
    }

    fn frame(&mut self, frame: SceneFrame) -> ControlFlow<()> {
        self.n_early += usize::from(self.bases.is_empty());
        self.frames.push(frame);
        if self.frames.len() < self.n_wanted {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }
}
