//! Pseudo-two-level search: the value of a board is the value of the best boards that the next
//! piece can produce.

use hatchery_core::WireValue;

use super::planning::PlanSearch;
use super::{BoardEvaluator, Controller};
use crate::features::Afterstates;
use crate::rules::{
    Board, GameRules, GameScore, OverflowRule, Piece, PieceCap, PieceMove, PieceSupply,
    PieceWeights, Placement, Turn, play,
};

/// The parameters of pseudo-two-level search.
///
/// Each board that the current piece leads to is valued by treating every piece as the next one,
/// finding its best placement, and averaging those values (Miyazaki & Arakawa: all pieces weigh the
/// same, and nothing else counts). Where every placement of a piece would end the game, that piece
/// has no value: boards on which that happens with less weight are better, whatever their average.
///
/// With a bag, the next piece is one of the rest of the bag, all alike. Known next pieces take the
/// place of the average.
#[derive(Clone, Copy, Debug, PartialEq, Eq, WireValue)]
pub struct Lookahead {
    /// The pieces' weights in the average.
    #[wire(tag = 1)]
    pub weights: PieceWeights,
    /// True if the value of the board itself, which one-level search uses, is added.
    #[wire(tag = 2)]
    pub first_value: bool,
}

/// A controller with an optional look-ahead.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacementPolicy {
    /// The controller that values boards.
    pub controller: Controller,
    /// The search beyond the current piece; `None` for one-level search.
    pub lookahead: Option<Lookahead>,
}

impl From<Controller> for PlacementPolicy {
    /// Creates the policy of one-level search.
    fn from(controller: Controller) -> Self {
        Self { controller, lookahead: None }
    }
}

impl PlacementPolicy {
    /// Plays a game; see [`play`].
    pub fn play(
        &self,
        rules: GameRules,
        cap: PieceCap,
        next_piece: impl FnMut() -> Piece,
        watch: impl FnMut(&PieceMove),
    ) -> GameScore {
        if self.lookahead.is_none() && !rules.queue.has_preview() {
            return self.controller.play(rules, cap, next_piece, watch);
        }
        let choose = |board: &Board, piece, supply: &PieceSupply| {
            self.turn(board, piece, supply, rules.overflow)
        };
        play(rules, cap, next_piece, choose, watch)
    }

    /// Returns the turn that the policy chooses for `piece`, with the pieces of `supply` in view.
    #[must_use]
    pub fn turn(
        &self,
        board: &Board,
        piece: Piece,
        supply: &PieceSupply,
        overflow: OverflowRule,
    ) -> Turn {
        if supply.rules().has_preview() {
            let all_values = self.lookahead.is_some_and(|lookahead| lookahead.first_value);
            let search = PlanSearch { overflow, all_values };
            return search.turn(&self.controller, board, piece, supply);
        }
        match (self.lookahead, supply.rest_of_bag()) {
            (Some(lookahead), Some(weights)) => {
                let lookahead = Lookahead { weights, ..lookahead };
                lookahead.choose(&self.controller, board, piece, overflow).into()
            }
            _ => self.choose(board, piece, overflow).into(),
        }
    }

    /// Returns the placement that the policy chooses for `piece` where nothing is known of the
    /// pieces to come.
    #[must_use]
    pub fn choose(&self, board: &Board, piece: Piece, overflow: OverflowRule) -> Placement {
        match &self.lookahead {
            None => self.controller.choose(board, piece, overflow),
            Some(lookahead) => lookahead.choose(&self.controller, board, piece, overflow),
        }
    }
}

/// The value of a board by look-ahead. Sums are compared, not averages: the weights are the same
/// for all boards.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LookaheadValue<S> {
    /// The weight of the pieces that would end the game.
    pub(crate) deadly: u32,
    /// The weighted sum of the other pieces' values.
    pub(crate) sum: S,
}

impl<S: PartialOrd + Copy> LookaheadValue<S> {
    pub(crate) fn is_better_than(&self, other: &Self) -> bool {
        self.deadly < other.deadly || (self.deadly == other.deadly && other.sum < self.sum)
    }
}

impl Lookahead {
    /// Iterates over the pieces with a positive weight, with their weights.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = (Piece, u32)> {
        Piece::ALL.into_iter().zip(self.weights.weights()).filter(|&(_, weight)| weight != 0)
    }

    /// Returns the look-ahead value of a board before any next piece is considered; `value` is the
    /// board's own.
    #[inline]
    pub(crate) fn begin<E: BoardEvaluator>(&self, value: E::Value) -> LookaheadValue<E::Sum> {
        let mut lookahead_value = LookaheadValue::default();
        if self.first_value {
            E::add(&mut lookahead_value.sum, self.weights.sum(), value);
        }
        lookahead_value
    }

    fn choose(
        &self,
        controller: &Controller,
        board: &Board,
        piece: Piece,
        overflow: OverflowRule,
    ) -> Placement {
        match controller {
            Controller::Linear(linear) => self.choose_with(linear, board, piece, overflow),
            Controller::Network(network) => self.choose_with(network, board, piece, overflow),
            Controller::Surface(surface) => self.choose_with(surface, board, piece, overflow),
        }
    }

    fn choose_with<E: BoardEvaluator>(
        &self,
        evaluator: &E,
        board: &Board,
        piece: Piece,
        overflow: OverflowRule,
    ) -> Placement {
        if evaluator.needs_diversity() {
            self.choose_by::<_, true>(evaluator, board, piece, overflow)
        } else {
            self.choose_by::<_, false>(evaluator, board, piece, overflow)
        }
    }

    fn choose_by<E: BoardEvaluator, const DIVERSITY: bool>(
        &self,
        evaluator: &E,
        board: &Board,
        piece: Piece,
        overflow: OverflowRule,
    ) -> Placement {
        // If all placements end the game, the first is played.
        let mut best = Placement { orientation: 0, column: 0 };
        let mut best_value = None;
        let (wells, full_rows) = (evaluator.wells(), evaluator.full_rows());
        let first = Afterstates::new(board, overflow, wells).with_full_rows(full_rows);
        first.each::<DIVERSITY>(piece, |placement, features| {
            let after = full_rows.drop(board, piece, placement, overflow).board;
            let second = Afterstates::new(&after, overflow, wells).with_full_rows(full_rows);
            let mut lookahead_value = self.begin::<E>(evaluator.value(features, || after));
            for (next, weight) in self.pieces() {
                let mut most = None;
                second.each::<DIVERSITY>(next, |placement, features| {
                    let after = || full_rows.drop(&after, next, placement, overflow).board;
                    let value = evaluator.value(features, after);
                    if most.is_none_or(|most| most < value) {
                        most = Some(value);
                    }
                });
                match most {
                    Some(value) => E::add(&mut lookahead_value.sum, weight, value),
                    None => lookahead_value.deadly += weight,
                }
            }
            if best_value.as_ref().is_none_or(|best| lookahead_value.is_better_than(best)) {
                (best, best_value) = (placement, Some(lookahead_value));
            }
        });
        best
    }
}
