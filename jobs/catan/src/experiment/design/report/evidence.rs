//! The evidence of a step that its calls mean something.
//!
//! Labels are given to any maps, also to maps that are all even: then chance decides which of them
//! count as good, and a classifier may be right about all of them by chance.

use hatchery_stats::{OutcomeCounts, chi_square, pearson_test, rank_sum_test};

use super::maps::MapReport;
use crate::seat_balance::SeatBalance;

/// What the games of a step tell about its calls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum StepEvidence {
    /// Chance explains how far the rates of all its maps are apart: they may all be even.
    MapsMayBeEven { p_value: f64 },
    /// There are too few maps for any order of them to be more than chance.
    TooFewMaps,
    /// Chance explains how the calls agree with the games.
    CallsMayBeChance { p_value: f64 },
    /// Maps that were called bad are more uneven than those that were called good.
    CallsTell { p_value: f64 },
}

impl StepEvidence {
    /// Weighs the games of the maps that were called `good` and `bad`. The probability to say
    /// [`CallsTell`](Self::CallsTell) of calls without meaning is at most `error_rate`.
    pub(super) fn of(good: &[&MapReport<'_>], bad: &[&MapReport<'_>], error_rate: f64) -> Self {
        let p_value = p_value_of_even_maps(good.iter().chain(bad).copied());
        if error_rate < p_value {
            return Self::MapsMayBeEven { p_value };
        }
        let [good, bad] = [good, bad].map(unevenness);
        let test = rank_sum_test(&good, &bad).expect("variances of rates are finite");
        let p_value = test.probabilities.less;
        match p_value <= error_rate {
            true => Self::CallsTell { p_value },
            false if error_rate < test.least_p_value => Self::TooFewMaps,
            false => Self::CallsMayBeChance { p_value },
        }
    }

    /// Returns the evidence in a word or two.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::MapsMayBeEven { .. } => "maps may be even",
            Self::TooFewMaps => "too few maps",
            Self::CallsMayBeChance { .. } => "calls may be chance",
            Self::CallsTell { .. } => "calls tell",
        }
    }

    /// Returns the p-value of the test that decided, if one did.
    pub(super) const fn p_value(self) -> Option<f64> {
        match self {
            Self::TooFewMaps => None,
            Self::MapsMayBeEven { p_value }
            | Self::CallsMayBeChance { p_value }
            | Self::CallsTell { p_value } => Some(p_value),
        }
    }

    /// Returns the sentence about step number `step`.
    pub(super) fn sentence(self, step: usize) -> String {
        match self {
            Self::MapsMayBeEven { p_value } => format!(
                "Step {step} could not tell anything: all of its maps may be even (p {}), so that \
                 chance decides which of them count as good.",
                probability(p_value)
            ),
            Self::TooFewMaps => format!(
                "Step {step} could not tell anything: it has too few maps for any order of them to \
                 be more than chance."
            ),
            Self::CallsMayBeChance { p_value } => format!(
                "Step {step} told nothing: its maps differ, but those called bad are not clearly \
                 more uneven than those called good (p {}).",
                probability(p_value)
            ),
            Self::CallsTell { p_value } => format!(
                "Step {step} told good maps from bad ones: those called bad are more uneven (p \
                 {}).",
                probability(p_value)
            ),
        }
    }
}

/// Returns the probability that perfectly even maps show rates at least as far apart: the sum of
/// their Pearson statistics has nearly a chi-square distribution. 1 without decided games.
fn p_value_of_even_maps<'a>(maps: impl Iterator<Item = &'a MapReport<'a>>) -> f64 {
    let tests = maps.filter_map(|shown| {
        Some(pearson_test(OutcomeCounts::new(&shown.simulated.results.wins).ok()?))
    });
    let (degrees, statistic) = tests.fold((0, 0.0), |(degrees, statistic), test| {
        (degrees + test.degrees, statistic + test.statistic)
    });
    if degrees == 0 { 1.0 } else { chi_square::survival(f64::from(degrees), statistic) }
}

/// Returns the debiased variance of the rates of each map with decided games.
fn unevenness(maps: &[&MapReport<'_>]) -> Vec<f64> {
    let variance = |balance: SeatBalance| balance.spread.debiased_variance;
    maps.iter().filter_map(|shown| shown.balance.map(variance)).collect()
}

fn probability(p_value: f64) -> String {
    if p_value < 0.0005 { "< 0.001".to_owned() } else { format!("= {p_value:.3}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::design::history::{MapOrigin, SimulatedMap};
    use crate::experiment::design::report::maps::ERROR_RATE;
    use crate::learning::PointClass;
    use crate::map::Map;
    use crate::results::GameResults;

    /// Weighs maps of 2,000 games whose first seat wins this many more than its share, at the cost
    /// of the second.
    fn weigh(good: &[u64], bad: &[u64]) -> StepEvidence {
        let simulated = |more: &u64| {
            let wins = [500 + more, 500 - more, 500, 500];
            let results = GameResults { games: 2000, wins, ..GameResults::default() };
            SimulatedMap { map: Map::RULEBOOK, origin: MapOrigin::CalledGood(None), results }
        };
        let [good, bad] = [good, bad].map(|maps| maps.iter().map(simulated).collect::<Vec<_>>());
        let report = |simulated| MapReport {
            simulated,
            step: 1,
            class: PointClass::Positive,
            balance: SeatBalance::of(&simulated.results, ERROR_RATE),
        };
        let [good, bad] = [&good, &bad].map(|maps| maps.iter().map(report).collect::<Vec<_>>());
        let [good, bad] = [&good, &bad].map(|maps| maps.iter().collect::<Vec<_>>());
        StepEvidence::of(&good, &bad, 0.05)
    }

    #[test]
    fn calls_are_weighed_by_games() {
        // Even maps, in the order that a classifier could wish for.
        let even = weigh(&[0, 2, 4, 6, 8], &[10, 12, 14, 16, 18]);
        assert!(
            matches!(even, StepEvidence::MapsMayBeEven { p_value } if 0.9 < p_value),
            "{even:?}"
        );
        let told = weigh(&[0, 20, 30, 40, 50], &[90, 100, 110, 120, 130]);
        assert_eq!(told, StepEvidence::CallsTell { p_value: 1.0 / 252.0 });
        let chance = weigh(&[0, 90, 30, 110, 50], &[20, 100, 40, 120, 130]);
        assert!(matches!(chance, StepEvidence::CallsMayBeChance { .. }), "{chance:?}");
        assert_eq!(weigh(&[0, 10], &[100, 110]), StepEvidence::TooFewMaps);
        assert_eq!(weigh(&[], &[]), StepEvidence::MapsMayBeEven { p_value: 1.0 });
        for evidence in [even, told, chance, StepEvidence::TooFewMaps] {
            let words = evidence.sentence(3);
            let is_told = matches!(evidence, StepEvidence::CallsTell { .. });
            assert_eq!(
                words.starts_with("Step 3 told good maps from bad ones"),
                is_told,
                "{words}"
            );
        }
    }
}
