//! Finalists and their certificates.

use hatchery_core::{IntervalEstimate, Measure};

use super::maps::ERROR_RATE;
use super::summary::DesignSummary;
use crate::experiment::design::certification::Finalist;
use crate::experiment::design::spec::DesignSpec;
use crate::seat_balance::{SeatBalance, estimate_in_points};

/// Returns the sigma of a finalist by its fresh games, in percent points; none without fresh games.
pub(super) fn sigma(finalist: &Finalist) -> Option<IntervalEstimate> {
    let balance = SeatBalance::of(&finalist.fresh, ERROR_RATE)?;
    Some(estimate_in_points(balance.spread.sigma))
}

/// Returns the sigma of each certified map by its fresh games.
pub(super) fn measures(summary: &DesignSummary<'_>) -> Vec<Measure> {
    let certified = summary.certified().filter_map(sigma).zip(1..);
    certified
        .map(|(sigma, number)| Measure::new(format!("certified_{number}/sigma"), "points", sigma))
        .collect()
}

/// Returns the title of a certified map, for its picture and its file.
pub(super) fn title(spec: &DesignSpec, finalist: &Finalist) -> String {
    let margin = spec.certify.as_ref().map_or(0.0, |certify| certify.margin);
    let games = finalist.fresh.games;
    format!("{:.12}: sigma below {margin} points, {games} games", finalist.map.id())
}
