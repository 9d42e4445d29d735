//! Pairs of games between two agents, from the view of the first agent: each agent moves first
//! once.
//!
//! The games of a pair begin alike, so that their results depend on each other: a match counts
//! pairs, and [`MatchCounts`](crate::MatchCounts) takes the counts of their points.

use hatchery_core::InvalidValue;
use hatchery_core::wire::WireElement;
use serde::{Deserialize, Serialize};

/// The result of a pair of games: a byte on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, WireElement)]
#[wire(try_from = u8)]
pub struct PairResult {
    /// Half points of the first agent in the game where it moves first: 0, 1 or 2.
    as_first: u8,
    /// Half points of the first agent in the game where it moves second.
    as_second: u8,
}

impl PairResult {
    /// Returns the pair with these half points of the first agent, as the first to move and as the
    /// second; `None` above 2.
    #[must_use]
    pub const fn new(as_first: u8, as_second: u8) -> Option<Self> {
        if as_first <= 2 && as_second <= 2 { Some(Self { as_first, as_second }) } else { None }
    }

    /// Returns the half points of the first agent: as the first to move, and as the second.
    #[must_use]
    pub const fn half_points(self) -> [u8; 2] {
        [self.as_first, self.as_second]
    }

    /// Returns the byte for the pair, below 9.
    #[must_use]
    pub const fn to_byte(self) -> u8 {
        3 * self.as_first + self.as_second
    }

    /// Returns the pair for a byte; `None` from 9 on.
    #[must_use]
    pub const fn from_byte(byte: u8) -> Option<Self> {
        Self::new(byte / 3, byte % 3)
    }
}

impl From<&PairResult> for u8 {
    fn from(pair: &PairResult) -> Self {
        pair.to_byte()
    }
}

impl TryFrom<u8> for PairResult {
    type Error = InvalidValue;

    fn try_from(byte: u8) -> Result<Self, InvalidValue> {
        Self::from_byte(byte).ok_or_else(|| InvalidValue::new("", &byte, "below 9"))
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

    /// Returns the losses, draws and wins of the first agent: as the first to move, and as the
    /// second.
    #[must_use]
    pub fn by_move_order(&self) -> [[u64; 3]; 2] {
        let mut games = [[0; 3]; 2];
        for (byte, n) in (0..).zip(self.0) {
            let half_points = PairResult::from_byte(byte).map_or([0, 0], PairResult::half_points);
            for (place, half_points) in half_points.into_iter().enumerate() {
                games[place][usize::from(half_points)] += n;
            }
        }
        games
    }

    /// Returns the losses, draws and wins of the first agent.
    #[must_use]
    pub fn games(&self) -> [u64; 3] {
        let [as_first, as_second] = self.by_move_order();
        [0, 1, 2].map(|result| as_first[result] + as_second[result])
    }
}

/// Returns the index of the pairing of the two agents with the largest shares of points, or of the
/// best agent with the next best agent that it meets; `None` without games.
///
/// Pairings are of two of `n_agents` agents each, and their counts from the view of the first
/// agent. Pairings of an agent with itself do not count.
#[must_use]
pub fn strongest_pairing(n_agents: usize, pairings: &[([usize; 2], PairCounts)]) -> Option<usize> {
    let mut points = vec![(0_u64, 0_u64); n_agents];
    for ([first, second], counts) in pairings.iter().filter(|([a, b], _)| a != b) {
        let [losses, draws, wins] = counts.games();
        for (agent, half_points) in [(*first, 2 * wins + draws), (*second, 2 * losses + draws)] {
            let (sum, most) = points.get_mut(agent)?;
            *sum += half_points;
            *most += 2 * (losses + draws + wins);
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "numbers of games are far below 2^53")]
    let share = |agent: usize| match points[agent] {
        (_, 0) => -1.0,
        (sum, most) => sum as f64 / most as f64,
    };
    let met =
        pairings.iter().enumerate().filter(|(_, ([a, b], counts))| a != b && counts.pairs() != 0);
    let stronger_first = |[a, b]: [usize; 2]| {
        let [a, b] = [share(a), share(b)];
        [a.max(b), a.min(b)]
    };
    let mut best: Option<(usize, [f64; 2])> = None;
    for (idx, (agents, _)) in met {
        let shares = stronger_first(*agents);
        if best.is_none_or(|(_, known)| known < shares) {
            best = Some((idx, shares));
        }
    }
    best.map(|(idx, _)| idx)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_strongest_agents_are_found() {
        let counts = |half_points: [u8; 2]| {
            let mut counts = PairCounts::default();
            counts.add(&[PairResult::new(half_points[0], half_points[1]).unwrap()]);
            counts
        };
        let (won, drawn, lost) = (counts([2, 2]), counts([1, 1]), counts([0, 0]));
        // Agent 1 beats both others, and 2 beats 0.
        let pairings = [([0, 0], drawn), ([0, 1], lost), ([0, 2], lost), ([1, 2], won)];
        assert_eq!(strongest_pairing(3, &pairings), Some(3));
        assert_eq!(strongest_pairing(3, &pairings[..3]), Some(1));
        assert_eq!(strongest_pairing(3, &pairings[..1]), None);
        assert_eq!(strongest_pairing(2, &[([0, 1], PairCounts::default())]), None);
    }

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
    fn pairs_are_counted_by_points_and_order() {
        let mut counts = PairCounts::default();
        // Two wins; a win as the first to move and a loss; a draw, and a win as the second; two
        // losses, twice.
        counts.add(
            &[[2, 2], [2, 0], [1, 2], [0, 0], [0, 0]]
                .map(|[as_first, as_second]| PairResult::new(as_first, as_second).unwrap()),
        );
        assert_eq!(counts.pairs(), 5);
        assert_eq!(counts.by_points(), [2, 0, 1, 1, 1]);
        assert_eq!(counts.by_move_order(), [[2, 1, 2], [3, 0, 2]]);
        assert_eq!(counts.games(), [5, 1, 4]);
    }
}
