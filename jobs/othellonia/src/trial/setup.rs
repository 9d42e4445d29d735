//! The input of trials: the decks of a run, and what a series of trials does with them.

mod agent;
mod encoding;
mod record;
mod reinforcement;
mod training;

pub use agent::MatchAgent;
pub use encoding::TrainingEncoding;
pub use record::{RecordPlayers, RecordSetup, SelfPlayOpponents, SelfPlayers, WeightedAgent};
pub use reinforcement::{ReinforcementTask, SelfPlayRounds};
pub use training::{ImitationTask, RepresentationTask, TrainingSetup, TrainingTask};

use hatchery_core::{Part, WireElement, WireValue};

use crate::rules::GameDeck;

/// The decks of a run. The subjects of its trials name them by their number: the place in the
/// table.
#[derive(Clone, Debug, PartialEq, Eq, WireValue)]
pub struct DeckTable {
    #[wire(tag = 1, length(min = 1, max = Self::MAX_DECKS))]
    decks: Vec<GameDeck>,
}

impl DeckTable {
    /// The most decks: each is some kilobytes.
    pub const MAX_DECKS: usize = 1_024;

    /// Returns the table of these decks; `None` if there are more than
    /// [`MAX_DECKS`](Self::MAX_DECKS), or none.
    #[must_use]
    pub fn new(decks: Vec<GameDeck>) -> Option<Self> {
        (1..=Self::MAX_DECKS).contains(&decks.len()).then_some(Self { decks })
    }

    /// Returns the decks, in the order of their numbers.
    #[must_use]
    pub fn decks(&self) -> &[GameDeck] {
        &self.decks
    }

    /// Returns the decks with these numbers.
    ///
    /// # Panics
    /// If there are no such decks: a plan names decks of its own table only.
    #[must_use]
    pub fn pair(&self, numbers: [u16; 2]) -> [&GameDeck; 2] {
        numbers.map(|number| {
            let (deck, n_decks) = (self.decks.get(usize::from(number)), self.decks.len());
            deck.unwrap_or_else(|| panic!("deck {number} is none of the {n_decks} of the run"))
        })
    }
}

/// A trial.
#[derive(Clone, Debug, PartialEq, WireValue)]
#[wire(parts)]
pub enum TrialSetup {
    /// Two games.
    #[wire(tag = 1)]
    Games(MatchSetup),
    /// Games whose records become a part.
    #[wire(tag = 2)]
    Record(RecordSetup),
    /// Steps of learning from such records.
    #[wire(tag = 3)]
    Train(Box<TrainingSetup>),
}

impl TrialSetup {
    /// Returns the parts that the trial reads, each once.
    fn named_parts(&self) -> Vec<Part> {
        let mut parts = match self {
            Self::Games(setup) => setup.parts(),
            Self::Record(setup) => setup.parts(),
            Self::Train(setup) => setup.parts(),
        };
        parts.sort_unstable();
        parts.dedup();
        parts
    }
}

/// A trial of games: two between two decks with the same shuffles; each deck places first in one.
#[derive(Clone, Debug, PartialEq, Eq, WireValue)]
pub struct MatchSetup {
    /// The numbers of the decks of the players A and B in the run's table.
    // The trial finds out whether the run has these decks.
    #[wire(tag = 1, inner(range(max = 1_023)))]
    pub decks: [u16; 2],
    /// The agents of the players.
    #[wire(tag = 2)]
    pub agents: [MatchAgent; 2],
    /// The games that are kept as records.
    #[wire(tag = 3)]
    pub kept: KeptRecords,
}

/// The games of a series that are kept as records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, WireElement)]
pub enum KeptRecords {
    /// None.
    None,
    /// All.
    All,
}
