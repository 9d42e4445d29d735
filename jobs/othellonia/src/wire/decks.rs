//! Decks on the wire.

use hatchery_core::{DecodeError, MessageValue};

use super::effect::{EffectMessage, chain_messages, checked_chain, number_of, one_of};
use crate::rules::{
    Attribute, DECK_PIECES, GameDeck, GamePiece, MAX_ATTACK, MAX_PIECE_HP, PieceId,
};
use crate::setup::DeckTable;

/// A [`DeckTable`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct DeckTableMessage {
    #[prost(message, repeated, tag = "1")]
    decks: Vec<GameDeckMessage>,
}

/// A [`GameDeck`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct GameDeckMessage {
    #[prost(message, repeated, tag = "1")]
    pieces: Vec<GamePieceMessage>,
    #[prost(uint32, tag = "2")]
    leader: u32,
}

/// A [`GamePiece`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct GamePieceMessage {
    #[prost(uint32, tag = "1")]
    id: u32,
    #[prost(uint32, tag = "2")]
    attribute: u32,
    #[prost(uint32, tag = "3")]
    hp: u32,
    #[prost(uint32, tag = "4")]
    attack: u32,
    #[prost(message, repeated, tag = "5")]
    skill: Vec<EffectMessage>,
    #[prost(message, repeated, tag = "6")]
    combo: Vec<EffectMessage>,
}

impl MessageValue for DeckTable {
    type Message = DeckTableMessage;

    fn to_message(&self) -> DeckTableMessage {
        DeckTableMessage { decks: self.decks().iter().map(GameDeckMessage::from).collect() }
    }

    fn from_message(DeckTableMessage { decks }: DeckTableMessage) -> Result<Self, DecodeError> {
        let n_decks = decks.len();
        let decks = decks.into_iter().map(GameDeckMessage::checked).collect::<Result<_, _>>()?;
        let expected = || format!("from 1 to {}", Self::MAX_DECKS);
        Self::new(decks).ok_or_else(|| DecodeError::field("decks", &n_decks, expected()))
    }
}

hatchery_core::message_value!(DeckTable);

impl From<&GameDeck> for GameDeckMessage {
    fn from(deck: &GameDeck) -> Self {
        Self {
            pieces: deck.pieces().iter().map(GamePieceMessage::from).collect(),
            leader: u32::try_from(deck.leader()).expect("below 16"),
        }
    }
}

impl GameDeckMessage {
    pub(crate) fn checked(self) -> Result<GameDeck, DecodeError> {
        let Self { pieces, leader } = self;
        let n = pieces.len();
        if n != DECK_PIECES {
            return Err(DecodeError::field("pieces", &n, DECK_PIECES.to_string()));
        }
        let pieces: Vec<GamePiece> =
            pieces.into_iter().map(GamePieceMessage::checked).collect::<Result<_, _>>()?;
        let pieces = pieces.try_into().expect("the number was checked");
        if DECK_PIECES <= leader as usize {
            let expected = format!("below {DECK_PIECES}");
            return Err(DecodeError::field("leader", &leader, expected));
        }
        let same = || DecodeError::field("pieces", &"a list with one piece twice", "different");
        GameDeck::new(pieces, leader as usize).ok_or_else(same)
    }
}

impl From<&GamePiece> for GamePieceMessage {
    fn from(piece: &GamePiece) -> Self {
        let GamePiece { id, attribute, hp, attack, skill, combo } = piece;
        Self {
            id: id.0.into(),
            attribute: number_of(&Attribute::ALL, attribute),
            hp: *hp,
            attack: *attack,
            skill: chain_messages(skill),
            combo: chain_messages(combo),
        }
    }
}

impl GamePieceMessage {
    fn checked(self) -> Result<GamePiece, DecodeError> {
        let Self { id, attribute, hp, attack, skill, combo } = self;
        let id = u16::try_from(id).map_err(|_| DecodeError::field("id", &id, "below 65536"))?;
        for (field, value, least, most) in
            [("hp", hp, 1, MAX_PIECE_HP), ("attack", attack, 0, MAX_ATTACK)]
        {
            if !(least..=most).contains(&value) {
                return Err(DecodeError::field(field, &value, format!("from {least} to {most}")));
            }
        }
        Ok(GamePiece {
            id: PieceId(id),
            attribute: one_of("attribute", &Attribute::ALL, attribute)?,
            hp,
            attack,
            skill: checked_chain("skill", skill)?,
            combo: checked_chain("combo", combo)?,
        })
    }
}
