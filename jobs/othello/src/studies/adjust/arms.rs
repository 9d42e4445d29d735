//! The arms of the experiment and their opponents.

use crate::players::{MctsAgent, OthelloAgent};
use crate::trial::setup::OpponentChange;

/// The kind of an arm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ArmKind {
    /// The method of the paper.
    Adjusting,
    /// Nakamichi & Ito's idea.
    Dynamic,
    /// Wu et al.'s method.
    Softmax,
    /// The control: its agent always searches to the same depth.
    Fixed,
    /// The control that lets any agent reply.
    RandomAgent,
    /// The judge, which is only rated.
    Judge,
}

impl ArmKind {
    /// Returns the name, as in a spec.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Adjusting => "adjusting",
            Self::Dynamic => "dynamic",
            Self::Softmax => "softmax",
            Self::Fixed => "fixed",
            Self::RandomAgent => "random-agent",
            Self::Judge => "judge",
        }
    }

    /// Returns true for the controls, which do not adjust.
    pub(super) const fn is_control(self) -> bool {
        matches!(self, Self::Fixed | Self::RandomAgent | Self::Judge)
    }

    /// Returns true if the arm meets the simulated people, as in the paper.
    pub(super) const fn meets_people(self) -> bool {
        matches!(self, Self::Adjusting | Self::Dynamic)
    }
}

/// An arm.
#[derive(Clone, Debug)]
pub(super) struct AdjustArm {
    pub(super) kind: ArmKind,
    pub(super) agent: OthelloAgent,
}

/// An opponent of the arms.
#[derive(Clone, Debug)]
pub(super) struct Opponent {
    /// The number of a simulated person, from 1; `None` for a BOT.
    pub(super) person: Option<u32>,
    pub(super) agent: MctsAgent,
    /// The change of a BOT that changes.
    pub(super) change: Option<OpponentChange>,
    /// The number of games that count in the match between each arm and this opponent.
    pub(super) games: u32,
}

impl Opponent {
    /// Returns true for a BOT that does not change.
    pub(super) const fn is_steady_bot(&self) -> bool {
        self.person.is_none() && self.change.is_none()
    }

    /// Returns the name: `bot-15`, `bot-5-to-25`, or `person-1`.
    pub(super) fn name(&self) -> String {
        let depth = self.agent.depth();
        match (self.person, self.change) {
            (Some(number), _) => format!("person-{number}"),
            (None, Some(change)) => format!("bot-{depth}-to-{}", change.agent.depth()),
            (None, None) => format!("bot-{depth}"),
        }
    }
}
