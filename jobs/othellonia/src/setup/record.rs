//! The setup of a trial that records games.

use hatchery_core::{LargeValue, Part};

use super::MatchAgent;
use crate::agents::GameAgent;
use crate::record_file::MAX_RECORDS;

/// A trial of games to learn from: pairs of games between decks and agents that are drawn at
/// random.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordSetup {
    /// The pairs of games.
    pub pairs: u32,
    /// The number of decks that are drawn from: the first ones of the run's table.
    pub n_decks: u16,
    /// The players.
    pub players: RecordPlayers,
}

/// The players of games to learn from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordPlayers {
    /// Both players of a pair are drawn from the same agents.
    Drawn(Vec<WeightedAgent>),
    /// Player A is a learner, and player B is drawn from its opponents.
    SelfPlay {
        /// The model of the learner.
        learner: LargeValue,
        /// The opponents.
        opponents: SelfPlayOpponents,
    },
}

/// The opponents of a learner, each drawn with the same probability, and how networks explore:
/// those with noise play with it, the learner and its opponents alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelfPlayOpponents {
    /// The agents: from 1 to [`MAX_OPPONENTS`](Self::MAX_OPPONENTS).
    pub agents: Vec<MatchAgent>,
    /// The probability, in millionths, with which a network plays any legal action instead.
    pub epsilon: u32,
}

impl SelfPlayOpponents {
    /// The most agents: each is a model in memory.
    pub const MAX_OPPONENTS: usize = 32;
    /// The largest `epsilon`.
    pub const MAX_EPSILON: u32 = 1_000_000;

    /// Returns the parts that hold their models.
    pub(crate) fn parts(&self) -> impl Iterator<Item = Part> + '_ {
        self.agents.iter().flat_map(MatchAgent::parts).copied()
    }
}

impl RecordSetup {
    /// The most pairs, 10,000: their records are some 80 bytes each.
    pub const MAX_PAIRS: u32 = MAX_RECORDS / 2;
    /// The most agents.
    pub const MAX_AGENTS: usize = 8;

    /// Returns the parts that hold the models of its players, each once.
    #[must_use]
    pub fn parts(&self) -> Vec<Part> {
        let mut parts = match &self.players {
            RecordPlayers::Drawn(_) => Vec::new(),
            RecordPlayers::SelfPlay { learner, opponents } => {
                learner.parts().iter().copied().chain(opponents.parts()).collect()
            }
        };
        parts.sort_unstable();
        parts.dedup();
        parts
    }
}

/// An agent that is drawn with a probability in proportion to its weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeightedAgent {
    /// The agent.
    pub agent: GameAgent,
    /// The weight: from 1 to [`MAX_WEIGHT`](Self::MAX_WEIGHT).
    pub weight: u32,
}

impl WeightedAgent {
    /// The largest weight.
    pub const MAX_WEIGHT: u32 = 1_000;
}
