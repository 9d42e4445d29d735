//! Parameters of matches that several experiments have.

use hatchery_core::InvalidValue;
use hatchery_stats::error::ErrorRate;

use crate::players::OthelloAgent;

/// The most pairs of games of a generation: results are a byte for each.
const MAX_GENERATION_PAIRS: u64 = 20_000_000;

/// The most playouts of a trial: some ten minutes of CPU time.
const MAX_TRIAL_PLAYOUTS: u64 = 1_000_000_000;

/// The number of moves that each side makes in a game.
const MOVES_OF_A_SIDE: u64 = 30;

/// The default error rate.
pub(crate) fn standard_error_rate() -> ErrorRate {
    ErrorRate::FIVE_PERCENT
}

/// Checks that a trial of `games` games between two agents takes some minutes at most. The value of
/// the parameter `key` is `found`; a judge, if there is one, searches with `judge` playouts before
/// each move of the first agent.
///
/// # Errors
/// If it takes longer.
pub(crate) fn check_work(
    (key, found): (&str, &str),
    games: u32,
    agents: [&OthelloAgent; 2],
    judge: u32,
) -> Result<(), InvalidValue> {
    let playouts: u64 = agents.iter().map(|agent| agent.playouts_per_reply()).sum();
    let playouts = playouts + u64::from(judge);
    let all = u64::from(games).saturating_mul(MOVES_OF_A_SIDE).saturating_mul(playouts);
    if all <= MAX_TRIAL_PLAYOUTS {
        return Ok(());
    }
    let expected = format!(
        "less, or other factors: a trial has {games} games x {MOVES_OF_A_SIDE} moves x {playouts} \
         playouts of a move, its reply and the judge = {all}, and at most {MAX_TRIAL_PLAYOUTS} are \
         allowed"
    );
    Err(InvalidValue::new(key, found, expected))
}

/// Checks that a generation is not too large if each of its `n_matches` matches has `pairs` pairs
/// of games.
///
/// # Errors
/// If it is.
pub(crate) fn check_pairs(pairs: u32, n_matches: usize) -> Result<(), InvalidValue> {
    let factors = [(pairs.into(), "pairs"), (n_matches as u64, "matches")];
    InvalidValue::check_product("pairs", &factors, "pairs in a generation", MAX_GENERATION_PAIRS)
}
