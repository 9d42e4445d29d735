//! Sums over searches and over games on the wire.

use hatchery_core::DecodeError;

use crate::players::{LEVEL_STEPS, SearchEffort};
use crate::results::LevelSums;

/// The largest number of searches of an agent in a game: an adjusting agent with 60 agents searches
/// with all of them on each move of the opponent and with one on each of its own.
const MAX_SEARCHES_PER_GAME: u64 = 60 * 61;

/// The largest number of playouts of a search, as in a spec.
const MAX_PLAYOUTS: u64 = hatchery_search::PlayoutBudget::MAX as u64;

/// The deepest leaf: no game has more plies.
const MAX_DEPTH: u64 = 60;

/// The largest level, in 1/1000: a depth of 60 plies.
const MAX_LEVEL: u64 = 60 * LEVEL_STEPS as u64;

/// The lowest level, in 1/1000, with its sign reversed: a strength index of -20.
const MAX_LEVEL_BELOW_0: u64 = 20 * LEVEL_STEPS as u64;

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
        // Each search has from 1 to `MAX_PLAYOUTS` playouts.
        within("playouts", playouts, searches, searches.saturating_mul(MAX_PLAYOUTS))?;
        if !is_sum_of_squares(searches, playouts, squared_playouts) {
            let expected = "a sum of squares of as many numbers as `searches` with the sum \
                            `playouts`";
            return Err(DecodeError::field("squared_playouts", &squared_playouts, expected));
        }
        // The root of each search and its first move, and at most one node for each later playout.
        within("nodes", nodes, 2 * searches, searches + playouts)?;
        // The path to a leaf has at least the root's move, and a node for each of its plies.
        let (deepest, others) = (u64::from(deepest_leaf), searches.saturating_sub(1));
        let least = searches.min(1);
        let most = (MAX_DEPTH * least).min(nodes - searches - others);
        within("deepest_leaf", deepest, least, most)?;
        let most = (deepest * searches).min(nodes - searches);
        within("deepest_leaves", deepest_leaves, deepest + others, most)?;
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

/// Returns true if `n` numbers of playouts with the sum `sum`, at least `n`, may have squares with
/// the sum `squares`.
fn is_sum_of_squares(n: u64, sum: u64, squares: u64) -> bool {
    let [n, sum, squares, most] = [n, sum, squares, MAX_PLAYOUTS].map(u128::from);
    // The largest number, if all others are 1.
    let largest = most.min(sum + 1 - n);
    // The sum is lowest for equal numbers (Cauchy-Schwarz), and highest for those at the ends of
    // their range: (x - 1)(x - largest) <= 0. A number and its square are even or odd together.
    sum * sum <= n * squares
        && squares + n * largest <= (largest + 1) * sum
        && (sum + squares).is_multiple_of(2)
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
        let most = n * if sum < 0 { MAX_LEVEL_BELOW_0 } else { MAX_LEVEL };
        if most < sum.unsigned_abs() {
            let least = -i128::from(n * MAX_LEVEL_BELOW_0);
            let expected = format!("from {least} to {}", n * MAX_LEVEL);
            return Err(DecodeError::field("sum", &sum, expected));
        }
        let [n_wide, sum_wide, squares_wide] = [n, sum.unsigned_abs(), squares].map(u128::from);
        let is_sum = sum_wide * sum_wide <= n_wide * squares_wide
            && squares_wide <= n_wide * u128::from(MAX_LEVEL * MAX_LEVEL);
        if !is_sum {
            let expected = "a sum of squares of as many numbers as `n` with the sum `sum`";
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

fn within(field: &'static str, value: u64, least: u64, most: u64) -> Result<(), DecodeError> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(DecodeError::field(field, &value, format!("from {least} to {most}")))
}
