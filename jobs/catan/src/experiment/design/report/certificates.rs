//! The maps that were confirmed by fresh games.

use hatchery_core::{Estimate, Measure};

use super::{ERROR_RATE, Summary};
use crate::balance::{Balance, in_points};
use crate::experiment::design::Spec;
use crate::experiment::design::certification::Finalist;

/// The sigma of a finalist by its fresh games, in percent points; none before them.
pub(super) fn sigma(finalist: &Finalist) -> Option<Estimate> {
    let balance = Balance::of(&finalist.fresh, ERROR_RATE)?;
    Some(in_points(balance.spread.sigma))
}

/// The sigma of each certified map by its fresh games.
pub(super) fn measures(summary: &Summary<'_>) -> Vec<Measure> {
    let certified = summary.certified().filter_map(sigma).zip(1..);
    certified
        .map(|(sigma, number)| Measure::new(format!("certified_{number}/sigma"), "points", sigma))
        .collect()
}

/// What stands above the picture of a certified map, and in its file.
pub(super) fn title(spec: &Spec, finalist: &Finalist) -> String {
    let margin = spec.certify.as_ref().map_or(0.0, |certify| certify.margin);
    let games = finalist.fresh.games;
    format!("{:.12}: sigma below {margin} points, {games} games", finalist.map.id())
}
