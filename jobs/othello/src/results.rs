//! The results of games between two agents, as the first agent sees them.

mod check;

use hatchery_core::{Tally, WireValue};
use hatchery_stats::PairResult;
use serde::{Deserialize, Serialize};

use crate::naturalness::GameNaturalness;
use crate::players::SearchEffort;
use crate::record::RecordedGame;
use crate::setup::MatchSetup;

/// The results of trials from one series. A trial has one or more pairs of games. In the first game
/// of a pair, the first agent is black; in the second game, it is white.
#[derive(Clone, Debug, PartialEq, WireValue)]
#[wire(check)]
pub struct MatchResults {
    /// The number of pairs per trial, at least 1.
    #[wire(tag = 1, range(min = 1, max = MatchSetup::MAX_PAIRS))]
    pub pairs_per_trial: u32,
    /// The pairs, in order: first the first trial's pairs, then the second trial's pairs, and so
    /// on. The first to move is black, even where white moves first after the opening.
    #[wire(tag = 2)]
    pub pairs: Vec<PairResult>,
    /// The first pairs as records, at most [`MAX_RECORDS`](Self::MAX_RECORDS).
    #[wire(tag = 3)]
    pub records: Vec<PairGames>,
    /// The effort of both agents.
    #[wire(tag = 4)]
    pub efforts: [SearchEffort; 2],
    /// The levels of the first agent when games ended: an element for every game in a trial. The
    /// list is empty if the agent learns nothing.
    #[wire(tag = 5)]
    pub levels: Vec<LevelSums>,
    /// The naturalness of the first agent's moves: a record for each trial, or none if its moves
    /// are not judged.
    #[wire(tag = 6)]
    pub naturalness: Vec<GameNaturalness>,
    /// The levels of the first agent around the change of its opponent. Each trial has an element
    /// for every window in [`OpponentChange::windows`](crate::setup::OpponentChange::windows), with
    /// the levels in the window's games. The list is empty if the opponent does not change, or the
    /// agent learns nothing.
    #[wire(tag = 7)]
    pub around_change: Vec<LevelSums>,
}

/// The games of a pair.
#[derive(Clone, Debug, PartialEq, Eq, WireValue)]
#[wire(check)]
pub struct PairGames {
    /// The number of moves of the opening that both games begin with.
    #[wire(tag = 1)]
    pub opening: usize,
    /// Two games, both over: first the game where the first agent is black, then the game where it
    /// is white.
    #[wire(tag = 2)]
    pub games: [RecordedGame; 2],
}

/// Levels that an agent had reached: its estimate T_s in 1/1000 plies, or its strength index z in
/// units of 1/1000. Sums over trials.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, WireValue)]
pub struct LevelSums {
    /// The number of trials that had a level.
    #[wire(tag = 1)]
    pub n: u64,
    /// The levels.
    #[wire(tag = 2)]
    pub sum: i64,
    /// Their squares.
    #[wire(tag = 3)]
    pub squares: u64,
    /// The moves of the opponent that were counted so far.
    #[wire(tag = 4)]
    pub observed: u64,
}

impl MatchResults {
    /// The largest number of pairs of a series that are kept as records.
    pub const MAX_RECORDS: usize = 8;
}

impl Tally for MatchResults {
    fn n_trials(&self) -> u64 {
        self.pairs.len() as u64 / u64::from(self.pairs_per_trial.max(1))
    }

    fn absorb(&mut self, later: Self) {
        let Self { pairs_per_trial: _, pairs, records, efforts, levels, .. } = later;
        self.pairs.extend(pairs);
        self.around_change.extend(later.around_change);
        self.naturalness.extend(later.naturalness);
        let room = Self::MAX_RECORDS - self.records.len().min(Self::MAX_RECORDS);
        self.records.extend(records.into_iter().take(room));
        for (mine, theirs) in self.efforts.iter_mut().zip(&efforts) {
            mine.absorb(theirs);
        }
        for (mine, theirs) in self.levels.iter_mut().zip(&levels) {
            mine.absorb(theirs);
        }
    }
}

impl LevelSums {
    /// Adds the levels of other trials.
    pub fn absorb(&mut self, other: &Self) {
        let Self { n, sum, squares, observed } = *other;
        self.n = self.n.saturating_add(n);
        self.sum = self.sum.saturating_add(sum);
        self.squares = self.squares.saturating_add(squares);
        self.observed = self.observed.saturating_add(observed);
    }
}
