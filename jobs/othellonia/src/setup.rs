//! The input of trials: the decks of a run, and what a series of trials does with them.

mod agent;
mod training;

pub use agent::MatchAgent;
pub use training::{
    ImitationTask, RepresentationTask, TrainingEncoding, TrainingSetup, TrainingTask,
};

use crate::agents::GameAgent;
use crate::record_file::MAX_RECORDS;
use crate::rules::GameDeck;

/// The decks of a run. The subjects of its trials name them by their number: the place in the
/// table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeckTable(Vec<GameDeck>);

impl DeckTable {
    /// The most decks: each is some kilobytes.
    pub const MAX_DECKS: usize = 1_024;

    /// Returns the table of these decks; `None` if there are more than
    /// [`MAX_DECKS`](Self::MAX_DECKS), or none.
    #[must_use]
    pub fn new(decks: Vec<GameDeck>) -> Option<Self> {
        (1..=Self::MAX_DECKS).contains(&decks.len()).then_some(Self(decks))
    }

    /// Returns the decks, in the order of their numbers.
    #[must_use]
    pub fn decks(&self) -> &[GameDeck] {
        &self.0
    }

    /// Returns the decks with these numbers.
    ///
    /// # Panics
    /// If there are no such decks: a plan names decks of its own table only.
    #[must_use]
    pub fn pair(&self, numbers: [u16; 2]) -> [&GameDeck; 2] {
        numbers.map(|number| {
            let (deck, n_decks) = (self.0.get(usize::from(number)), self.0.len());
            deck.unwrap_or_else(|| panic!("deck {number} is none of the {n_decks} of the run"))
        })
    }
}

/// A trial.
#[derive(Clone, Debug, PartialEq)]
pub enum TrialSetup {
    /// Two games.
    Games(MatchSetup),
    /// Games whose records become a part.
    Record(RecordSetup),
    /// Steps of learning from such records.
    Train(Box<TrainingSetup>),
}

/// A trial of games to learn from: pairs of games between decks and agents that are drawn at
/// random.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordSetup {
    /// The pairs of games.
    pub pairs: u32,
    /// The number of decks that are drawn from: the first ones of the run's table.
    pub n_decks: u16,
    /// The agents that are drawn from.
    pub agents: Vec<WeightedAgent>,
}

impl RecordSetup {
    /// The most pairs, 10,000: their records are some 80 bytes each.
    pub const MAX_PAIRS: u32 = MAX_RECORDS / 2;
    /// The most agents.
    pub const MAX_AGENTS: usize = 8;
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

/// A trial of games: two between two decks with the same shuffles; each deck places first in one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchSetup {
    /// The numbers of the decks of the players A and B in the run's table.
    pub decks: [u16; 2],
    /// The agents of the players.
    pub agents: [MatchAgent; 2],
    /// The games that are kept as records.
    pub kept: KeptRecords,
}

/// The games of a series that are kept as records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptRecords {
    /// None.
    None,
    /// All.
    All,
}
