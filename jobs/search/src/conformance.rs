//! The checks that every game must pass.

use std::fmt::Debug;

use hatchery_core::{FastRng, StreamRng};

use crate::game::{Margin, TurnGame};

/// A breach of the contract of [`TurnGame`]. Plies are counted from 0 and include passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContractBreach<M: Debug> {
    /// A finished game has legal moves.
    #[error("game {game}: it is over after {ply} moves, but {found:?} is legal")]
    MoveAfterEnd {
        /// The number of the random game.
        game: u32,
        /// The number of moves before.
        ply: u32,
        /// A legal move.
        found: M,
    },
    /// An unfinished game has no legal moves.
    #[error("game {game}: it is not over after {ply} moves, but no move is legal")]
    NoMove {
        /// The number of the random game.
        game: u32,
        /// The number of moves before.
        ply: u32,
    },
    /// Legal moves are not in ascending order, or not the same when asked for again.
    #[error("game {game}, ply {ply}: legal moves are not fixed and in ascending order: {found:?}")]
    UnorderedMoves {
        /// The number of the random game.
        game: u32,
        /// The number of moves before.
        ply: u32,
        /// The first move that is not above the previous move, or that differs.
        found: M,
    },
    /// A move does not lead to the same position when it meets the same draws.
    #[error("game {game}, ply {ply}: {found:?} depends on more than position and draws")]
    UnrepeatableMove {
        /// The number of the random game.
        game: u32,
        /// The number of moves before.
        ply: u32,
        /// The move.
        found: M,
    },
    /// A playout of a finished game has another result than the game.
    #[error("game {game}: the result is {expected:?}, a playout from there gives {found:?}")]
    WrongPlayout {
        /// The number of the random game.
        game: u32,
        /// The result of the game.
        expected: Margin,
        /// The result of the playout.
        found: Margin,
    },
    /// A playout without plies does not give the estimate.
    #[error(
        "game {game}, ply {ply}: the estimate is {expected:?}, a playout of no plies {found:?}"
    )]
    WrongHorizon {
        /// The number of the random game.
        game: u32,
        /// The number of moves before.
        ply: u32,
        /// The estimate.
        expected: Margin,
        /// The result of the playout.
        found: Margin,
    },
    /// A game is longer than its rules say.
    #[error("game {game}: not over after {limit} moves")]
    TooLong {
        /// The number of the random game.
        game: u32,
        /// The largest number of moves.
        limit: u32,
    },
}

/// Plays `n_games` random games from `start` and checks the contract of [`TurnGame`] in every
/// position.
///
/// # Errors
/// The first breach that is found.
pub fn check_game<G: TurnGame>(
    start: &G,
    stream: &StreamRng,
    n_games: u32,
) -> Result<(), ContractBreach<G::Move>> {
    for game in 0..n_games {
        let mut rng = FastRng::seeded_by(&mut stream.part(u64::from(game)));
        check_one_game(*start, game, &mut rng)?;
    }
    Ok(())
}

fn check_one_game<G: TurnGame>(
    mut state: G,
    game: u32,
    rng: &mut FastRng,
) -> Result<(), ContractBreach<G::Move>> {
    let mut moves = Vec::new();
    for ply in 0..=G::MAX_MOVES {
        moves.clear();
        state.legal_moves(&mut moves);
        if let Some(expected) = state.margin() {
            if let Some(&found) = moves.first() {
                return Err(ContractBreach::MoveAfterEnd { game, ply, found });
            }
            let found = state.playout(None, rng, &mut moves);
            return if found == expected {
                Ok(())
            } else {
                Err(ContractBreach::WrongPlayout { game, expected, found })
            };
        }
        check_moves(&state, game, ply, &moves)?;
        let [expected, found] = [state.estimate(), state.playout(Some(0), rng, &mut Vec::new())];
        if found != expected {
            return Err(ContractBreach::WrongHorizon { game, ply, expected, found });
        }
        let n = u32::try_from(moves.len()).unwrap_or(u32::MAX);
        let Some(&mv) = moves.get(rng.below(n) as usize) else {
            return Err(ContractBreach::NoMove { game, ply });
        };
        let (mut twin, mut twin_rng) = (state, rng.clone());
        let [outcome, twin_outcome] = [state.apply(mv, rng), twin.apply(mv, &mut twin_rng)];
        if outcome != twin_outcome || !are_alike(&state, &twin) {
            return Err(ContractBreach::UnrepeatableMove { game, ply, found: mv });
        }
    }
    Err(ContractBreach::TooLong { game, limit: G::MAX_MOVES })
}

fn check_moves<G: TurnGame>(
    state: &G,
    game: u32,
    ply: u32,
    moves: &[G::Move],
) -> Result<(), ContractBreach<G::Move>> {
    if let Some(pair) = moves.windows(2).find(|pair| pair[1] <= pair[0]) {
        return Err(ContractBreach::UnorderedMoves { game, ply, found: pair[1] });
    }
    let mut again = Vec::new();
    state.legal_moves(&mut again);
    match moves.iter().zip(&again).find(|(one, other)| one != other) {
        Some((&found, _)) => Err(ContractBreach::UnorderedMoves { game, ply, found }),
        None => Ok(()),
    }
}

/// Returns true if two positions look the same from outside.
fn are_alike<G: TurnGame>(one: &G, other: &G) -> bool {
    let [mut moves, mut other_moves] = [Vec::new(), Vec::new()];
    one.legal_moves(&mut moves);
    other.legal_moves(&mut other_moves);
    moves == other_moves
        && one.margin() == other.margin()
        && one.estimate() == other.estimate()
        && (one.margin().is_some() || one.mover() == other.mover())
}
