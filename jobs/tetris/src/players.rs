//! Players: controllers and policies that decide on placements.

mod linear;
mod lookahead;
mod network;
mod planning;
mod surface;

pub use linear::{LinearController, MAX_WEIGHT, WEIGHT_SCALE};
pub(crate) use lookahead::LookaheadValue;
pub use lookahead::{Lookahead, PlacementPolicy};
pub(crate) use network::HiddenNeuron;
pub use network::{NetworkParams, NetworkShape, NeuralNetwork};
pub use surface::{StackWeights, SurfaceController, SurfaceWeights};

use hatchery_core::WireValue;

use crate::features::{Afterstates, BoardFeatures, FullRows, WellRule};
use crate::rules::{
    Board, GameRules, GameScore, OverflowRule, Piece, PieceCap, PieceMove, Placement, play,
};

/// A controller: values each board that a placement leads to, and plays the best (one-level search;
/// Miyazaki & Arakawa, §2.1).
///
/// Placements that end the game are played only when all do; of equal values the first wins.
#[derive(Clone, Debug, PartialEq, WireValue)]
pub enum Controller {
    /// A weighted sum of features.
    #[wire(tag = 1)]
    Linear(LinearController),
    /// A neural network of features.
    #[wire(tag = 2)]
    Network(NeuralNetwork),
    /// A weighted sum of features, of rows removed and of the wall's surface.
    #[wire(tag = 12)]
    Surface(SurfaceController),
}

impl Controller {
    /// Plays a game; see [`play`]. One-level search makes no use of the pieces to come.
    pub fn play(
        &self,
        rules: GameRules,
        cap: PieceCap,
        next_piece: impl FnMut() -> Piece,
        watch: impl FnMut(&PieceMove),
    ) -> GameScore {
        // One dispatch per game, so that moves need none.
        match self {
            Self::Linear(linear) => play_with(linear, rules, cap, next_piece, watch),
            Self::Network(network) => play_with(network, rules, cap, next_piece, watch),
            Self::Surface(surface) => play_with(surface, rules, cap, next_piece, watch),
        }
    }

    /// Returns the placement that the controller chooses for `piece`.
    #[must_use]
    pub fn choose(&self, board: &Board, piece: Piece, overflow: OverflowRule) -> Placement {
        match self {
            Self::Linear(linear) => choose_with(linear, board, piece, overflow),
            Self::Network(network) => choose_with(network, board, piece, overflow),
            Self::Surface(surface) => choose_with(surface, board, piece, overflow),
        }
    }
}

fn play_with<E: BoardEvaluator>(
    evaluator: &E,
    rules: GameRules,
    cap: PieceCap,
    next_piece: impl FnMut() -> Piece,
    watch: impl FnMut(&PieceMove),
) -> GameScore {
    let overflow = rules.overflow;
    if evaluator.needs_diversity() {
        let mut choose = chooser::<_, true>(evaluator, overflow);
        play(rules, cap, next_piece, |board, piece, _| choose(board, piece).into(), watch)
    } else {
        let mut choose = chooser::<_, false>(evaluator, overflow);
        play(rules, cap, next_piece, |board, piece, _| choose(board, piece).into(), watch)
    }
}

fn choose_with<E: BoardEvaluator>(
    evaluator: &E,
    board: &Board,
    piece: Piece,
    overflow: OverflowRule,
) -> Placement {
    if evaluator.needs_diversity() {
        chooser::<_, true>(evaluator, overflow)(board, piece)
    } else {
        chooser::<_, false>(evaluator, overflow)(board, piece)
    }
}

/// A function that values boards.
pub(crate) trait BoardEvaluator {
    /// The value of a board; larger is better.
    type Value: PartialOrd + Copy;
    /// A weighted sum of values.
    type Sum: PartialOrd + Copy + Default;

    /// Adds `value` to `sum`, `weight` times.
    fn add(sum: &mut Self::Sum, weight: u32, value: Self::Value);

    /// Returns the rule for counting wells.
    fn wells(&self) -> WellRule;

    /// Returns the rule for the full rows of the boards.
    fn full_rows(&self) -> FullRows {
        FullRows::Removed
    }

    /// Returns true if pattern diversity counts; otherwise that feature may be 0.
    fn needs_diversity(&self) -> bool;

    /// Returns the value of a board with `features`; `after` returns the board itself.
    fn value(&self, features: &BoardFeatures, after: impl FnOnce() -> Board) -> Self::Value;
}

fn chooser<E: BoardEvaluator, const DIVERSITY: bool>(
    evaluator: &E,
    overflow: OverflowRule,
) -> impl FnMut(&Board, Piece) -> Placement {
    move |board, piece| {
        // If all placements end the game, the first is played.
        let mut best = Placement { orientation: 0, column: 0 };
        let mut best_value = None;
        let full_rows = evaluator.full_rows();
        let afterstates =
            Afterstates::new(board, overflow, evaluator.wells()).with_full_rows(full_rows);
        afterstates.each::<DIVERSITY>(piece, |placement, features| {
            let after = || full_rows.drop(board, piece, placement, overflow).board;
            let value = evaluator.value(features, after);
            if best_value.is_none_or(|best_value| best_value < value) {
                (best, best_value) = (placement, Some(value));
            }
        });
        best
    }
}
