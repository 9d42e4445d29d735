//! Saved games: JSON with the seed, the agent, the person's color and the moves.
//!
//! ```json
//! {"format":1,"seed":7,"person":"black","agent":{"kind":"random"},"moves":"f5d6"}
//! ```

use hatchery_core::Digest;
use serde::{Deserialize, Serialize};

use super::error::{PersonGameError, SavedGameError};
use super::game::{NextTurn, PersonGame};
use super::saved_agent::SavedAgent;
use crate::players::OthelloAgent;
use crate::record::transcript;
use crate::rules::{BoardBackend, DiscColor, Position};

/// The number of the format. It is raised if the fields change, or if agents choose other moves.
const FORMAT: u32 = 1;

/// The longest saved game: far above that of 60 agents.
const MAX_BYTES: usize = 1 << 16;

/// A saved game.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedGame {
    format: u32,
    seed: u64,
    person: DiscColor,
    agent: SavedAgent,
    /// A transcript: without passes.
    moves: String,
}

impl PersonGame {
    /// Returns the game as JSON: equal games have equal text.
    ///
    /// # Panics
    /// Never: all values of a game can be written.
    #[must_use]
    pub fn to_json(&self) -> String {
        let saved = SavedGame {
            format: FORMAT,
            seed: self.seed(),
            person: self.person(),
            agent: self.agent().into(),
            moves: transcript::write(self.record()),
        };
        serde_json::to_string(&saved).expect("numbers and text")
    }

    /// Returns the game that [`to_json`](Self::to_json) wrote. The game is played again, so that
    /// what the agent has learned is known, and its moves are checked. Each move takes as long as
    /// it took in the game.
    ///
    /// # Errors
    /// If the bytes are no saved game, the agent cannot play, a move is illegal, or the agent would
    /// have made another move.
    pub fn from_json(json: &[u8], backend: BoardBackend) -> Result<Self, SavedGameError> {
        if MAX_BYTES < json.len() {
            return Err(SavedGameError::TooLong { found: json.len(), max: MAX_BYTES });
        }
        let saved: SavedGame = serde_json::from_slice(json).map_err(SavedGameError::Json)?;
        let SavedGame { format, seed, person, agent, moves } = saved;
        if format != FORMAT {
            return Err(SavedGameError::Format { found: format, right: FORMAT });
        }
        let record =
            transcript::read(moves.as_bytes(), Position::START).map_err(SavedGameError::Moves)?;
        let agent = OthelloAgent::try_from(agent).map_err(PersonGameError::from);
        let game = agent.and_then(|agent| Self::new(seed, agent, person));
        let mut game = game.map_err(SavedGameError::Agent)?;
        for (&found, ply) in record.moves().iter().zip(1..) {
            let made = match game.next_turn() {
                NextTurn::Agent => game.reply(backend),
                NextTurn::Person | NextTurn::Over => game.play(found, backend),
            };
            made.map_err(SavedGameError::Agent)?;
            match game.record().moves().last() {
                Some(&right) if right != found => {
                    return Err(SavedGameError::NotOfAgent { ply, found, right });
                }
                _ => {}
            }
        }
        Ok(game)
    }

    /// Returns the hash of the game: the digest of its JSON. Equal games have equal hashes.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of(self.to_json().as_bytes())
    }
}
