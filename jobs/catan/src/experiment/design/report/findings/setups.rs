//! The first settlements on maps of a run, from setups that are played again.

use hatchery_core::RunSeed;

use super::super::maps::MapReport;
use super::super::summary::DesignSummary;
use crate::Map;
use crate::experiment::design::certification::Finalist;
use crate::experiment::design::plan::plan_of;
use crate::experiment::openings::{self, CommonOpening};
use crate::rules::Seat;

/// The most maps whose setups are played again: those of the cards.
const MAX_MAPS: usize = 20;

/// The setups of a run, if its seed is known.
pub(super) struct ReplayedSetups<'a> {
    pub(super) summary: &'a DesignSummary<'a>,
    pub(super) seed: Option<&'a RunSeed>,
}

impl ReplayedSetups<'_> {
    /// Returns the common opening on a map of the start or of a step, which is a generation each.
    pub(super) fn of_map(&self, shown: &MapReport<'_>) -> Option<CommonOpening> {
        let batch = self.summary.maps.iter().filter(|other| other.step == shown.step);
        let maps = batch.map(|other| other.simulated.map);
        let generation = u32::try_from(shown.step).ok()?;
        self.opening(generation, maps, self.summary.spec.games, &shown.simulated.map)
    }

    /// Returns the common opening on a finalist at the first look.
    pub(super) fn of_finalist(&self, finalist: &Finalist) -> Option<CommonOpening> {
        let spec = self.summary.spec;
        let certify = spec.certify.as_ref()?;
        let n_rounds = u32::try_from(certify.rounds.len()).ok()?;
        let maps = self.summary.finalists.iter().map(|other| other.map);
        self.opening(1 + spec.steps + n_rounds, maps, certify.games_at(0), &finalist.map)
    }

    /// Returns the common opening on `map`, one of the maps of a generation.
    fn opening(
        &self,
        generation: u32,
        maps: impl Iterator<Item = Map>,
        games: u32,
        map: &Map,
    ) -> Option<CommonOpening> {
        let spec = self.summary.spec;
        let seed = self.seed?.generation(generation);
        let n_games = openings::sampled_games(&[spec.agent; Seat::COUNT], MAX_MAPS);
        openings::common_opening(&plan_of(spec, maps, games), &seed, map, n_games)
    }
}
