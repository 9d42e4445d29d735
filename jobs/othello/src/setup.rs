//! What a series of trials plays.

use crate::opening::OpeningRule;
use crate::players::Agent;

/// A trial: pairs of games between two agents. What agents learn, they keep from game to game of
/// the trial.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchSetup {
    /// The two agents. The first is black in the first game of each pair.
    pub agents: [Agent; 2],
    /// The openings.
    pub opening: OpeningRule,
    /// The number of pairs of a trial, from 1 to [`MAX_PAIRS`](Self::MAX_PAIRS).
    pub pairs: u32,
}

impl MatchSetup {
    /// The largest number of pairs of a trial.
    pub const MAX_PAIRS: u32 = 1_000;
}
