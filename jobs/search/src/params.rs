//! The parameters of a search. Every value of these types can be searched with.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::SearchError;

/// The parameters of UCT. The README has the settings for each reading of "depth-limited".
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UctParams {
    /// The weight c of exploration in mean + c sqrt(2 ln N / n).
    pub exploration: ExplorationWeight,
    /// The depth beyond which the tree does not grow.
    pub depth: DepthCap,
    /// The number of playouts, or their largest number.
    pub budget: PlayoutBudget,
    /// The rule that ends the search.
    pub stop: StopRule,
    /// The place at which a playout ends.
    pub playout_end: PlayoutEnd,
}

/// The weight of exploration: finite and at least 0.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct ExplorationWeight(f64);

impl ExplorationWeight {
    /// 1 / sqrt 2; the bound is then mean + sqrt(ln N / n).
    pub const STANDARD: Self = Self(core::f64::consts::FRAC_1_SQRT_2);

    /// Creates the weight `c`.
    ///
    /// # Errors
    /// If `c` is negative, infinite or not a number.
    pub fn new(c: f64) -> Result<Self, SearchError> {
        if c.is_finite() && 0.0 <= c {
            return Ok(Self(c));
        }
        Err(SearchError::ExplorationOutOfRange { found: c })
    }

    /// Returns the weight as a number.
    #[inline(always)]
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }
}

/// The depth beyond which the tree does not grow, in plies from the root; moves that count no ply,
/// such as forced passes, are free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DepthCap(u32);

impl DepthCap {
    /// The largest depth that a tree can be capped at.
    pub const MAX: u32 = 60;

    /// No cap: the tree grows as far as its playouts carry it.
    pub const UNCAPPED: Self = Self(u32::MAX);

    /// Creates a cap of `plies`.
    ///
    /// # Errors
    /// If `plies` is not 1 to [`MAX`](Self::MAX).
    pub const fn new(plies: u32) -> Result<Self, SearchError> {
        if plies == 0 || Self::MAX < plies {
            return Err(SearchError::DepthOutOfRange { found: plies, max: Self::MAX });
        }
        Ok(Self(plies))
    }

    /// Returns the cap in plies; `None` if there is none.
    #[inline(always)]
    #[must_use]
    pub fn get(self) -> Option<u32> {
        (self != Self::UNCAPPED).then_some(self.0)
    }

    /// Returns true if a node at `depth` is a leaf for good.
    #[inline(always)]
    pub(crate) const fn is_reached(self, depth: u32) -> bool {
        self.0 <= depth
    }
}

/// A number of playouts: 1 to 1,000,000.
///
/// The bound keeps a move below some seconds and a tree below some 100 MB. An enjoyable opponent
/// needs a thousandth of this number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlayoutBudget(u32);

impl PlayoutBudget {
    /// The largest budget.
    pub const MAX: u32 = 1_000_000;

    /// Creates a budget of `playouts`.
    ///
    /// # Errors
    /// If `playouts` is not 1 to [`MAX`](Self::MAX).
    pub const fn new(playouts: u32) -> Result<Self, SearchError> {
        if playouts == 0 || Self::MAX < playouts {
            return Err(SearchError::PlayoutsOutOfRange { found: playouts, max: Self::MAX });
        }
        Ok(Self(playouts))
    }

    /// Returns the number of playouts.
    #[inline(always)]
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }
}

/// The rule that ends a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StopRule {
    /// The budget is spent, to the last playout.
    Budget,
    /// A leaf at the depth cap is reached, or every line of play has been visited to the end of the
    /// game; the budget is a bound.
    DepthReached,
}

/// The place at which a playout ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlayoutEnd {
    /// The end of the game.
    GameEnd,
    /// The depth cap, counted from the root, where the game estimates the result.
    DepthCap,
}

/// Budgets that grow with the depth: n = n0 2^((d - 5) / k).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BudgetGrowth {
    at_depth_5: PlayoutBudget,
    plies_per_doubling: f64,
}

impl BudgetGrowth {
    /// The depth at which the budget is n0.
    const BASE_DEPTH: f64 = 5.0;

    /// Creates budgets that are `at_depth_5` at depth 5 and double with every
    /// `plies_per_doubling` plies.
    ///
    /// # Errors
    /// If `plies_per_doubling` is not 0.001 to 1,000.
    pub fn new(at_depth_5: PlayoutBudget, plies_per_doubling: f64) -> Result<Self, SearchError> {
        if (0.001..=1_000.0).contains(&plies_per_doubling) {
            return Ok(Self { at_depth_5, plies_per_doubling });
        }
        Err(SearchError::DoublingOutOfRange { found: plies_per_doubling })
    }

    /// Returns the budget at `depth` plies: rounded to the nearest number of playouts, and at least
    /// 1.
    ///
    /// # Errors
    /// If it is above [`PlayoutBudget::MAX`].
    pub fn budget(self, depth: u32) -> Result<PlayoutBudget, SearchError> {
        let doublings = (f64::from(depth) - Self::BASE_DEPTH) / self.plies_per_doubling;
        let playouts = f64::from(self.at_depth_5.get()) * libm::exp2(doublings);
        let playouts = libm::round(playouts).max(1.0);
        if f64::from(PlayoutBudget::MAX) < playouts {
            let max = PlayoutBudget::MAX;
            return Err(SearchError::GrownBudgetOutOfRange { depth, found: playouts, max });
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a whole number between 1 and the largest budget"
        )]
        Ok(PlayoutBudget(playouts as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_outside_their_ranges_are_refused() {
        for plies in [0, 61, u32::MAX] {
            let error = SearchError::DepthOutOfRange { found: plies, max: 60 };
            assert_eq!(DepthCap::new(plies), Err(error));
        }
        assert_eq!([1, 60].map(|plies| DepthCap::new(plies).unwrap().get()), [Some(1), Some(60)]);
        assert_eq!(DepthCap::UNCAPPED.get(), None);
        for playouts in [0, 1_000_001, u32::MAX] {
            let error = SearchError::PlayoutsOutOfRange { found: playouts, max: 1_000_000 };
            assert_eq!(PlayoutBudget::new(playouts), Err(error));
        }
        assert_eq!(PlayoutBudget::new(1_000_000).unwrap().get(), 1_000_000);
        for c in [-1e-9, f64::INFINITY, f64::NAN] {
            assert!(ExplorationWeight::new(c).is_err(), "{c}");
        }
        assert_eq!(ExplorationWeight::new(0.0).unwrap().get().to_bits(), 0);
        for plies in [0.0, -4.0, 1e4, f64::NAN] {
            assert!(BudgetGrowth::new(PlayoutBudget(50), plies).is_err(), "{plies}");
        }
    }

    #[test]
    fn budgets_double_with_the_depth() {
        let budgets = |base, depths: [u32; 4]| {
            let growth = BudgetGrowth::new(PlayoutBudget(base), 4.0).unwrap();
            depths.map(|depth| growth.budget(depth).map(PlayoutBudget::get))
        };
        assert_eq!(budgets(50, [1, 5, 9, 25]), [25, 50, 100, 1_600].map(Ok));
        // 50 2^(5/4) = 118.92.
        assert_eq!(budgets(50, [10, 13, 21, 60])[..3], [119, 200, 800].map(Ok));
        assert_eq!(budgets(1, [1, 5, 29, 60])[..3], [1, 1, 64].map(Ok));
        let [last, first, ..] = budgets(1_000_000, [5, 7, 60, u32::MAX]);
        assert_eq!(last, Ok(1_000_000));
        assert_eq!(
            first.unwrap_err().to_string(),
            "the budget at depth 7 is 1414214 playouts, expected at most 1000000"
        );
        assert!(budgets(1_000_000, [6, 7, 60, u32::MAX]).iter().all(Result::is_err));
    }
}
