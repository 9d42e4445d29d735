//! Agents on the wire.

use hatchery_core::Malformed;

use crate::players::{Agent, Search};

/// More play-outs per decision are refused, as in a spec.
const MOST_PLAYOUTS: u32 = 100_000;

/// More exploration, or more won games to begin with, are refused, as in a spec.
const MOST_WEIGHT: u32 = 1_000;

/// An [`Agent`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct AgentMessage {
    #[prost(oneof = "KindMessage", tags = "1, 2, 3, 4")]
    kind: Option<KindMessage>,
}

/// A kind of agent on the wire.
#[derive(Clone, PartialEq, prost::Oneof)]
pub enum KindMessage {
    /// [`Agent::Random`].
    #[prost(message, tag = "1")]
    Random(()),
    /// [`Agent::Weighted`].
    #[prost(message, tag = "2")]
    Weighted(()),
    /// [`Agent::Value`].
    #[prost(message, tag = "3")]
    Value(()),
    /// [`Agent::Mcts`].
    #[prost(message, tag = "4")]
    Mcts(SearchMessage),
}

/// A [`Search`] on the wire.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct SearchMessage {
    #[prost(uint32, tag = "1")]
    playouts: u32,
    #[prost(double, tag = "2")]
    exploration: f64,
    #[prost(uint32, tag = "3")]
    settlement_wins: u32,
    #[prost(uint32, tag = "4")]
    city_wins: u32,
}

impl From<&Agent> for AgentMessage {
    fn from(agent: &Agent) -> Self {
        let kind = match *agent {
            Agent::Random => KindMessage::Random(()),
            Agent::Weighted => KindMessage::Weighted(()),
            Agent::Value => KindMessage::Value(()),
            Agent::Mcts(Search { playouts, exploration, settlement_wins, city_wins }) => {
                KindMessage::Mcts(SearchMessage {
                    playouts,
                    exploration,
                    settlement_wins,
                    city_wins,
                })
            }
        };
        Self { kind: Some(kind) }
    }
}

impl AgentMessage {
    pub(super) fn checked(self) -> Result<Agent, Malformed> {
        match self.kind {
            Some(KindMessage::Random(())) => Ok(Agent::Random),
            Some(KindMessage::Weighted(())) => Ok(Agent::Weighted),
            Some(KindMessage::Value(())) => Ok(Agent::Value),
            Some(KindMessage::Mcts(search)) => search.checked().map(Agent::Mcts),
            None => Err(Malformed::field("kind", &"missing", "a kind of agent")),
        }
    }
}

impl SearchMessage {
    fn checked(self) -> Result<Search, Malformed> {
        let Self { playouts, exploration, settlement_wins, city_wins } = self;
        if !(1..=MOST_PLAYOUTS).contains(&playouts) {
            let expected = format!("from 1 to {MOST_PLAYOUTS}");
            return Err(Malformed::field("playouts", &playouts, expected));
        }
        let weight = format!("from 0 to {MOST_WEIGHT}");
        if !(0.0..=f64::from(MOST_WEIGHT)).contains(&exploration) {
            return Err(Malformed::field("exploration", &exploration, weight));
        }
        for (field, wins) in [("settlement_wins", settlement_wins), ("city_wins", city_wins)] {
            if MOST_WEIGHT < wins {
                return Err(Malformed::field(field, &wins, weight));
            }
        }
        Ok(Search { playouts, exploration, settlement_wins, city_wins })
    }
}
