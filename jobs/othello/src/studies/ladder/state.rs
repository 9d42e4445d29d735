//! The results of a ladder.

use hatchery_stats::PairCounts;
use serde::{Deserialize, Serialize};

use super::spec::CheckedLadder;
use crate::players::SearchEffort;
use crate::trial::results::MatchResults;

/// The results from all matches and from self-play.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LadderState {
    /// The results for every two depths, as the shallower depth sees them: first the first depth
    /// against all deeper depths, then the second depth, and so on.
    pub matches: Vec<PairCounts>,
    /// By depth: the effort of both sides in each pair of games of an agent against itself.
    pub self_play: Vec<Vec<SearchEffort>>,
}

impl LadderState {
    pub(super) fn new(checked: &CheckedLadder) -> Self {
        Self {
            matches: vec![PairCounts::default(); checked.matches.len()],
            self_play: vec![Vec::new(); checked.agents.len()],
        }
    }

    /// Adds the results from all series: first the matches, then each agent's pairs of games
    /// against itself.
    pub(super) fn add(&mut self, checked: &CheckedLadder, tallies: &[MatchResults]) {
        let (matches, self_play) = tallies.split_at(checked.matches.len().min(tallies.len()));
        for (counts, results) in self.matches.iter_mut().zip(matches) {
            counts.add(&results.pairs);
        }
        let self_play = self_play.chunks(checked.spec.self_play_pairs.max(1) as usize);
        for (efforts, results) in self.self_play.iter_mut().zip(self_play) {
            efforts.extend(results.iter().map(both_sides));
        }
    }
}

fn both_sides(results: &MatchResults) -> SearchEffort {
    let [mut effort, other] = results.efforts;
    effort.absorb(&other);
    effort
}
