//! Simulated players of graded skill.
//!
//! A player aims at a pig, along the lower or the higher arc, as if nothing stood between. A better
//! player tries several such shots on copies of the world first, and takes the best. Its hand then
//! errs: by a normal angle, and by a stretch that falls short.

mod aim;
mod skill;

use std::convert::Infallible;
use std::ops::ControlFlow;

use hatchery_core::StreamRng;

pub use aim::choose_shot;
pub use skill::{PlayerClass, PlayerSkill, TargetPolicy};

use crate::world::LevelWorld;
use crate::world::playout::{LevelPlayout, PlayoutPhase};

/// Plays a level to its end, and returns the play-out. `world` should be settled.
#[must_use]
pub fn play(world: LevelWorld, skill: &PlayerSkill, rng: &mut StreamRng) -> LevelPlayout {
    let go_on = || ControlFlow::<Infallible>::Continue(());
    let ControlFlow::Continue(playout) = play_while(world, skill, rng, go_on);
    playout
}

/// Like [`play`], but asks before each shot whether to go on, and breaks if not.
pub(crate) fn play_while<B>(
    world: LevelWorld,
    skill: &PlayerSkill,
    rng: &mut StreamRng,
    mut goes_on: impl FnMut() -> ControlFlow<B>,
) -> ControlFlow<B, LevelPlayout> {
    let mut playout = LevelPlayout::new(world);
    let mut phase = playout.phase();
    while phase == PlayoutPhase::Aiming {
        goes_on()?;
        let shot = choose_shot(&playout, skill, rng);
        phase = playout.shoot(shot);
    }
    ControlFlow::Continue(playout)
}
