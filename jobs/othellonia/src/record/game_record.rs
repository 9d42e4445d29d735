//! Records of games: what a game needs to be played again, in at most 46 bytes.

use hatchery_core::{InvalidValue, WireElement, error_chain};
use prost::bytes::Bytes;

use crate::rules::{Action, ActionError, Game, GameDeck, GameStart, GameWatcher, Player};

/// The version of the rules: raised whenever the same actions can lead to another game.
pub const RULES_VERSION: u8 = 1;

/// The most placements of a game: the empty cells at the start.
pub const MAX_PLACEMENTS: usize = 32;

/// A game as its start and its actions.
///
/// ```text
/// byte  0        1      2..4    4..6    6..14  14..
///       version  first  deck A  deck B  seed   a byte for each action
/// ```
/// Numbers of several bytes begin with their lowest byte; first is 0 for A and 1 for B. An action
/// is four times the cell and the slot of the hand.
#[derive(Clone, Debug, PartialEq, Eq, WireElement)]
#[wire(try_from = Bytes)]
pub struct GameRecord {
    /// The numbers of the decks of A and B in the list that belongs to the record.
    pub decks: [u16; 2],
    /// The start.
    pub start: GameStart,
    /// The actions, in order.
    pub actions: Vec<Action>,
}

/// The bytes before the actions.
const HEAD_BYTES: usize = 14;

impl GameRecord {
    /// The most bytes of a record.
    pub const MAX_BYTES: usize = HEAD_BYTES + MAX_PLACEMENTS;

    /// Returns the bytes of the record.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let Self { decks, start: GameStart { seed, first }, actions } = self;
        let mut bytes = vec![RULES_VERSION, u8::from(*first == Player::B)];
        decks.iter().for_each(|deck| bytes.extend(deck.to_le_bytes()));
        bytes.extend(seed.to_le_bytes());
        bytes.extend(actions.iter().map(|action| action.to_byte()));
        bytes
    }

    /// Returns the record that `bytes` encode. Whether its actions are legal shows when it is
    /// [replayed](Self::replay).
    ///
    /// # Errors
    /// If the bytes are no record of these rules.
    pub fn decode(bytes: &[u8]) -> Result<Self, RecordError> {
        let n_bytes = bytes.len();
        if let Some(&version) = bytes.first()
            && version != RULES_VERSION
        {
            return Err(RecordError::OtherRules { version });
        }
        let Some((&head, actions)) = bytes.split_first_chunk::<HEAD_BYTES>() else {
            return Err(RecordError::Length { n_bytes });
        };
        if MAX_PLACEMENTS < actions.len() {
            return Err(RecordError::Length { n_bytes });
        }
        let [_, first, a0, a1, b0, b1, seed @ ..] = head;
        let first = match first {
            0 => Player::A,
            1 => Player::B,
            byte => return Err(RecordError::First { byte }),
        };
        let action = |(ply, &byte): (usize, &u8)| {
            Action::from_byte(byte).ok_or(RecordError::NoAction { ply, byte })
        };
        Ok(Self {
            decks: [u16::from_le_bytes([a0, a1]), u16::from_le_bytes([b0, b1])],
            start: GameStart { seed: u64::from_le_bytes(seed), first },
            actions: (1..).zip(actions).map(action).collect::<Result<_, _>>()?,
        })
    }

    /// Plays the game again with its decks.
    ///
    /// # Errors
    /// If an action is illegal, or the record ends before the game does.
    pub fn replay<'a>(
        &self,
        decks: [&'a GameDeck; 2],
        watcher: &mut impl GameWatcher,
    ) -> Result<Game<'a>, RecordError> {
        let mut game = Game::start(decks, self.start);
        for (ply, action) in (1..).zip(&self.actions) {
            let illegal = |source| RecordError::Illegal { ply, source };
            game.play(*action, watcher).map_err(illegal)?;
        }
        match game.outcome() {
            Some(_) => Ok(game),
            None => Err(RecordError::Unfinished { plies: self.actions.len() }),
        }
    }
}

impl From<&GameRecord> for Bytes {
    fn from(record: &GameRecord) -> Self {
        record.encode().into()
    }
}

impl TryFrom<Bytes> for GameRecord {
    type Error = InvalidValue;

    fn try_from(bytes: Bytes) -> Result<Self, InvalidValue> {
        let wrong = |error| format!("the record of a game: {}", error_chain(&error));
        Self::decode(&bytes).map_err(|error| InvalidValue::new("", "malformed", wrong(error)))
    }
}

/// An error for a record that cannot be read or replayed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// The record is one of other rules.
    #[error("a record of version {version} of the rules, but this build has {RULES_VERSION}")]
    OtherRules {
        /// The version.
        version: u8,
    },
    /// The record is too short or too long.
    #[error("{n_bytes} bytes, but a record has from {HEAD_BYTES} to {}", GameRecord::MAX_BYTES)]
    Length {
        /// The number of bytes.
        n_bytes: usize,
    },
    /// The byte for the first player means no player.
    #[error("the first player is {byte}, but must be 0 or 1")]
    First {
        /// The byte.
        byte: u8,
    },
    /// A byte means no action.
    #[error("the action of ply {ply} is {byte}, but must be below {}", Action::COUNT)]
    NoAction {
        /// The ply, counted from 1.
        ply: usize,
        /// The byte.
        byte: u8,
    },
    /// An action is illegal.
    #[error("the action of ply {ply} is illegal")]
    Illegal {
        /// The ply, counted from 1.
        ply: usize,
        /// The reason.
        source: ActionError,
    },
    /// The game is not over after the last action.
    #[error("the game is not over after its {plies} plies")]
    Unfinished {
        /// The number of plies.
        plies: usize,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> GameRecord {
        let actions = [0, 143, 77].map(|byte| Action::from_byte(byte).unwrap()).to_vec();
        let start = GameStart { seed: 0x0123_4567_89AB_CDEF, first: Player::B };
        GameRecord { decks: [1, 300], start, actions }
    }

    #[test]
    fn records_are_read_back() {
        let bytes = record().encode();
        let expected =
            [1, 1, 1, 0, 44, 1, 0xEF, 0xCD, 0xAB, 0x89, 0x67, 0x45, 0x23, 0x01, 0, 143, 77];
        assert_eq!(bytes, expected);
        assert_eq!(GameRecord::decode(&bytes), Ok(record()));
    }

    #[test]
    fn what_is_no_record_is_refused() {
        let bytes = record().encode();
        let changed = |at: usize, byte: u8| {
            let mut bytes = bytes.clone();
            bytes[at] = byte;
            GameRecord::decode(&bytes).unwrap_err().to_string()
        };
        assert_eq!(changed(0, 2), "a record of version 2 of the rules, but this build has 1");
        assert_eq!(changed(1, 2), "the first player is 2, but must be 0 or 1");
        assert_eq!(changed(15, 144), "the action of ply 2 is 144, but must be below 144");
        let long = [&bytes[..], &[0; 30]].concat();
        for wrong in [&bytes[..13], &[], &long] {
            let n_bytes = wrong.len();
            assert_eq!(GameRecord::decode(wrong), Err(RecordError::Length { n_bytes }));
        }
    }
}
