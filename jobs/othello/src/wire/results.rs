//! Results on the wire.

use hatchery_core::{DecodeError, Tally, WireValue};

use super::opening::RecordedGameMessage;
use super::pairs_of_a_trial;
use crate::play::half_points;
use crate::players::{MILLIPLIES, SearchEffort};
use crate::results::{LevelSums, MatchResults, PairGames, PairResult};
use crate::rules::{DiscColor, TurnState};

/// The largest number of searches of an agent in a game: an adjusting agent with 60 agents searches
/// with all of them on each move of the opponent and with one on each of its own.
const MAX_SEARCHES_PER_GAME: u64 = 60 * 61;

/// The largest number of playouts of a search, as in a spec.
const MAX_PLAYOUTS: u64 = hatchery_search::PlayoutBudget::MAX as u64;

/// The deepest leaf: no game has more plies.
const MAX_DEPTH: u64 = 60;

/// The largest level, in 1/1000: a depth of 60 plies.
const MAX_LEVEL: u64 = 60 * MILLIPLIES as u64;

/// [`MatchResults`] on the wire: a byte for each pair.
#[derive(Clone, PartialEq, prost::Message)]
pub struct MatchResultsMessage {
    #[prost(uint32, tag = "1")]
    pairs_per_trial: u32,
    #[prost(bytes = "vec", tag = "2")]
    pairs: Vec<u8>,
    #[prost(message, repeated, tag = "3")]
    records: Vec<PairGamesMessage>,
    #[prost(message, repeated, tag = "4")]
    efforts: Vec<EffortMessage>,
    #[prost(message, repeated, tag = "5")]
    levels: Vec<LevelSumsMessage>,
}

/// [`PairGames`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct PairGamesMessage {
    #[prost(uint32, tag = "1")]
    opening: u32,
    #[prost(message, repeated, tag = "2")]
    games: Vec<RecordedGameMessage>,
}

/// A [`SearchEffort`] on the wire.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct EffortMessage {
    #[prost(uint64, tag = "1")]
    searches: u64,
    #[prost(uint64, tag = "2")]
    playouts: u64,
    #[prost(uint64, tag = "3")]
    squared_playouts: u64,
    #[prost(uint64, tag = "4")]
    nodes: u64,
    #[prost(uint64, tag = "5")]
    deepest_leaves: u64,
    #[prost(uint32, tag = "6")]
    deepest_leaf: u32,
}

/// [`LevelSums`] on the wire.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct LevelSumsMessage {
    #[prost(uint64, tag = "1")]
    n: u64,
    #[prost(sint64, tag = "2")]
    sum: i64,
    #[prost(uint64, tag = "3")]
    squares: u64,
    #[prost(uint64, tag = "4")]
    observed: u64,
}

impl WireValue for MatchResults {
    type Message = MatchResultsMessage;

    fn to_message(&self) -> MatchResultsMessage {
        let Self { pairs_per_trial, pairs, records, efforts, levels } = self;
        MatchResultsMessage {
            pairs_per_trial: *pairs_per_trial,
            pairs: pairs.iter().map(|pair| pair.to_byte()).collect(),
            records: records.iter().map(PairGamesMessage::from).collect(),
            efforts: efforts.iter().map(EffortMessage::from).collect(),
            levels: levels.iter().map(LevelSumsMessage::from).collect(),
        }
    }

    fn from_message(message: MatchResultsMessage) -> Result<Self, DecodeError> {
        let MatchResultsMessage { pairs_per_trial, pairs, records, efforts, levels } = message;
        let pairs_per_trial = pairs_of_a_trial(pairs_per_trial)?;
        let n_pairs = pairs.len();
        let per_trial = pairs_per_trial as usize;
        if n_pairs == 0 || n_pairs % per_trial != 0 || u32::MAX as usize / 2 < n_pairs {
            let expected = format!("{per_trial} for each trial, at least one trial, below 2^31");
            return Err(DecodeError::field("pairs", &n_pairs, expected));
        }
        let pair = |byte: u8| {
            PairResult::from_byte(byte)
                .ok_or_else(|| DecodeError::field("pairs", &byte, "bytes below 9"))
        };
        let pairs: Vec<PairResult> = pairs.into_iter().map(pair).collect::<Result<_, _>>()?;
        let n_games = 2 * n_pairs as u64;
        let n_efforts = efforts.len();
        let efforts: [EffortMessage; 2] = efforts
            .try_into()
            .map_err(|_| DecodeError::field("efforts", &n_efforts, "of two agents"))?;
        let [first, second] = efforts.map(|effort| effort.checked(n_games));
        let n_trials = (n_pairs / per_trial) as u64;
        let n_levels = levels.len();
        if n_levels != 0 && n_levels != 2 * per_trial {
            let expected = format!("none, or one for each of {} games", 2 * per_trial);
            return Err(DecodeError::field("levels", &n_levels, expected));
        }
        let level = |(level, game): (LevelSumsMessage, u64)| level.checked(n_trials, game);
        Ok(Self {
            pairs_per_trial,
            records: checked_records(records, &pairs)?,
            pairs,
            efforts: [first?, second?],
            levels: levels.into_iter().zip(1..).map(level).collect::<Result<_, _>>()?,
        })
    }
}

impl Tally for MatchResults {
    fn n_trials(&self) -> u64 {
        Self::n_trials(self)
    }

    fn absorb(&mut self, later: Self) {
        Self::absorb(self, later);
    }
}

/// Checks that the records are those of the first pairs.
fn checked_records(
    records: Vec<PairGamesMessage>,
    pairs: &[PairResult],
) -> Result<Vec<PairGames>, DecodeError> {
    let (n, expected) = (records.len(), pairs.len().min(MatchResults::MAX_RECORDS));
    if n != expected {
        return Err(DecodeError::field("records", &n, format!("of the first {expected} pairs")));
    }
    let records: Vec<PairGames> =
        records.into_iter().map(PairGamesMessage::checked).collect::<Result<_, _>>()?;
    for (record, pair) in records.iter().zip(pairs) {
        let [black, white] = &record.games;
        let found = [half_points(black, DiscColor::Black), half_points(white, DiscColor::White)];
        if found != pair.half_points() {
            let found = format!("{found:?}");
            let expected = format!("games with the half points {:?}", pair.half_points());
            return Err(DecodeError::field("games", &found, expected));
        }
    }
    Ok(records)
}

impl From<&PairGames> for PairGamesMessage {
    fn from(PairGames { opening, games }: &PairGames) -> Self {
        Self {
            opening: u32::try_from(*opening).unwrap_or(u32::MAX),
            games: games.iter().map(RecordedGameMessage::from).collect(),
        }
    }
}

impl PairGamesMessage {
    fn checked(self) -> Result<PairGames, DecodeError> {
        let Self { opening, games } = self;
        let n = games.len();
        let games: [RecordedGameMessage; 2] =
            games.try_into().map_err(|_| DecodeError::field("games", &n, "two"))?;
        let [first, second] = games.map(RecordedGameMessage::checked);
        let games = [first?, second?];
        let opening = opening as usize;
        let has_both = |moves: usize| games.iter().all(|game| moves <= game.moves().len());
        let is_common = games[0].start() == games[1].start()
            && has_both(opening)
            && games[0].moves()[..opening] == games[1].moves()[..opening];
        if !is_common {
            return Err(DecodeError::field(
                "opening",
                &opening,
                "moves that both games begin with",
            ));
        }
        if games.iter().any(|game| game.state() != TurnState::Over) {
            return Err(DecodeError::field("games", &"unfinished", "games that are over"));
        }
        Ok(PairGames { opening, games })
    }
}

impl From<&SearchEffort> for EffortMessage {
    fn from(effort: &SearchEffort) -> Self {
        let SearchEffort {
            searches,
            playouts,
            squared_playouts,
            nodes,
            deepest_leaves,
            deepest_leaf,
        } = *effort;
        Self { searches, playouts, squared_playouts, nodes, deepest_leaves, deepest_leaf }
    }
}

impl EffortMessage {
    /// Returns the effort of `n_games` games.
    fn checked(self, n_games: u64) -> Result<SearchEffort, DecodeError> {
        let Self { searches, playouts, squared_playouts, nodes, deepest_leaves, deepest_leaf } =
            self;
        at_most("searches", searches, n_games * MAX_SEARCHES_PER_GAME)?;
        at_most("playouts", playouts, searches.saturating_mul(MAX_PLAYOUTS))?;
        // Each search has at least one playout; the sum of squares lies between those of equal
        // searches (Cauchy-Schwarz) and of the most unequal ones.
        if playouts < searches {
            return Err(DecodeError::field("playouts", &playouts, "at least one per search"));
        }
        let [n, sum, squares] = [searches, playouts, squared_playouts].map(u128::from);
        if n * squares < sum * sum || sum * u128::from(MAX_PLAYOUTS) < squares {
            let expected = "the sum of squares of numbers with the sum `playouts`";
            return Err(DecodeError::field("squared_playouts", &squared_playouts, expected));
        }
        // A node for the root of each search, and at most one for each playout.
        if nodes < searches || playouts + searches < nodes {
            let expected = "at least one per search, and at most one more per playout";
            return Err(DecodeError::field("nodes", &nodes, expected));
        }
        at_most("deepest_leaf", deepest_leaf.into(), MAX_DEPTH)?;
        at_most("deepest_leaves", deepest_leaves, searches * u64::from(deepest_leaf))?;
        if deepest_leaves < u64::from(deepest_leaf) {
            let expected = "at least `deepest_leaf`";
            return Err(DecodeError::field("deepest_leaves", &deepest_leaves, expected));
        }
        Ok(SearchEffort {
            searches,
            playouts,
            squared_playouts,
            nodes,
            deepest_leaves,
            deepest_leaf,
        })
    }
}

impl From<&LevelSums> for LevelSumsMessage {
    fn from(sums: &LevelSums) -> Self {
        let LevelSums { n, sum, squares, observed } = *sums;
        Self { n, sum, squares, observed }
    }
}

impl LevelSumsMessage {
    /// Returns the levels of `n_trials` trials at the end of game number `game`, counted from 1.
    fn checked(self, n_trials: u64, game: u64) -> Result<LevelSums, DecodeError> {
        let Self { n, sum, squares, observed } = self;
        at_most("n", n, n_trials)?;
        at_most("sum", sum.unsigned_abs(), n * MAX_LEVEL)?;
        let [n_wide, sum_wide, squares_wide] = [n, sum.unsigned_abs(), squares].map(u128::from);
        let is_sum = sum_wide * sum_wide <= n_wide * squares_wide
            && squares_wide <= n_wide * u128::from(MAX_LEVEL * MAX_LEVEL);
        if !is_sum {
            let expected = "the sum of squares of numbers with the sum `sum`";
            return Err(DecodeError::field("squares", &squares, expected));
        }
        at_most("observed", observed, n * game * MAX_DEPTH)?;
        Ok(LevelSums { n, sum, squares, observed })
    }
}

fn at_most(field: &'static str, value: u64, most: u64) -> Result<(), DecodeError> {
    if value <= most {
        return Ok(());
    }
    Err(DecodeError::field(field, &value, format!("at most {most}")))
}
