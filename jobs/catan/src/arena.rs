//! Series of games between agents: how strong they are.

use std::ops::Range;

use hatchery_core::{Estimate, StreamRng};
use hatchery_stats::{ErrorRate, wilson_interval};

use crate::game::{Streams, play};
use crate::map::Policy;
use crate::players::Pool;
use crate::rules::{Island, Seat};

/// How a series went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standings {
    /// Games played.
    pub games: u64,
    /// Wins of each agent of the pool, by the seat that he had.
    pub wins: [[u64; Seat::COUNT]; Seat::COUNT],
    /// Turns begun in all games.
    pub turns: u64,
}

/// Plays the games with these numbers, each on its own map of [`Policy::Free`] and until `turn_cap`
/// turns are over. A game is a function of `stream`, the pool and its number.
#[must_use]
pub fn series(pool: &Pool, stream: &StreamRng, games: Range<u64>, turn_cap: u16) -> Standings {
    let mut results = Standings::default();
    for game in games {
        let mut rng = stream.part(game);
        let island = Island::new(Policy::Free.draw(&mut rng));
        let record = play(&island, &mut pool.players(game), &mut Streams::new(rng), turn_cap);
        results.games += 1;
        results.turns += u64::from(record.turns);
        if let Some(winner) = record.winner {
            let agent = pool.order(game)[winner.index()];
            results.wins[agent][winner.index()] += 1;
        }
    }
    results
}

impl Standings {
    /// The share of all games, undecided ones included, that agent number `agent` of the pool won,
    /// with its Wilson interval. Against three of its own kind it would be a quarter at most.
    ///
    /// # Panics
    /// If `agent` is not below 4.
    #[must_use]
    pub fn share(&self, agent: usize, error_rate: ErrorRate) -> Estimate {
        let wins = self.wins[agent].iter().sum();
        wilson_interval(wins, self.games, error_rate).expect("a game has one winner at most")
    }

    /// Games that nobody won.
    #[must_use]
    pub fn undecided(&self) -> u64 {
        self.games - self.wins.as_flattened().iter().sum::<u64>()
    }
}
