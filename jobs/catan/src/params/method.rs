//! Judging methods: after a fixed number of games, or at several looks.

use std::ops::RangeInclusive;

use hatchery_core::{CostTrend, IntervalEstimate, InvalidValue, WorkPhase};
use hatchery_stats::error::ErrorRate;
use hatchery_stats::sequential::anytime_sigma_bounds;
use hatchery_stats::{
    AlphaSpending, EquivalenceTest, FairnessVerdict, GroupSequential, OutcomeCounts,
    anytime_verdict,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::rules::BySeat;
use crate::trial::results::GameResults;
use crate::trial::seat_balance::SeatBalance;

/// A method that says when a map is judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum MethodParam {
    /// Once, after a number of games fixed beforehand: `games`.
    #[default]
    Fixed,
    /// After `games`, twice as many, and so on: each look has a share of the error rate. A map is
    /// not played on once it is judged.
    GroupSequential {
        /// The number of games at the last look.
        #[schemars(range(min = 1, max = 100_000_000))]
        most_games: u32,
        /// How the error rate is divided among the looks, the interim analyses.
        #[serde(default)]
        spending: SpendingParam,
    },
    /// After every `games` games, by evidence that is valid at any number of looks. A map is not
    /// played on once it is judged.
    Anytime {
        /// The number of games at the last look.
        #[schemars(range(min = 1, max = 100_000_000))]
        most_games: u32,
    },
}

/// The way in which looks share the error rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SpendingParam {
    /// Early looks have a small share: only the clearest maps are judged early.
    ObrienFleming,
    /// Early looks have a large share.
    Pocock,
    /// Shares are proportional to games.
    #[default]
    Proportional,
}

/// The most looks, since each is a generation.
const MOST_LOOKS: u32 = 1_000;

/// The looks of a run, with their decision rule.
#[derive(Clone, Debug)]
pub(crate) struct LookSchedule {
    /// The number of games of a map until each look.
    looks: Vec<u64>,
    /// The number of seats that may win.
    n_seats: usize,
    rule: DecisionRule,
    margin: f64,
    error_rate: ErrorRate,
}

#[derive(Clone, Debug)]
enum DecisionRule {
    Fixed(EquivalenceTest),
    GroupSequential(GroupSequential),
    Anytime,
}

impl MethodParam {
    /// Returns the look schedule of maps for `n_seats` players, with `games` games until the first
    /// look and a margin in percent points.
    pub(crate) fn look_schedule(
        self,
        n_seats: usize,
        games: u32,
        margin_points: f64,
        error_rate: f64,
    ) -> Result<LookSchedule, InvalidValue> {
        let error_rate = ErrorRate::new(error_rate)
            .map_err(|_| InvalidValue::new("error_rate", &error_rate, "above 0 and at most 0.5"))?;
        let margin = margin_points / 100.0;
        let bad_margin = |_| InvalidValue::new("margin", &margin_points, "above 0 and below 50");
        let test = EquivalenceTest::new(margin, error_rate).map_err(bad_margin)?;
        let looks = self.looks(games)?;
        let rule = match self {
            Self::Fixed => DecisionRule::Fixed(test),
            Self::GroupSequential { spending, .. } => DecisionRule::GroupSequential(
                GroupSequential::new(margin, error_rate, &looks, spending.into())
                    .map_err(bad_margin)?,
            ),
            Self::Anytime { .. } => DecisionRule::Anytime,
        };
        Ok(LookSchedule { looks, n_seats, rule, margin, error_rate })
    }

    fn looks(self, games: u32) -> Result<Vec<u64>, InvalidValue> {
        let (Self::GroupSequential { most_games, .. } | Self::Anytime { most_games }) = self else {
            return Ok(vec![u64::from(games)]);
        };
        if most_games < games {
            let expected = format!("at least `games`, {games}");
            return Err(InvalidValue::new("method.most_games", &most_games, expected));
        }
        let (first, last) = (u64::from(games), u64::from(most_games));
        if matches!(self, Self::Anytime { .. }) {
            if MOST_LOOKS < most_games.div_ceil(games) {
                let expected = format!("at most {MOST_LOOKS} times `games`, {games}");
                return Err(InvalidValue::new("method.most_games", &most_games, expected));
            }
            let looks = (1..).map(|look| look * first).take_while(|&look| look < last);
            return Ok(looks.chain([last]).collect());
        }
        let looks = std::iter::successors(Some(first), |look| Some(2 * look));
        Ok(looks.take_while(|&look| look < last).chain([last]).collect())
    }
}

impl From<SpendingParam> for AlphaSpending {
    fn from(param: SpendingParam) -> Self {
        match param {
            SpendingParam::ObrienFleming => Self::OBrienFleming,
            SpendingParam::Pocock => Self::Pocock,
            SpendingParam::Proportional => Self::Power(1.0),
        }
    }
}

impl LookSchedule {
    /// Returns the number of games of a map until each look.
    pub(crate) fn looks(&self) -> &[u64] {
        &self.looks
    }

    /// Returns a phase for each look at `n_maps` maps, at least and at most. Maps that have been
    /// judged play no more games, so the looks after the first may have no games.
    pub(crate) fn phases(&self, n_maps: RangeInclusive<u64>) -> impl Iterator<Item = WorkPhase> {
        let before = [0].into_iter().chain(self.looks.iter().copied());
        let games = self.looks.iter().zip(before).map(|(until, from)| until - from);
        games.zip(0..).map(move |(games, look)| {
            let fewest = if look == 0 { n_maps.start() * games } else { 0 };
            // Games of the same agents take about as long on any map.
            let cost = CostTrend::Steady;
            WorkPhase::new(1, fewest..=n_maps.end() * games, cost)
        })
    }

    /// Returns true if no games follow `look`, counted from 0.
    pub(crate) fn is_last(&self, look: usize) -> bool {
        self.looks.len() <= look + 1
    }

    /// Returns the number of seats that may win.
    pub(crate) fn n_seats(&self) -> usize {
        self.n_seats
    }

    /// Returns the wins of the seats that may win.
    pub(crate) fn wins<'a>(&self, results: &'a GameResults) -> &'a [u64] {
        &results.wins[..self.n_seats]
    }

    /// Returns the margin of sigma, as a share.
    pub(crate) fn margin(&self) -> f64 {
        self.margin
    }

    /// Returns the error rate that each verdict has.
    pub(crate) fn error_rate(&self) -> ErrorRate {
        self.error_rate
    }

    /// Returns the verdict at `look`, counted from 0, given each seat's `wins`; undecided without
    /// wins.
    pub(crate) fn verdict(&self, look: usize, wins: &[u64]) -> FairnessVerdict {
        let Ok(counts) = OutcomeCounts::new(wins) else {
            return FairnessVerdict::Undecided;
        };
        match &self.rule {
            DecisionRule::Fixed(test) => test.verdict(counts),
            DecisionRule::GroupSequential(looks) => {
                let verdict = looks.verdict(look, counts);
                verdict.expect("a look is asked about once its games are played")
            }
            DecisionRule::Anytime => anytime_verdict(counts, self.margin, self.error_rate),
        }
    }

    /// Returns the probability that the last look says fair, given `wins` until `look`; 1 if it is
    /// unknown.
    pub(crate) fn predictive_power(&self, look: usize, wins: &[u64]) -> f64 {
        match (&self.rule, OutcomeCounts::new(wins)) {
            (DecisionRule::GroupSequential(looks), Ok(counts)) => {
                let power = looks.predictive_power(look, counts);
                power.expect("a look is asked about once its games are played")
            }
            _ => 1.0,
        }
    }

    /// Returns the balance of a map that is judged by `results`, with the bounds of sigma that the
    /// verdict goes by: each is wrong with at most the error rate of the look at these games, so
    /// that the interval has twice that. None without decided games.
    pub(crate) fn balance(&self, results: &GameResults) -> Option<SeatBalance> {
        let mut balance = SeatBalance::of(self.wins(results), self.error_rate)?;
        let counts = OutcomeCounts::new(self.wins(results)).ok()?;
        let look = self.look_at(results);
        let error_rate = self.error_rate.get();
        let bounds = match &self.rule {
            DecisionRule::Fixed(test) => Some((test.sigma_bounds(counts), error_rate)),
            DecisionRule::GroupSequential(looks) => {
                looks.sigma_bounds(look, counts).map(|bounds| (bounds, looks.rate(look)))
            }
            DecisionRule::Anytime => {
                Some((anytime_sigma_bounds(counts, self.error_rate), error_rate))
            }
        };
        // A look that is skipped has no verdict, and no bounds of one.
        if let Some(((low, high), rate)) = bounds {
            let sigma = &mut balance.spread.sigma;
            let (low, high) = (low.min(sigma.mean), high.max(sigma.mean));
            *sigma = IntervalEstimate { low, high, confidence: 1.0 - 2.0 * rate, ..*sigma };
        }
        Some(balance)
    }

    /// Returns the seats' win rates at the look that decided. The intervals hold for all seats at
    /// once and whenever looks end the games: they have the look's share of the error rate. Returns
    /// `None` without decided games, at a look that is skipped, and for looks without shares.
    pub(crate) fn seat_rates(&self, results: &GameResults) -> Option<BySeat<IntervalEstimate>> {
        let rate = match &self.rule {
            DecisionRule::Fixed(_) => self.error_rate,
            DecisionRule::GroupSequential(looks) => {
                ErrorRate::new(looks.rate(self.look_at(results))).ok()?
            }
            DecisionRule::Anytime => return None,
        };
        Some(SeatBalance::of(self.wins(results), rate)?.rates_at_once)
    }

    /// Returns the look at which `results` were judged, counted from 0.
    fn look_at(&self, results: &GameResults) -> usize {
        let look = self.looks.iter().position(|&games| results.games <= games);
        look.unwrap_or_else(|| self.looks.len().saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// A fair map's interval ends below the margin, an unfair one's begins above it, and that
        /// of an undecided map has the margin within it.
        #[test]
        fn intervals_are_on_the_side_of_the_verdict(
            method in 0..3,
            wins in prop::array::uniform4(400..600_u64),
            factor in 1..=8_u64,
        ) {
            let most_games = 40_000;
            let method = match method {
                0 => MethodParam::Fixed,
                1 => {
                    let spending = SpendingParam::Proportional;
                    MethodParam::GroupSequential { most_games, spending }
                }
                _ => MethodParam::Anytime { most_games },
            };
            let wins = wins.map(|wins| factor * wins);
            let games = wins.iter().sum();
            let results = GameResults { games, wins, ..GameResults::default() };
            let schedule = method.look_schedule(4, 1_000, 1.5, 0.05).unwrap();
            let look = schedule.looks().iter().position(|&look| games <= look).unwrap_or(0);
            // A look sees no more games than it has.
            if games <= schedule.looks()[look] || matches!(method, MethodParam::Fixed) {
                let sigma = schedule.balance(&results).unwrap().spread.sigma;
                let is_right = match schedule.verdict(look, &wins) {
                    FairnessVerdict::Fair => sigma.high <= 0.015,
                    FairnessVerdict::Unfair => 0.015 <= sigma.low,
                    FairnessVerdict::Undecided => sigma.low <= 0.015 && 0.015 <= sigma.high,
                };
                prop_assert!(is_right, "{:?} {:?}", sigma, schedule.verdict(look, &wins));
            }
        }
    }
}
