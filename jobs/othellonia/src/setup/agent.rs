//! The agents of a trial.

use hatchery_core::{LargeValue, Part};

use crate::agents::GameAgent;

/// An agent of a trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MatchAgent {
    /// One that needs nothing but the game.
    Rule(GameAgent),
    /// A learned one: the file of its [model](crate::model::AgentModel).
    Network(LargeValue),
}

impl MatchAgent {
    /// The most parts of a model's file: 512 MiB, which is all that a trial may read.
    pub const MAX_PARTS: usize = 8;

    /// Returns the parts that it needs.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        match self {
            Self::Rule(_) => &[],
            Self::Network(weights) => weights.parts(),
        }
    }
}

impl From<GameAgent> for MatchAgent {
    fn from(agent: GameAgent) -> Self {
        Self::Rule(agent)
    }
}
