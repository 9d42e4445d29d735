//! How fast a scene is played.

use hatchery_core::scene::{Scene, SceneSpace};

/// Frames of boards a second: a person looks at each move.
const MOVES: u32 = 2;
/// The most frames of boards a second.
const FAST_MOVES: u32 = 10;
/// Frames of worlds a second: they follow each other without a jump.
const MOTION: u32 = 20;
/// The time that a long game takes.
const LONG_SECONDS: u32 = 60;

/// Returns the frames a second at which `n_frames` of a scene are played.
pub(super) fn frames_per_second(scene: &Scene, n_frames: usize) -> u32 {
    match scene.base.space {
        SceneSpace::World { .. } => MOTION,
        SceneSpace::Captions | SceneSpace::Grid { .. } | SceneSpace::Hexes => {
            let n_frames = u32::try_from(n_frames).unwrap_or(u32::MAX);
            (n_frames / LONG_SECONDS).clamp(MOVES, FAST_MOVES)
        }
    }
}
