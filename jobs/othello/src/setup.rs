//! The games that a series of trials plays.

use std::ops::Range;

use crate::opening::OpeningRule;
use crate::players::{MctsAgent, OthelloAgent};

/// A trial: pairs of games between two agents. What agents learn, they keep from game to game of
/// the trial.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchSetup {
    /// The two agents. The first is black in the first game of each pair.
    pub agents: [OthelloAgent; 2],
    /// The openings.
    pub opening: OpeningRule,
    /// The number of pairs of a trial, from 1 to [`MAX_PAIRS`](Self::MAX_PAIRS).
    pub pairs: u32,
    /// The judge of the first agent's moves, if they are judged.
    pub judge: Option<JudgeSettings>,
    /// The change of the second agent within the trial, if it changes.
    pub change: Option<OpponentChange>,
}

/// A change of the second agent within a trial: another one takes its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OpponentChange {
    /// The pairs of games before the change, at least [`MIN_BEFORE`](Self::MIN_BEFORE).
    pub after: u32,
    /// The agent that plays the others, at least [`MIN_AFTER`](Self::MIN_AFTER) of them.
    pub agent: MctsAgent,
}

impl OpponentChange {
    /// The fewest pairs before the change: those of the second half show where an agent stood.
    pub const MIN_BEFORE: u32 = 2;

    /// The fewest pairs after the change: those of the last quarter show where it went.
    pub const MIN_AFTER: u32 = 4;

    /// Returns the pairs of a trial of `pairs` that show where an agent stood before the change,
    /// those after it, and the last quarter of these, which show where the agent went.
    #[must_use]
    pub const fn windows(&self, pairs: u32) -> [Range<u32>; 3] {
        let end = pairs - pairs.saturating_sub(self.after) / 4;
        [self.after / 2..self.after, self.after..pairs, end..pairs]
    }
}

impl MatchSetup {
    /// The largest number of pairs of a trial.
    pub const MAX_PAIRS: u32 = 1_000;
}

/// A judge of moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JudgeSettings {
    /// The agent that judges before the end of the game. It visits every move: it ends by budget,
    /// with at least [`MIN_PLAYOUTS`](Self::MIN_PLAYOUTS).
    pub agent: MctsAgent,
    /// The number of empty squares up to which exact values judge.
    pub empties: u32,
}

impl JudgeSettings {
    /// The smallest number of playouts of a judge: more than a position has moves.
    pub const MIN_PLAYOUTS: u32 = 100;

    /// The largest number of empty squares of a position with exact values.
    pub const MAX_EMPTIES: u32 = 16;

    /// Returns the judge; `None` if its agent may leave moves without visits, or the number is too
    /// large.
    #[must_use]
    pub fn new(agent: MctsAgent, empties: u32) -> Option<Self> {
        let is_thorough = agent.visits_at_least(Self::MIN_PLAYOUTS);
        (is_thorough && empties <= Self::MAX_EMPTIES).then_some(Self { agent, empties })
    }
}
