//! A game of an agent against a person as a value, without a page and without I/O.
//!
//! The state is a seed, an agent, the person's color and the moves. All else follows from these:
//! positions, passes, the agent's choices and its estimate of the person. So a game can be saved,
//! repeated and hashed, and a saved game that was changed is refused.
//!
//! ```text
//!                 play                        reply
//!   Person ----------------->  Agent  ----------------->  Person
//!     ^                          |                          |
//!     '---- the agent passes ----'     '-- the person passes: the agent replies again
//! ```
//!
//! Passes are forced, so they are made together with the move before them. A game is independent:
//! an agent carries nothing from an earlier game into it, and nothing from it into a later game.
//!
//! ```
//! use hatchery_othello::person_game::{NextTurn, PersonGame};
//! use hatchery_othello::players::OthelloAgent;
//! use hatchery_othello::rules::{BoardBackend, DiscColor};
//!
//! let backend = BoardBackend::fastest();
//! let mut game = PersonGame::new(7, OthelloAgent::Random, DiscColor::Black)?;
//! game.play("f5".parse()?, backend)?;
//! let turns = game.reply(backend)?;
//! assert_eq!((turns.len(), turns[0].color()), (1, DiscColor::White));
//! assert_eq!(game.next_turn(), NextTurn::Person);
//!
//! let saved = game.to_json();
//! assert_eq!(PersonGame::from_json(saved.as_bytes(), backend)?, game);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod game;
mod saved;
mod saved_agent;
mod show;

pub use error::{PersonGameError, SavedGameError};
pub use game::{AgentThought, NextTurn, PersonGame, PersonGameTurn, PersonResult};
pub use show::GameView;
