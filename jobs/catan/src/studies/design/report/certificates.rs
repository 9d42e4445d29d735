//! Finalists and their certificates.

use hatchery_core::text::counted;
use hatchery_core::{IntervalEstimate, Measure};

use super::panel::{AgentVerdict, PanelMap};
use super::seat_advice::advice;
use super::summary::DesignSummary;
use crate::players::agent_name::{agent_name, short_agent_name};
use crate::studies::design::certification::{Finalist, FinalistStatus};
use crate::studies::design::spec::DesignSpec;
use crate::studies::wording;
use crate::trial::seat_balance::estimate_in_points;

/// The most maps of a panel with measures of their own.
const MAX_MEASURED_MAPS: usize = 12;

/// Returns each certified map's sigma by its fresh games. With a panel, returns the worst sigma and
/// the mean sigma over the agents for each map that was chosen.
pub(super) fn measures(summary: &DesignSummary<'_>) -> Vec<Measure> {
    let points = |name: String, sigma: IntervalEstimate| Measure::new(name, "points", sigma);
    let is_panel = summary.spec.certify.as_ref().is_some_and(|certify| certify.panel.is_some());
    if !is_panel {
        let sigma = |it| Some(estimate_in_points(summary.balance(it)?.spread.sigma));
        let certified = summary.certified().filter_map(sigma).zip(1..);
        let measure = |(sigma, number)| points(format!("certified_{number}/sigma"), sigma);
        return certified.map(measure).collect();
    }
    let n_partly = summary.panel.iter().filter(|map| map.is_partly_certified()).count() as u64;
    let partly = Measure::new("partly_certified_maps", "maps", n_partly);
    let judged = summary.panel.iter().take(MAX_MEASURED_MAPS).zip(1..);
    let sigmas = judged.filter_map(|(map, number)| Some((map.sigma?, number)));
    let sigmas = sigmas.flat_map(|(sigma, number)| {
        [("worst", sigma.worst), ("mean", sigma.mean)].map(|(name, sigma)| {
            points(format!("finalist_{number}/{name}_sigma"), estimate_in_points(sigma))
        })
    });
    std::iter::once(partly).chain(sigmas).collect()
}

/// Returns the certificate of a map in words. It holds for its agents only: other players may find
/// the same map uneven.
pub(super) fn certificate(spec: &DesignSpec, finalist: &Finalist) -> String {
    let games = counted(finalist.fresh.games, "game");
    format!("sigma below {} points for {}, {games}", margin(spec), agents(spec))
}

/// Returns the certificate of a map for a panel in a few words, for a title.
pub(super) fn panel_title(spec: &DesignSpec, map: &PanelMap<'_>) -> String {
    let (n_all, n) = (map.verdicts.len(), map.with(FinalistStatus::Certified).count());
    let agents = if n == n_all { format!("each of {n}") } else { format!("{n} of {n_all}") };
    format!("sigma below {} points for {agents} agents", margin(spec))
}

/// Returns the certificate of a map for a panel: the worst and the mean sigma, and for each agent
/// the verdict and the advice on seats.
pub(super) fn panel_certificate(spec: &DesignSpec, map: &PanelMap<'_>) -> String {
    let over_panel = map.sigma.zip(map.worst()).map(|(sigma, worst)| {
        let [largest, mean] = [sigma.worst, sigma.mean].map(wording::points);
        format!("worst sigma {largest}, {}; mean {mean}", worst.name)
    });
    let verdict = |verdict: &AgentVerdict<'_>| {
        let Finalist { fresh, status, .. } = verdict.finalist;
        let games = counted(fresh.games, "game");
        let sigma = verdict.balance.map_or_else(
            || "unknown".to_owned(),
            |balance| wording::points(balance.spread.sigma).to_string(),
        );
        let seats = verdict.seats.as_ref().map(|seats| format!("; {}", advice(seats)));
        format!(
            "{}: {}, sigma {sigma}, {games}{}",
            verdict.name,
            status.name(),
            seats.unwrap_or_default()
        )
    };
    let parts = std::iter::once(panel_title(spec, map)).chain(over_panel);
    let parts = parts.chain(map.verdicts.iter().map(verdict));
    parts.collect::<Vec<_>>().join(". ")
}

/// Returns the agents that certificates are for.
pub(super) fn agents(spec: &DesignSpec) -> String {
    match spec.certify.as_ref().and_then(|certify| certify.panel.as_deref()) {
        None => format!("{} on all seats", agent_name(&spec.agent)),
        Some(panel) => {
            let names: Vec<String> = panel.iter().map(short_agent_name).collect();
            format!("a panel of {}: {}", counted(names.len(), "agent"), names.join("; "))
        }
    }
}

fn margin(spec: &DesignSpec) -> f64 {
    spec.certify.as_ref().map_or(0.0, |certify| certify.margin)
}
