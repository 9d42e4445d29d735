//! The games that a series of trials plays.

use std::ops::Range;

use hatchery_core::wire::WireElement;
use hatchery_core::{InvalidValue, WireValue};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::opening::OpeningRule;
use crate::players::{MctsAgent, OthelloAgent};

/// A trial: pairs of games between two agents. What agents learn, they keep from game to game of
/// the trial.
#[derive(Clone, Debug, PartialEq, WireValue)]
#[wire(check)]
pub struct MatchSetup {
    /// The two agents. In each pair's first game, the first agent is black.
    #[wire(tag = 1)]
    pub agents: [OthelloAgent; 2],
    /// The openings.
    #[wire(tag = 2)]
    pub opening: OpeningRule,
    /// The number of pairs of a trial, from 1 to [`MAX_PAIRS`](Self::MAX_PAIRS).
    #[wire(tag = 3, range(min = 1, max = Self::MAX_PAIRS))]
    pub pairs: u32,
    /// The judge of the first agent's moves, if they are judged.
    #[wire(tag = 4)]
    pub judge: Option<JudgeSettings>,
    /// The change of the second agent within the trial, if it changes.
    #[wire(tag = 5)]
    pub change: Option<OpponentChange>,
    /// The games that results have as records.
    #[wire(tag = 6)]
    pub kept: KeptGames,
}

/// The games that are kept as records.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, WireElement,
)]
#[serde(rename_all = "kebab-case")]
pub enum KeptGames {
    /// The games of a few first pairs.
    #[default]
    First,
    /// All games.
    All,
}

impl KeptGames {
    /// Returns true for the default.
    pub(crate) fn is_first(&self) -> bool {
        *self == Self::First
    }
}

/// A change of the second agent within a trial: another one takes its place.
#[derive(Clone, Copy, Debug, PartialEq, WireValue)]
pub struct OpponentChange {
    /// The pairs of games before the change, at least [`MIN_BEFORE`](Self::MIN_BEFORE).
    #[wire(tag = 1, range(min = Self::MIN_BEFORE))]
    pub after: u32,
    /// The agent that plays the other pairs, at least [`MIN_AFTER`](Self::MIN_AFTER) pairs.
    #[wire(tag = 2)]
    pub agent: MctsAgent,
}

impl OpponentChange {
    /// The fewest pairs before the change: the second half of these pairs shows an agent's level.
    pub const MIN_BEFORE: u32 = 2;

    /// The fewest pairs after the change: the last quarter of these pairs shows an agent's new
    /// level.
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

    /// Returns the setup of `pairs` pairs that are not judged, between agents that do not change.
    #[must_use]
    pub const fn new(agents: [OthelloAgent; 2], opening: OpeningRule, pairs: u32) -> Self {
        Self { agents, opening, pairs, judge: None, change: None, kept: KeptGames::First }
    }

    /// Checks that enough pairs follow the change.
    fn check(&self) -> Result<(), InvalidValue> {
        let (least, most) =
            (OpponentChange::MIN_BEFORE, self.pairs.saturating_sub(OpponentChange::MIN_AFTER));
        match self.change {
            Some(change) if most < change.after => {
                let expected = format!("from {least} to {most}, of {} pairs", self.pairs);
                Err(InvalidValue::new("change.after", &change.after, expected))
            }
            _ => Ok(()),
        }
    }
}

/// A judge of moves.
#[derive(Clone, Copy, Debug, PartialEq, WireValue)]
#[wire(check)]
pub struct JudgeSettings {
    /// The agent that judges before the end of the game. It visits every move: it ends by budget,
    /// with at least [`MIN_PLAYOUTS`](Self::MIN_PLAYOUTS).
    #[wire(tag = 1)]
    pub agent: MctsAgent,
    /// The number of empty squares up to which exact values judge.
    #[wire(tag = 2, range(max = 16))]
    pub empties: u32,
}

impl JudgeSettings {
    /// The smallest number of playouts of a judge: more than a position has moves.
    pub const MIN_PLAYOUTS: u32 = 100;

    /// Checks that the agent leaves no move without visits.
    fn check(&self) -> Result<(), InvalidValue> {
        match self.agent.visits_at_least(Self::MIN_PLAYOUTS) {
            true => Ok(()),
            false => {
                let expected = format!("at least {}, all of them spent", Self::MIN_PLAYOUTS);
                Err(InvalidValue::new("agent.playouts", &self.agent.playouts(), expected))
            }
        }
    }
}
