//! Pseudo-two-level search: a board is as good as what can be made of it with the next piece.

use super::{Controller, Evaluate};
use crate::features::Afterstates;
use crate::rules::{
    Board, Cap, Move, Overflow, Piece, PieceWeights, Placement, Rules, Score, play,
};

/// How boards are valued by what follows.
///
/// Each board that the current piece leads to is valued by treating every piece as the next one,
/// finding its best placement, and averaging those values (Miyazaki & Arakawa: all pieces weigh the
/// same, and nothing else counts). Where every placement of a piece would end the game, that piece
/// has no value: boards on which that happens with less weight are better, whatever their average.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lookahead {
    /// How much each piece counts in the average.
    pub weights: PieceWeights,
    /// Whether the value of the board itself, which one-level search goes by, is added.
    pub first_value: bool,
}

/// A controller and how far it looks ahead.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// What values boards.
    pub controller: Controller,
    /// How it looks beyond the current piece; without, it does not (one-level search).
    pub lookahead: Option<Lookahead>,
}

impl From<Controller> for Policy {
    /// One-level search.
    fn from(controller: Controller) -> Self {
        Self { controller, lookahead: None }
    }
}

impl Policy {
    /// Plays a game; see [`play`].
    pub fn play(
        &self,
        rules: Rules,
        cap: Cap,
        next_piece: impl FnMut() -> Piece,
        watch: impl FnMut(&Move),
    ) -> Score {
        let Some(lookahead) = &self.lookahead else {
            return self.controller.play(rules, cap, next_piece, watch);
        };
        let choose =
            |board: &Board, piece| lookahead.choose(&self.controller, board, piece, rules.overflow);
        play(rules, cap, next_piece, choose, watch)
    }

    /// Where it puts `piece`.
    #[must_use]
    pub fn choose(&self, board: &Board, piece: Piece, overflow: Overflow) -> Placement {
        match &self.lookahead {
            None => self.controller.choose(board, piece, overflow),
            Some(lookahead) => lookahead.choose(&self.controller, board, piece, overflow),
        }
    }
}

/// What a board promises. Sums are compared, not averages: the weights are the same for all boards.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Prospect<S> {
    /// The weight of the pieces that would end the game.
    pub(crate) deadly: u32,
    /// The weighted sum of the others' values.
    pub(crate) sum: S,
}

impl<S: PartialOrd + Copy> Prospect<S> {
    pub(crate) fn is_better_than(&self, other: &Self) -> bool {
        self.deadly < other.deadly || (self.deadly == other.deadly && other.sum < self.sum)
    }
}

impl Lookahead {
    /// The pieces that count, with their weights.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = (Piece, u32)> {
        Piece::ALL.into_iter().zip(self.weights.weights()).filter(|&(_, weight)| weight != 0)
    }

    /// What a board promises before any next piece is looked at: `value` is its own.
    #[inline]
    pub(crate) fn begin<E: Evaluate>(&self, value: E::Value) -> Prospect<E::Sum> {
        let mut prospect = Prospect::default();
        if self.first_value {
            E::add(&mut prospect.sum, self.weights.sum(), value);
        }
        prospect
    }

    fn choose(
        &self,
        controller: &Controller,
        board: &Board,
        piece: Piece,
        overflow: Overflow,
    ) -> Placement {
        match controller {
            Controller::Linear(linear) if linear.needs_diversity() => {
                self.choose_with::<_, true>(linear, board, piece, overflow)
            }
            Controller::Linear(linear) => {
                self.choose_with::<_, false>(linear, board, piece, overflow)
            }
            Controller::Network(network) => {
                self.choose_with::<_, false>(network, board, piece, overflow)
            }
        }
    }

    fn choose_with<E: Evaluate, const DIVERSITY: bool>(
        &self,
        evaluate: &E,
        board: &Board,
        piece: Piece,
        overflow: Overflow,
    ) -> Placement {
        // If all placements end the game, the first is played.
        let mut best = Placement { orientation: 0, column: 0 };
        let mut best_prospect = None;
        let first = Afterstates::new(board, overflow, evaluate.wells());
        first.each::<DIVERSITY>(piece, |placement, features| {
            let after = board.drop(piece, placement, overflow).board;
            let second = Afterstates::new(&after, overflow, evaluate.wells());
            let mut prospect = self.begin::<E>(evaluate.value(features));
            for (next, weight) in self.pieces() {
                let mut most = None;
                second.each::<DIVERSITY>(next, |_, features| {
                    let value = evaluate.value(features);
                    if most.is_none_or(|most| most < value) {
                        most = Some(value);
                    }
                });
                match most {
                    Some(value) => E::add(&mut prospect.sum, weight, value),
                    None => prospect.deadly += weight,
                }
            }
            if best_prospect.as_ref().is_none_or(|best| prospect.is_better_than(best)) {
                (best, best_prospect) = (placement, Some(prospect));
            }
        });
        best
    }
}
