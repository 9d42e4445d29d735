//! Sums over searches and over games on the wire.

use hatchery_core::DecodeError;

use crate::players::{MILLIPLIES, SearchEffort};
use crate::results::LevelSums;

/// The largest number of searches of an agent in a game: an adjusting agent with 60 agents searches
/// with all of them on each move of the opponent and with one on each of its own.
const MAX_SEARCHES_PER_GAME: u64 = 60 * 61;

/// The largest number of playouts of a search, as in a spec.
const MAX_PLAYOUTS: u64 = hatchery_search::PlayoutBudget::MAX as u64;

/// The deepest leaf: no game has more plies.
const MAX_DEPTH: u64 = 60;

/// The largest level, in 1/1000: a depth of 60 plies.
const MAX_LEVEL: u64 = 60 * MILLIPLIES as u64;

/// A [`SearchEffort`] on the wire.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct EffortMessage {
    #[prost(uint64, tag = "1")]
    searches: u64,
    #[prost(uint64, tag = "2")]
    playouts: u64,
    #[prost(uint64, tag = "3")]
    squared_playouts: u64,
    #[prost(uint64, tag = "4")]
    nodes: u64,
    #[prost(uint64, tag = "5")]
    deepest_leaves: u64,
    #[prost(uint32, tag = "6")]
    deepest_leaf: u32,
}

/// [`LevelSums`] on the wire.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct LevelSumsMessage {
    #[prost(uint64, tag = "1")]
    n: u64,
    #[prost(sint64, tag = "2")]
    sum: i64,
    #[prost(uint64, tag = "3")]
    squares: u64,
    #[prost(uint64, tag = "4")]
    observed: u64,
}

impl From<&SearchEffort> for EffortMessage {
    fn from(effort: &SearchEffort) -> Self {
        let SearchEffort {
            searches,
            playouts,
            squared_playouts,
            nodes,
            deepest_leaves,
            deepest_leaf,
        } = *effort;
        Self { searches, playouts, squared_playouts, nodes, deepest_leaves, deepest_leaf }
    }
}

impl EffortMessage {
    /// Returns the effort of `n_games` games.
    pub(super) fn checked(self, n_games: u64) -> Result<SearchEffort, DecodeError> {
        let Self { searches, playouts, squared_playouts, nodes, deepest_leaves, deepest_leaf } =
            self;
        at_most("searches", searches, n_games * MAX_SEARCHES_PER_GAME)?;
        at_most("playouts", playouts, searches.saturating_mul(MAX_PLAYOUTS))?;
        // Each search has at least one playout; the sum of squares lies between those of equal
        // searches (Cauchy-Schwarz) and of the most unequal ones.
        if playouts < searches {
            return Err(DecodeError::field("playouts", &playouts, "at least one per search"));
        }
        let [n, sum, squares] = [searches, playouts, squared_playouts].map(u128::from);
        if n * squares < sum * sum || sum * u128::from(MAX_PLAYOUTS) < squares {
            let expected = "the sum of squares of numbers with the sum `playouts`";
            return Err(DecodeError::field("squared_playouts", &squared_playouts, expected));
        }
        // A node for the root of each search, and at most one for each playout.
        if nodes < searches || playouts + searches < nodes {
            let expected = "at least one per search, and at most one more per playout";
            return Err(DecodeError::field("nodes", &nodes, expected));
        }
        at_most("deepest_leaf", deepest_leaf.into(), MAX_DEPTH)?;
        at_most("deepest_leaves", deepest_leaves, searches * u64::from(deepest_leaf))?;
        if deepest_leaves < u64::from(deepest_leaf) {
            let expected = "at least `deepest_leaf`";
            return Err(DecodeError::field("deepest_leaves", &deepest_leaves, expected));
        }
        Ok(SearchEffort {
            searches,
            playouts,
            squared_playouts,
            nodes,
            deepest_leaves,
            deepest_leaf,
        })
    }
}

impl From<&LevelSums> for LevelSumsMessage {
    fn from(sums: &LevelSums) -> Self {
        let LevelSums { n, sum, squares, observed } = *sums;
        Self { n, sum, squares, observed }
    }
}

impl LevelSumsMessage {
    /// Returns the levels of `n_trials` trials at the end of game number `game`, counted from 1.
    pub(super) fn checked(self, n_trials: u64, game: u64) -> Result<LevelSums, DecodeError> {
        let Self { n, sum, squares, observed } = self;
        at_most("n", n, n_trials)?;
        at_most("sum", sum.unsigned_abs(), n * MAX_LEVEL)?;
        let [n_wide, sum_wide, squares_wide] = [n, sum.unsigned_abs(), squares].map(u128::from);
        let is_sum = sum_wide * sum_wide <= n_wide * squares_wide
            && squares_wide <= n_wide * u128::from(MAX_LEVEL * MAX_LEVEL);
        if !is_sum {
            let expected = "the sum of squares of numbers with the sum `sum`";
            return Err(DecodeError::field("squares", &squares, expected));
        }
        at_most("observed", observed, n * game * MAX_DEPTH)?;
        Ok(LevelSums { n, sum, squares, observed })
    }
}

fn at_most(field: &'static str, value: u64, most: u64) -> Result<(), DecodeError> {
    if value <= most {
        return Ok(());
    }
    Err(DecodeError::field(field, &value, format!("at most {most}")))
}
