//! What is remembered between generations, and what comes next.

use hatchery_stats::FairnessVerdict;
use hatchery_stats::spread::spread;
use hatchery_stats::{OutcomeCounts, error::ErrorRate};
use serde::{Deserialize, Serialize};

use super::spec::{Round, Spec};
use crate::experiment::maps::NamedMap;
use crate::experiment::method::Course;
use crate::map::Map;
use crate::players::AgentPool;
use crate::results::Results;
use crate::rules::Seat;

/// All maps with their results so far.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// The maps, in the order of the spec.
    pub candidates: Vec<Candidate>,
    /// Rounds of screening that were played.
    pub rounds: u32,
    /// Games that each agent of the pool won, all maps and both stages together; equal agents'
    /// games are those of the first of them.
    pub wins_of_agents: [u64; Seat::COUNT],
}

/// A map with its results so far.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// Its name: unique, of letters, digits, `-`, `_` and `.`.
    pub name: String,
    /// What maps of the same origin are together: its own name, or the policy it was drawn by.
    pub group: String,
    /// The map.
    pub map: Map,
    /// The games by which it was compared with other candidates.
    pub screened: Results,
    /// Rounds of screening that it survived.
    pub survived: u32,
    /// The games by which it is judged: none of them are those of screening.
    pub judged: Results,
    /// Looks that it was judged at.
    pub looks: u32,
}

/// Games of a map with one seating of the agents: a series of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sitting {
    /// Place of the map in [`State::candidates`].
    pub(super) candidate: usize,
    /// Which agent of the pool has each seat.
    pub(super) seating: [usize; Seat::COUNT],
    /// How many games, at least 1.
    pub(super) games: u32,
}

impl Candidate {
    pub(super) fn new(NamedMap { name, group, map }: NamedMap) -> Self {
        let (screened, judged) = (Results::default(), Results::default());
        Self { name, group, map, screened, survived: 0, judged, looks: 0 }
    }

    /// What is shown of the map: the games by which it is judged, or while there are none, those
    /// by which it was screened.
    pub(super) fn shown(&self) -> &Results {
        if self.looks == 0 { &self.screened } else { &self.judged }
    }

    /// The verdict at the last look; none before the first.
    pub(super) fn verdict(&self, course: &Course) -> Option<FairnessVerdict> {
        let look = self.looks.checked_sub(1)?;
        Some(course.verdict(look as usize, &self.judged.wins))
    }

    /// How uneven the screened games are: the larger, the worse.
    fn unevenness(&self) -> f64 {
        // The debiased variance allows for games that were stopped undecided.
        let counts = OutcomeCounts::new(&self.screened.wins);
        counts.map_or(f64::INFINITY, |counts| {
            spread(counts, ErrorRate::FIVE_PERCENT).debiased_variance
        })
    }
}

impl State {
    /// The series of the next generation.
    pub(super) fn sittings(&self, spec: &Spec, course: &Course, rounds: &[Round]) -> Vec<Sitting> {
        let seatings = seatings(&spec.pool);
        let mut sittings = Vec::new();
        for (idx, candidate) in self.candidates.iter().enumerate() {
            let Some((from, to)) = self.next_games(candidate, course, rounds) else { continue };
            for (seating, numbers) in &seatings {
                let games: u64 = numbers.iter().map(|&number| with_number(number, from, to)).sum();
                if let Ok(games @ 1..) = u32::try_from(games) {
                    sittings.push(Sitting { candidate: idx, seating: *seating, games });
                }
            }
        }
        sittings
    }

    /// The games of `candidate` in the next generation: those after the first number and up to the
    /// second; none if it is not played any more.
    fn next_games(
        &self,
        candidate: &Candidate,
        course: &Course,
        rounds: &[Round],
    ) -> Option<(u64, u64)> {
        if candidate.survived < self.rounds {
            return None;
        }
        if let Some(round) = rounds.get(self.rounds as usize) {
            let from = candidate.screened.games;
            return Some((from, from + u64::from(round.games)));
        }
        if candidate.verdict(course).is_some_and(|verdict| verdict != FairnessVerdict::Undecided) {
            return None;
        }
        let to = *course.looks().get(candidate.looks as usize)?;
        Some((candidate.judged.games, to))
    }

    /// The state after a generation of `sittings` that came to `tallies`.
    pub(super) fn after(
        mut self,
        sittings: &[Sitting],
        tallies: &[Results],
        rounds: &[Round],
    ) -> Self {
        let round = rounds.get(self.rounds as usize);
        let mut played = Vec::new();
        for (sitting, tally) in sittings.iter().zip(tallies) {
            let candidate = &mut self.candidates[sitting.candidate];
            let stage =
                if round.is_some() { &mut candidate.screened } else { &mut candidate.judged };
            stage.absorb(tally);
            if played.last() != Some(&sitting.candidate) {
                played.push(sitting.candidate);
            }
            for (agent, wins) in sitting.seating.iter().zip(tally.wins) {
                self.wins_of_agents[*agent] += wins;
            }
        }
        match round {
            Some(round) => self.keep_most_even(played, round.stay),
            None => played.iter().for_each(|&idx| self.candidates[idx].looks += 1),
        }
        self
    }

    fn keep_most_even(&mut self, mut played: Vec<usize>, stay: usize) {
        played.sort_by(|&a, &b| {
            let [first, second] = [a, b].map(|idx| self.candidates[idx].unevenness());
            first.total_cmp(&second).then(a.cmp(&b))
        });
        self.rounds += 1;
        played.iter().take(stay).for_each(|&idx| self.candidates[idx].survived += 1);
    }
}

/// The different ways in which agents sit, each with the numbers of its games modulo
/// [`AgentPool::ORDERS`]. Equal agents count as the first of them: who of them sits where is no
/// difference.
fn seatings(pool: &AgentPool) -> Vec<([usize; Seat::COUNT], Vec<u64>)> {
    let first_equal = |agent: usize| {
        let equal = pool.agents.iter().position(|other| *other == pool.agents[agent]);
        equal.unwrap_or(agent)
    };
    let mut seatings: Vec<([usize; Seat::COUNT], Vec<u64>)> = Vec::new();
    for number in 0..AgentPool::ORDERS {
        let seating = pool.order(number).map(first_equal);
        match seatings.iter_mut().find(|known| known.0 == seating) {
            Some((_, numbers)) => numbers.push(number),
            None => seatings.push((seating, vec![number])),
        }
    }
    seatings
}

/// How many of the games from number `from` to before `to` are `number` modulo [`AgentPool::ORDERS`].
fn with_number(number: u64, from: u64, to: u64) -> u64 {
    let until = |end: u64| (end + AgentPool::ORDERS - 1 - number) / AgentPool::ORDERS;
    until(to) - until(from)
}
