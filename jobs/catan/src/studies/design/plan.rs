//! The games of a generation.

use hatchery_core::{Draws, Plan, Series};

use super::certification::{Finalist, FinalistStatus};
use super::history::SimulatedMap;
use super::spec::DesignSpec;
use crate::map::Map;
use crate::players::Agent;
use crate::trial::results::TallyDetail;
use crate::trial::simulation::CatanGames;

/// Returns the plan of `games` games of the spec's agent on each of `maps`.
pub(super) fn plan_of(
    spec: &DesignSpec,
    maps: impl Iterator<Item = Map>,
    games: u32,
) -> Plan<CatanGames> {
    plan_with(spec, maps.map(|map| (map, spec.agent)), games)
}

/// Returns the plan of `games` more games for each entrant with each agent of the rounds.
pub(super) fn plan_of_entrants(
    spec: &DesignSpec,
    entrants: &[SimulatedMap],
    games: u32,
) -> Plan<CatanGames> {
    let agents = spec.round_agents().iter().cycle();
    let played = entrants.iter().zip(agents).map(|(entrant, agent)| (entrant.map, *agent));
    plan_with(spec, played, games)
}

/// Returns the plan of `games` fresh games for each finalist that `plays`, with the finalist's
/// agent.
pub(super) fn plan_of_finalists(
    spec: &DesignSpec,
    finalists: &[Finalist],
    games: u32,
    plays: impl Fn(FinalistStatus) -> bool,
) -> Plan<CatanGames> {
    let finalists = finalists.iter().zip(spec.certified_agents().iter().cycle());
    let playing = finalists.filter(|(finalist, _)| plays(finalist.status));
    plan_with(spec, playing.map(|(finalist, agent)| (finalist.map, *agent)), games)
}

/// Returns the plan of `games` games on each map with four copies of its agent.
fn plan_with(
    spec: &DesignSpec,
    played: impl Iterator<Item = (Map, Agent)>,
    games: u32,
) -> Plan<CatanGames> {
    let series = played.map(|(map, agent)| Series::new(spec.game_setup(map, agent), games));
    Plan { shared: TallyDetail::Sums, series: series.collect(), draws: Draws::PerSubject }
}
