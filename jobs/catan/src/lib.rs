//! Catan, the base game for four players: its board, its maps, its rules, and players.
//!
//! - [`board`]: hexes, nodes, edges and how they touch; the same in every game
//! - [`map`]: what lies on the hexes and in the ports; differs from game to game
//! - [`features`]: what a learner sees of a map
//! - [`rules`]: the state of a game, what may be done, and what comes of it
//! - [`players`]: who decides
//! - [`game`]: a whole game, from the streams of random numbers to the winner
//! - [`arena`]: series of games between agents
//! - [`learning`]: which maps are balanced, learned from few labels and many maps without
//!
//! ```
//! use hatchery_catan::game::{Streams, play};
//! use hatchery_catan::players::Random;
//! use hatchery_catan::rules::Island;
//! use hatchery_catan::Map;
//! use hatchery_core::RunSeed;
//!
//! let mut streams = Streams::new(RunSeed::new("example", 1).generation(0).stream("game"));
//! let island = Island::new(Map::RULEBOOK);
//! let record = play(&island, &mut [Random; 4], &mut streams, 2_000);
//! assert!(record.winner.is_some_and(|winner| 10 <= record.points[winner.index()]));
//! ```

pub mod arena;
pub mod board;
pub mod features;
pub mod game;
pub mod learning;
pub mod map;
pub mod players;
pub mod resource;
pub mod rules;

pub use board::{Edge, Hex, Node, PortPlace};
pub use map::Map;
pub use resource::{Cards, Resource};
