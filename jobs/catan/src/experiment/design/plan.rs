//! The games of a generation.

use hatchery_core::{Draws, Plan, Series};

use super::spec::DesignSpec;
use crate::experiment::simulation::CatanGames;
use crate::map::Map;

/// Returns the plan of `games` games on each of `maps`.
pub(super) fn plan_of(
    spec: &DesignSpec,
    maps: impl Iterator<Item = Map>,
    games: u32,
) -> Plan<CatanGames> {
    let series = maps.map(|map| Series::new(spec.game_setup(map), games)).collect();
    Plan { shared: (), series, draws: Draws::PerSubject }
}
