//! Setups on the wire.

use hatchery_core::{DecodeError, WireValue};

use super::effect::{EffectMessage, chain_messages, checked_chain, number_of, one_of};
use crate::agents::{GameAgent, RuleAgent};
use crate::rules::{
    Attribute, DECK_PIECES, GameDeck, GamePiece, MAX_ATTACK, MAX_PIECE_HP, PieceId,
};
use crate::setup::{KeptRecords, MatchSetup};

/// A [`MatchSetup`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct MatchSetupMessage {
    #[prost(message, repeated, tag = "1")]
    decks: Vec<GameDeckMessage>,
    #[prost(message, repeated, tag = "2")]
    agents: Vec<AgentMessage>,
    #[prost(bool, tag = "3")]
    keeps_records: bool,
}

/// A [`GameDeck`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct GameDeckMessage {
    #[prost(message, repeated, tag = "1")]
    pieces: Vec<GamePieceMessage>,
    #[prost(uint32, tag = "2")]
    leader: u32,
    /// The deck's number in the run's list.
    #[prost(uint32, tag = "3")]
    number: u32,
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

/// A [`GameAgent`] on the wire.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct AgentMessage {
    /// 0: random, 1: by rule, 2: look-ahead.
    #[prost(uint32, tag = "1")]
    kind: u32,
    /// The temperature of an agent by rule.
    #[prost(uint32, tag = "2")]
    temperature: u32,
}

impl WireValue for MatchSetup {
    type Message = MatchSetupMessage;

    fn to_message(&self) -> MatchSetupMessage {
        let Self { decks, deck_numbers, agents, kept } = self;
        let decks = decks.iter().zip(deck_numbers);
        MatchSetupMessage {
            decks: decks.map(|(deck, number)| GameDeckMessage::new(deck, *number)).collect(),
            agents: agents.iter().map(AgentMessage::from).collect(),
            keeps_records: *kept == KeptRecords::All,
        }
    }

    fn from_message(message: MatchSetupMessage) -> Result<Self, DecodeError> {
        let MatchSetupMessage { decks, agents, keeps_records } = message;
        let [first, second] = two("decks", decks)?.map(GameDeckMessage::checked);
        let ((first, a), (second, b)) = (first?, second?);
        let [agent, enemy] = two("agents", agents)?.map(AgentMessage::checked);
        Ok(Self {
            decks: [first, second],
            deck_numbers: [a, b],
            agents: [agent?, enemy?],
            kept: if keeps_records { KeptRecords::All } else { KeptRecords::None },
        })
    }
}

/// Returns the two elements of a list.
fn two<T>(field: &'static str, list: Vec<T>) -> Result<[T; 2], DecodeError> {
    let n = list.len();
    list.try_into().map_err(|_| DecodeError::field(field, &n, "2 of them"))
}

impl GameDeckMessage {
    pub(crate) fn new(deck: &GameDeck, number: u16) -> Self {
        Self {
            pieces: deck.pieces().iter().map(GamePieceMessage::from).collect(),
            leader: u32::try_from(deck.leader()).expect("below 16"),
            number: number.into(),
        }
    }

    pub(crate) fn checked(self) -> Result<(GameDeck, u16), DecodeError> {
        let Self { pieces, leader, number } = self;
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
        let number = u16::try_from(number)
            .map_err(|_| DecodeError::field("number", &number, "below 65536"))?;
        let same = || DecodeError::field("pieces", &"a list with one piece twice", "different");
        let deck = GameDeck::new(pieces, leader as usize).ok_or_else(same)?;
        Ok((deck, number))
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

impl From<&GameAgent> for AgentMessage {
    fn from(agent: &GameAgent) -> Self {
        let (kind, temperature) = match agent {
            GameAgent::Random => (0, 0),
            GameAgent::Rule(RuleAgent { temperature }) => (1, *temperature),
            GameAgent::Lookahead => (2, 0),
        };
        Self { kind, temperature }
    }
}

impl AgentMessage {
    fn checked(self) -> Result<GameAgent, DecodeError> {
        let Self { kind, temperature } = self;
        match kind {
            0 => Ok(GameAgent::Random),
            1 if temperature <= RuleAgent::MAX_TEMPERATURE => {
                Ok(GameAgent::Rule(RuleAgent { temperature }))
            }
            1 => {
                let expected = format!("at most {}", RuleAgent::MAX_TEMPERATURE);
                Err(DecodeError::field("temperature", &temperature, expected))
            }
            2 => Ok(GameAgent::Lookahead),
            kind => Err(DecodeError::field("kind", &kind, "below 3")),
        }
    }
}
