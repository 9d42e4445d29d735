//! The maps that compete for confirmation: after each round, the most even ones remain.

use std::collections::BTreeMap;

use super::history::{MapOrigin, SimulatedMap};
use crate::map::Map;
use crate::rules::Seat;
use crate::trial::results::GameResults;
use crate::trial::seat_balance::compare_maps;

/// A map that competes, with its games so far by each agent of the rounds.
#[derive(Clone, Debug)]
pub(super) struct Entrant {
    pub(super) map: Map,
    pub(super) origin: MapOrigin,
    /// The results per agent, from games that four copies of the agent play. There is at least one
    /// agent.
    pub(super) results: Vec<GameResults>,
}

impl Entrant {
    /// Creates an entrant without games, for `n_agents`.
    pub(super) fn new(map: Map, origin: MapOrigin, n_agents: usize) -> Self {
        Self { map, origin, results: vec![GameResults::default(); n_agents] }
    }

    /// Reads the entrants from the list of a state. The list has every entrant `n_agents` times,
    /// once per agent.
    pub(super) fn from_list(list: Vec<SimulatedMap>, n_agents: usize) -> Vec<Self> {
        let mut entrants: Vec<Self> = Vec::with_capacity(list.len() / n_agents);
        for simulated in list {
            match entrants.last_mut() {
                Some(last) if last.results.len() < n_agents => last.results.push(simulated.results),
                _ => entrants.push(simulated.into()),
            }
        }
        entrants
    }

    /// Returns the list of a state.
    pub(super) fn into_list(entrants: Vec<Self>) -> Vec<SimulatedMap> {
        let of_entrant = |Self { map, origin, results }: Self| {
            let simulated = move |results| SimulatedMap { map, origin: origin.clone(), results };
            results.into_iter().map(simulated)
        };
        entrants.into_iter().flat_map(of_entrant).collect()
    }

    /// Returns the map that the entrant descends from, or its own map if it is no child. Maps of
    /// the same founder are a family.
    pub(super) fn founder(&self) -> Map {
        match self.origin {
            MapOrigin::Bred { founder, .. } => founder,
            _ => self.map,
        }
    }
}

impl From<SimulatedMap> for Entrant {
    /// Creates an entrant with the games of a single agent.
    fn from(SimulatedMap { map, origin, results }: SimulatedMap) -> Self {
        Self { map, origin, results: vec![results] }
    }
}

/// Ranks entrants of the same agents, best first, by the posterior's expected spread. The posterior
/// depends on the entrant's games and on the games of the other entrants, which gives few games
/// little weight. With several agents, the largest expected spread counts. Equal entrants keep
/// their order.
pub(super) fn ranked(entrants: Vec<Entrant>) -> Vec<Entrant> {
    let n_agents = entrants.first().map_or(0, |entrant| entrant.results.len());
    let mut worst = vec![0.0_f64; entrants.len()];
    for agent in 0..n_agents {
        let results: Vec<_> = entrants.iter().map(|entrant| entrant.results[agent]).collect();
        // The expected spread is the same for all margins.
        let sigmas =
            compare_maps(&results, Seat::COUNT, 0.0).into_iter().map(|among| among?.posterior);
        for (worst, posterior) in worst.iter_mut().zip(sigmas) {
            // A map without decided games comes last.
            *worst = worst.max(posterior.map_or(1.0, |posterior| posterior.sigma));
        }
    }
    let mut ranked: Vec<_> = worst.into_iter().zip(entrants).collect();
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
    ranked.into_iter().map(|(_, entrant)| entrant).collect()
}

/// Returns the first `n` of `ranked` entrants, with at most `relatives` entrants per family; fewer
/// entrants if there are not enough families.
pub(super) fn best_of(ranked: Vec<Entrant>, n: u32, relatives: Option<u32>) -> Vec<Entrant> {
    let mut families: BTreeMap<Map, u32> = BTreeMap::new();
    let has_room = |entrant: &Entrant| {
        let size = families.entry(entrant.founder()).or_default();
        *size += 1;
        relatives.is_none_or(|most| *size <= most)
    };
    ranked.into_iter().filter(has_room).take(n as usize).collect()
}
