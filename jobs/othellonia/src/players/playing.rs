//! Games between agents.

use hatchery_core::FastRng;

use super::agent::GameAgent;
use crate::rules::{Game, GameOutcome, GameWatcher};

/// Plays a game to its end, and returns its outcome. The first agent plays A, the second agent B.
///
/// # Panics
/// Never: agents choose legal actions as long as the game is not over.
pub fn play_out(
    game: &mut Game<'_>,
    agents: [GameAgent; 2],
    rng: &mut FastRng,
    watcher: &mut impl GameWatcher,
) -> GameOutcome {
    loop {
        if let Some(outcome) = game.outcome() {
            return outcome;
        }
        let action = agents[game.state().to_move.index()].choose(game, rng);
        game.play(action, watcher).expect("agents choose legal actions");
    }
}
