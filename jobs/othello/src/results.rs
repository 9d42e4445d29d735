//! The results of games between two agents, as the first of them sees them.

use serde::{Deserialize, Serialize};

use crate::naturalness::GameNaturalness;
use crate::players::SearchEffort;
use crate::record::RecordedGame;

/// The results of trials of one series. A trial has one or more pairs of games; in the first game
/// of a pair the first agent is black, in the second white.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchResults {
    /// The number of pairs of each trial, at least 1.
    pub pairs_per_trial: u32,
    /// The pairs, in order: those of the first trial, then those of the second, and so on.
    pub pairs: Vec<PairResult>,
    /// The first pairs as records, at most [`MAX_RECORDS`](Self::MAX_RECORDS).
    pub records: Vec<PairGames>,
    /// The effort of both agents.
    pub efforts: [SearchEffort; 2],
    /// The levels that the first agent had at the end of each game of a trial: an element for each
    /// game, or none if the agent learns nothing.
    pub levels: Vec<LevelSums>,
    /// The naturalness of the first agent's moves: a record for each trial, or none if its moves
    /// are not judged.
    pub naturalness: Vec<GameNaturalness>,
}

/// A pair of games on one opening with the colors swapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PairResult {
    /// Half points of the first agent as black: 0, 1 or 2.
    black: u8,
    /// Half points of the first agent as white.
    white: u8,
}

/// The games of a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairGames {
    /// The number of moves of the opening that both games begin with.
    pub opening: usize,
    /// The game in which the first agent is black, then that in which it is white; both are over.
    pub games: [RecordedGame; 2],
}

/// Levels that an agent had reached: its estimate T_s in 1/1000 plies, or its strength index z in
/// units of 1/1000. Sums over trials.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LevelSums {
    /// The trials in which there was a level.
    pub n: u64,
    /// The levels.
    pub sum: i64,
    /// Their squares.
    pub squares: u64,
    /// The moves of the opponent that were counted so far.
    pub observed: u64,
}

impl PairResult {
    /// Returns the pair with these half points of the first agent, as black and as white; `None`
    /// above 2.
    #[must_use]
    pub const fn new(black: u8, white: u8) -> Option<Self> {
        if black <= 2 && white <= 2 { Some(Self { black, white }) } else { None }
    }

    /// Returns the half points of the first agent: as black, and as white.
    #[must_use]
    pub const fn half_points(self) -> [u8; 2] {
        [self.black, self.white]
    }

    /// Returns the byte that stands for the pair, below 9.
    #[must_use]
    pub const fn to_byte(self) -> u8 {
        3 * self.black + self.white
    }

    /// Returns the pair that a byte stands for; `None` from 9 on.
    #[must_use]
    pub const fn from_byte(byte: u8) -> Option<Self> {
        Self::new(byte / 3, byte % 3)
    }
}

impl MatchResults {
    /// The largest number of pairs of a series that are kept as records.
    pub const MAX_RECORDS: usize = 8;

    /// Returns the number of trials.
    #[must_use]
    pub fn n_trials(&self) -> u64 {
        self.pairs.len() as u64 / u64::from(self.pairs_per_trial.max(1))
    }

    /// Adds the results of later trials of the same series.
    pub fn absorb(&mut self, later: Self) {
        let Self { pairs_per_trial: _, pairs, records, efforts, levels, naturalness } = later;
        self.pairs.extend(pairs);
        self.naturalness.extend(naturalness);
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

/// Counts of pairs by their result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairCounts([u64; 9]);

impl PairCounts {
    /// Counts pairs.
    pub fn add(&mut self, pairs: &[PairResult]) {
        for pair in pairs {
            self.0[usize::from(pair.to_byte())] += 1;
        }
    }

    /// Returns the number of pairs.
    #[must_use]
    pub fn pairs(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Returns the counts by points of the first agent: 0, 1/2, 1, 3/2, 2.
    #[must_use]
    pub fn by_points(&self) -> [u64; 5] {
        let mut bins = [0; 5];
        for (byte, n) in (0..).zip(self.0) {
            let half_points = PairResult::from_byte(byte).map_or([0, 0], PairResult::half_points);
            bins[usize::from(half_points[0] + half_points[1])] += n;
        }
        bins
    }

    /// Returns the losses, draws and wins of the first agent: as black, and as white.
    #[must_use]
    pub fn by_color(&self) -> [[u64; 3]; 2] {
        let mut games = [[0; 3]; 2];
        for (byte, n) in (0..).zip(self.0) {
            let half_points = PairResult::from_byte(byte).map_or([0, 0], PairResult::half_points);
            for (color, half_points) in half_points.into_iter().enumerate() {
                games[color][usize::from(half_points)] += n;
            }
        }
        games
    }

    /// Returns the losses, draws and wins of the first agent.
    #[must_use]
    pub fn games(&self) -> [u64; 3] {
        let [black, white] = self.by_color();
        [0, 1, 2].map(|result| black[result] + white[result])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_stands_for_each_pair() {
        for byte in 0..9 {
            assert_eq!(PairResult::from_byte(byte).unwrap().to_byte(), byte);
        }
        assert_eq!(PairResult::from_byte(9), None);
        assert_eq!(PairResult::from_byte(255), None);
        assert_eq!(PairResult::from_byte(5).unwrap().half_points(), [1, 2]);
    }

    #[test]
    fn pairs_are_counted_by_points_and_colors() {
        let mut counts = PairCounts::default();
        // Two wins; a win as black and a loss; a draw and a win as white; two losses, twice.
        counts.add(
            &[[2, 2], [2, 0], [1, 2], [0, 0], [0, 0]]
                .map(|[black, white]| PairResult::new(black, white).unwrap()),
        );
        assert_eq!(counts.pairs(), 5);
        assert_eq!(counts.by_points(), [2, 0, 1, 1, 1]);
        assert_eq!(counts.by_color(), [[2, 1, 2], [3, 0, 2]]);
        assert_eq!(counts.games(), [5, 1, 4]);
    }
}
