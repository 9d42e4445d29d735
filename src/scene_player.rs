//! Scenes as pictures: animated SVG files, and small players for pages.
//!
//! ```text
//!   Scene -> SceneDrawing: symbols once, the ground, and for each thing a reference to its symbol
//!              |-> animated_svg:   one SVG file that plays by itself
//!              `-> player_page:    a page: the last frame, and the changes of each frame
//! ```
//!
//! A player is whole without its script: it shows the last frame. Texts of scenes come from outside
//! and are shown with control characters escaped.

mod animation;
mod drawing;
mod geometry;
mod inline;
mod palette;
mod rate;

pub(crate) use animation::{AnimatedScene, animated_svg};
pub(crate) use inline::{MAX_PLAYER_BYTES, inline_player, player_page};
