//! The state between looks.

use hatchery_stats::{MatchCounts, PairCounts, SprtDecision, SprtVerdict};
use serde::{Deserialize, Serialize};

use super::spec::CheckedMatch;
use crate::players::SearchEffort;
use crate::record::transcript;
use crate::trial::results::{MatchResults, PairGames};
use crate::trial::setup::KeptGames;

/// All matches with their results so far.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchState {
    /// The matches, in the order of the spec's agents.
    pub pairings: Vec<PairingState>,
}

/// A match of two agents with its results so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairingState {
    /// The results, as the first agent sees them.
    pub counts: PairCounts,
    /// The number of looks.
    pub looks: u32,
    /// True if the test has accepted a hypothesis.
    pub is_decided: bool,
    /// The effort of both agents.
    pub efforts: [SearchEffort; 2],
    /// The pairs of games that are kept: the first ones, or all.
    pub games: Vec<StoredPair>,
}

/// A pair of games as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredPair {
    /// The position that both games start from: 64 cells and the player to move.
    pub start: String,
    /// The number of moves of the opening.
    pub opening: usize,
    /// The moves of two games: first the game where the first agent is black, then the other game.
    pub games: [String; 2],
}

impl MatchState {
    pub(super) fn new(n_pairings: usize) -> Self {
        Self { pairings: vec![PairingState::default(); n_pairings] }
    }

    /// Returns the matches that go on, with the pairs of their next look.
    pub(super) fn next_looks(&self, checked: &CheckedMatch) -> Vec<(usize, u32)> {
        let open = self.pairings.iter().enumerate().filter(|(_, pairing)| !pairing.is_decided);
        let next = |(at, pairing): (usize, &PairingState)| {
            Some((at, *checked.looks.get(pairing.looks as usize)?))
        };
        open.filter_map(next).collect()
    }

    /// Adds the results of a look.
    pub(super) fn add(&mut self, checked: &CheckedMatch, tallies: &[MatchResults]) {
        for ((at, _), results) in self.next_looks(checked).into_iter().zip(tallies) {
            let pairing = &mut self.pairings[at];
            let most = match checked.spec.kept {
                KeptGames::First => stored_pairs(at, checked.pairings.len()),
                KeptGames::All => usize::MAX,
            };
            pairing.add(results, most);
            pairing.is_decided = pairing
                .verdict(checked)
                .is_some_and(|verdict| verdict.decision != SprtDecision::Continue);
        }
    }
}

/// The most pairs of games that a state keeps for all matches together.
const MAX_STORED: usize = 64;

/// Returns the number of pairs of games that the state keeps for match number `at` of `n_matches`.
/// Every match gets the same number, at most the number that results have. If there are too many
/// matches, only the first matches get a pair, one for every match.
fn stored_pairs(at: usize, n_matches: usize) -> usize {
    let each = (MAX_STORED / n_matches.max(1)).min(MatchResults::MAX_RECORDS);
    if each == 0 { usize::from(at < MAX_STORED) } else { each }
}

impl PairingState {
    /// Adds the results of a look. At most `n_stored` pairs of games of a match are kept.
    fn add(&mut self, results: &MatchResults, n_stored: usize) {
        self.counts.add(&results.pairs);
        self.looks += 1;
        for (mine, theirs) in self.efforts.iter_mut().zip(&results.efforts) {
            mine.absorb(theirs);
        }
        // The first look has as many as are kept, unless all are.
        if self.games.is_empty() || n_stored == usize::MAX {
            let kept = results.records.iter().take(n_stored);
            self.games.extend(kept.map(StoredPair::from));
        }
    }

    /// Returns the counts by points; `None` before the first look.
    pub(super) fn match_counts(&self) -> Option<MatchCounts> {
        MatchCounts::of_pairs(self.counts.by_points()).ok()
    }

    /// Returns the verdict of the test at the last look; `None` without a test or a look.
    pub(super) fn verdict(&self, checked: &CheckedMatch) -> Option<SprtVerdict> {
        let sprt = checked.sprt.as_ref()?;
        Some(sprt.verdict(&self.match_counts()?))
    }
}

impl From<&PairGames> for StoredPair {
    fn from(PairGames { opening, games }: &PairGames) -> Self {
        Self {
            start: games[0].start().to_string(),
            opening: *opening,
            games: games.each_ref().map(transcript::write),
        }
    }
}
