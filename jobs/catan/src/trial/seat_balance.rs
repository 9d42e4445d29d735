//! The balance of maps: how evenly their seats win.
//!
//! All rates are shares of *decided* games; undecided ones are counted separately. A seat is the
//! position in the order of the first settlements, the same in every game: rates by the number of a
//! program's player, which is seated at random, would be even on every map.

use hatchery_core::IntervalEstimate;
use hatchery_stats::error::ErrorRate;
use hatchery_stats::spread::{ShareSpread, spread};
use hatchery_stats::uniformity::ChiSquareResult;
use hatchery_stats::{
    DirichletPrior, OutcomeCounts, ScoreSummary, benjamini_hochberg, goodman_intervals,
    pearson_test, wilson_interval,
};

use super::results::GameResults;
use crate::rules::BySeat;

/// Statistics of how evenly the seats of a map win.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeatBalance {
    /// Each seat's win rate with Wilson's interval.
    pub rates: BySeat<IntervalEstimate>,
    /// The win rates with Goodman's intervals, which hold for all seats at once.
    pub rates_at_once: BySeat<IntervalEstimate>,
    /// Pearson's test of equal rates.
    pub test: ChiSquareResult,
    /// The spread of the rates.
    pub spread: ShareSpread,
}

impl SeatBalance {
    /// Computes the balance from each player's `wins`, with intervals of `error_rate`; none without
    /// wins.
    #[must_use]
    pub fn of(wins: &[u64], error_rate: ErrorRate) -> Option<Self> {
        let counts = OutcomeCounts::new(wins).ok()?;
        let wilson = |&wins| wilson_interval(wins, counts.n(), error_rate).ok();
        let rates: Option<Vec<IntervalEstimate>> = wins.iter().map(wilson).collect();
        Some(Self {
            rates: BySeat::new(&rates?)?,
            rates_at_once: BySeat::new(&goodman_intervals(counts, error_rate))?,
            test: pearson_test(counts),
            spread: spread(counts, error_rate),
        })
    }
}

/// Returns the lengths of games: number, mean and standard deviation of turns.
#[must_use]
pub fn game_lengths(results: &GameResults) -> ScoreSummary {
    let turns = results.turns;
    ScoreSummary::of_sums(results.games, u128::from(turns.sum), u128::from(turns.sum_of_squares))
}

/// The statistics of a map in comparison with others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MapComparison {
    /// The p-value adjusted for the number of maps (Benjamini & Hochberg 1995).
    pub adjusted_p_value: f64,
    /// The posterior of this map given all maps, if there are at least two.
    pub posterior: Option<SpreadPosterior>,
}

/// The posterior of a map's spread, given its own results and how maps differ (empirical Bayes).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpreadPosterior {
    /// The root of the expected sigma^2.
    pub sigma: f64,
    /// The probability that sigma is at most the margin.
    pub within_margin: f64,
}

/// Compares each of `all` maps with the others by the wins of the `n_seats` players, at a margin of
/// sigma; none for maps without decided games.
#[must_use]
pub fn compare_maps(
    all: &[GameResults],
    n_seats: usize,
    margin: f64,
) -> Vec<Option<MapComparison>> {
    let counts: Vec<Option<OutcomeCounts<'_>>> =
        all.iter().map(|results| OutcomeCounts::new(&results.wins[..n_seats]).ok()).collect();
    let known: Vec<OutcomeCounts<'_>> = counts.iter().copied().flatten().collect();
    let p_values: Vec<f64> = known.iter().map(|&counts| pearson_test(counts).p_value).collect();
    let mut adjusted = benjamini_hochberg(&p_values).unwrap_or_default().into_iter();
    let population = DirichletPrior::fit(&known).ok();
    let posterior = |counts: OutcomeCounts<'_>| {
        let posterior = population.as_ref()?.posterior(counts).ok()?;
        let within_margin = posterior.probability_within(margin);
        Some(SpreadPosterior { sigma: posterior.sigma(), within_margin })
    };
    let each = |counts: &Option<OutcomeCounts<'_>>| {
        let counts = (*counts)?;
        Some(MapComparison { adjusted_p_value: adjusted.next()?, posterior: posterior(counts) })
    };
    counts.iter().map(each).collect()
}

/// Converts a share to percentage points.
#[must_use]
pub fn percentage_points(share: f64) -> f64 {
    100.0 * share
}

/// Converts an estimate of a share to percentage points.
#[must_use]
pub fn estimate_in_points(estimate: IntervalEstimate) -> IntervalEstimate {
    let IntervalEstimate { mean, low, high, n, confidence } = estimate;
    let [mean, low, high] = [mean, low, high].map(percentage_points);
    IntervalEstimate { mean, low, high, n, confidence }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::results::TurnTotals;

    fn results(wins: [u64; 4], undecided: u64) -> GameResults {
        GameResults {
            games: wins.iter().sum::<u64>() + undecided,
            wins,
            turns: TurnTotals::default(),
        }
    }

    /// Hwang & Kaneko, table 4, rulebook. Among the counts of 2,000 to 2,010 games, only the counts
    /// in this test round to the paper's rates 23.29, 25.34, 24.04, 26.33: 2,005 games, 20
    /// undecided games among them. The paper divides by the number of all games; this project
    /// divides by the number of decided games.
    #[test]
    fn the_rulebook_map_of_the_paper() {
        let results = results([467, 508, 482, 528], 20);
        assert_eq!((results.decided(), results.undecided()), (1985, 20));
        let SeatBalance { rates, rates_at_once, test, spread } =
            SeatBalance::of(&results.wins, ErrorRate::FIVE_PERCENT).unwrap();
        assert!((rates[0].mean - 467.0 / 1985.0).abs() < 1e-12);
        assert!((test.p_value - 0.22).abs() < 0.005, "{test:?}");
        assert!(rates_at_once[0].low < rates[0].low && rates[0].high < rates_at_once[0].high);
        assert!((0.0117..0.0121).contains(&spread.observed));
    }

    #[test]
    fn maps_without_decided_games_have_no_balance() {
        let none = results([0; 4], 7);
        assert!(SeatBalance::of(&none.wins, ErrorRate::FIVE_PERCENT).is_none());
        let fair = results([500; 4], 0);
        let unfair = results([700, 300, 500, 500], 0);
        let among = compare_maps(&[none, fair, unfair], 4, 0.01);
        let [None, Some(fair), Some(unfair)] = among[..] else { panic!("{among:?}") };
        assert!(unfair.adjusted_p_value < 1e-6 && 0.99 < fair.adjusted_p_value);
        let (fair, unfair) = (fair.posterior.unwrap(), unfair.posterior.unwrap());
        assert!(fair.sigma < 0.02 && 0.05 < unfair.sigma, "{fair:?} {unfair:?}");
        assert!(unfair.within_margin < fair.within_margin);
        assert_eq!(compare_maps(&[results([1; 4], 0)], 4, 0.01)[0].unwrap().posterior, None);
    }

    /// The test does not depend on the order of the seats.
    #[test]
    fn the_test_is_the_same_for_any_order_of_seats() {
        let p_value = |wins: [u64; 4]| {
            SeatBalance::of(&wins, ErrorRate::FIVE_PERCENT).unwrap().test.p_value.to_bits()
        };
        assert_eq!(p_value([467, 508, 482, 528]), p_value([528, 467, 482, 508]));
    }
}
