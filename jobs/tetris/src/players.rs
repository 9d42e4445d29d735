//! Who decides where a piece goes.

mod linear;
mod lookahead;
mod network;

pub use linear::{FEATURE_NAMES, Linear, MAX_WEIGHT, N_FEATURES, WEIGHT_SCALE, WeightError};
pub(crate) use lookahead::Prospect;
pub use lookahead::{Lookahead, Policy};
pub use network::{MAX_NETWORK_WEIGHT, Network, NetworkError, network_len};

use crate::features::{Afterstates, Features, Wells};
use crate::rules::{Board, Cap, Move, Overflow, Piece, Placement, Rules, Score, play};

/// A controller: values each board that a placement leads to, and plays the best (one-level search;
/// Miyazaki & Arakawa, §2.1).
///
/// Placements that end the game are played only when all do; of equal values the first wins.
#[derive(Clone, Debug, PartialEq)]
pub enum Controller {
    /// A weighted sum of features.
    Linear(Linear),
    /// A neural network of features.
    Network(Network),
}

impl Controller {
    /// Plays a game; see [`play`].
    pub fn play(
        &self,
        rules: Rules,
        cap: Cap,
        next_piece: impl FnMut() -> Piece,
        watch: impl FnMut(&Move),
    ) -> Score {
        // One choice per game, so that a move has none.
        match self {
            Self::Linear(linear) if linear.needs_diversity() => {
                play(rules, cap, next_piece, chooser::<_, true>(linear, rules.overflow), watch)
            }
            Self::Linear(linear) => {
                play(rules, cap, next_piece, chooser::<_, false>(linear, rules.overflow), watch)
            }
            Self::Network(network) => {
                play(rules, cap, next_piece, chooser::<_, false>(network, rules.overflow), watch)
            }
        }
    }
}

impl Controller {
    /// Where it puts `piece`.
    #[must_use]
    pub fn choose(&self, board: &Board, piece: Piece, overflow: Overflow) -> Placement {
        match self {
            Self::Linear(linear) if linear.needs_diversity() => {
                chooser::<_, true>(linear, overflow)(board, piece)
            }
            Self::Linear(linear) => chooser::<_, false>(linear, overflow)(board, piece),
            Self::Network(network) => chooser::<_, false>(network, overflow)(board, piece),
        }
    }
}

/// What values boards.
pub(crate) trait Evaluate {
    /// A value; the larger, the better.
    type Value: PartialOrd + Copy;
    /// A weighted sum of values.
    type Sum: PartialOrd + Copy + Default;

    /// Adds `value` to `sum`, `weight` times.
    fn add(sum: &mut Self::Sum, weight: u32, value: Self::Value);

    /// Which wells its features have.
    fn wells(&self) -> Wells;

    fn value(&self, features: &Features) -> Self::Value;
}

fn chooser<E: Evaluate, const DIVERSITY: bool>(
    evaluate: &E,
    overflow: Overflow,
) -> impl FnMut(&Board, Piece) -> Placement {
    move |board, piece| {
        // If all placements end the game, the first is played.
        let mut best = Placement { orientation: 0, column: 0 };
        let mut best_value = None;
        let afterstates = Afterstates::new(board, overflow, evaluate.wells());
        afterstates.each::<DIVERSITY>(piece, |placement, features| {
            let value = evaluate.value(features);
            if best_value.is_none_or(|best_value| best_value < value) {
                (best, best_value) = (placement, Some(value));
            }
        });
        best
    }
}
