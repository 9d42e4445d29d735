//! Differences between the maps of a run: quartiles of sigma, and variation of each seat's rate.

use hatchery_core::IntervalEstimate;
use hatchery_stats::student::sample_variance;
use hatchery_stats::{ErrorRate, chi_square, five_number_summary};

use crate::results::GameResults;
use crate::rules::Seat;

/// The fewest maps whose differences are shown: with fewer, the interval of a standard deviation
/// ends at more than three times the estimate.
const MIN_MAPS: usize = 5;

/// The differences between the maps of a run. Rates and sigma are shares, not percents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MapVariation {
    /// The number of maps with at least two decided games, the only ones that count.
    pub(super) n_maps: usize,
    /// The lower quartile, the median and the upper quartile of the maps' estimated sigmas.
    pub(super) sigma_quartiles: [f64; 3],
    /// The variation of each seat's rate.
    pub(super) seats: [SeatVariation; Seat::COUNT],
}

/// The variation of a seat's win rate from map to map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SeatVariation {
    /// The mean of the maps' rates.
    pub(super) mean: f64,
    /// The standard deviation of the maps' **true** rates; 0 where chance explains all.
    pub(super) sd: IntervalEstimate,
}

impl MapVariation {
    /// Compares maps by their results and estimated sigmas; none if fewer than [`MIN_MAPS`] have
    /// two decided games.
    pub(super) fn of<'a>(
        maps: impl Iterator<Item = (&'a GameResults, f64)>,
        error_rate: ErrorRate,
    ) -> Option<Self> {
        let (results, sigmas): (Vec<_>, Vec<_>) =
            maps.filter(|(results, _)| 2 <= results.decided()).unzip();
        if results.len() < MIN_MAPS {
            return None;
        }
        let [_, lower, median, upper, _] = five_number_summary(sigmas)?;
        let seat = |seat| SeatVariation::of(&results, seat, error_rate);
        let [first, second, third, last] = [0, 1, 2, 3].map(seat);
        Some(Self {
            n_maps: results.len(),
            sigma_quartiles: [lower, median, upper],
            seats: [first?, second?, third?, last?],
        })
    }
}

impl SeatVariation {
    /// Estimates the variation of `seat` over maps with at least two decided games each; none for
    /// fewer than two maps.
    ///
    /// The variance of the true rates is that of the observed ones less the mean of what chance
    /// adds, p (1 - p) / (n - 1) on each map. Its interval is that of the observed variance by the
    /// chi-square distribution, which is exact for normal rates, less the same.
    #[expect(clippy::cast_precision_loss, reason = "numbers of games and maps are below 2^53")]
    fn of(maps: &[&GameResults], seat: usize, error_rate: ErrorRate) -> Option<Self> {
        let n = maps.len() as f64;
        let rate = |results: &GameResults| results.wins[seat] as f64 / results.decided() as f64;
        let rates: Vec<f64> = maps.iter().map(|map| rate(map)).collect();
        let observed = sample_variance(&rates)?;
        let by_chance =
            |map: &&GameResults| rate(map) * (1.0 - rate(map)) / (map.decided() as f64 - 1.0);
        let by_chance = maps.iter().map(by_chance).sum::<f64>() / n;
        let sd = |total: f64| {
            let variance = total - by_chance;
            // Rounding alone is no variation.
            if variance <= 1e-9 * total { 0.0 } else { variance.sqrt() }
        };
        let bound = |p: f64| (n - 1.0) * observed / chi_square::quantile(n - 1.0, p);
        let tail = error_rate.get() / 2.0;
        Some(Self {
            mean: rates.iter().sum::<f64>() / n,
            sd: IntervalEstimate {
                mean: sd(observed),
                low: sd(bound(1.0 - tail)),
                high: sd(bound(tail)),
                n: maps.len() as u64,
                confidence: 1.0 - error_rate.get(),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(wins: [u64; 4]) -> GameResults {
        GameResults { games: wins.iter().sum(), wins, ..GameResults::default() }
    }

    /// Ten maps of two kinds: seat 1 wins 30 % or 20 %, seat 4 the rest, seats 2 and 3 always 25 %.
    fn two_kinds() -> Vec<GameResults> {
        let wins = [[300, 250, 250, 200], [200, 250, 250, 300]];
        wins.repeat(5).into_iter().map(results).collect()
    }

    fn is_close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    #[test]
    fn what_chance_adds_is_left_out() {
        let all = two_kinds();
        let maps = all.iter().zip([0.05; 10]);
        let variation = MapVariation::of(maps, ErrorRate::FIVE_PERCENT).unwrap();
        let [first, second, _, last] = variation.seats;
        assert!(is_close(first.mean, 0.25) && is_close(second.mean, 0.25));
        // Variance 0.05^2 * 10 / 9; chance adds the mean of 0.3 * 0.7 and 0.2 * 0.8, by 999.
        let (observed, by_chance) = (0.0025 * 10.0 / 9.0, 0.185 / 999.0);
        assert!(is_close(first.sd.mean, f64::sqrt(observed - by_chance)), "{first:?}");
        assert!(is_close(last.sd.mean, first.sd.mean) && last.sd.n == 10, "{last:?}");
        // Chi-square with 9 degrees: 2.700 and 19.023 (Abramowitz & Stegun, table 26.8).
        let bound = |quantile: f64| f64::sqrt(9.0 * observed / quantile - by_chance);
        assert!((first.sd.low - bound(19.0228)).abs() < 1e-6, "{first:?}");
        assert!((first.sd.high - bound(2.70039)).abs() < 1e-6, "{first:?}");
        // Equal rates vary less than chance would let them.
        assert!(is_close(second.sd.mean, 0.0) && is_close(second.sd.high, 0.0), "{second:?}");
    }

    #[test]
    fn maps_count_that_have_games_enough() {
        let mut all = two_kinds();
        let of = |all: &[GameResults]| {
            let sigmas = [0.01, 0.02, 0.03, 0.04, 0.05, 9.0, 9.0, 9.0, 9.0, 9.0];
            MapVariation::of(all.iter().zip(sigmas), ErrorRate::FIVE_PERCENT)
        };
        all[5..].fill(results([1, 0, 0, 0]));
        let five = of(&all).unwrap();
        assert_eq!((five.n_maps, five.sigma_quartiles), (5, [0.02, 0.03, 0.04]));
        all[4..].fill(results([0; 4]));
        assert_eq!(of(&all), None);
    }
}
