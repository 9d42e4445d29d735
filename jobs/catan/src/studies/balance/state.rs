//! The state between generations, its encoding, and the series that come next.

use std::fmt;

use hatchery_stats::error::ErrorRate;
use hatchery_stats::spread::spread;
use hatchery_stats::{FairnessVerdict, OutcomeCounts};
use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::spec::CheckedBalance;
use crate::map::Map;
use crate::params::maps::NamedMap;
use crate::params::method::LookSchedule;
use crate::players::AgentPool;
use crate::rules::{BySeat, Seat};
use crate::trial::results::{GameOutcome, GameResults, GameTally};

/// All maps with their results so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BalanceState {
    /// The maps, in the order of the spec.
    pub candidates: Vec<BalanceCandidate>,
    /// The number of rounds of screening that were played.
    pub rounds: u32,
    /// The games that each agent of the pool won, over all maps and both stages. If several agents
    /// are equal, the first such agent counts the games that any equal agent won.
    pub wins_of_agents: [u64; Seat::COUNT],
    /// The outcomes of the games, series by series in the order of the generations; `None` if the
    /// run keeps sums only.
    pub trials: Option<Vec<KeptSeries>>,
}

/// A map with its results so far.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BalanceCandidate {
    /// The name of the map, which is unique: letters, digits, `-`, `_` and `.`.
    pub name: String,
    /// The group of maps of the same origin: the map's own name, or the policy that it was drawn
    /// from.
    pub group: String,
    /// The map.
    pub map: Map,
    /// The screening games, which compare the map with other candidates.
    pub screened: GameResults,
    /// The number of rounds of screening that the map survived.
    pub survived: u32,
    /// The games that judge the map. Screening games never judge a map.
    pub judged: GameResults,
    /// The number of looks at which the map was judged.
    pub looks: u32,
}

/// The outcomes of the games of a series: one map with one seating of the agents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptSeries {
    /// The generation that played the series.
    pub generation: u32,
    /// The index of the series in the plan of its generation.
    pub subject: u32,
    /// The index of the map in [`BalanceState::candidates`].
    pub candidate: usize,
    /// The outcomes in the order of the trials.
    pub outcomes: Vec<GameOutcome>,
}

/// Games of a map with one seating of the agents: a series of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SeatedSeries {
    /// The index of the map in [`BalanceState::candidates`].
    pub(super) candidate: usize,
    /// The index of the agent on each seat.
    pub(super) seating: BySeat<usize>,
    /// The number of games, at least 1.
    pub(super) games: u32,
}

impl BalanceCandidate {
    pub(super) fn new(NamedMap { name, group, map }: NamedMap) -> Self {
        let (screened, judged) = (GameResults::default(), GameResults::default());
        Self { name, group, map, screened, survived: 0, judged, looks: 0 }
    }

    /// Returns the results to show: the games that judge the map, or the screening games if no look
    /// has judged the map yet.
    pub(super) fn shown_results(&self) -> &GameResults {
        if self.looks == 0 { &self.screened } else { &self.judged }
    }

    /// Returns the verdict at the last look; none before the first.
    pub(super) fn verdict(&self, look_schedule: &LookSchedule) -> Option<FairnessVerdict> {
        let look = self.looks.checked_sub(1)?;
        Some(look_schedule.verdict(look as usize, look_schedule.wins(&self.judged)))
    }

    /// Returns the unevenness of the screened games: larger is worse.
    fn unevenness(&self, look_schedule: &LookSchedule) -> f64 {
        // The debiased variance allows for games that were stopped undecided.
        let counts = OutcomeCounts::new(look_schedule.wins(&self.screened));
        counts.map_or(f64::INFINITY, |counts| {
            spread(counts, ErrorRate::FIVE_PERCENT).debiased_variance
        })
    }
}

impl BalanceState {
    /// Returns the state of the same maps before generation 0.
    pub(super) fn begun(&self) -> Self {
        let new = |candidate: &BalanceCandidate| {
            let BalanceCandidate { name, group, map, .. } = candidate;
            BalanceCandidate::new(NamedMap { name: name.clone(), group: group.clone(), map: *map })
        };
        let candidates = self.candidates.iter().map(new).collect();
        let trials = self.trials.as_ref().map(|_| Vec::new());
        Self { candidates, rounds: 0, wins_of_agents: [0; Seat::COUNT], trials }
    }

    /// Returns the series of the next generation.
    pub(super) fn seated_series(&self, checked: &CheckedBalance) -> Vec<SeatedSeries> {
        let (seatings, n_orders) = (seatings(&checked.spec.pool), checked.spec.pool.n_orders());
        let mut seated_series = Vec::new();
        for (idx, candidate) in self.candidates.iter().enumerate() {
            let Some((from, to)) = self.next_games(candidate, checked) else {
                continue;
            };
            for (seating, numbers) in &seatings {
                let games = numbers.iter().map(|&number| with_number(number, n_orders, from, to));
                let games: u64 = games.sum();
                if let Ok(games @ 1..) = u32::try_from(games) {
                    seated_series.push(SeatedSeries { candidate: idx, seating: *seating, games });
                }
            }
        }
        seated_series
    }

    /// Returns the games of `candidate` in the next generation: those after the first number and up
    /// to the second; none if it is no longer played.
    fn next_games(
        &self,
        candidate: &BalanceCandidate,
        checked: &CheckedBalance,
    ) -> Option<(u64, u64)> {
        let CheckedBalance { look_schedule, rounds, .. } = checked;
        if candidate.survived < self.rounds {
            return None;
        }
        if let Some(round) = rounds.get(self.rounds as usize) {
            let from = candidate.screened.games;
            return Some((from, from + u64::from(round.games)));
        }
        if candidate
            .verdict(look_schedule)
            .is_some_and(|verdict| verdict != FairnessVerdict::Undecided)
        {
            return None;
        }
        let to = *look_schedule.looks().get(candidate.looks as usize)?;
        Some((candidate.judged.games, to))
    }

    /// Returns the state after a generation of `seated_series` with the results `tallies`.
    pub(super) fn after(
        mut self,
        seated_series: &[SeatedSeries],
        tallies: &[GameTally],
        checked: &CheckedBalance,
    ) -> Self {
        let round = checked.rounds.get(self.rounds as usize);
        let mut played = Vec::new();
        for ((series, subject), tally) in seated_series.iter().zip(0..).zip(tallies) {
            let GameTally { results, outcomes } = tally;
            let candidate = &mut self.candidates[series.candidate];
            let stage =
                if round.is_some() { &mut candidate.screened } else { &mut candidate.judged };
            stage.absorb(results);
            if let Some(trials) = &mut self.trials {
                // Each round and each look is a generation, and no map that is played missed one.
                let generation = self.rounds + candidate.looks;
                let (candidate, outcomes) = (series.candidate, outcomes.clone());
                trials.push(KeptSeries { generation, subject, candidate, outcomes });
            }
            if played.last() != Some(&series.candidate) {
                played.push(series.candidate);
            }
            for (agent, wins) in series.seating.iter().zip(results.wins) {
                self.wins_of_agents[*agent] += wins;
            }
        }
        match round {
            Some(round) => self.keep_most_even(played, round.stay, &checked.look_schedule),
            None => played.iter().for_each(|&idx| self.candidates[idx].looks += 1),
        }
        self
    }

    fn keep_most_even(
        &mut self,
        mut played: Vec<usize>,
        stay: usize,
        look_schedule: &LookSchedule,
    ) {
        played.sort_by(|&a, &b| {
            let [first, second] = [a, b].map(|idx| self.candidates[idx].unevenness(look_schedule));
            first.total_cmp(&second).then(a.cmp(&b))
        });
        self.rounds += 1;
        played.iter().take(stay).for_each(|&idx| self.candidates[idx].survived += 1);
    }
}

/// Returns the different seatings of the agents, each with the numbers of its games modulo
/// [`AgentPool::n_orders`]. If several agents are equal, every such agent counts as the first such
/// agent, because exchanging equal agents makes no difference.
fn seatings(pool: &AgentPool) -> Vec<(BySeat<usize>, Vec<u64>)> {
    let first_equal = |agent: usize| {
        let equal = pool.agents.iter().position(|other| *other == pool.agents[agent]);
        equal.unwrap_or(agent)
    };
    let mut seatings: Vec<(BySeat<usize>, Vec<u64>)> = Vec::new();
    for number in 0..pool.n_orders() {
        let seating = pool.order(number).map(first_equal);
        match seatings.iter_mut().find(|known| known.0 == seating) {
            Some((_, numbers)) => numbers.push(number),
            None => seatings.push((seating, vec![number])),
        }
    }
    seatings
}

/// Returns how many game numbers in `from..to` equal `number` modulo `n_orders`.
fn with_number(number: u64, n_orders: u64, from: u64, to: u64) -> u64 {
    let until = |end: u64| (end + n_orders - 1 - number) / n_orders;
    until(to) - until(from)
}

/// The bit of the number of rounds that says that trials follow; no run has so many rounds.
const HAS_TRIALS: u32 = 1 << 31;

/// A state without trials is encoded as before states could have trials, without a further byte,
/// because the digest of a run covers its states.
impl Serialize for BalanceState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { candidates, rounds, wins_of_agents, trials } = self;
        match trials {
            None => (candidates, rounds, wins_of_agents).serialize(serializer),
            Some(trials) => {
                (candidates, rounds | HAS_TRIALS, wins_of_agents, trials).serialize(serializer)
            }
        }
    }
}

impl<'de> Deserialize<'de> for BalanceState {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_tuple(4, StateVisitor)
    }
}

/// The reader of a state.
struct StateVisitor;

impl<'de> Visitor<'de> for StateVisitor {
    type Value = BalanceState;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the state of a run of catan-balance")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut fields: A) -> Result<BalanceState, A::Error> {
        let candidates = field(&mut fields, 0)?;
        let rounds: u32 = field(&mut fields, 1)?;
        let wins_of_agents = field(&mut fields, 2)?;
        let has_trials = rounds & HAS_TRIALS != 0;
        let trials = has_trials.then(|| field(&mut fields, 3)).transpose()?;
        Ok(BalanceState { candidates, rounds: rounds & !HAS_TRIALS, wins_of_agents, trials })
    }
}

fn field<'de, A: SeqAccess<'de>, T: Deserialize<'de>>(
    fields: &mut A,
    idx: usize,
) -> Result<T, A::Error> {
    fields.next_element()?.ok_or_else(|| de::Error::invalid_length(idx, &StateVisitor))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::studies::balance::KeptSeries;
    use crate::trial::results::GameOutcome;

    #[test]
    fn states_without_trials_end_after_the_wins() {
        let sums = BalanceState {
            candidates: Vec::new(),
            rounds: 3,
            wins_of_agents: [1, 2, 3, 4],
            trials: None,
        };
        let bytes = postcard::to_allocvec(&sums).unwrap();
        assert_eq!(bytes, [0, 3, 1, 2, 3, 4]);
        assert_eq!(postcard::from_bytes::<BalanceState>(&bytes), Ok(sums.clone()));
        let outcomes = vec![GameOutcome { winner: None, turns: 7 }];
        let kept = KeptSeries { generation: 0, subject: 1, candidate: 0, outcomes };
        for trials in [Vec::new(), vec![kept]] {
            let state = BalanceState { trials: Some(trials), ..sums.clone() };
            let bytes = postcard::to_allocvec(&state).unwrap();
            assert_eq!(postcard::from_bytes::<BalanceState>(&bytes), Ok(state));
            for n_bytes in 0..bytes.len() {
                assert!(postcard::from_bytes::<BalanceState>(&bytes[..n_bytes]).is_err());
            }
        }
    }
}
