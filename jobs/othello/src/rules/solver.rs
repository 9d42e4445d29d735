//! Exact values of endgames.

mod ordering;
mod search;
mod table;

use super::ops::dispatch::{self, BoardBackend};
use super::ops::{BoardJob, BoardOps};
use super::position::{Position, TurnState};
use super::score::ScoreRule;
use super::square::Square;
use search::EndgameSearch;
use table::TranspositionTable;

/// A solver of endgames: it searches to the end of the game, and its values are exact.
///
/// It keeps memory of 3 MiB from one position to the next, but nothing that it learned: values and
/// numbers of nodes depend on the position and the options alone.
#[derive(Debug, Default)]
pub struct EndgameSolver {
    table: TranspositionTable,
}

/// The settings of a solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolverOptions {
    /// The convention for empty squares at the end.
    pub rule: ScoreRule,
    /// The number of nodes after which the solver gives up.
    pub max_nodes: u64,
    /// The instructions; values and numbers of nodes do not depend on them.
    pub backend: BoardBackend,
}

/// The exact value of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveValue {
    /// The square of the move.
    pub square: Square,
    /// The score, in -64 ..= 64, of the player that makes the move, if both play perfectly after
    /// it.
    pub value: i32,
}

/// The exact values of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SolvedPosition {
    /// The score of the player to move, in -64 ..= 64, if both play perfectly.
    pub value: i32,
    /// The value of every legal move, the best first, equal values by square. Empty if the player
    /// to move has none.
    pub moves: Vec<MoveValue>,
    /// The number of nodes: the visited positions with at least three empty squares.
    pub nodes: u64,
}

/// The error of a solver that has visited as many nodes as it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not solved within {max_nodes} nodes; the position has {empties} empty squares")]
pub struct NodeLimitReached {
    /// The limit.
    pub max_nodes: u64,
    /// The number of empty squares of the position.
    pub empties: u32,
}

impl EndgameSolver {
    /// Returns a solver.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the exact value of `position` and the exact value of every legal move.
    ///
    /// # Errors
    /// If this takes more than `options.max_nodes` nodes.
    pub fn solve(
        &mut self,
        position: &Position,
        options: SolverOptions,
    ) -> Result<SolvedPosition, NodeLimitReached> {
        self.table.forget();
        let search = EndgameSearch::new(&mut self.table, options.rule, options.max_nodes);
        let solved = match position.state() {
            TurnState::CanMove => {
                dispatch::dispatch(options.backend, AllMoves { search, position })
            }
            TurnState::MustPass => {
                let position = &position.settled();
                let solved = dispatch::dispatch(options.backend, AllMoves { search, position });
                solved.map(|solved| SolvedPosition {
                    value: -solved.value,
                    moves: vec![],
                    ..solved
                })
            }
            TurnState::Over => {
                let value = position.board::<super::ops::plain::PlainOps>().score(options.rule);
                Ok(SolvedPosition { value, moves: vec![], nodes: 0 })
            }
        };
        let empties = position.count().empties();
        solved.map_err(|search::OutOfNodes| NodeLimitReached {
            max_nodes: options.max_nodes,
            empties,
        })
    }
}

struct AllMoves<'a> {
    search: EndgameSearch<'a>,
    position: &'a Position,
}

impl BoardJob for AllMoves<'_> {
    type Output = Result<SolvedPosition, search::OutOfNodes>;

    #[inline(always)]
    fn run<B: BoardOps>(mut self) -> Self::Output {
        let board = self.position.board::<B>();
        let mut moves = Vec::new();
        for square in board.legal_moves() {
            let value = -self.search.value(board.play(square))?;
            moves.push(MoveValue { square, value });
        }
        moves.sort_by_key(|it| -it.value);
        let value = moves.first().map_or(0, |best| best.value);
        Ok(SolvedPosition { value, moves, nodes: self.search.nodes() })
    }
}
