//! Series of games between agents, which show how strong they are.

use std::ops::Range;

use hatchery_catan::map::MapPolicy;
use hatchery_catan::players::AgentPool;
use hatchery_catan::rules::{Island, Seat};
use hatchery_catan::streams::GameStreams;
use hatchery_catan::trial::game::play;
use hatchery_core::StreamRng;

/// The result of a series of games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SeriesResult {
    /// Games played.
    pub(crate) games: u64,
    /// The games that each agent of the pool won, by the agent's seat.
    pub(crate) wins: [[u64; Seat::COUNT]; Seat::COUNT],
    /// Turns begun in all games.
    pub(crate) turns: u64,
    /// Games whose winner has the longest road.
    pub(crate) longest_roads: u64,
    /// Games whose winner has the largest army.
    pub(crate) largest_armies: u64,
    /// Trades among players.
    pub(crate) trades: u64,
    /// Trades with the bank.
    pub(crate) maritime_trades: u64,
}

/// Plays the games with these numbers, each on its own map of [`MapPolicy::Free`] and until
/// `turn_cap` turns are over. A game is a function of `stream`, the pool and its number.
pub(crate) fn play_series(
    pool: &AgentPool,
    stream: &StreamRng,
    games: Range<u64>,
    turn_cap: u16,
) -> SeriesResult {
    let mut result = SeriesResult::default();
    for game in games {
        let mut rng = stream.part(game);
        let island = Island::new(MapPolicy::Free.draw(&mut rng));
        let record = play(&island, &mut pool.players(game), &mut GameStreams::new(rng), turn_cap);
        result.games += 1;
        result.turns += u64::from(record.turns);
        result.trades += u64::from(record.trades);
        result.maritime_trades += u64::from(record.maritime_trades);
        if let Some(winner) = record.winner {
            let agent = pool.order(game)[winner.index()];
            result.wins[agent][winner.index()] += 1;
            result.longest_roads += u64::from(record.longest_road == Some(winner));
            result.largest_armies += u64::from(record.largest_army == Some(winner));
        }
    }
    result
}

impl SeriesResult {
    /// Returns the number of games without a winner.
    pub(crate) fn undecided(&self) -> u64 {
        self.games - self.wins.as_flattened().iter().sum::<u64>()
    }
}
