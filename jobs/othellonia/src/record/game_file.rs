//! Files of games: decks, agents and records.

use hatchery_core::{InvalidValue, WireValue};

use super::game_record::{GameRecord, RULES_VERSION};
use crate::rules::GameDeck;

/// Games with the decks that they were played with: [encoded](WireValue::encode_message) as a file.
#[derive(Clone, Debug, PartialEq, Eq, WireValue)]
#[wire(try_from = FileForm)]
pub struct GameFile {
    /// The decks with their names; records name them by their index.
    pub decks: Vec<(String, GameDeck)>,
    /// The games by decks and agents.
    pub series: Vec<GameSeries>,
}

/// Games of the same decks and agents.
#[derive(Clone, Debug, PartialEq, Eq, WireValue)]
pub struct GameSeries {
    /// The agents of the players A and B, in words.
    #[wire(tag = 1)]
    pub agents: [String; 2],
    /// The games.
    #[wire(tag = 2)]
    pub records: Vec<GameRecord>,
}

/// A [`GameFile`] as a message.
#[derive(WireValue)]
struct FileForm {
    /// The version of the rules.
    #[wire(tag = 1, range(min = RULES_VERSION, max = RULES_VERSION))]
    rules: u8,
    #[wire(tag = 2)]
    deck_names: Vec<String>,
    #[wire(tag = 3)]
    decks: Vec<GameDeck>,
    #[wire(tag = 4)]
    series: Vec<GameSeries>,
}

impl From<&GameFile> for FileForm {
    fn from(GameFile { decks, series }: &GameFile) -> Self {
        let (deck_names, decks) = decks.iter().cloned().unzip();
        Self { rules: RULES_VERSION, deck_names, decks, series: series.clone() }
    }
}

impl TryFrom<FileForm> for GameFile {
    type Error = InvalidValue;

    fn try_from(
        FileForm { rules: _, deck_names, decks, series }: FileForm,
    ) -> Result<Self, InvalidValue> {
        let n_decks = decks.len();
        if deck_names.len() != n_decks {
            let expected = format!("{n_decks}, one for each deck");
            return Err(InvalidValue::new("deck_names", &deck_names.len(), expected));
        }
        let named = series.iter().flat_map(|series| &series.records).flat_map(|it| it.decks);
        if let Some(deck) = named.into_iter().find(|deck| n_decks <= usize::from(*deck)) {
            let expected = format!("of {n_decks} decks");
            return Err(InvalidValue::new("series", &format!("a list with deck {deck}"), expected));
        }
        Ok(Self { decks: deck_names.into_iter().zip(decks).collect(), series })
    }
}

impl GameFile {
    /// Returns the decks of a record.
    ///
    /// # Panics
    /// If the file has no such decks: the record is none of its own.
    #[must_use]
    pub fn decks_of(&self, record: &GameRecord) -> [&GameDeck; 2] {
        record.decks.map(|deck| &self.decks[usize::from(deck)].1)
    }
}
