//! A game of levels that adapt to a person, as a value, without a page and without I/O.
//!
//! The state is a seed, the rules, and the shots in each level. All else follows from these: the
//! levels, what happened in them, and the ideal numbers of pigs and blocks. So a game can be saved
//! and repeated.
//!
//! ```text
//!   P, B -> a level evolves -> shots -> over -> P, B -> the next level ...
//! ```
//!
//! ```
//! use hatchery_birds::adaptive_game::{AdaptiveGame, AdaptiveRules};
//! use hatchery_birds::world::ballistics::LaunchVelocity;
//! use hatchery_birds::world::playout::PlayoutPhase;
//!
//! let mut rules = AdaptiveRules::default();
//! (rules.study.evolution.population, rules.study.evolution.generations) = (6, 3);
//! let mut game = AdaptiveGame::begin(7, rules.clone())?;
//! while game.playout().phase() == PlayoutPhase::Aiming {
//!     game.shoot(LaunchVelocity::new(0.3, 1.0))?;
//! }
//! let step = game.begin_next_level()?;
//! assert_eq!(step.ideal, game.ideal());
//!
//! let saved = game.to_json();
//! assert_eq!(AdaptiveGame::from_json(saved.as_bytes(), rules)?, game);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod game;
mod saved;

pub use error::{AdaptiveGameError, SavedLevelsError};
pub use game::{AdaptiveGame, AdaptiveRules};
