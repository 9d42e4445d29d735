//! The table of results of many players.

use crate::error::StatsError;

/// The most players of a table: a fit takes time in proportion to their cube.
const MAX_PLAYERS: usize = 300;

/// The results of games between two players, which are given by their index from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairRecord {
    /// The player from whose side results are counted.
    pub first: usize,
    /// The other player.
    pub second: usize,
    /// The games that the first player won.
    pub wins: u64,
    /// The drawn games.
    pub draws: u64,
    /// The games that the second player won.
    pub losses: u64,
}

/// The results of 2 to 300 players against each other, at most 2^52 games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultTable {
    players: usize,
    /// By player and opponent, row by row: twice the points that the player won.
    half_points: Vec<u64>,
}

impl ResultTable {
    /// Creates the table of `players` from `records`. Records of the same pair add up.
    ///
    /// # Errors
    /// If there are fewer than 2 players or more than 300, more than 2^52 games, or a record is of
    /// a player that does not exist or of a player against itself.
    pub fn new(players: usize, records: &[PairRecord]) -> Result<Self, StatsError> {
        if !(2..=MAX_PLAYERS).contains(&players) {
            #[expect(clippy::cast_precision_loss, reason = "for a message")]
            let value = players as f64;
            let (name, range) = ("number of players", "from 2 to 300");
            return Err(StatsError::OutOfRange { name, value, range });
        }
        let counts = records.iter().flat_map(|record| [record.wins, record.draws, record.losses]);
        let games: u128 = counts.map(u128::from).sum();
        if 1 << 52 < games {
            return Err(StatsError::TooManyTrials { n: games });
        }
        let mut half_points = vec![0; players * players];
        for &PairRecord { first, second, wins, draws, losses } in records {
            for player in [first, second] {
                if players <= player {
                    return Err(StatsError::UnknownPlayer { player, players });
                }
            }
            if first == second {
                return Err(StatsError::SamePlayer { player: first });
            }
            half_points[first * players + second] += 2 * wins + draws;
            half_points[second * players + first] += 2 * losses + draws;
        }
        Ok(Self { players, half_points })
    }

    /// Returns the number of players.
    #[must_use]
    pub fn players(&self) -> usize {
        self.players
    }

    /// Returns twice the points that `player` won against `opponent`.
    pub(super) fn half_points(&self, player: usize, opponent: usize) -> u64 {
        self.half_points[player * self.players + opponent]
    }
}
