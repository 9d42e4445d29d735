//! The summary of a state, computed once for measures and exhibits.

use hatchery_core::IntervalEstimate;
use hatchery_stats::{FairnessVerdict, wilson_interval};

use super::spec::CheckedBalance;
use super::state::{BalanceCandidate, BalanceState};
use super::variation::MapVariation;
use crate::params::method::LookSchedule;
use crate::trial::results::GameResults;
use crate::trial::seat_balance::{MapComparison, SeatBalance, compare_maps};

/// The summary of a state.
#[derive(Debug)]
pub(super) struct BalanceSummary<'a> {
    pub(super) checked: &'a CheckedBalance,
    pub(super) state: &'a BalanceState,
    /// The maps, best first: fair maps, undecided maps, unfair maps, and maps that were only
    /// screened. Within each of these groups, the more even maps come first.
    pub(super) maps: Vec<MapSummary<'a>>,
    /// Maps of the same origin together, in the order of the spec.
    pub(super) groups: Vec<MapGroup>,
    /// All maps together.
    pub(super) all: MapGroup,
}

/// The summary of a map.
#[derive(Debug)]
pub(super) struct MapSummary<'a> {
    pub(super) candidate: &'a BalanceCandidate,
    pub(super) results: &'a GameResults,
    pub(super) stage: MapStage,
    /// The statistics; none without decided games.
    pub(super) statistics: Option<MapStatistics>,
}

/// The fewest maps drawn at random that show that agents cannot tell maps apart.
const MIN_ALIKE: usize = 20;

/// The largest standard deviation of a seat's true win rate from map to map, as a share, of agents
/// that cannot tell maps apart. That of planners is 0.02 to 0.03 even with much opening slack.
const MOST_SD_ALIKE: f64 = 0.005;

/// Maps that the agents cannot tell apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct AlikeMaps {
    pub(super) n_maps: usize,
    /// The upper bound of the standard deviation of a seat's true win rate from map to map, as a
    /// share: the largest of the seats.
    pub(super) most_sd: f64,
}

/// The statistics of a map's decided games.
#[derive(Clone, Copy, Debug)]
pub(super) struct MapStatistics {
    /// The balance, with the bounds of sigma that the verdict goes by, if there is one.
    pub(super) balance: SeatBalance,
    pub(super) among: MapComparison,
}

/// The stage that a map has reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MapStage {
    /// The map is or was compared with other candidates; it has no verdict.
    Screened,
    /// The map is or was judged.
    Judged(FairnessVerdict),
}

/// The summary of several maps together.
#[derive(Clone, Debug)]
pub(super) struct MapGroup {
    pub(super) name: String,
    pub(super) n_maps: usize,
    pub(super) results: GameResults,
    pub(super) balance: Option<SeatBalance>,
}

impl<'a> BalanceSummary<'a> {
    pub(super) fn new(checked: &'a CheckedBalance, state: &'a BalanceState) -> Self {
        let look_schedule = &checked.look_schedule;
        let candidates = &state.candidates;
        let results: Vec<GameResults> =
            candidates.iter().map(|candidate| *candidate.shown_results()).collect();
        let among = compare_maps(&results, look_schedule.n_seats(), look_schedule.margin());
        let maps = candidates.iter().zip(among);
        let mut maps: Vec<_> =
            maps.map(|(map, among)| MapSummary::new(map, among, look_schedule)).collect();
        // The sort is stable: equals stay in the order of the spec.
        maps.sort_by(|a, b| {
            let by_stage = a.stage.rank().cmp(&b.stage.rank());
            by_stage.then(a.unevenness().total_cmp(&b.unevenness()))
        });
        let mut groups: Vec<MapGroup> = Vec::new();
        for candidate in candidates {
            if groups.last().is_none_or(|group| group.name != candidate.group) {
                let members = candidates.iter().filter(|other| other.group == candidate.group);
                groups.push(MapGroup::new(&candidate.group, members, look_schedule));
            }
        }
        let all = MapGroup::new("all maps", candidates.iter(), look_schedule);
        Self { checked, state, maps, groups, all }
    }

    /// Returns the number of maps with this verdict.
    pub(super) fn n_judged(&self, verdict: FairnessVerdict) -> usize {
        self.maps.iter().filter(|map| map.stage == MapStage::Judged(verdict)).count()
    }

    /// Returns the differences between the maps. None if there are few maps, or if some were only
    /// screened: these have fewer games, and are not the most even ones.
    pub(super) fn variation(&self) -> Option<MapVariation> {
        if self.maps.iter().any(|map| map.stage == MapStage::Screened) {
            return None;
        }
        let maps = self.maps_with_statistics();
        let maps = maps.map(|(map, it)| (map.results, it.balance.spread.sigma.mean));
        let look_schedule = &self.checked.look_schedule;
        MapVariation::of(maps, look_schedule.n_seats(), look_schedule.error_rate())
    }

    /// Returns the number of maps that were drawn at random and how much the seats' true win rates
    /// vary between these maps. Returns `None` if there are few such maps or the rates vary much.
    pub(super) fn alike_maps(&self) -> Option<AlikeMaps> {
        let drawn = self.state.candidates.get(self.checked.spec.maps.len()..)?;
        let drawn = drawn.iter().map(|candidate| (candidate.shown_results(), 0.0));
        let look_schedule = &self.checked.look_schedule;
        let MapVariation { n_maps, seats, .. } =
            MapVariation::of(drawn, look_schedule.n_seats(), look_schedule.error_rate())?;
        let most_sd = seats.iter().map(|seat| seat.sd.high).fold(0.0, f64::max);
        let are_alike = MIN_ALIKE <= n_maps && most_sd <= MOST_SD_ALIKE;
        are_alike.then_some(AlikeMaps { n_maps, most_sd })
    }

    /// Returns the agents' win rates in all games, screening games included. Equal agents share a
    /// rate. A rate comes with the index of the agent's first place in the pool; an agent with
    /// several places wins at every place. The list is empty if all agents are equal.
    pub(super) fn agent_wins(&self) -> Vec<(usize, IntervalEstimate)> {
        let agents = &self.checked.spec.pool.agents;
        let firsts = (0..agents.len()).filter(|&idx| !agents[..idx].contains(&agents[idx]));
        let wins = self.state.wins_of_agents;
        let decided = wins.iter().sum();
        let error_rate = self.checked.look_schedule.error_rate();
        let rate = |idx: usize| Some((idx, wilson_interval(wins[idx], decided, error_rate).ok()?));
        let rates: Vec<_> = firsts.filter_map(rate).collect();
        if rates.len() < 2 { Vec::new() } else { rates }
    }

    /// Returns the most even map among the judged maps, or among all maps if no map is judged.
    pub(super) fn most_even(&self) -> Option<(&MapSummary<'a>, MapStatistics)> {
        let by_unevenness = |a: &(&MapSummary<'a>, _), b: &(&MapSummary<'a>, _)| {
            a.0.unevenness().total_cmp(&b.0.unevenness())
        };
        let all = || self.maps_with_statistics();
        let judged = all().filter(|(map, _)| map.stage != MapStage::Screened);
        judged.min_by(by_unevenness).or_else(|| all().min_by(by_unevenness))
    }

    /// Returns the maps with decided games, and their statistics.
    pub(super) fn maps_with_statistics(
        &self,
    ) -> impl Iterator<Item = (&MapSummary<'a>, MapStatistics)> {
        self.maps.iter().filter_map(|map| Some((map, map.statistics?)))
    }
}

impl<'a> MapSummary<'a> {
    fn new(
        candidate: &'a BalanceCandidate,
        among: Option<MapComparison>,
        look_schedule: &LookSchedule,
    ) -> Self {
        let results = candidate.shown_results();
        let stage = candidate.verdict(look_schedule).map_or(MapStage::Screened, MapStage::Judged);
        let balance = match stage {
            MapStage::Screened => {
                SeatBalance::of(look_schedule.wins(results), look_schedule.error_rate())
            }
            MapStage::Judged(_) => look_schedule.balance(results),
        };
        let statistics = balance.zip(among);
        let statistics = statistics.map(|(balance, among)| MapStatistics { balance, among });
        Self { candidate, results, stage, statistics }
    }

    /// Returns the debiased variance of the rates, which allows for different numbers of games.
    fn unevenness(&self) -> f64 {
        self.statistics
            .map_or(f64::INFINITY, |statistics| statistics.balance.spread.debiased_variance)
    }
}

impl MapStage {
    fn rank(self) -> u8 {
        match self {
            Self::Judged(FairnessVerdict::Fair) => 0,
            Self::Judged(FairnessVerdict::Undecided) => 1,
            Self::Judged(FairnessVerdict::Unfair) => 2,
            Self::Screened => 3,
        }
    }

    /// Returns the verdict as a word.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Screened => "screened",
            Self::Judged(FairnessVerdict::Fair) => "fair",
            Self::Judged(FairnessVerdict::Unfair) => "unfair",
            Self::Judged(FairnessVerdict::Undecided) => "undecided",
        }
    }
}

impl MapGroup {
    fn new<'a>(
        name: &str,
        members: impl Iterator<Item = &'a BalanceCandidate> + Clone,
        look_schedule: &LookSchedule,
    ) -> Self {
        let results = GameResults::together(members.clone().map(BalanceCandidate::shown_results));
        let balance = SeatBalance::of(look_schedule.wins(&results), look_schedule.error_rate());
        Self { name: name.to_owned(), n_maps: members.count(), results, balance }
    }
}

#[cfg(test)]
mod tests {
    use hatchery_core::spec::SpecDocument;

    use super::*;
    use crate::map::Map;
    use crate::params::maps::NamedMap;
    use crate::studies::balance::spec::BalanceSpec;

    /// Returns the maps that agents cannot tell apart, if the wins of the seats on each of 40 maps
    /// drawn at random alternate between these two.
    fn alike_maps(wins: [[u64; 4]; 2]) -> Option<AlikeMaps> {
        let text = "experiment = 'catan-balance'\nseed = 1\n[params]\n\
                    random = [{ policy = 'free', count = 40 }]\n\
                    pool = { agent = { kind = 'planner' } }\n";
        let document = SpecDocument::parse("test", text.as_bytes()).unwrap();
        let schema = schemars::schema_for!(BalanceSpec).to_value();
        let spec: BalanceSpec = document.params(&schema).unwrap();
        let candidate = |(idx, wins): (usize, [u64; 4])| {
            let (name, group) = (format!("free-{idx}"), "free".to_owned());
            let mut candidate = BalanceCandidate::new(NamedMap { name, group, map: Map::RULEBOOK });
            candidate.judged =
                GameResults { games: wins.iter().sum(), wins, ..GameResults::default() };
            candidate.looks = 1;
            candidate
        };
        let candidates = wins.repeat(20).into_iter().enumerate().map(candidate).collect();
        let state = BalanceState { candidates, rounds: 0, wins_of_agents: [0; 4], trials: None };
        BalanceSummary::new(&spec.checked().unwrap(), &state).alike_maps()
    }

    #[test]
    fn agents_that_find_all_maps_even_tell_none_apart() {
        let alike = alike_maps([[5_020, 4_990, 5_000, 4_990], [4_980, 5_010, 5_000, 5_010]]);
        assert_eq!(alike.unwrap().n_maps, 40);
        assert!(alike_maps([[5_400, 4_900, 4_900, 4_800], [4_600, 5_100, 5_100, 5_200]]).is_none());
    }

    #[test]
    fn few_games_show_nothing() {
        assert!(alike_maps([[7, 5, 4, 4], [3, 5, 6, 6]]).is_none());
    }
}
