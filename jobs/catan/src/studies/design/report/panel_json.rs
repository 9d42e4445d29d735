//! The certificates of a panel as JSON.

use hatchery_core::IntervalEstimate;
use serde::Serialize;

use super::panel::{AgentVerdict, PanelMap};
use super::seat_advice::advice;
use super::summary::DesignSummary;
use super::tables::origin;
use crate::players::Agent;
use crate::studies::design::certification::FinalistStatus;
use crate::trial::seat_balance::estimate_in_points;

/// The maps that were to be certified, in the order of their choice.
#[derive(Serialize)]
struct CertificatesDocument<'a> {
    /// The certified bound of sigma, in percentage points.
    margin: f64,
    error_rate: f64,
    maps: Vec<MapEntry<'a>>,
}

#[derive(Serialize)]
struct MapEntry<'a> {
    id: String,
    line: String,
    origin: String,
    standing: &'static str,
    certified_for: Vec<&'a str>,
    not_certified_for: Vec<&'a str>,
    worst_sigma: Option<EstimateEntry>,
    worst_agent: Option<&'a str>,
    mean_sigma: Option<EstimateEntry>,
    agents: Vec<AgentEntry<'a>>,
}

#[derive(Serialize)]
struct AgentEntry<'a> {
    name: &'a str,
    agent: &'a Agent,
    standing: &'static str,
    games: u64,
    decided: u64,
    wins: [u64; 4],
    sigma: Option<EstimateEntry>,
    /// The seats' win rates in percent, in the order of play.
    seats: Option<[EstimateEntry; 4]>,
    advice: Option<String>,
}

/// An estimate in percent or in percentage points, between its bounds.
#[derive(Serialize)]
struct EstimateEntry {
    estimate: f64,
    low: f64,
    high: f64,
}

/// Returns the certificates as a document; `None` without a panel.
pub(super) fn json(summary: &DesignSummary<'_>) -> Option<String> {
    let certify = summary.spec.certify.as_ref().filter(|certify| certify.panel.is_some())?;
    let agents = summary.spec.certified_agents();
    let document = CertificatesDocument {
        margin: certify.margin,
        error_rate: certify.error_rate,
        maps: summary.panel.iter().map(|map| MapEntry::new(map, agents)).collect(),
    };
    let text = serde_json::to_string_pretty(&document).expect("all keys are texts");
    Some(text + "\n")
}

impl<'a> MapEntry<'a> {
    fn new(map: &'a PanelMap<'_>, agents: &'a [Agent]) -> Self {
        let certified =
            |verdict: &&AgentVerdict<'_>| verdict.finalist.status == FinalistStatus::Certified;
        let (yes, no): (Vec<_>, Vec<_>) = map.verdicts.iter().partition(certified);
        let names = |verdicts: Vec<&'a AgentVerdict<'_>>| {
            verdicts.into_iter().map(|verdict| verdict.name.as_str()).collect()
        };
        Self {
            id: format!("{:.12}", map.map.id()),
            line: map.map.to_string(),
            origin: origin(map.origin),
            standing: map.standing.name(),
            certified_for: names(yes),
            not_certified_for: names(no),
            worst_sigma: map.sigma.map(|sigma| sigma.worst.into()),
            worst_agent: map.worst().map(|verdict| verdict.name.as_str()),
            mean_sigma: map.sigma.map(|sigma| sigma.mean.into()),
            agents: map.verdicts.iter().zip(agents).map(AgentEntry::from).collect(),
        }
    }
}

impl<'a> From<(&'a AgentVerdict<'_>, &'a Agent)> for AgentEntry<'a> {
    fn from((verdict, agent): (&'a AgentVerdict<'_>, &'a Agent)) -> Self {
        let fresh = &verdict.finalist.fresh;
        Self {
            name: &verdict.name,
            agent,
            standing: verdict.finalist.status.name(),
            games: fresh.games,
            decided: fresh.decided(),
            wins: fresh.wins,
            sigma: verdict.balance.map(|balance| balance.spread.sigma.into()),
            seats: verdict.seats.map(|seats| seats.map(EstimateEntry::from)),
            advice: verdict.seats.as_ref().map(advice),
        }
    }
}

impl From<IntervalEstimate> for EstimateEntry {
    /// Converts the estimate of a share.
    fn from(share: IntervalEstimate) -> Self {
        let IntervalEstimate { mean, low, high, .. } = estimate_in_points(share);
        let [estimate, low, high] = [mean, low, high].map(|part| (part * 1e4).round() / 1e4);
        Self { estimate, low, high }
    }
}
