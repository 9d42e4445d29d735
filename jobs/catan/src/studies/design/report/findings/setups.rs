//! The first settlements on maps of a run, from setups that are played again.

use hatchery_core::{Plan, RunSeed};

use super::super::maps::MapReport;
use super::super::summary::DesignSummary;
use crate::Map;
use crate::players::Agent;
use crate::rules::Seat;
use crate::studies::design::certification::Finalist;
use crate::studies::design::plan::{plan_of, plan_of_finalists};
use crate::studies::openings::{self, CommonOpening};
use crate::trial::simulation::CatanGames;

/// The most maps whose setups are played again: the maps that the report shows as cards.
const MAX_MAPS: usize = 20;

/// The setups of a run, if its seed is known.
pub(super) struct ReplayedSetups<'a> {
    pub(super) summary: &'a DesignSummary<'a>,
    pub(super) seed: Option<&'a RunSeed>,
}

impl ReplayedSetups<'_> {
    /// Returns the common opening on a map of the start or of a step, which is a generation each.
    pub(super) fn of_map(&self, shown: &MapReport<'_>) -> Option<CommonOpening> {
        let spec = self.summary.spec;
        let batch = self.summary.maps.iter().filter(|other| other.step == shown.step);
        let plan = plan_of(spec, batch.map(|other| other.simulated.map), spec.games);
        let generation = u32::try_from(shown.step).ok()?;
        self.opening(generation, &plan, &shown.simulated.map, &[spec.agent])
    }

    /// Returns the common opening on a finalist at the first look, over all of its agents.
    pub(super) fn of_finalist(&self, finalist: &Finalist) -> Option<CommonOpening> {
        let spec = self.summary.spec;
        let certify = spec.certify.as_ref()?;
        let n_rounds = u32::try_from(certify.rounds.len()).ok()?;
        let games = self.summary.looks?.games_at(0);
        let plan = plan_of_finalists(spec, self.summary.finalists, games, |_| true);
        let generation = 1 + spec.steps + n_rounds;
        self.opening(generation, &plan, &finalist.map, spec.certified_agents())
    }

    /// Returns the common opening on `map`, one of the maps of a generation that `agents` play.
    fn opening(
        &self,
        generation: u32,
        plan: &Plan<CatanGames>,
        map: &Map,
        agents: &[Agent],
    ) -> Option<CommonOpening> {
        let seed = self.seed?.generation(generation);
        let n_games = |agent: &Agent| openings::sampled_games(&[*agent; Seat::COUNT], MAX_MAPS);
        let n_games = agents.iter().map(n_games).min()?;
        openings::common_opening(plan, &seed, map, n_games)
    }
}
