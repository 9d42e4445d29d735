//! Who sits where.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Agent, AnyPlayer};
use crate::rules::Seat;

/// Four agents and their way to the seats. Who sits where in a game is a function of the pool and
/// the game's number alone.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pool {
    /// The agents; the same one may be named more than once.
    pub agents: [Agent; Seat::COUNT],
    /// How they are seated.
    #[serde(default)]
    pub seating: Seating,
}

/// How the agents of a pool are seated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Seating {
    /// In every game in the order in which they are named: the first one has seat 1.
    Fixed,
    /// In all 24 orders by turns, by the game's number modulo 24: 24 games in a row have each order
    /// once, so that each agent has each seat, and each neighbor there, equally often.
    #[default]
    Permuted,
}

impl Pool {
    /// Number of orders of the agents.
    pub const ORDERS: u64 = 24;

    /// Four agents of one kind.
    #[must_use]
    pub const fn of(agent: Agent) -> Self {
        Self { agents: [agent; Seat::COUNT], seating: Seating::Fixed }
    }

    /// One agent against three of another kind, seated in all orders.
    #[must_use]
    pub const fn one_against(agent: Agent, others: Agent) -> Self {
        Self { agents: [agent, others, others, others], seating: Seating::Permuted }
    }

    /// For each seat, which of the agents has it in game number `game`.
    #[must_use]
    pub fn order(&self, game: u64) -> [usize; Seat::COUNT] {
        match self.seating {
            Seating::Fixed => [0, 1, 2, 3],
            Seating::Permuted => permutation(game % Self::ORDERS),
        }
    }

    /// The players of game number `game`, by their seats.
    #[must_use]
    pub fn players(&self, game: u64) -> [AnyPlayer; Seat::COUNT] {
        self.order(game).map(|agent| self.agents[agent].player())
    }
}

/// The permutation with this number, below 24: each digit, in bases 4, 3 and 2, says which of the
/// remaining agents comes next.
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
        let pool = Pool::one_against(Agent::Value, Agent::Random);
        for first in [0, 7, u64::MAX - Pool::ORDERS] {
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
    fn fixed_agents_keep_their_seats() {
        let pool = Pool::of(Agent::Random);
        assert!((0..48).all(|game| pool.order(game) == [0, 1, 2, 3]));
    }
}
