//! The results of games between two agents, as the first agent sees them; results that no games
//! have are refused.

use hatchery_core::{InvalidValue, Tally, WireValue};
use hatchery_stats::PairResult;
use serde::{Deserialize, Serialize};

use super::setup::{KeptGames, MatchSetup};
use crate::naturalness::GameNaturalness;
use crate::players::{LEVEL_STEPS, SearchEffort};
use crate::record::RecordedGame;
use crate::rules::{DiscColor, TurnState};

/// The results of trials from one series. A trial has one or more pairs of games. In the first game
/// of a pair, the first agent is black; in the second game, it is white.
#[derive(Clone, Debug, PartialEq, WireValue)]
#[wire(check)]
pub struct MatchResults {
    /// The number of pairs per trial, at least 1.
    #[wire(tag = 1, range(min = 1, max = MatchSetup::MAX_PAIRS))]
    pub pairs_per_trial: u32,
    /// The pairs, in order: first the first trial's pairs, then the second trial's pairs, and so
    /// on. The first to move is black, even where white moves first after the opening.
    #[wire(tag = 2)]
    pub pairs: Vec<PairResult>,
    /// The pairs that are kept as records: all, or the first ones, at most
    /// [`MAX_RECORDS`](Self::MAX_RECORDS).
    #[wire(tag = 3)]
    pub records: Vec<PairGames>,
    /// The effort of both agents.
    #[wire(tag = 4)]
    pub efforts: [SearchEffort; 2],
    /// The levels of the first agent when games ended: an element for every game in a trial. The
    /// list is empty if the agent learns nothing.
    #[wire(tag = 5)]
    pub levels: Vec<LevelSums>,
    /// The naturalness of the first agent's moves: a record for each trial, or none if its moves
    /// are not judged.
    #[wire(tag = 6)]
    pub naturalness: Vec<GameNaturalness>,
    /// The levels of the first agent around the change of its opponent. Each trial has an element
    /// for every window in [`OpponentChange::windows`](super::setup::OpponentChange::windows), with
    /// the levels in the window's games. The list is empty if the opponent does not change, or the
    /// agent learns nothing.
    #[wire(tag = 7)]
    pub around_change: Vec<LevelSums>,
    /// The pairs that are kept as records.
    #[wire(tag = 8)]
    pub kept: KeptGames,
}

/// The games of a pair.
#[derive(Clone, Debug, PartialEq, Eq, WireValue)]
#[wire(check)]
pub struct PairGames {
    /// The number of moves of the opening that both games begin with.
    #[wire(tag = 1)]
    pub opening: usize,
    /// Two games, both over: first the game where the first agent is black, then the game where it
    /// is white.
    #[wire(tag = 2)]
    pub games: [RecordedGame; 2],
}

/// Levels that an agent had reached: its estimate T_s in 1/1000 plies, or its strength index z in
/// units of 1/1000. Sums over trials.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, WireValue)]
pub struct LevelSums {
    /// The number of trials that had a level.
    #[wire(tag = 1)]
    pub n: u64,
    /// The levels.
    #[wire(tag = 2)]
    pub sum: i64,
    /// Their squares.
    #[wire(tag = 3)]
    pub squares: u64,
    /// The moves of the opponent that were counted so far.
    #[wire(tag = 4)]
    pub observed: u64,
}

impl MatchResults {
    /// The largest number of pairs of a series that are kept as records, unless all are.
    pub const MAX_RECORDS: usize = 8;

    /// Returns the most records.
    pub(super) const fn most_records(&self) -> usize {
        match self.kept {
            KeptGames::First => Self::MAX_RECORDS,
            KeptGames::All => usize::MAX,
        }
    }
}

impl Tally for MatchResults {
    fn n_trials(&self) -> u64 {
        self.pairs.len() as u64 / u64::from(self.pairs_per_trial.max(1))
    }

    fn absorb(&mut self, later: Self) {
        let Self { pairs_per_trial: _, pairs, records, efforts, levels, .. } = later;
        let room = self.most_records().saturating_sub(self.records.len());
        self.pairs.extend(pairs);
        self.around_change.extend(later.around_change);
        self.naturalness.extend(later.naturalness);
        self.records.extend(records.into_iter().take(room));
        for (mine, theirs) in self.efforts.iter_mut().zip(&efforts) {
            mine.absorb(theirs);
        }
        for (mine, theirs) in self.levels.iter_mut().zip(&levels) {
            mine.absorb(theirs);
        }
    }
}

impl LevelSums {
    /// Adds the levels of other trials.
    pub fn absorb(&mut self, other: &Self) {
        let Self { n, sum, squares, observed } = *other;
        self.n = self.n.saturating_add(n);
        self.sum = self.sum.saturating_add(sum);
        self.squares = self.squares.saturating_add(squares);
        self.observed = self.observed.saturating_add(observed);
    }
}

/// The largest number of searches by an agent in a game. An adjusting agent with 60 agents searches
/// with all its agents after each move of the opponent, and with one agent at each move that it
/// makes.
const MAX_SEARCHES_PER_GAME: u64 = 60 * 61;

/// The largest number of playouts of a search, as in a spec.
const MAX_PLAYOUTS: u64 = hatchery_search::PlayoutBudget::MAX as u64;

/// The deepest leaf: no game has more plies.
const MAX_DEPTH: u64 = 60;

/// The largest level, in 1/1000: a depth of 60 plies.
const MAX_LEVEL: u64 = 60 * LEVEL_STEPS as u64;

/// The lowest level, in 1/1000, with its sign reversed: a strength index of -20.
const MAX_LEVEL_BELOW_0: u64 = 20 * LEVEL_STEPS as u64;

impl MatchResults {
    /// Checks that trials may have these results.
    fn check(&self) -> Result<(), InvalidValue> {
        let Self { pairs, efforts, levels, around_change, .. } = self;
        let (n_pairs, per_trial) = (pairs.len(), self.pairs_per_trial as usize);
        if n_pairs == 0 || n_pairs % per_trial != 0 || u32::MAX as usize / 2 < n_pairs {
            let expected = format!("{per_trial} for each trial, of at least one trial");
            return Err(InvalidValue::new("pairs", &n_pairs, expected));
        }
        for (at, effort) in efforts.iter().enumerate() {
            let checked = effort.check(2 * n_pairs as u64);
            checked.map_err(|invalid| invalid.under(&format!("efforts.{at}")))?;
        }
        let n_trials = (n_pairs / per_trial) as u64;
        let n_games = 2 * u64::from(self.pairs_per_trial);
        one_each("levels", levels.len(), n_games, "games")?;
        one_each("naturalness", self.naturalness.len(), n_trials, "trials")?;
        let n_around = around_change.len();
        if n_around != 0 && (levels.is_empty() || n_around as u64 != 3 * n_trials) {
            let expected = format!("none, or 3 for each of {n_trials} trials with levels");
            return Err(InvalidValue::new("around_change", &n_around, expected));
        }
        for (at, level) in levels.iter().enumerate() {
            let checked = level.check(n_trials, at as u64 + 1);
            checked.map_err(|invalid| invalid.under(&format!("levels.{at}")))?;
        }
        for (at, level) in around_change.iter().enumerate() {
            // The levels of the games of a trial.
            let checked = level.check(n_games, n_games);
            checked.map_err(|invalid| invalid.under(&format!("around_change.{at}")))?;
        }
        for (at, record) in self.naturalness.iter().enumerate() {
            if record.games() != n_games {
                let expected = format!("{n_games}, as in a trial");
                let key = format!("naturalness.{at}.games");
                return Err(InvalidValue::new(key, &record.games(), expected));
            }
        }
        self.check_records()
    }

    /// Checks that the records belong to the first pairs.
    fn check_records(&self) -> Result<(), InvalidValue> {
        let Self { pairs, records, .. } = self;
        let (n, expected) = (records.len(), pairs.len().min(self.most_records()));
        if n != expected {
            let expected = format!("{expected}, one for each of the first pairs");
            return Err(InvalidValue::new("records", &n, expected));
        }
        for (at, (record, pair)) in records.iter().zip(pairs).enumerate() {
            let [black, white] = &record.games;
            let found = [(black, DiscColor::Black), (white, DiscColor::White)];
            let found = found.map(|(game, color)| game.half_points(color));
            if found != pair.half_points() {
                let found = format!("of half points {found:?}");
                let expected =
                    format!("of half points {:?}, as `pairs` has them", pair.half_points());
                return Err(InvalidValue::new(format!("records.{at}.games"), &found, expected));
            }
        }
        Ok(())
    }
}

/// Checks that a list is empty, or has an entry for each of `n` things.
fn one_each(key: &str, n_entries: usize, n: u64, what: &str) -> Result<(), InvalidValue> {
    match n_entries == 0 || n_entries as u64 == n {
        true => Ok(()),
        false => {
            let expected = format!("none, or one for each of {n} {what}");
            Err(InvalidValue::new(key, &n_entries, expected))
        }
    }
}

impl PairGames {
    /// Checks that the games are over, and begin alike.
    fn check(&self) -> Result<(), InvalidValue> {
        let Self { opening, games } = self;
        if let Some(at) = games.iter().position(|game| game.state() != TurnState::Over) {
            let found = format!("unfinished after {} moves", games[at].moves().len());
            return Err(InvalidValue::new(format!("games.{at}"), &found, "played to the end"));
        }
        // A game goes on after its opening.
        let has_more = games.iter().all(|game| *opening < game.moves().len());
        let is_common = games[0].start() == games[1].start()
            && has_more
            && games[0].moves()[..*opening] == games[1].moves()[..*opening];
        match is_common {
            true => Ok(()),
            false => {
                let expected = "a number of moves that both games begin with, and go on after";
                Err(InvalidValue::new("opening", opening, expected))
            }
        }
    }
}

impl SearchEffort {
    /// Checks that searches of `n_games` games may have this effort.
    fn check(&self, n_games: u64) -> Result<(), InvalidValue> {
        let Self { searches, playouts, squared_playouts, nodes, deepest_leaves, deepest_leaf } =
            *self;
        within("searches", searches, 0, n_games * MAX_SEARCHES_PER_GAME)?;
        // Each search has from 1 to `MAX_PLAYOUTS` playouts.
        within("playouts", playouts, searches, searches.saturating_mul(MAX_PLAYOUTS))?;
        if !is_sum_of_squares(searches, playouts, squared_playouts) {
            let expected = "a sum of squares of as many numbers as `searches` with the sum \
                            `playouts`";
            return Err(InvalidValue::new("squared_playouts", &squared_playouts, expected));
        }
        // The root of each search and its first move, and at most one node for each later playout.
        within("nodes", nodes, 2 * searches, searches + playouts)?;
        // The path to a leaf has at least the root's move, and a node for each of its plies.
        let (deepest, others) = (u64::from(deepest_leaf), searches.saturating_sub(1));
        let least = searches.min(1);
        let most = (MAX_DEPTH * least).min(nodes - searches - others);
        within("deepest_leaf", deepest, least, most)?;
        let most = (deepest * searches).min(nodes - searches);
        within("deepest_leaves", deepest_leaves, deepest + others, most)
    }
}

/// Returns true if `n` numbers of playouts with the sum `sum`, at least `n`, may have squares with
/// the sum `squares`.
fn is_sum_of_squares(n: u64, sum: u64, squares: u64) -> bool {
    let [n, sum, squares, most] = [n, sum, squares, MAX_PLAYOUTS].map(u128::from);
    // The largest number, if all others are 1.
    let largest = most.min(sum + 1 - n);
    // The sum is lowest for equal numbers (Cauchy-Schwarz), and highest for those at the ends of
    // their range: (x - 1)(x - largest) <= 0. A number and its square are even or odd together.
    sum * sum <= n * squares
        && squares + n * largest <= (largest + 1) * sum
        && (sum + squares).is_multiple_of(2)
}

impl LevelSums {
    /// Checks that `n_trials` trials may have these levels at the end of game number `game`,
    /// counted from 1.
    fn check(&self, n_trials: u64, game: u64) -> Result<(), InvalidValue> {
        let Self { n, sum, squares, observed } = *self;
        within("n", n, 0, n_trials)?;
        let most = n * if sum < 0 { MAX_LEVEL_BELOW_0 } else { MAX_LEVEL };
        if most < sum.unsigned_abs() {
            let least = -i128::from(n * MAX_LEVEL_BELOW_0);
            return Err(InvalidValue::out_of_range("sum", &sum, &least, &(n * MAX_LEVEL)));
        }
        let [n_wide, sum_wide, squares_wide] = [n, sum.unsigned_abs(), squares].map(u128::from);
        let is_sum = sum_wide * sum_wide <= n_wide * squares_wide
            && squares_wide <= n_wide * u128::from(MAX_LEVEL * MAX_LEVEL);
        if !is_sum {
            let expected = "a sum of squares of as many numbers as `n` with the sum `sum`";
            return Err(InvalidValue::new("squares", &squares, expected));
        }
        within("observed", observed, 0, n * game * MAX_DEPTH)
    }
}

fn within(key: &str, value: u64, least: u64, most: u64) -> Result<(), InvalidValue> {
    InvalidValue::check_range(key, &value, &least, &most)
}
