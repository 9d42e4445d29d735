//! Pools of agents and their seats.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Agent, AnyPlayer};
use crate::rules::{BySeat, FEWEST_PLAYERS, Seat};

/// Two to four agents and the order of their seats. The seats of a game are a function of the pool
/// and the game's number alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "PoolParam")]
pub struct AgentPool {
    /// The agents; an agent may occur more than once.
    pub agents: Vec<Agent>,
    /// The order in which the agents are seated.
    pub seating: SeatingOrder,
}

/// A pool as a person writes it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PoolParam {
    /// The agents; an agent may occur more than once. Either these or `agent` must be given.
    #[schemars(length(min = FEWEST_PLAYERS, max = Seat::COUNT))]
    agents: Option<Vec<Agent>>,
    /// The agent on all seats, in place of `agents`.
    agent: Option<Agent>,
    /// The number of players, with `agent`. Default: 4.
    #[schemars(range(min = FEWEST_PLAYERS, max = Seat::COUNT))]
    players: Option<u8>,
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
    #[error("pool has no agents: it must have agents, a list, or agent, one for all seats")]
    Neither,
    /// The number of players is given beside a list of agents.
    #[error("pool has both agents and players, but as many play as agents has entries")]
    Players,
}

impl TryFrom<PoolParam> for AgentPool {
    type Error = PoolError;

    fn try_from(
        PoolParam { agents, agent, players, seating }: PoolParam,
    ) -> Result<Self, PoolError> {
        let pool = match (agents, agent) {
            (Some(_), None) if players.is_some() => return Err(PoolError::Players),
            (Some(agents), None) => Self { agents, seating: SeatingOrder::default() },
            (None, Some(agent)) => Self::of(agent, players.map_or(Seat::COUNT, usize::from)),
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
    /// All orders in turn, 24 of four agents, by the game's number modulo 24: 24 consecutive games
    /// have each order once, so each agent has each seat, and each neighbor there, equally often.
    #[default]
    Permuted,
}

impl AgentPool {
    /// Creates a pool of this many equal agents.
    #[must_use]
    pub fn of(agent: Agent, n_players: usize) -> Self {
        Self { agents: vec![agent; n_players], seating: SeatingOrder::Fixed }
    }

    /// Creates a pool with `agent` once and `others` three times, seated in all orders.
    #[must_use]
    pub fn one_against(agent: Agent, others: Agent) -> Self {
        Self { agents: vec![agent, others, others, others], seating: SeatingOrder::Permuted }
    }

    /// Returns the number of orders of the agents: 24 of four agents.
    #[must_use]
    pub fn n_orders(&self) -> u64 {
        (1..=self.agents.len() as u64).product()
    }

    /// Returns the index of the agent on each seat in game number `game`.
    ///
    /// # Panics
    /// If the pool has no agents, or more than there are seats.
    #[must_use]
    pub fn order(&self, game: u64) -> BySeat<usize> {
        let number = match self.seating {
            SeatingOrder::Fixed => 0,
            SeatingOrder::Permuted => game % self.n_orders(),
        };
        BySeat::new(&permutation(self.agents.len(), number)).expect("a pool of two to four")
    }

    /// Creates the players of game number `game`, in the order of their seats.
    #[must_use]
    pub fn players(&self, game: u64) -> Vec<AnyPlayer> {
        self.order(game).iter().map(|&agent| self.agents[agent].player()).collect()
    }
}

/// Returns the permutation of `n` agents with this number, below the number of permutations: each
/// digit, in bases `n`, `n - 1` and so on, selects the next one of the remaining agents.
fn permutation(n: usize, number: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    let mut digits = number;
    for seat in 0..n {
        let base = (n - seat) as u64;
        let digit = usize::try_from(digits % base).expect("below the number of agents");
        order.swap(seat, seat + digit);
        digits /= base;
    }
    order
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn as_many_games_in_a_row_as_orders_have_every_order_once() {
        for (n_agents, n_orders) in [(2, 2), (3, 6), (4, 24)] {
            let agents = vec![Agent::Value; n_agents];
            let pool = AgentPool { agents, seating: SeatingOrder::Permuted };
            assert_eq!(pool.n_orders(), n_orders);
            for first in [0, 7, u64::MAX - n_orders] {
                let orders = (first..first + n_orders).map(|game| pool.order(game).to_vec());
                let orders: BTreeSet<_> = orders.collect();
                assert_eq!(orders.len() as u64, n_orders);
                for mut order in orders {
                    order.sort_unstable();
                    assert!(order.into_iter().eq(0..n_agents));
                }
            }
        }
    }

    #[test]
    fn an_agent_stands_for_all_seats() {
        let read = |text: &str| serde_json::from_str::<AgentPool>(text);
        let pool = AgentPool::of(Agent::Value, 4);
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
        let three = r#"{"agent":{"kind":"value"},"players":3}"#;
        assert_eq!(read(three).unwrap(), AgentPool::of(Agent::Value, 3));
        let both = read(&format!(r#"{{"players":4,{four}}}"#)).unwrap_err();
        assert!(both.to_string().contains("both agents and players"), "{both}");
    }

    #[test]
    fn fixed_agents_keep_their_seats() {
        let pool = AgentPool::of(Agent::Random, 4);
        assert!((0..48).all(|game| *pool.order(game) == [0, 1, 2, 3]));
    }
}
