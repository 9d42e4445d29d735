//! Certification of balanced maps: the maps that remain after the rounds are confirmed by fresh
//! games.

use hatchery_stats::FairnessVerdict;
use serde::{Deserialize, Serialize};

use super::entrants::Entrant;
use super::history::MapOrigin;
use crate::Map;
use crate::params::method::LookSchedule;
use crate::trial::results::GameResults;

/// A map to be confirmed by fresh games of four copies of an agent.
///
/// With a panel, a map has as many finalists as there are agents: they follow one another, in the
/// order of the panel. See [`by_map`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Finalist {
    pub(super) map: Map,
    pub(super) origin: MapOrigin,
    /// The games that led to the choice of the map. These games overrate the map.
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

/// Returns a finalist without fresh games for each entrant and each of `n_agents` agents. If the
/// entrants played games with a single agent only, these games count for all agents.
pub(super) fn finalists(entrants: Vec<Entrant>, n_agents: usize) -> Vec<Finalist> {
    let of_entrant = |Entrant { map, origin, results }: Entrant| {
        let chosen_by = results.into_iter().cycle().take(n_agents);
        chosen_by.map(move |chosen_by| Finalist {
            map,
            origin: origin.clone(),
            chosen_by,
            fresh: GameResults::default(),
            status: FinalistStatus::Open,
        })
    };
    entrants.into_iter().flat_map(of_entrant).collect()
}

/// Iterates over the maps. Each item holds a map's finalists, one for each of `n_agents` agents.
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

/// Iterates over the maps that are certified for every agent. Each item holds a map's finalists.
pub(super) fn certified(
    finalists: &[Finalist],
    n_agents: usize,
) -> impl Iterator<Item = &[Finalist]> {
    let of_maps = by_map(finalists, n_agents);
    of_maps.filter(|of_map| standing(of_map) == FinalistStatus::Certified)
}
