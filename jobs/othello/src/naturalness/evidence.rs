//! The facts known of a move, and the errors of evidence that contradicts itself.

use hatchery_search::RootMove;

use super::loss::LossZone;
use crate::players::FIRST_CHOICES;
use crate::rules::{MoveError, Position, SolvedPosition, Square, SquareSet};

/// All that is known of a move that was not forced.
#[derive(Clone, Copy, Debug)]
pub struct MoveEvidence<'a> {
    /// The position before the move. The player to move is the one that is judged.
    pub position: Position,
    /// The square of the move.
    pub played: Square,
    /// The judge's values of the legal moves.
    pub opinion: JudgeOpinion<'a>,
    /// The place of the move among the choices of the agent that chose it, from 1. `None` for an
    /// agent that ranks no moves.
    pub own_rank: Option<u32>,
    /// The legal moves as a reference agent of the opponent's level ranks them, the best first.
    pub reference: Option<&'a [RootMove<Square>]>,
    /// The choices of agents of known levels. `None` for a player that makes no estimate.
    pub levels: Option<LevelChoices<'a>>,
}

/// The values of every legal move, in any order.
#[derive(Clone, Copy, Debug)]
pub enum JudgeOpinion<'a> {
    /// The exact values, in discs.
    Exact(&'a SolvedPosition),
    /// The visits and points of a search by a strong agent.
    Estimated(&'a [RootMove<Square>]),
}

/// The choices of agents of known levels in the position.
#[derive(Clone, Copy, Debug)]
pub struct LevelChoices<'a> {
    /// The first choice of the strongest agent.
    pub strongest: Square,
    /// The choices of every agent within one step of the current estimate, the best choice first:
    /// at least the first three choices, or all moves if there are fewer than three. There is at
    /// least one such agent.
    pub near: &'a [Vec<Square>],
}

/// The reason why evidence is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvidenceError {
    /// The move is illegal.
    #[error("the move of the evidence is illegal")]
    IllegalMove(#[from] MoveError),
    /// The move was forced, and says nothing about the player.
    #[error("{square} is the only legal move, and forced moves are not judged")]
    Forced {
        /// The square of the move.
        square: Square,
    },
    /// A list of moves that should have each legal move once.
    #[error("{list} has {n} moves, {found}; the legal moves are {legal}")]
    MovesDiffer {
        /// The list.
        list: &'static str,
        /// Its number of moves.
        n: usize,
        /// The moves in it.
        found: SquareSet,
        /// The legal moves.
        legal: SquareSet,
    },
    /// A value that no move can have.
    #[error("the value of {square} is {value}; values are -64 to 64")]
    Value {
        /// The square of the move.
        square: Square,
        /// The value.
        value: i32,
    },
    /// More points than games won.
    #[error("{square} has {half_points} half points in {visits} visits, at most two in each")]
    Points {
        /// The square of the move.
        square: Square,
        /// The half points.
        half_points: u32,
        /// The visits.
        visits: u32,
    },
    /// The judge has not searched the move, so it has no opinion about the move.
    #[error("the judge's search did not visit {square}; it needs a larger budget")]
    Unvisited {
        /// The square of the move.
        square: Square,
    },
    /// A rank above the number of legal moves, or 0.
    #[error("the rank of the move is {rank}; it is from 1 to {moves}, the number of legal moves")]
    Rank {
        /// The rank.
        rank: u32,
        /// The number of legal moves.
        moves: u32,
    },
    /// A choice of an agent that is no legal move.
    #[error("{square} is the choice of an agent, but the legal moves are {legal}")]
    Choice {
        /// The choice.
        square: Square,
        /// The legal moves.
        legal: SquareSet,
    },
    /// No agent is near the estimate, or a near agent has too few choices.
    #[error("an agent near the estimate has {found} choices, at least {right} are needed")]
    TooFewChoices {
        /// The number of choices; 0 without agents.
        found: usize,
        /// The number needed.
        right: usize,
    },
}

impl LevelChoices<'_> {
    pub(super) fn check(&self, legal: SquareSet) -> Result<(), EvidenceError> {
        let illegal = |square: &&Square| !legal.contains(**square);
        let mut all = std::iter::once(&self.strongest).chain(self.near.iter().flatten());
        if let Some(&square) = all.find(illegal) {
            return Err(EvidenceError::Choice { square, legal });
        }
        let right = FIRST_CHOICES.min(legal.len() as usize);
        let found = self.near.iter().map(Vec::len).min().unwrap_or(0);
        if found < right { Err(EvidenceError::TooFewChoices { found, right }) } else { Ok(()) }
    }
}

/// The values of the legal moves, in steps of their zone, counted from the lowest value there is.
pub(super) struct MoveValues {
    pub(super) zone: LossZone,
    pub(super) best: u64,
    /// Moves without visits have no value.
    values: Vec<(Square, Option<u64>)>,
}

impl MoveValues {
    /// The value of a drawn game in discs, counted from the lowest.
    const DRAW: u64 = 64;

    pub(super) fn new(opinion: JudgeOpinion<'_>, legal: SquareSet) -> Result<Self, EvidenceError> {
        match opinion {
            JudgeOpinion::Exact(solved) => Self::exact(solved, legal),
            JudgeOpinion::Estimated(moves) => Self::estimated(moves, legal),
        }
    }

    fn exact(solved: &SolvedPosition, legal: SquareSet) -> Result<Self, EvidenceError> {
        check_moves("the solver", solved.moves.iter().map(|one| one.square), legal)?;
        let mut values = Vec::with_capacity(solved.moves.len());
        for one in &solved.moves {
            let steps = u64::try_from(i64::from(one.value) + 64).ok().filter(|&it| it <= 128);
            let error = EvidenceError::Value { square: one.square, value: one.value };
            values.push((one.square, Some(steps.ok_or(error)?)));
        }
        let best = values.iter().filter_map(|&(_, value)| value).max().unwrap_or(0);
        Ok(Self { zone: LossZone::Exact, best, values })
    }

    /// The best move is the one with the most visits; among equals, that with the most points.
    fn estimated(moves: &[RootMove<Square>], legal: SquareSet) -> Result<Self, EvidenceError> {
        check_moves("the judge", moves.iter().map(|one| one.mv), legal)?;
        let value = |one: &RootMove<Square>| {
            let &RootMove { mv: square, visits, half_points } = one;
            let (points, games) = (u64::from(half_points), u64::from(visits));
            if 2 * games < points {
                return Err(EvidenceError::Points { square, half_points, visits });
            }
            // Rounded to the nearest step.
            let steps = LossZone::Estimated.steps_per_unit();
            Ok((square, (points * steps + games).checked_div(2 * games)))
        };
        let values = moves.iter().map(value).collect::<Result<Vec<_>, _>>()?;
        let first = moves.iter().zip(&values).max_by_key(|(it, _)| (it.visits, it.half_points));
        let best = first.and_then(|(_, (_, value))| *value).unwrap_or(0);
        Ok(Self { zone: LossZone::Estimated, best, values })
    }

    /// Returns what a move is worth less than the best one, at least 0, or `None` if that is
    /// unknown.
    pub(super) fn loss(&self, square: Square) -> Option<u64> {
        let value = |&(at, value): &(Square, Option<u64>)| value.filter(|_| at == square);
        Some(self.best.saturating_sub(self.values.iter().find_map(value)?))
    }

    /// Returns true if a move with this loss is known to make the result of the game worse.
    pub(super) fn flips(&self, loss: u64) -> bool {
        let result = |value: u64| value.cmp(&Self::DRAW);
        self.zone == LossZone::Exact && result(self.best - loss) != result(self.best)
    }
}

/// Checks that `moves` are the legal moves, each once.
pub(super) fn check_moves(
    list: &'static str,
    moves: impl Iterator<Item = Square> + Clone,
    legal: SquareSet,
) -> Result<(), EvidenceError> {
    let n = moves.clone().count();
    let found = SquareSet::from_bits(moves.fold(0, |bits, square| bits | square.bit()));
    if found != legal || n != legal.len() as usize {
        return Err(EvidenceError::MovesDiffer { list, n, found, legal });
    }
    Ok(())
}
