//! The first settlements of games, which no tally has: the setups of a few trials are played again.

use std::collections::BTreeMap;

use hatchery_core::{GenerationSeed, Plan};

use crate::board::Node;
use crate::map::Map;
use crate::players::Agent;
use crate::rules::Seat;
use crate::streams::GameStreams;
use crate::trial::game::first_settlements;
use crate::trial::simulation::CatanGames;

/// The most games of a map whose setup is played again: a setup of planners takes about a
/// millisecond, and a report shows some twenty maps.
const MAX_GAMES: usize = 10;
/// The most playouts that tree search may make in the setups, over all maps together: about a
/// second.
const MAX_PLAYOUTS: u64 = 4_000;
/// The decisions of each seat in a setup: a settlement and a road, twice.
const DECISIONS: u64 = 4;

/// The first settlements that most of the sampled games on a map have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CommonOpening {
    /// The settlements by seat.
    pub(super) settlements: Vec<(Seat, Node)>,
    /// The number of sampled games that have exactly these settlements.
    pub(super) n_same: usize,
    /// The number of sampled games.
    pub(super) n_games: usize,
}

/// Returns the number of games whose setups are played again on each of `n_maps` maps; 0 if the
/// agents take too long for that.
pub(super) fn sampled_games(agents: &[Agent], n_maps: usize) -> usize {
    let playouts = agents.iter().map(|agent| match agent {
        Agent::Mcts(search) => u64::from(search.playouts),
        Agent::Random | Agent::Weighted | Agent::Value | Agent::Planner(_) => 0,
    });
    // The seats decide equally often.
    let playouts = DECISIONS * playouts.sum::<u64>();
    let affordable = MAX_PLAYOUTS.checked_div(playouts * n_maps as u64);
    affordable.map_or(MAX_GAMES, |n| usize::try_from(n).unwrap_or(MAX_GAMES).min(MAX_GAMES))
}

/// Returns the first settlements that are most frequent in the first `n_games` games of `plan` on
/// `map`; `None` without games. Among equally frequent settlements, the earliest are returned.
/// Seatings take turns: the first game of every seating comes before the second game of any
/// seating.
pub(super) fn common_opening(
    plan: &Plan<CatanGames>,
    seed: &GenerationSeed,
    map: &Map,
    n_games: usize,
) -> Option<CommonOpening> {
    let series = || (0..).zip(&plan.series).filter(|(_, series)| series.subject.map == *map);
    let most_trials = series().map(|(_, series)| series.n_trials).max()?;
    let trials = (0..most_trials).flat_map(|trial| {
        let played = series().filter(move |(_, series)| trial < series.n_trials);
        played.map(move |(subject, series)| (subject, trial, series))
    });
    let mut counts: BTreeMap<Vec<(Seat, Node)>, (usize, usize)> = BTreeMap::new();
    let mut n_sampled = 0;
    for (subject, trial, series) in trials.take(n_games) {
        let mut streams = GameStreams::new(seed.trial(plan.draws, subject, trial));
        let (island, mut players) = (series.subject.island(), series.subject.players());
        let mut settlements = first_settlements(&island, &mut players, &mut streams);
        // The order of a seat's two settlements does not change the board.
        settlements.sort_unstable();
        counts.entry(settlements).or_insert((0, n_sampled)).0 += 1;
        n_sampled += 1;
    }
    let by_count = |(_, (n, first)): &(Vec<_>, (usize, usize))| (*n, std::cmp::Reverse(*first));
    let (settlements, (n_same, _)) = counts.into_iter().max_by_key(by_count)?;
    Some(CommonOpening { settlements, n_same, n_games: n_sampled })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::players::MctsParams;

    #[test]
    fn slow_agents_are_sampled_less() {
        let search = |playouts| Agent::Mcts(MctsParams { playouts, ..MctsParams::default() });
        assert_eq!(sampled_games(&[Agent::Random; 4], 20), MAX_GAMES);
        assert_eq!(sampled_games(&[search(1); 4], 20), MAX_GAMES);
        assert_eq!(sampled_games(&[search(50); 4], 2), 2);
        assert_eq!(sampled_games(&[search(1_000); 4], 20), 0);
    }
}
