//! Reports on the maps of the start and of the steps.

use hatchery_core::Measure;
use hatchery_stats::ErrorRate;
use hatchery_stats::chi_square;
use hatchery_stats::spread::fair_spread_of_best;

use crate::learning::PointClass;
use crate::rules::Seat;
use crate::studies::design::history::{DesignHistory, MapOrigin, SimulatedMap};
use crate::trial::seat_balance::{SeatBalance, percentage_points};

/// The error rate of every interval, except for the intervals of certificates.
pub(super) const ERROR_RATE: ErrorRate = ErrorRate::FIVE_PERCENT;

/// Bounds of the spread within which the paper counts maps, in percentage points (§5.1.2).
pub(super) const BOUNDS: [(&str, f64); 2] = [("half_a_point", 0.5), ("one_point", 1.0)];

/// A map with the statistics of its games.
pub(super) struct MapReport<'a> {
    pub(super) simulated: &'a SimulatedMap,
    /// The step that simulated the map; 0 is the start.
    pub(super) step: usize,
    /// The class right after the step; later clusters may change it.
    pub(super) class: PointClass,
    /// The balance; none without a decided game.
    pub(super) balance: Option<SeatBalance>,
}

impl MapReport<'_> {
    /// Returns the standard deviation of the observed win rates, in percentage points.
    pub(super) fn observed(&self) -> Option<f64> {
        Some(percentage_points(self.balance?.spread.observed))
    }

    /// Returns the title of the map's picture.
    pub(super) fn title(&self) -> String {
        let spread =
            self.observed().map_or_else(String::new, |s| format!(", spread {s:.2} points"));
        let class = match self.step {
            0 => String::new(),
            _ => format!(", by games {}", class_name(self.class)),
        };
        format!("{}{class}{spread}", self.origin())
    }

    /// Returns the origin of the map as text.
    pub(super) fn origin(&self) -> String {
        match &self.simulated.origin {
            MapOrigin::Start(name) => name.clone(),
            MapOrigin::CalledGood(_) => format!("step {}, called good", self.step),
            MapOrigin::CalledBad(_) => format!("step {}, called bad", self.step),
            MapOrigin::Bred { .. } => unreachable!("no child is among the maps of the steps"),
        }
    }
}

/// Returns reports on all maps of `history`.
pub(super) fn shown(history: &DesignHistory) -> Vec<MapReport<'_>> {
    let mut maps = Vec::new();
    for (step, batch) in history.batches.iter().enumerate() {
        for simulated in &batch.maps {
            let class = batch.labels.class(maps.len());
            let balance = SeatBalance::of(&simulated.results.wins, ERROR_RATE);
            maps.push(MapReport { simulated, step, class, balance });
        }
    }
    maps
}

/// Returns measures of how even the maps are that the classifier chose.
pub(super) fn measures<'a>(
    chosen: impl Iterator<Item = &'a MapReport<'a>> + Clone,
) -> impl Iterator<Item = Measure> {
    let within = BOUNDS.map(|(name, bound)| {
        let n = n_within(chosen.clone(), bound);
        Measure::new(format!("maps_within_{name}"), "maps", n as u64)
    });
    let n_observed = chosen.clone().filter_map(MapReport::observed).count() as u64;
    let least = chosen.filter_map(MapReport::observed).min_by(f64::total_cmp);
    let least = least.map(|least| {
        Measure::new("least_observed_spread", "points", least).selected_from(n_observed)
    });
    within.into_iter().chain(least)
}

/// Returns the number of `maps` with an observed spread of at most `bound` percentage points.
pub(super) fn n_within<'a>(maps: impl Iterator<Item = &'a MapReport<'a>>, bound: f64) -> usize {
    maps.filter_map(MapReport::observed).filter(|&spread| spread <= bound).count()
}

/// Returns the expected values for `n_maps` perfectly even maps with `decided` games each: the
/// number of maps with an observed spread of at most each of [`BOUNDS`], and the least spread, in
/// percentage points.
pub(super) fn by_chance(n_maps: usize, decided: u64) -> ([f64; 2], f64) {
    #[expect(clippy::cast_precision_loss, reason = "numbers of maps and games are far below 2^53")]
    let (n, games) = (n_maps as f64, decided as f64);
    let seats = Seat::ALL.map(|_| 1.0).iter().sum::<f64>();
    let within = BOUNDS.map(|(_, bound)| {
        let share = bound / 100.0;
        n * chi_square::cdf(seats - 1.0, seats * seats * games * share * share)
    });
    let candidates = u32::try_from(n_maps).unwrap_or(u32::MAX);
    (within, percentage_points(fair_spread_of_best(4, decided, candidates)))
}

/// Returns the name of a class.
pub(super) const fn class_name(class: PointClass) -> &'static str {
    match class {
        PointClass::Positive => "good",
        PointClass::Negative => "bad",
        PointClass::Unlabelled => "unclear",
    }
}

#[cfg(test)]
mod tests {
    use super::by_chance;

    /// A fair map of 2,000 games shows a spread of 0.89 points on average.
    #[test]
    fn one_fair_map() {
        let ([half, one], least) = by_chance(1, 2000);
        assert!((least - 0.89).abs() < 0.005, "{least}");
        assert!(0.15 < half && half < 0.16 && 0.63 < one && one < 0.65, "{half} {one}");
    }
}
