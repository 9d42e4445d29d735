//! Differences between the maps of a run: quartiles of sigma, and the variation in the seats'
//! rates.

use hatchery_core::IntervalEstimate;
use hatchery_stats::{ErrorRate, five_number_summary, share_variation};

use crate::rules::BySeat;
use crate::trial::results::GameResults;

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
    /// The variation in the seats' rates, seat by seat.
    pub(super) seats: BySeat<SeatVariation>,
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
    /// Compares maps by their results and estimated sigmas, for each of `n_seats` seats; none if
    /// fewer than [`MIN_MAPS`] have two decided games.
    pub(super) fn of<'a>(
        maps: impl Iterator<Item = (&'a GameResults, f64)>,
        n_seats: usize,
        error_rate: ErrorRate,
    ) -> Option<Self> {
        let (results, sigmas): (Vec<_>, Vec<_>) =
            maps.filter(|(results, _)| 2 <= results.decided()).unzip();
        if results.len() < MIN_MAPS {
            return None;
        }
        let [_, lower, median, upper, _] = five_number_summary(sigmas)?;
        let seat = |seat| SeatVariation::of(&results, seat, error_rate);
        let seats: Option<Vec<SeatVariation>> = (0..n_seats).map(seat).collect();
        Some(Self {
            n_maps: results.len(),
            sigma_quartiles: [lower, median, upper],
            seats: BySeat::new(&seats?)?,
        })
    }
}

impl SeatVariation {
    /// Estimates the variation of `seat`; none for fewer than two maps, or maps with fewer than two
    /// decided games.
    #[expect(clippy::cast_precision_loss, reason = "numbers of games and maps are below 2^53")]
    fn of(maps: &[&GameResults], seat: usize, error_rate: ErrorRate) -> Option<Self> {
        let counts = maps.iter().map(|map| (map.wins[seat], map.decided()));
        let rates = counts.clone().map(|(wins, decided)| wins as f64 / decided as f64);
        let mean = rates.sum::<f64>() / maps.len() as f64;
        let sd = share_variation(&counts.collect::<Vec<_>>(), error_rate).ok()?;
        Some(Self { mean, sd })
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

    #[test]
    fn seats_vary_by_themselves() {
        let all = two_kinds();
        let variation = MapVariation::of(all.iter().zip([0.05; 10]), 4, ErrorRate::FIVE_PERCENT);
        let seats = variation.unwrap().seats;
        assert!(seats.iter().all(|seat| (seat.mean - 0.25).abs() < 1e-12), "{seats:?}");
        let [first, second, third, last] = [0, 1, 2, 3].map(|seat: usize| seats[seat].sd.mean);
        assert!(0.05 < first && (last - first).abs() < 1e-12, "{seats:?}");
        assert!(second <= 0.0 && third <= 0.0, "{seats:?}");
    }

    #[test]
    fn maps_count_that_have_games_enough() {
        let mut all = two_kinds();
        let of = |all: &[GameResults]| {
            let sigmas = [0.01, 0.02, 0.03, 0.04, 0.05, 9.0, 9.0, 9.0, 9.0, 9.0];
            MapVariation::of(all.iter().zip(sigmas), 4, ErrorRate::FIVE_PERCENT)
        };
        all[5..].fill(results([1, 0, 0, 0]));
        let five = of(&all).unwrap();
        assert_eq!((five.n_maps, five.sigma_quartiles), (5, [0.02, 0.03, 0.04]));
        all[4..].fill(results([0; 4]));
        assert_eq!(of(&all), None);
    }
}
