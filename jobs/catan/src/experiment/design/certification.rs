//! Certification of balanced maps: candidates compete round by round, and the remaining ones are
//! confirmed by fresh games.

use std::collections::BTreeMap;

use hatchery_stats::FairnessVerdict;
use serde::{Deserialize, Serialize};

use super::breeding::founder;
use super::history::{MapOrigin, SimulatedMap};
use crate::Map;
use crate::experiment::method::LookSchedule;
use crate::results::GameResults;
use crate::seat_balance::compare_maps;

/// A map to be confirmed by fresh games of four copies of an agent.
///
/// With a panel, a map has as many finalists as there are agents: they follow one another, in the
/// order of the panel. See [`by_map`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Finalist {
    pub(super) map: Map,
    pub(super) origin: MapOrigin,
    /// The games by which the map was chosen, which overrate it.
    pub(super) chosen_by: GameResults,
    /// The fresh games.
    pub(super) fresh: GameResults,
    pub(super) status: FinalistStatus,
}

/// The verdict of fresh games on a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum FinalistStatus {
    /// No verdict yet.
    Open,
    /// The map is balanced.
    Certified,
    /// The map is not balanced.
    Refuted,
    /// The map would hardly be certified after all games.
    GivenUp,
}

/// Returns a finalist without fresh games for each map and each of `n_agents` agents.
pub(super) fn finalists(maps: Vec<SimulatedMap>, n_agents: usize) -> Vec<Finalist> {
    let each = |map| std::iter::repeat_n(Finalist::from(map), n_agents);
    maps.into_iter().flat_map(each).collect()
}

/// Iterates over the finalists of each map, one for each of `n_agents` agents.
pub(super) fn by_map(finalists: &[Finalist], n_agents: usize) -> impl Iterator<Item = &[Finalist]> {
    finalists.chunks_exact(n_agents.max(1))
}

/// Returns the standing of a map over all of its agents: certified if it is certified for each, and
/// refuted if it is refuted for any.
///
/// This is an intersection-union test: a map that is not balanced for some agent is certified at
/// most with the probability that it is certified for that agent, so that each verdict may use the
/// whole error rate (Berger, "Multiparameter hypothesis testing and acceptance sampling",
/// Technometrics 24, 1982).
pub(super) fn standing(of_map: &[Finalist]) -> FinalistStatus {
    let any = |status| of_map.iter().any(|finalist| finalist.status == status);
    let decided = [FinalistStatus::Refuted, FinalistStatus::GivenUp, FinalistStatus::Open];
    decided.into_iter().find(|&status| any(status)).unwrap_or(FinalistStatus::Certified)
}

impl From<SimulatedMap> for Finalist {
    /// Creates a finalist without fresh games.
    fn from(SimulatedMap { map, origin, results }: SimulatedMap) -> Self {
        let fresh = GameResults::default();
        Self { map, origin, chosen_by: results, fresh, status: FinalistStatus::Open }
    }
}

impl FinalistStatus {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Open => "undecided",
            Self::Certified => "certified",
            Self::Refuted => "refuted",
            Self::GivenUp => "given up",
        }
    }
}

/// Ranks the maps, best first, by the posterior's expected spread given their games and those of
/// all others, which gives few games little weight. Equal maps keep their order.
pub(super) fn ranked(maps: Vec<SimulatedMap>) -> Vec<SimulatedMap> {
    let results: Vec<GameResults> = maps.iter().map(|map| map.results).collect();
    // The expected spread is the same for all margins.
    let sigmas = compare_maps(&results, 0.0);
    // A map without decided games comes last.
    let sigmas = sigmas
        .into_iter()
        .map(|among| among?.posterior)
        .map(|posterior| posterior.map_or(1.0, |posterior| posterior.sigma));
    let mut ranked: Vec<(f64, SimulatedMap)> = sigmas.zip(maps).collect();
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
    ranked.into_iter().map(|(_, map)| map).collect()
}

/// Returns the first `n` of `ranked` maps, with at most `relatives` of each family; fewer if there
/// are not enough families.
pub(super) fn best_of(
    ranked: Vec<SimulatedMap>,
    n: u32,
    relatives: Option<u32>,
) -> Vec<SimulatedMap> {
    let mut families: BTreeMap<Map, u32> = BTreeMap::new();
    let has_room = |map: &SimulatedMap| {
        let size = families.entry(founder(map)).or_default();
        *size += 1;
        relatives.is_none_or(|most| *size <= most)
    };
    ranked.into_iter().filter(has_room).take(n as usize).collect()
}

/// Updates the finalists at look number `look`, after their fresh games were added. Maps whose
/// prospect is below `futility` are given up, unless that saves no games.
pub(super) fn judge(
    look_schedule: &LookSchedule,
    futility: f64,
    finalists: &mut [Finalist],
    look: usize,
) {
    for finalist in finalists.iter_mut().filter(|finalist| finalist.status == FinalistStatus::Open)
    {
        let wins = &finalist.fresh.wins;
        finalist.status = match look_schedule.verdict(look, wins) {
            FairnessVerdict::Fair => FinalistStatus::Certified,
            FairnessVerdict::Unfair => FinalistStatus::Refuted,
            FairnessVerdict::Undecided if look_schedule.is_last(look) => FinalistStatus::Open,
            FairnessVerdict::Undecided if look_schedule.predictive_power(look, wins) < futility => {
                FinalistStatus::GivenUp
            }
            FairnessVerdict::Undecided => FinalistStatus::Open,
        };
    }
}

/// Iterates over the finalists of each map that is certified for all of its agents.
pub(super) fn certified(
    finalists: &[Finalist],
    n_agents: usize,
) -> impl Iterator<Item = &[Finalist]> {
    let of_maps = by_map(finalists, n_agents);
    of_maps.filter(|of_map| standing(of_map) == FinalistStatus::Certified)
}
