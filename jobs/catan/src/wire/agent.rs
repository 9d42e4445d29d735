//! Agents on the wire.

use hatchery_core::DecodeError;

use crate::players::{
    Agent, HandVisibility, MctsParams, PlannerOpening, PlannerParams, PlannerVariant,
};

/// The most playouts per decision, as in a spec.
const MOST_PLAYOUTS: u32 = 100_000;

/// The largest exploration, number of virtual wins and setting of a planner, as in a spec.
const MOST_WEIGHT: u32 = 1_000;

/// The most offers in a turn, as in a spec.
const MOST_OFFERS: u8 = 100;

/// The variants and openings of a planner on the wire.
const VALUE_VARIANT: u32 = 1;
const FAST_VARIANT: u32 = 2;
const VALUE_OPENING: u32 = 1;
const BUILDING_TIMES_OPENING: u32 = 2;
const RANDOM_OPENING: u32 = 3;

/// An [`Agent`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct AgentMessage {
    #[prost(oneof = "KindMessage", tags = "1, 2, 3, 4, 5, 6")]
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
    Mcts(MctsMessage),
    /// [`Agent::Planner`] with [`HandVisibility::All`].
    #[prost(message, tag = "5")]
    Planner(PlannerMessage),
    /// [`Agent::Planner`] with [`HandVisibility::Public`]: another kind, so that a worker that does
    /// not know the setting refuses it.
    #[prost(message, tag = "6")]
    PublicPlanner(PlannerMessage),
}

/// A [`PlannerParams`] on the wire, without what the planner sees. Tags 1, 3 and 7 to 10 are
/// reserved.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct PlannerMessage {
    #[prost(bool, tag = "2")]
    trade: bool,
    #[prost(uint32, tag = "4")]
    offers_per_turn: u32,
    #[prost(uint32, tag = "5")]
    wary_below: u32,
    #[prost(uint32, tag = "6")]
    card_delay: u32,
    #[prost(uint32, tag = "11")]
    opening_slack: u32,
    #[prost(uint32, tag = "12")]
    variant: u32,
    #[prost(uint32, tag = "13")]
    opening: u32,
}

/// A [`MctsParams`] on the wire.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct MctsMessage {
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
            Agent::Mcts(MctsParams { playouts, exploration, settlement_wins, city_wins }) => {
                KindMessage::Mcts(MctsMessage { playouts, exploration, settlement_wins, city_wins })
            }
            Agent::Planner(planner) => match planner.sees {
                HandVisibility::All => KindMessage::Planner((&planner).into()),
                HandVisibility::Public => KindMessage::PublicPlanner((&planner).into()),
            },
        };
        Self { kind: Some(kind) }
    }
}

impl AgentMessage {
    pub(super) fn checked(self) -> Result<Agent, DecodeError> {
        match self.kind {
            Some(KindMessage::Random(())) => Ok(Agent::Random),
            Some(KindMessage::Weighted(())) => Ok(Agent::Weighted),
            Some(KindMessage::Value(())) => Ok(Agent::Value),
            Some(KindMessage::Mcts(search)) => search.checked().map(Agent::Mcts),
            Some(KindMessage::Planner(planner)) => {
                planner.checked(HandVisibility::All).map(Agent::Planner)
            }
            Some(KindMessage::PublicPlanner(planner)) => {
                planner.checked(HandVisibility::Public).map(Agent::Planner)
            }
            None => Err(DecodeError::field("kind", &"missing", "a kind of agent")),
        }
    }
}

impl MctsMessage {
    fn checked(self) -> Result<MctsParams, DecodeError> {
        let Self { playouts, exploration, settlement_wins, city_wins } = self;
        if !(1..=MOST_PLAYOUTS).contains(&playouts) {
            let expected = format!("from 1 to {MOST_PLAYOUTS}");
            return Err(DecodeError::field("playouts", &playouts, expected));
        }
        let weight = format!("from 0 to {MOST_WEIGHT}");
        if !(0.0..=f64::from(MOST_WEIGHT)).contains(&exploration) {
            return Err(DecodeError::field("exploration", &exploration, weight));
        }
        for (field, wins) in [("settlement_wins", settlement_wins), ("city_wins", city_wins)] {
            if MOST_WEIGHT < wins {
                return Err(DecodeError::field(field, &wins, weight));
            }
        }
        Ok(MctsParams { playouts, exploration, settlement_wins, city_wins })
    }
}

impl From<&PlannerParams> for PlannerMessage {
    fn from(planner: &PlannerParams) -> Self {
        Self {
            trade: planner.trade,
            offers_per_turn: planner.offers_per_turn.into(),
            wary_below: planner.wary_below.into(),
            card_delay: planner.card_delay.into(),
            opening_slack: planner.opening_slack.into(),
            variant: match planner.variant {
                PlannerVariant::Value => VALUE_VARIANT,
                PlannerVariant::Fast => FAST_VARIANT,
            },
            opening: match planner.opening {
                PlannerOpening::Value => VALUE_OPENING,
                PlannerOpening::BuildingTimes => BUILDING_TIMES_OPENING,
                PlannerOpening::Random => RANDOM_OPENING,
            },
        }
    }
}

impl PlannerMessage {
    fn checked(self, sees: HandVisibility) -> Result<PlannerParams, DecodeError> {
        let throws = |field, n: u32| {
            let refused = || DecodeError::field(field, &n, format!("from 0 to {MOST_WEIGHT}"));
            u16::try_from(n).ok().filter(|_| n <= MOST_WEIGHT).ok_or_else(refused)
        };
        let offers = u8::try_from(self.offers_per_turn).ok().filter(|n| *n <= MOST_OFFERS);
        let refused = || {
            let expected = format!("from 0 to {MOST_OFFERS}");
            DecodeError::field("offers_per_turn", &self.offers_per_turn, expected)
        };
        Ok(PlannerParams {
            variant: match self.variant {
                VALUE_VARIANT => PlannerVariant::Value,
                FAST_VARIANT => PlannerVariant::Fast,
                other => return Err(DecodeError::field("variant", &other, "1 or 2")),
            },
            trade: self.trade,
            opening: match self.opening {
                VALUE_OPENING => PlannerOpening::Value,
                BUILDING_TIMES_OPENING => PlannerOpening::BuildingTimes,
                RANDOM_OPENING => PlannerOpening::Random,
                other => return Err(DecodeError::field("opening", &other, "from 1 to 3")),
            },
            opening_slack: throws("opening_slack", self.opening_slack)?,
            offers_per_turn: offers.ok_or_else(refused)?,
            wary_below: throws("wary_below", self.wary_below)?,
            card_delay: throws("card_delay", self.card_delay)?,
            sees,
        })
    }
}
