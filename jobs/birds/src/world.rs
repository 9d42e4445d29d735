//! The physics of levels: elements fall, collide, take damage and explode.
//!
//! A [`LevelWorld`] is made of a [`Level`](crate::level::Level), comes to rest ([`LevelSettling`]:
//! the stability of the level), and has birds launched into it. Its elements are the ground, the
//! elements of the level, and the birds that were launched. Sizes, masses, surfaces and lives come
//! from Science Birds; the engine is rapier2d.
//!
//! - Elements are inserted and removed in the order of their slots: ground, platforms, blocks,
//!   pigs, TNT, birds. Nothing depends on hash maps, clocks or threads, so a world has the same
//!   bits on every machine: see [`LevelWorld::state_hash`].
//! - A clone continues bit for bit as its original does.
//! - A collision does damage when two elements begin to touch: as much as their relative speed
//!   before the step.
//! - An element is gone when it leaves the width of the level, or when the engine disables it
//!   because its numbers are not finite.
//!
//! In the game, a tap on the screen gives a flying bird its special power. Birds here have no
//! special powers: black birds do not explode, blue birds do not divide, yellow birds do not speed
//! up, and white birds drop no eggs.

pub mod ballistics;
mod body;
mod element;
mod engine;
mod event;
mod level_world;
pub mod playout;
mod settings;
mod settling;
mod stepping;

pub(crate) use body::bird_radius;
pub use element::{ElementId, ElementKind, ElementState};
pub use event::{DeathCause, NOTABLE_DAMAGE, WorldEvent, WorldEventKind};
pub use level_world::LevelWorld;
pub use settings::{DamageRule, PhysicsSettings};
pub use settling::{ElementFate, ElementSettling, LevelSettling};
