//! Match play: two players and a game.

use hatchery_core::{FastRng, StreamRng};

use crate::error::MatchError;
use crate::game::{Margin, Side, TurnGame};

/// The part of a ply's stream that chance draws from; agents have the numbers after it.
const CHANCE_PART: u64 = 0;

/// A player of a game.
pub trait TurnPlayer<G: TurnGame> {
    /// Chooses one of the legal moves `moves` (at least two) in the position `game`. All randomness
    /// comes from `stream`, which no other choice has.
    fn choose(&mut self, game: &G, moves: &[G::Move], stream: &StreamRng) -> G::Move;

    /// Sees the opponent make the move `mv` in the position `game`. All randomness comes from
    /// `stream`, which no choice has.
    fn observe(&mut self, game: &G, mv: G::Move, stream: &StreamRng) {
        let _ = (game, mv, stream);
    }
}

/// A finished game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchRecord<M> {
    /// The moves of both sides in their order, passes included. The decisions of chance follow from
    /// the stream of the match.
    pub moves: Vec<M>,
    /// The result.
    pub margin: Margin,
}

/// Returns the stream of the choice of agent number `agent` at `ply`, where `game` is the stream of
/// the game and plies are counted from 0, passes included.
///
/// Each choice has numbers of its own, so any number of agents choose the same moves in any order.
#[must_use]
pub fn choice_stream(game: &StreamRng, ply: u32, agent: u32) -> StreamRng {
    game.part(u64::from(ply)).part(CHANCE_PART + 1 + u64::from(agent))
}

/// Returns the generator from which the move at `ply` draws what chance decides, where `game` is
/// the stream of the game.
#[must_use]
pub fn chance_stream(game: &StreamRng, ply: u32) -> FastRng {
    FastRng::seeded_by(&mut game.part(u64::from(ply)).part(CHANCE_PART))
}

/// Plays a game from `start` to its end between a player for the first side and a player for the
/// second.
///
/// A player chooses from the stream [`choice_stream`] of the ply and its side (0 or 1). A forced
/// move is made without asking; the opponent sees it like any other.
///
/// # Errors
/// If a player chooses an illegal move, or the game breaks its rules: it continues without a legal
/// move, or for more than [`TurnGame::MAX_MOVES`] moves.
pub fn play_match<G: TurnGame>(
    start: G,
    first: &mut dyn TurnPlayer<G>,
    second: &mut dyn TurnPlayer<G>,
    stream: &StreamRng,
) -> Result<MatchRecord<G::Move>, MatchError<G::Move>> {
    let players: [&mut dyn TurnPlayer<G>; 2] = [first, second];
    let mut game = start;
    let mut played = Vec::new();
    let mut legal = Vec::new();
    for ply in 0..=G::MAX_MOVES {
        if let Some(margin) = game.margin() {
            return Ok(MatchRecord { moves: played, margin });
        }
        let side = game.mover();
        legal.clear();
        game.legal_moves(&mut legal);
        let mv = match legal[..] {
            [] => return Err(MatchError::NoLegalMove { ply, side }),
            [forced] => forced,
            _ => {
                let stream = side_stream(stream, ply, side);
                players[side.index()].choose(&game, &legal, &stream)
            }
        };
        if !legal.contains(&mv) {
            return Err(MatchError::IllegalMove { ply, side, found: mv });
        }
        let other = side.other();
        players[other.index()].observe(&game, mv, &side_stream(stream, ply, other));
        game.apply(mv, &mut chance_stream(stream, ply));
        played.push(mv);
    }
    Err(MatchError::TooLong { limit: G::MAX_MOVES })
}

fn side_stream(game: &StreamRng, ply: u32, side: Side) -> StreamRng {
    let agent = match side {
        Side::First => 0,
        Side::Second => 1,
    };
    choice_stream(game, ply, agent)
}
