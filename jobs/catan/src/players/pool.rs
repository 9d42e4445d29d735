//! Pools of agents and their seats.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Agent, AnyPlayer};
use crate::rules::Seat;

/// Four agents and the order of their seats. The seats of a game are a function of the pool and the
/// game's number alone.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "PoolParam")]
pub struct AgentPool {
    /// The agents; an agent may occur more than once.
    pub agents: [Agent; Seat::COUNT],
    /// The order in which the agents are seated.
    pub seating: SeatingOrder,
}

/// A pool as a person writes it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PoolParam {
    /// The agents; an agent may occur more than once. Either these or `agent` must be given.
    agents: Option<[Agent; Seat::COUNT]>,
    /// The agent on all four seats, in place of `agents`.
    agent: Option<Agent>,
    /// The order in which the agents are seated. Default: permuted; fixed for a single `agent`.
    seating: Option<SeatingOrder>,
}

/// The error of a pool whose agents are not clear.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum PoolError {
    /// The pool has agents in both ways.
    #[error("pool has both agents and agent, but must have one of them")]
    Both,
    /// The pool has no agents.
    #[error("pool has no agents: it must have agents, a list of four, or agent, one for all seats")]
    Neither,
}

impl TryFrom<PoolParam> for AgentPool {
    type Error = PoolError;

    fn try_from(PoolParam { agents, agent, seating }: PoolParam) -> Result<Self, PoolError> {
        let pool = match (agents, agent) {
            (Some(agents), None) => Self { agents, seating: SeatingOrder::default() },
            (None, Some(agent)) => Self::of(agent),
            (Some(_), Some(_)) => return Err(PoolError::Both),
            (None, None) => return Err(PoolError::Neither),
        };
        Ok(Self { seating: seating.unwrap_or(pool.seating), ..pool })
    }
}

/// The order in which the agents of a pool are seated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SeatingOrder {
    /// The given order in every game: the first agent has seat 1.
    Fixed,
    /// All 24 orders in turn, by the game's number modulo 24: 24 consecutive games have each order
    /// once, so each agent has each seat, and each neighbor there, equally often.
    #[default]
    Permuted,
}

impl AgentPool {
    /// The number of orders of four agents.
    pub const ORDERS: u64 = 24;

    /// Creates a pool of four equal agents.
    #[must_use]
    pub const fn of(agent: Agent) -> Self {
        Self { agents: [agent; Seat::COUNT], seating: SeatingOrder::Fixed }
    }

    /// Creates a pool with `agent` once and `others` three times, seated in all orders.
    #[must_use]
    pub const fn one_against(agent: Agent, others: Agent) -> Self {
        Self { agents: [agent, others, others, others], seating: SeatingOrder::Permuted }
    }

    /// Returns the index of the agent on each seat in game number `game`.
    #[must_use]
    pub fn order(&self, game: u64) -> [usize; Seat::COUNT] {
        match self.seating {
            SeatingOrder::Fixed => [0, 1, 2, 3],
            SeatingOrder::Permuted => permutation(game % Self::ORDERS),
        }
    }

    /// Creates the players of game number `game`, in the order of their seats.
    #[must_use]
    pub fn players(&self, game: u64) -> [AnyPlayer; Seat::COUNT] {
        self.order(game).map(|agent| self.agents[agent].player())
    }
}

/// Returns the permutation with this number, below 24: each digit, in bases 4, 3 and 2, selects the
/// next one of the remaining agents.
fn permutation(number: u64) -> [usize; Seat::COUNT] {
    let mut order = [0, 1, 2, 3];
    let mut digits = number;
    for (seat, base) in [4, 3, 2].into_iter().enumerate() {
        let digit = usize::try_from(digits % base).expect("below 4");
        order.swap(seat, seat + digit);
        digits /= base;
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_24_games_in_a_row_have_every_order_once() {
        let pool = AgentPool::one_against(Agent::Value, Agent::Random);
        for first in [0, 7, u64::MAX - AgentPool::ORDERS] {
            let mut orders: Vec<_> = (first..first + 24).map(|game| pool.order(game)).collect();
            orders.sort_unstable();
            orders.dedup();
            assert_eq!(orders.len(), 24);
            for mut order in orders {
                order.sort_unstable();
                assert_eq!(order, [0, 1, 2, 3]);
            }
        }
    }

    #[test]
    fn an_agent_stands_for_four() {
        let read = |text: &str| serde_json::from_str::<AgentPool>(text);
        let pool = AgentPool::of(Agent::Value);
        assert_eq!(read(r#"{"agent":{"kind":"value"}}"#).unwrap(), pool);
        // The canonical form names all four.
        assert_eq!(read(&serde_json::to_string(&pool).unwrap()).unwrap(), pool);
        let four =
            r#""agents":[{"kind":"value"},{"kind":"value"},{"kind":"value"},{"kind":"value"}]"#;
        let permuted = read(r#"{"agent":{"kind":"value"},"seating":"permuted"}"#).unwrap();
        assert_eq!(permuted, AgentPool { seating: SeatingOrder::Permuted, ..pool });
        assert_eq!(read(&format!("{{{four}}}")).unwrap(), permuted);
        let both = read(&format!(r#"{{"agent":{{"kind":"value"}},{four}}}"#)).unwrap_err();
        assert!(both.to_string().contains("both agents and agent"), "{both}");
        let none = read("{}").unwrap_err();
        assert!(none.to_string().contains("pool has no agents"), "{none}");
    }

    #[test]
    fn fixed_agents_keep_their_seats() {
        let pool = AgentPool::of(Agent::Random);
        assert!((0..48).all(|game| pool.order(game) == [0, 1, 2, 3]));
    }
}
