//! The input of trials: the decks of a run, and what a series of trials does with them.

mod agent;
mod encoding;
mod record;
mod reinforcement;
mod training;

pub use agent::MatchAgent;
pub use encoding::TrainingEncoding;
pub use record::{RecordPlayers, RecordSetup, SelfPlayOpponents, WeightedAgent};
pub use reinforcement::{ReinforcementTask, SelfPlayRounds};
pub use training::{ImitationTask, RepresentationTask, TrainingSetup, TrainingTask};

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
