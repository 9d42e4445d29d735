//! Files of games: decks, agents and records.

use hatchery_core::DecodeError;
use prost::Message;

use crate::record::{GameRecord, RULES_VERSION, RecordError};
use crate::rules::GameDeck;
use crate::wire::GameDeckMessage;

/// Games with the decks that they were played with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameFile {
    /// The decks with their names; records name them by their index.
    pub decks: Vec<(String, GameDeck)>,
    /// The games by decks and agents.
    pub series: Vec<GameSeries>,
}

/// Games of the same decks and agents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameSeries {
    /// The agents of the players A and B, in words.
    pub agents: [String; 2],
    /// The games.
    pub records: Vec<GameRecord>,
}

/// A [`GameFile`] as a protobuf message.
#[derive(Clone, PartialEq, prost::Message)]
pub struct GameFileMessage {
    /// The version of the rules.
    #[prost(uint32, tag = "1")]
    pub rules: u32,
    /// The names of the decks.
    #[prost(string, repeated, tag = "2")]
    pub deck_names: Vec<String>,
    /// The decks.
    #[prost(message, repeated, tag = "3")]
    pub decks: Vec<GameDeckMessage>,
    /// The games.
    #[prost(message, repeated, tag = "4")]
    pub series: Vec<GameSeriesMessage>,
}

/// A [`GameSeries`] as a protobuf message.
#[derive(Clone, PartialEq, prost::Message)]
pub struct GameSeriesMessage {
    /// The agents of the players A and B, in words.
    #[prost(string, repeated, tag = "1")]
    pub agents: Vec<String>,
    /// The records.
    #[prost(bytes = "vec", repeated, tag = "2")]
    pub records: Vec<Vec<u8>>,
}

/// A file that holds no games of these rules.
#[derive(Debug, thiserror::Error)]
pub enum GameFileError {
    /// The bytes are no such message.
    #[error("not a file of games")]
    Malformed(#[source] prost::DecodeError),
    /// The file is one of other rules.
    #[error("games of version {found} of the rules, but this build has {RULES_VERSION}")]
    OtherRules {
        /// The version.
        found: u32,
    },
    /// A deck is malformed.
    #[error("deck {deck} is malformed")]
    Deck {
        /// Its index.
        deck: usize,
        /// The reason.
        source: DecodeError,
    },
    /// The numbers of names and of decks differ.
    #[error("{names} names of {decks} decks")]
    Names {
        /// The number of names.
        names: usize,
        /// The number of decks.
        decks: usize,
    },
    /// A series does not have two agents.
    #[error("{found} agents in series {series}, but a game has 2")]
    Agents {
        /// The index of the series.
        series: usize,
        /// The number of agents.
        found: usize,
    },
    /// A record is malformed.
    #[error("record {record} of series {series} is malformed")]
    Record {
        /// The index of the series.
        series: usize,
        /// The index of the record in the series.
        record: usize,
        /// The reason.
        source: RecordError,
    },
    /// A record names a deck that the file lacks.
    #[error("record {record} of series {series} has deck {deck}, but the file has {decks} decks")]
    NoDeck {
        /// The index of the series.
        series: usize,
        /// The index of the record in the series.
        record: usize,
        /// The deck that it names.
        deck: u16,
        /// The number of decks.
        decks: usize,
    },
}

impl GameFile {
    /// Returns the bytes of the file.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let series = self.series.iter().map(|GameSeries { agents, records }| GameSeriesMessage {
            agents: agents.to_vec(),
            records: records.iter().map(GameRecord::encode).collect(),
        });
        let message = GameFileMessage {
            rules: RULES_VERSION.into(),
            deck_names: self.decks.iter().map(|(name, _)| name.clone()).collect(),
            decks: self.decks.iter().map(|(_, deck)| GameDeckMessage::from(deck)).collect(),
            series: series.collect(),
        };
        message.encode_to_vec()
    }

    /// Returns the games that `bytes` encode. Whether they are legal shows when they are
    /// [replayed](GameRecord::replay).
    ///
    /// # Errors
    /// If the bytes are no file of games of these rules.
    pub fn decode(bytes: &[u8]) -> Result<Self, GameFileError> {
        let message = GameFileMessage::decode(bytes).map_err(GameFileError::Malformed)?;
        let GameFileMessage { rules, deck_names, decks, series } = message;
        if rules != u32::from(RULES_VERSION) {
            return Err(GameFileError::OtherRules { found: rules });
        }
        let (names, n_decks) = (deck_names.len(), decks.len());
        if names != n_decks {
            return Err(GameFileError::Names { names, decks: n_decks });
        }
        let deck = |(deck, message): (usize, GameDeckMessage)| {
            message.checked().map_err(|source| GameFileError::Deck { deck, source })
        };
        let decks = decks.into_iter().enumerate().map(deck).collect::<Result<Vec<_>, _>>()?;
        let series = series.into_iter().enumerate();
        let series = series.map(|(number, series)| series.checked(number, n_decks));
        Ok(Self {
            decks: deck_names.into_iter().zip(decks).collect(),
            series: series.collect::<Result<_, _>>()?,
        })
    }

    /// Returns the decks of a record.
    ///
    /// # Panics
    /// If the file has no such decks: the record is none of its own.
    #[must_use]
    pub fn decks_of(&self, record: &GameRecord) -> [&GameDeck; 2] {
        record.decks.map(|deck| &self.decks[usize::from(deck)].1)
    }
}

impl GameSeriesMessage {
    fn checked(self, series: usize, decks: usize) -> Result<GameSeries, GameFileError> {
        let found = self.agents.len();
        let agents: [String; 2] =
            self.agents.try_into().map_err(|_| GameFileError::Agents { series, found })?;
        let record = |(record, bytes): (usize, Vec<u8>)| {
            let read = GameRecord::decode(&bytes);
            let read = read.map_err(|source| GameFileError::Record { series, record, source })?;
            match read.decks.iter().find(|deck| decks <= usize::from(**deck)) {
                Some(&deck) => Err(GameFileError::NoDeck { series, record, deck, decks }),
                None => Ok(read),
            }
        };
        let records = self.records.into_iter().enumerate().map(record);
        Ok(GameSeries { agents, records: records.collect::<Result<_, _>>()? })
    }
}
