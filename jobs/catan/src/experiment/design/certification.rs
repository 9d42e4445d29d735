//! Balanced maps found and certified: candidates compete round by round, and those that are left
//! are confirmed by fresh games.

use std::collections::BTreeMap;

use hatchery_stats::FairnessVerdict;
use serde::{Deserialize, Serialize};

use super::breeding::founder;
use super::history::{Origin, Simulated};
use crate::Map;
use crate::balance::among_many;
use crate::experiment::method::Course;
use crate::results::Results;

/// A map that is confirmed by fresh games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Finalist {
    pub(super) map: Map,
    pub(super) origin: Origin,
    /// The games by which it was chosen: they flatter it.
    pub(super) chosen_by: Results,
    /// The fresh games.
    pub(super) fresh: Results,
    pub(super) standing: Standing,
}

/// What fresh games say of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Standing {
    /// Nothing yet.
    Open,
    /// That it is balanced.
    Certified,
    /// That it is not.
    Refuted,
    /// That it would hardly be certified after all games.
    GivenUp,
}

impl From<Simulated> for Finalist {
    /// A map that has no fresh games yet.
    fn from(Simulated { map, origin, results }: Simulated) -> Self {
        let fresh = Results::default();
        Self { map, origin, chosen_by: results, fresh, standing: Standing::Open }
    }
}

impl Standing {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Open => "undecided",
            Self::Certified => "certified",
            Self::Refuted => "refuted",
            Self::GivenUp => "given up",
        }
    }
}

/// The maps, the best first, by what their games and those of all others say (the posterior's
/// expected spread: of few games little is believed). Of equal ones, the earlier.
pub(super) fn ranked(maps: Vec<Simulated>) -> Vec<Simulated> {
    let results: Vec<Results> = maps.iter().map(|map| map.results).collect();
    // The expected spread is the same for all margins.
    let sigmas = among_many(&results, 0.0);
    // A map without decided games comes last.
    let sigmas = sigmas
        .into_iter()
        .map(|among| among?.shrunk)
        .map(|shrunk| shrunk.map_or(1.0, |shrunk| shrunk.sigma));
    let mut ranked: Vec<(f64, Simulated)> = sigmas.zip(maps).collect();
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
    ranked.into_iter().map(|(_, map)| map).collect()
}

/// The first `n` of `ranked` maps, with at most so many `relatives` of each family; fewer if there
/// are not so many families.
pub(super) fn best_of(ranked: Vec<Simulated>, n: u32, relatives: Option<u32>) -> Vec<Simulated> {
    let mut families: BTreeMap<Map, u32> = BTreeMap::new();
    let has_room = |map: &Simulated| {
        let size = families.entry(founder(map)).or_default();
        *size += 1;
        relatives.is_none_or(|most| *size <= most)
    };
    ranked.into_iter().filter(has_room).take(n as usize).collect()
}

/// What look number `look` at the finalists says, after their fresh games were added. Those whose
/// prospect is below `futility` are given up, unless nothing is saved by it.
pub(super) fn judge(course: &Course, futility: f64, finalists: &mut [Finalist], look: usize) {
    for finalist in finalists.iter_mut().filter(|finalist| finalist.standing == Standing::Open) {
        let wins = &finalist.fresh.wins;
        finalist.standing = match course.verdict(look, wins) {
            FairnessVerdict::Fair => Standing::Certified,
            FairnessVerdict::Unfair => Standing::Refuted,
            FairnessVerdict::Undecided if course.is_last(look) => Standing::Open,
            FairnessVerdict::Undecided if course.prospect(look, wins) < futility => {
                Standing::GivenUp
            }
            FairnessVerdict::Undecided => Standing::Open,
        };
    }
}

/// How many are certified.
pub(super) fn certified(finalists: &[Finalist]) -> u32 {
    let certified = finalists.iter().filter(|one| one.standing == Standing::Certified).count();
    u32::try_from(certified).unwrap_or(u32::MAX)
}
