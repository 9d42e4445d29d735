//! The results of a ladder.

use hatchery_stats::PairCounts;
use serde::{Deserialize, Serialize};

use super::spec::CheckedLadder;
use crate::players::SearchEffort;
use crate::results::MatchResults;

/// The results of all matches and of self-play.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LadderState {
    /// The results of each two depths, as the shallower one sees them: the first depth against all
    /// deeper ones, then the second one, and so on.
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

    /// Adds the results of all series: of the matches, then of the pairs of games of each agent
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
