//! How maps differ from each other: quartiles of sigma, and how far each seat's rate varies.

use hatchery_stats::five_number_summary;

use crate::results::GameResults;
use crate::rules::Seat;
use crate::seat_balance::SeatBalance;

/// The fewest maps whose differences are shown.
const MIN_MAPS: usize = 5;

/// How the maps of a run differ. Rates and sigma are shares, not percents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MapVariation {
    pub(super) n_maps: usize,
    /// The lower quartile, the median and the upper quartile of the maps' estimated sigmas.
    pub(super) sigma_quartiles: [f64; 3],
    /// The variation of each seat's rate.
    pub(super) seats: [SeatVariation; Seat::COUNT],
}

/// How the win rate of a seat varies from map to map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SeatVariation {
    /// The mean of the maps' rates.
    pub(super) mean: f64,
    /// The standard deviation of the maps' **true** rates: the variance of the observed ones less
    /// what chance adds; 0 where chance explains all.
    pub(super) deviation: f64,
}

impl MapVariation {
    /// Compares the maps with at least two decided games; none if they are fewer than
    /// [`MIN_MAPS`].
    pub(super) fn of(all: &[(&GameResults, SeatBalance)]) -> Option<Self> {
        let maps: Vec<_> = all.iter().filter(|(results, _)| 2 <= results.decided()).collect();
        if maps.len() < MIN_MAPS {
            return None;
        }
        let sigmas = maps.iter().map(|(_, balance)| balance.spread.sigma.mean);
        let [_, lower, median, upper, _] = five_number_summary(sigmas.collect())?;
        let results: Vec<&GameResults> = maps.iter().map(|(results, _)| *results).collect();
        Some(Self {
            n_maps: maps.len(),
            sigma_quartiles: [lower, median, upper],
            seats: [0, 1, 2, 3].map(|seat| SeatVariation::of(&results, seat)),
        })
    }
}

impl SeatVariation {
    /// Estimates the variation of `seat` over maps with at least two decided games each.
    #[expect(clippy::cast_precision_loss, reason = "numbers of games and maps are below 2^53")]
    fn of(maps: &[&GameResults], seat: usize) -> Self {
        let n = maps.len() as f64;
        let rate = |results: &GameResults| results.wins[seat] as f64 / results.decided() as f64;
        let mean = maps.iter().map(|map| rate(map)).sum::<f64>() / n;
        let from_mean = |map: &&GameResults| rate(map) - mean;
        let squares = maps.iter().map(|map| from_mean(map) * from_mean(map));
        let observed = squares.sum::<f64>() / (n - 1.0);
        // The unbiased estimate of a share's sampling variance has the divisor n - 1.
        let by_chance = |map: &&GameResults| {
            let rate = rate(map);
            rate * (1.0 - rate) / (map.decided() as f64 - 1.0)
        };
        let by_chance = maps.iter().map(by_chance).sum::<f64>() / n;
        Self { mean, deviation: (observed - by_chance).max(0.0).sqrt() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(wins: [u64; 4]) -> GameResults {
        GameResults { games: wins.iter().sum(), wins, ..GameResults::default() }
    }

    /// Two kinds of maps: seat 1 wins 30 % or 20 %, seat 4 the rest, seats 2 and 3 always 25 %.
    #[test]
    fn what_chance_adds_is_left_out() {
        let all: Vec<GameResults> = (0..10)
            .map(|idx| if idx % 2 == 0 { [300, 250, 250, 200] } else { [200, 250, 250, 300] })
            .map(results)
            .collect();
        let maps: Vec<&GameResults> = all.iter().collect();
        let [first, second, _, last] = [0, 1, 2, 3].map(|seat| SeatVariation::of(&maps, seat));
        assert!((first.mean - 0.25).abs() < 1e-12 && (second.mean - 0.25).abs() < 1e-12);
        // Variance 0.05^2 * 10 / 9; chance adds the mean of 0.3 * 0.7 and 0.2 * 0.8, by 999.
        let expected = (0.0025 * 10.0 / 9.0 - 0.185 / 999.0_f64).sqrt();
        assert!((first.deviation - expected).abs() < 1e-12, "{first:?}");
        assert!((last.deviation - expected).abs() < 1e-12, "{last:?}");
        // Equal rates vary less than chance would let them.
        assert!(second.deviation.abs() < 1e-12, "{second:?}");
    }
}
