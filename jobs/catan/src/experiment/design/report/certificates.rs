//! Finalists and their certificates.

use hatchery_core::text::grouped_count;
use hatchery_core::{IntervalEstimate, Measure};

use super::summary::DesignSummary;
use crate::experiment::agent_name;
use crate::experiment::design::certification::Finalist;
use crate::experiment::design::spec::DesignSpec;
use crate::seat_balance::{SeatBalance, estimate_in_points};

/// Returns the sigma of a finalist by its fresh games, in percent points; none without fresh games.
fn sigma(spec: &DesignSpec, finalist: &Finalist) -> Option<IntervalEstimate> {
    Some(estimate_in_points(balance(spec, finalist)?.spread.sigma))
}

/// Returns the balance of a finalist by its fresh games, with the bounds of sigma that certificates
/// go by; none without fresh games.
pub(super) fn balance(spec: &DesignSpec, finalist: &Finalist) -> Option<SeatBalance> {
    spec.certify.as_ref()?.look_schedule().balance(&finalist.fresh)
}

/// Returns the sigma of each certified map by its fresh games.
pub(super) fn measures(summary: &DesignSummary<'_>) -> Vec<Measure> {
    let certified = summary.certified().filter_map(|it| sigma(summary.spec, it)).zip(1..);
    certified
        .map(|(sigma, number)| Measure::new(format!("certified_{number}/sigma"), "points", sigma))
        .collect()
}

/// Returns the certificate of a map in words. It holds for its agents only: other players may find
/// the same map uneven.
pub(super) fn certificate(spec: &DesignSpec, finalist: &Finalist) -> String {
    let margin = spec.certify.as_ref().map_or(0.0, |certify| certify.margin);
    let games = grouped_count(finalist.fresh.games, "game");
    format!("sigma below {margin} points for {}, {games}", agents(spec))
}

/// Returns the agents that certificates are for.
pub(super) fn agents(spec: &DesignSpec) -> String {
    format!("{} on all seats", agent_name(&spec.agent))
}
