//! The players that a spec can name.

use hatchery_core::WireValue;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    CardCounter, HandVisibility, MctsParams, MctsPlayer, PlannerParams, PlannerPlayer, Player,
    RandomPlayer, ValuePlayer, WeightedPlayer,
};
use crate::rules::{Action, GameState, Island, LegalActions};
use crate::streams::FastRng;

/// A kind of player with its parameters, as written in a spec: `{ kind = "mcts", playouts = 200 }`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema, WireValue)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
#[wire(try_from = AgentForm)]
pub enum Agent {
    /// Takes any legal action, all with the same probability.
    Random,
    /// Takes any legal action, buildings most often.
    Weighted,
    /// Takes the action that leads to the best position.
    Value,
    /// Searches the game tree by random playouts.
    Mcts(MctsParams),
    /// Plans by estimated building times, and trades.
    Planner(PlannerParams),
}

impl Agent {
    /// Creates a player of this kind, which has not played yet.
    #[must_use]
    pub fn player(&self) -> AnyPlayer {
        match self {
            Self::Random => AnyPlayer::Random(RandomPlayer),
            Self::Weighted => AnyPlayer::Weighted(WeightedPlayer),
            Self::Value => AnyPlayer::Value(ValuePlayer),
            Self::Mcts(search) => AnyPlayer::Mcts(MctsPlayer::new(*search)),
            Self::Planner(planner) => AnyPlayer::Planner(planner.player()),
        }
    }
}

/// An agent on the wire. A planner that sees all hands and one that counts cards are two kinds, so
/// that a worker that does not know the setting refuses it.
#[derive(WireValue)]
enum AgentForm {
    #[wire(tag = 1)]
    Random,
    #[wire(tag = 2)]
    Weighted,
    #[wire(tag = 3)]
    Value,
    #[wire(tag = 4)]
    Mcts(MctsParams),
    #[wire(tag = 5)]
    Planner(PlannerParams),
    #[wire(tag = 6)]
    PublicPlanner(PlannerParams),
}

impl From<&Agent> for AgentForm {
    fn from(agent: &Agent) -> Self {
        match *agent {
            Agent::Random => Self::Random,
            Agent::Weighted => Self::Weighted,
            Agent::Value => Self::Value,
            Agent::Mcts(search) => Self::Mcts(search),
            Agent::Planner(planner) => match planner.sees {
                HandVisibility::All => Self::Planner(planner),
                HandVisibility::Public => {
                    Self::PublicPlanner(PlannerParams { sees: HandVisibility::All, ..planner })
                }
            },
        }
    }
}

impl From<AgentForm> for Agent {
    fn from(form: AgentForm) -> Self {
        match form {
            AgentForm::Random => Self::Random,
            AgentForm::Weighted => Self::Weighted,
            AgentForm::Value => Self::Value,
            AgentForm::Mcts(search) => Self::Mcts(search),
            AgentForm::Planner(planner) => Self::Planner(planner),
            AgentForm::PublicPlanner(planner) => {
                Self::Planner(PlannerParams { sees: HandVisibility::Public, ..planner })
            }
        }
    }
}

/// A player of any kind.
#[derive(Clone, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "players live on the stack: a playout allocates nothing"
)]
pub enum AnyPlayer {
    /// The player of [`Agent::Random`].
    Random(RandomPlayer),
    /// The player of [`Agent::Weighted`].
    Weighted(WeightedPlayer),
    /// The player of [`Agent::Value`].
    Value(ValuePlayer),
    /// The player of [`Agent::Mcts`].
    Mcts(MctsPlayer),
    /// The player of [`Agent::Planner`].
    Planner(PlannerPlayer),
}

impl Player for AnyPlayer {
    fn act(
        &mut self,
        island: &Island,
        state: &GameState,
        legal: &LegalActions,
        stream: &mut FastRng,
    ) -> Action {
        match self {
            Self::Random(player) => player.act(island, state, legal, stream),
            Self::Weighted(player) => player.act(island, state, legal, stream),
            Self::Value(player) => player.act(island, state, legal, stream),
            Self::Mcts(player) => player.act(island, state, legal, stream),
            Self::Planner(player) => player.act(island, state, legal, stream),
        }
    }

    fn card_counter(&mut self) -> Option<&mut CardCounter> {
        match self {
            Self::Planner(player) => player.card_counter(),
            Self::Random(_) | Self::Weighted(_) | Self::Value(_) | Self::Mcts(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_are_named_by_their_kind() {
        let read = |text: &str| serde_json::from_str::<Agent>(text);
        for (kind, agent) in [
            ("random", Agent::Random),
            ("weighted", Agent::Weighted),
            ("value", Agent::Value),
            ("mcts", Agent::Mcts(MctsParams::default())),
            ("planner", Agent::Planner(PlannerParams::VALUE)),
        ] {
            assert_eq!(read(&format!(r#"{{"kind":"{kind}"}}"#)).unwrap(), agent);
        }
        let few = Agent::Mcts(MctsParams { playouts: 200, ..MctsParams::default() });
        assert_eq!(read(r#"{"kind":"mcts","playouts":200}"#).unwrap(), few);
        let refused = read(r#"{"kind":"mcts","playout":200}"#).unwrap_err();
        assert!(refused.to_string().starts_with("unknown field `playout`"), "{refused}");
    }
}
