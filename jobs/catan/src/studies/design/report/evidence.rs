//! Tests of the calls of a step.
//!
//! The labels divide any maps into good and bad, even if all maps are even. In that case, chance
//! decides which maps count as good, and a classifier may be right about every map by chance.

use hatchery_core::findings::words;
use hatchery_stats::{OutcomeCounts, chi_square, pearson_test, rank_sum_test};

use super::maps::MapReport;
use crate::trial::seat_balance::SeatBalance;

/// The result of testing a step's calls against the games on its maps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct StepEvidence {
    pub(super) verdict: EvidenceVerdict,
    /// The p-value of the test that decided.
    pub(super) p_value: f64,
    /// The level of the tests.
    level: f64,
}

/// The verdict on a step's calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EvidenceVerdict {
    /// Its maps do not differ significantly from even ones.
    EvenMaps,
    /// No order of so few maps is significant.
    TooFewMaps,
    /// Its maps differ, but those called bad are not significantly more uneven.
    NotSignificant,
    /// Maps that were called bad are significantly more uneven than maps that were called good.
    Significant,
}

impl StepEvidence {
    /// Tests the calls of maps as `good` and `bad` at `level`, the probability of
    /// [`Significant`](EvidenceVerdict::Significant) if calls have nothing to do with the maps.
    pub(super) fn of(good: &[&MapReport<'_>], bad: &[&MapReport<'_>], level: f64) -> Self {
        let with = |verdict, p_value| Self { verdict, p_value, level };
        let of_even = p_value_of_even_maps(good.iter().chain(bad).copied());
        if level < of_even {
            return with(EvidenceVerdict::EvenMaps, of_even);
        }
        let [good, bad] = [good, bad].map(unevenness);
        let test = rank_sum_test(&good, &bad).expect("variances of rates are finite");
        let p_value = test.probabilities.less;
        match p_value <= level {
            true => with(EvidenceVerdict::Significant, p_value),
            false if level < test.least_p_value => with(EvidenceVerdict::TooFewMaps, p_value),
            false => with(EvidenceVerdict::NotSignificant, p_value),
        }
    }

    /// Returns the sentence about step number `step`.
    pub(super) fn sentence(self, step: usize) -> String {
        let Self { verdict, p_value, level } = self;
        let p = words::p_words(p_value, 3);
        let tested = format!("({p}, level {})", words::trimmed(level, 4));
        match verdict {
            EvidenceVerdict::EvenMaps => format!(
                "Step {step} is inconclusive: its maps do not differ significantly from even ones \
                 {tested}, so that right calls are chance."
            ),
            EvidenceVerdict::TooFewMaps => format!(
                "Step {step} is inconclusive: no order of so few maps is significant {tested}."
            ),
            EvidenceVerdict::NotSignificant => format!(
                "Step {step} is inconclusive: its maps differ, but those called bad are not \
                 significantly more uneven than those called good {tested}."
            ),
            EvidenceVerdict::Significant => format!(
                "In step {step}, maps called bad were significantly more uneven than those called \
                 good {tested}."
            ),
        }
    }
}

impl EvidenceVerdict {
    /// Returns the verdict in a word or two.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::EvenMaps => "even maps",
            Self::TooFewMaps => "too few maps",
            Self::NotSignificant => "not significant",
            Self::Significant => "significant",
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

/// Returns the debiased variance of the seats' rates for each map with decided games.
fn unevenness(maps: &[&MapReport<'_>]) -> Vec<f64> {
    let variance = |balance: SeatBalance| balance.spread.debiased_variance;
    maps.iter().filter_map(|shown| shown.balance.map(variance)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learning::PointClass;
    use crate::map::Map;
    use crate::studies::design::history::{MapOrigin, SimulatedMap};
    use crate::studies::design::report::maps::ERROR_RATE;
    use crate::trial::results::GameResults;

    /// Tests maps of 2,000 games whose first seat wins this many more than its share, at the cost
    /// of the second.
    fn tested(good: &[u64], bad: &[u64]) -> StepEvidence {
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
            balance: SeatBalance::of(&simulated.results.wins, ERROR_RATE),
        };
        let [good, bad] = [&good, &bad].map(|maps| maps.iter().map(report).collect::<Vec<_>>());
        let [good, bad] = [&good, &bad].map(|maps| maps.iter().collect::<Vec<_>>());
        StepEvidence::of(&good, &bad, 0.05)
    }

    #[test]
    fn calls_are_tested_by_games() {
        let check = |good: &[u64], bad: &[u64], verdict: EvidenceVerdict, part: &str| {
            let evidence = tested(good, bad);
            assert_eq!(evidence.verdict, verdict, "{evidence:?}");
            let words = evidence.sentence(3);
            assert!(words.contains(part) && words.contains("level 0.05)"), "{words}");
            evidence.p_value
        };
        // Even maps, in the order that a classifier could wish for.
        let even = check(
            &[0, 2, 4, 6, 8],
            &[10, 12, 14, 16, 18],
            EvidenceVerdict::EvenMaps,
            "Step 3 is inconclusive: its maps do not differ significantly from even ones (p = ",
        );
        assert!(0.9 < even);
        let told = check(
            &[0, 20, 30, 40, 50],
            &[90, 100, 110, 120, 130],
            EvidenceVerdict::Significant,
            "In step 3, maps called bad were significantly more uneven",
        );
        assert!((told - 1.0 / 252.0).abs() < 1e-12);
        let (good, bad) = (&[0, 90, 30, 110, 50], &[20, 100, 40, 120, 130]);
        check(good, bad, EvidenceVerdict::NotSignificant, "not significantly more uneven");
        check(&[0, 10], &[100, 110], EvidenceVerdict::TooFewMaps, "no order of so few maps");
        check(&[], &[], EvidenceVerdict::EvenMaps, "(p = 1.000, ");
    }
}
