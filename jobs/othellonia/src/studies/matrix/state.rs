//! The state between looks.

use hatchery_core::Part;
use hatchery_stats::{MatchCounts, PairCounts, ScoreMean};
use serde::{Deserialize, Serialize};

use super::spec::CheckedMatrix;
use crate::trial::results::{DeckMatchResults, FirstPairs, GameSums, TrialResults};

/// All match-ups with their results so far.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatrixState {
    /// The match-ups: of the first deck with itself, unless mirror matches are left out, and with
    /// each later one, then of the second, and so on.
    pub matchups: Vec<MatchupState>,
    /// The number of looks.
    pub looks: u32,
    /// The file of the agent, if it is a learned one.
    pub weights: Vec<Part>,
}

/// A match-up with its results so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchupState {
    /// The results, as the first deck sees them.
    pub counts: PairCounts,
    /// The pairs by the points of the player who placed first in each game: 0, 1/2, 1, 3/2, 2.
    pub first_player: [u64; 5],
    /// The sums over the games.
    pub sums: GameSums,
    /// For each event, the first pair in the first look that showed the event.
    pub first_pairs: FirstPairs,
    /// True if the match-up is not played on.
    pub is_settled: bool,
}

impl MatrixState {
    pub(super) fn new(n_matchups: usize, weights: Vec<Part>) -> Self {
        Self { matchups: vec![MatchupState::default(); n_matchups], looks: 0, weights }
    }

    /// Returns the indices of the match-ups that the next look is at.
    pub(super) fn open(&self, checked: &CheckedMatrix) -> impl Iterator<Item = usize> {
        let has_looks = self.looks < checked.spec.looks;
        let open = self.matchups.iter().enumerate().filter(|(_, matchup)| !matchup.is_settled);
        open.map(|(at, _)| at).filter(move |_| has_looks)
    }

    /// Adds the results of a look.
    pub(super) fn add(&mut self, checked: &CheckedMatrix, tallies: &[TrialResults]) {
        let open: Vec<_> = self.open(checked).collect();
        for (at, TrialResults { games: results, .. }) in open.into_iter().zip(tallies) {
            let [a, b] = checked.matchups[at];
            let matchup = &mut self.matchups[at];
            matchup.add(results);
            if self.looks == 0 {
                matchup.first_pairs = results.first_pairs.clone();
            }
            // A deck is as good as itself, however often it is played.
            matchup.is_settled = a == b
                || matchup
                    .score(checked)
                    .is_some_and(|score| score.interval.high < EVEN || EVEN < score.interval.low);
        }
        self.looks += 1;
    }
}

/// The score of even decks.
const EVEN: f64 = 0.5;

impl MatchupState {
    fn add(&mut self, results: &DeckMatchResults) {
        self.counts.add(&results.pairs);
        self.sums.absorb(&results.sums);
        for pair in &results.pairs {
            let [first, second] = pair.half_points();
            self.first_player[usize::from(first + 2 - second)] += 1;
        }
    }

    /// Returns the score of the first deck with its interval; `None` before the first look. The
    /// error rate is shared among the looks, so that a match-up is settled wrongly no more often
    /// than it says.
    pub(super) fn score(&self, checked: &CheckedMatrix) -> Option<ScoreMean> {
        let counts = MatchCounts::of_pairs(self.counts.by_points()).ok()?;
        Some(ScoreMean::of_match(&counts, checked.error_rate.shared_among(checked.spec.looks)))
    }

    /// Returns the score of the player who places first.
    pub(super) fn first_score(&self, checked: &CheckedMatrix) -> Option<ScoreMean> {
        first_score(&self.first_player, checked)
    }
}

/// Returns the score of the player who places first, from pairs by its points.
pub(super) fn first_score(points: &[u64; 5], checked: &CheckedMatrix) -> Option<ScoreMean> {
    let counts = MatchCounts::of_pairs(*points).ok()?;
    Some(ScoreMean::of_match(&counts, checked.error_rate))
}
