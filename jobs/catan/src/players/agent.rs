//! The players that a spec can name.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Mcts, Planner, Player, Random, Search, SeatedPlanner, Value, Weighted};
use crate::rules::{Action, GameState, Island, LegalActions};
use crate::streams::Stream;

/// A kind of player with its parameters, as a person writes it: `{ kind = "mcts", playouts = 200 }`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Agent {
    /// Takes any legal action, all with the same probability; see [`Random`].
    Random,
    /// Takes any legal action, buildings most often; see [`Weighted`].
    Weighted,
    /// Takes the action that leaves the best position; see [`Value`].
    Value,
    /// Searches the tree of games by random play-outs; see [`Mcts`].
    Mcts(Search),
    /// Builds by estimates of time, and trades; see [`Planner`].
    Planner(Planner),
}

impl Agent {
    /// A player of this kind, who has not played yet.
    #[must_use]
    pub fn player(&self) -> AnyPlayer {
        match self {
            Self::Random => AnyPlayer::Random(Random),
            Self::Weighted => AnyPlayer::Weighted(Weighted),
            Self::Value => AnyPlayer::Value(Value),
            Self::Mcts(search) => AnyPlayer::Mcts(Mcts::new(*search)),
            Self::Planner(planner) => AnyPlayer::Planner(planner.seated()),
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
    /// Of [`Agent::Random`].
    Random(Random),
    /// Of [`Agent::Weighted`].
    Weighted(Weighted),
    /// Of [`Agent::Value`].
    Value(Value),
    /// Of [`Agent::Mcts`].
    Mcts(Mcts),
    /// Of [`Agent::Planner`].
    Planner(SeatedPlanner),
}

impl Player for AnyPlayer {
    fn act(
        &mut self,
        island: &Island,
        state: &GameState,
        legal: &LegalActions,
        stream: &mut Stream,
    ) -> Action {
        match self {
            Self::Random(player) => player.act(island, state, legal, stream),
            Self::Weighted(player) => player.act(island, state, legal, stream),
            Self::Value(player) => player.act(island, state, legal, stream),
            Self::Mcts(player) => player.act(island, state, legal, stream),
            Self::Planner(player) => player.act(island, state, legal, stream),
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
            ("mcts", Agent::Mcts(Search::default())),
            ("planner", Agent::Planner(Planner::FAST)),
        ] {
            assert_eq!(read(&format!(r#"{{"kind":"{kind}"}}"#)).unwrap(), agent);
        }
        let few = Agent::Mcts(Search { playouts: 200, ..Search::default() });
        assert_eq!(read(r#"{"kind":"mcts","playouts":200}"#).unwrap(), few);
        let refused = read(r#"{"kind":"mcts","playout":200}"#).unwrap_err();
        assert!(refused.to_string().starts_with("unknown field `playout`"), "{refused}");
    }
}
