//! The games that a series of trials plays.

use crate::agents::GameAgent;
use crate::rules::GameDeck;

/// A trial: two games between two decks with the same shuffles; each deck places first in one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchSetup {
    /// The decks of the players A and B.
    pub decks: [GameDeck; 2],
    /// The numbers of the decks in the run's list of decks.
    pub deck_numbers: [u16; 2],
    /// The agents of the players.
    pub agents: [GameAgent; 2],
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
