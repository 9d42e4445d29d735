//! The search through the known next pieces: every way to place them one after the other, with a
//! held piece in place of any of them.

use super::{BoardEvaluator, Controller};
use crate::features::Afterstates;
use crate::rules::{Board, OverflowRule, Piece, PieceSupply, Placement, Turn};

/// A search for the best plan: as many placements as there are known pieces, the current one
/// included.
///
/// The value of a plan is the value of the board at its end. Plans that end the game early are
/// worse than plans that end it later, and those are worse than plans that do not; of equal plans
/// the first wins, in the order of placements, and without a hold before with one.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlanSearch {
    pub(super) overflow: OverflowRule,
    /// True if the values of the boards on the way count as well.
    pub(super) all_values: bool,
}

/// The pieces that a search knows.
#[derive(Clone, Copy)]
struct KnownPieces<'a> {
    /// The current piece and the next ones.
    next: &'a [Piece],
    held: Option<Piece>,
    can_hold: bool,
}

/// The best plan from a board.
#[derive(Clone, Copy)]
struct Plan<S> {
    turn: Turn,
    /// The number of placements that do not end the game.
    n_placed: usize,
    sum: S,
}

impl PlanSearch {
    /// Returns the first turn of the best plan for `piece` and the known pieces of `supply`.
    pub(super) fn turn(
        self,
        controller: &Controller,
        board: &Board,
        piece: Piece,
        supply: &PieceSupply,
    ) -> Turn {
        match controller {
            Controller::Linear(linear) => self.turn_by(linear, board, piece, supply),
            Controller::Network(network) => self.turn_by(network, board, piece, supply),
            Controller::Surface(surface) => self.turn_by(surface, board, piece, supply),
        }
    }

    fn turn_by<E: BoardEvaluator>(
        self,
        evaluator: &E,
        board: &Board,
        piece: Piece,
        supply: &PieceSupply,
    ) -> Turn {
        let next: Vec<_> = std::iter::once(piece).chain(supply.known().iter().copied()).collect();
        let can_hold = supply.rules().hold;
        let pieces = KnownPieces { next: &next, held: supply.held(), can_hold };
        if evaluator.needs_diversity() {
            self.best::<E, true>(evaluator, board, pieces, next.len()).turn
        } else {
            self.best::<E, false>(evaluator, board, pieces, next.len()).turn
        }
    }

    /// Returns the best plan of `n` placements, at least 1.
    fn best<E: BoardEvaluator, const DIVERSITY: bool>(
        self,
        evaluator: &E,
        board: &Board,
        pieces: KnownPieces<'_>,
        n: usize,
    ) -> Plan<E::Sum> {
        // If all placements end the game, the first is played.
        let mut best = Plan {
            turn: Placement { orientation: 0, column: 0 }.into(),
            n_placed: 0,
            sum: E::Sum::default(),
        };
        let (full_rows, overflow) = (evaluator.full_rows(), self.overflow);
        let afterstates =
            Afterstates::new(board, overflow, evaluator.wells()).with_full_rows(full_rows);
        for (holds, piece, rest) in pieces.choices() {
            afterstates.each::<DIVERSITY>(piece, |placement, features| {
                let after = || full_rows.drop(board, piece, placement, overflow).board;
                let turn = Turn { holds, placement };
                let mut plan = Plan { turn, n_placed: 1, sum: E::Sum::default() };
                if n == 1 {
                    E::add(&mut plan.sum, 1, evaluator.value(features, after));
                } else {
                    let after = after();
                    let later = self.best::<E, DIVERSITY>(evaluator, &after, rest, n - 1);
                    (plan.n_placed, plan.sum) = (1 + later.n_placed, later.sum);
                    if self.all_values {
                        E::add(&mut plan.sum, 1, evaluator.value(features, || after));
                    }
                }
                if plan.is_better_than(&best) {
                    best = plan;
                }
            });
        }
        best
    }
}

impl<'a> KnownPieces<'a> {
    /// Iterates over the pieces that can be placed: whether one is placed by a hold, the piece, and
    /// what is known after it.
    fn choices(self) -> impl Iterator<Item = (bool, Piece, Self)> {
        let Self { next, held, can_hold } = self;
        let after = |n: usize, held| Self { next: next.get(n..).unwrap_or(&[]), held, can_hold };
        let current = next.first().copied();
        let placed = current.map(|piece| (false, piece, after(1, held)));
        let swapped = match (held, current) {
            // The same piece, and the same one is held afterwards.
            (Some(held), Some(current)) if held == current => None,
            // An unknown piece may be held for a known one.
            (Some(held), current) => Some((true, held, after(1, current))),
            (None, Some(current)) => next.get(1).map(|&it| (true, it, after(2, Some(current)))),
            (None, None) => None,
        };
        placed.into_iter().chain(swapped.filter(|_| can_hold))
    }
}

impl<S: PartialOrd> Plan<S> {
    fn is_better_than(&self, other: &Self) -> bool {
        other.n_placed < self.n_placed || (other.n_placed == self.n_placed && other.sum < self.sum)
    }
}
