//! Errors of this crate, and error rates and confidence levels of statements.

use serde::{Deserialize, Serialize};

/// Input that a statistic cannot be computed from.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StatsError {
    /// Fewer than two outcomes: nothing to compare.
    #[error("cannot compare {k} outcomes, at least 2 are needed")]
    TooFewOutcomes {
        /// The number of outcomes.
        k: usize,
    },
    /// No trial was decided.
    #[error("no trial of {k} outcomes is decided, at least 1 is needed")]
    NoTrials {
        /// The number of outcomes.
        k: usize,
    },
    /// More trials than a float counts exactly.
    #[error("cannot count {n} trials, at most 2^53 are allowed")]
    TooManyTrials {
        /// The number of trials.
        n: u128,
    },
    /// More successes than trials.
    #[error("{successes} successes in {n} trials, at most {n} are possible")]
    TooManySuccesses {
        /// The number of successes.
        successes: u64,
        /// The number of trials.
        n: u64,
    },
    /// A number outside its range.
    #[error("{name} is {value}, expected {range}")]
    OutOfRange {
        /// The name of the number.
        name: &'static str,
        /// The number.
        value: f64,
        /// The range that the number must be in, in words.
        range: &'static str,
    },
    /// Looks at numbers of trials that do not increase.
    #[error("look {look} is at {trials} trials, expected more than {before}")]
    LooksNotIncreasing {
        /// The index of the look, from 0.
        look: usize,
        /// The number of trials at the look.
        trials: u64,
        /// The number of trials at the look before it; 0 for the first.
        before: u64,
    },
    /// A schedule without looks.
    #[error("the schedule has no looks, at least 1 is needed")]
    NoLooks,
    /// A look that the schedule does not have.
    #[error("look {look} does not exist, the schedule has {looks}, counted from 0")]
    UnknownLook {
        /// The index that was asked for, from 0.
        look: usize,
        /// The number of looks.
        looks: usize,
    },
    /// More decided trials than had been run at a look.
    #[error("{decided} decided trials at a look of {trials}, at most {trials} are possible")]
    TooManyDecided {
        /// The number of decided trials.
        decided: u64,
        /// The number of trials scheduled for the look.
        trials: u64,
    },
    /// Series with different numbers of outcomes.
    #[error("series {series} has {k} outcomes, expected {expected} as in the first")]
    OutcomeMismatch {
        /// The index of the series, from 0.
        series: usize,
        /// Its number of outcomes.
        k: usize,
        /// The number of outcomes of the first series.
        expected: usize,
    },
    /// Too few series to estimate how series differ.
    #[error("cannot fit a population to {n} series, at least 2 are needed")]
    TooFewSeries {
        /// The number of series.
        n: usize,
    },
    /// A budget below one trial per candidate and round.
    #[error("the budget of {budget} trials is too small, at least {least} are needed")]
    BudgetTooSmall {
        /// The budget.
        budget: u64,
        /// The smallest budget that gives every candidate a trial in every round.
        least: u64,
    },
    /// A sequential test whose second hypothesis is not above its first.
    #[error("elo1 is {elo1}, expected more than elo0, which is {elo0}")]
    HypothesesNotIncreasing {
        /// The difference under the null hypothesis.
        elo0: f64,
        /// The difference under the alternative.
        elo1: f64,
    },
    /// A player that the table does not have.
    #[error("player {player} does not exist, the table has {players}, counted from 0")]
    UnknownPlayer {
        /// The index that was given, from 0.
        player: usize,
        /// The number of players.
        players: usize,
    },
    /// One player in the place of two.
    #[error("player {player} is given twice, two different players are needed")]
    SamePlayer {
        /// The index of the player, from 0.
        player: usize,
    },
    /// Players that no chain of games connects: nothing is known of their difference.
    #[error("no chain of games connects player {player} to player 0")]
    DisconnectedPlayer {
        /// The index of the first player that is not connected to player 0.
        player: usize,
    },
    /// A player without a finite rating.
    #[error("player {player} has no finite rating: its results against the others are one-sided")]
    UnratedPlayer {
        /// The index of the player, from 0.
        player: usize,
    },
    /// Ratings that did not settle: numbers of games that differ by more than floats can hold.
    #[error("ratings did not settle in {steps} steps")]
    NotConverged {
        /// The number of steps.
        steps: u32,
    },
    /// A game whose equilibrium was not found: rounding errors were too large.
    #[error("no equilibrium of {n} strategies was found in {steps} steps")]
    NoEquilibrium {
        /// The number of strategies.
        n: usize,
        /// The number of steps.
        steps: usize,
    },
    /// No strategies, or too many.
    #[error("cannot solve a game of {n} strategies, from 1 to {most} are possible")]
    StrategyCount {
        /// The number of strategies.
        n: usize,
        /// The largest possible number.
        most: usize,
    },
    /// A matrix with a row whose number of columns differs from the number of rows.
    #[error("row {row} of the matrix has {columns} columns, expected {rows}, one for each row")]
    NotSquare {
        /// The index of the row, from 0.
        row: usize,
        /// The number of its columns.
        columns: usize,
        /// The number of rows.
        rows: usize,
    },
    /// Payoffs of two strategies against each other that do not add up to 0.
    #[error("payoffs ({row}, {column}) and ({column}, {row}) do not add up to 0")]
    NotAntisymmetric {
        /// The index of the first strategy, from 0.
        row: usize,
        /// The index of the other.
        column: usize,
    },
    /// Fewer points than a polynomial has coefficients.
    #[error("cannot fit {needed} coefficients to {n} points, at least {needed} are needed")]
    TooFewPoints {
        /// The number of points.
        n: usize,
        /// The number of coefficients.
        needed: usize,
    },
    /// Points with fewer different x than a polynomial has coefficients.
    #[error("the points have {places} different x, at least {needed} are needed")]
    TooFewPlaces {
        /// The number of different x.
        places: usize,
        /// The number of coefficients.
        needed: usize,
    },
    /// Too few rows for a linear model and the spread about it.
    #[error("cannot fit a linear model to {n} rows, at least {needed} are needed")]
    TooFewRows {
        /// The number of rows.
        n: usize,
        /// The number of rows that are needed.
        needed: usize,
    },
    /// A column of a linear model with more or fewer numbers than there are rows.
    #[error("column {column} has {length} numbers, expected {expected}, one for each row")]
    ColumnMismatch {
        /// The index of the column, from 0.
        column: usize,
        /// Its number of numbers.
        length: usize,
        /// The number of rows.
        expected: usize,
    },
    /// A column of a linear model that adds nothing to the columns before it.
    #[error("column {column} is constant, or a sum of multiples of the columns before it")]
    CollinearColumn {
        /// The index of the column, from 0.
        column: usize,
    },
    /// Too few pairs of numbers for a correlation.
    #[error("cannot correlate {n} pairs of numbers, at least {needed} are needed")]
    TooFewPairs {
        /// The number of pairs.
        n: usize,
        /// The number of pairs that are needed.
        needed: usize,
    },
    /// Pairs of numbers with equal first numbers, or with equal second numbers.
    #[error("one of two quantities is the same in all pairs: they have no correlation")]
    ConstantCoordinate,
    /// More item sets that are frequent enough than were allowed.
    #[error("more than {most} item sets are in {min_count} baskets; ask for a larger count")]
    TooManyItemSets {
        /// The largest number allowed.
        most: usize,
        /// The number of baskets that a set must be in.
        min_count: usize,
    },
    /// More association rules than were allowed.
    #[error("more than {most} rules are confident enough; ask for a larger confidence")]
    TooManyRules {
        /// The largest number allowed.
        most: usize,
    },
    /// No points, or too many.
    #[error("cannot cluster {n} points, from 1 to {most} are possible")]
    PointCount {
        /// The number of points.
        n: usize,
        /// The largest possible number.
        most: usize,
    },
    /// A point or a center with more or fewer coordinates than the first point.
    #[error("{name} {index} has {length} coordinates, expected {expected} as in point 0")]
    PointMismatch {
        /// `point` or `center`.
        name: &'static str,
        /// The index of the point or the center, from 0.
        index: usize,
        /// The number of its coordinates.
        length: usize,
        /// The number of coordinates of the first point.
        expected: usize,
    },
    /// A number of clusters that the points do not have.
    #[error("cannot make {k} clusters of {n} points, from {least} to {most} are possible")]
    ClusterCount {
        /// The number of clusters.
        k: usize,
        /// The number of points.
        n: usize,
        /// The least possible number.
        least: usize,
        /// The largest possible number.
        most: usize,
    },
    /// A neighbor that is no other point.
    #[error("point {point} has the neighbor {neighbor}, expected another point below {n}")]
    UnknownNeighbor {
        /// The index of the point, from 0.
        point: usize,
        /// The index of the neighbor.
        neighbor: usize,
        /// The number of points.
        n: usize,
    },
    /// Points without neighbors.
    #[error("none of {n} points has a neighbor, at least 1 is needed")]
    NoNeighbors {
        /// The number of points.
        n: usize,
    },
    /// Too few groups to resample.
    #[error("cannot resample {n} groups, at least 2 are needed")]
    TooFewGroups {
        /// The number of groups.
        n: usize,
    },
    /// A statistic that has no value for the groups, or for too many resamples.
    #[error("the statistic has no value in {undefined} of {resamples} resamples")]
    UndefinedStatistic {
        /// The number of samples without a value.
        undefined: usize,
        /// The number of samples; 1 if it has no value for the groups themselves.
        resamples: usize,
    },
}

/// The confidence level of intervals that take no error rate.
pub const CONFIDENCE: f64 = 0.95;

/// The probability that a statement is wrong: above 0 and at most 0.5.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct ErrorRate(f64);

impl ErrorRate {
    /// The customary 5 %.
    pub const FIVE_PERCENT: Self = Self(0.05);

    /// Creates the error rate `rate`.
    ///
    /// # Errors
    /// If `rate` is not above 0 and at most 0.5.
    pub fn new(rate: f64) -> Result<Self, StatsError> {
        if 0.0 < rate && rate <= 0.5 {
            return Ok(Self(rate));
        }
        Err(StatsError::OutOfRange {
            name: "error rate",
            value: rate,
            range: "above 0 and at most 0.5",
        })
    }

    /// Returns the rate as a number.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }

    /// Returns the rate for each of `n` statements such that the probability of any wrong one is at
    /// most this rate (Bonferroni).
    #[must_use]
    pub fn shared_among(self, n: u32) -> Self {
        Self(self.0 / f64::from(n.max(1)))
    }

    /// Returns the rate for each side of a two-sided statement.
    #[must_use]
    pub fn per_side(self) -> Self {
        self.shared_among(2)
    }
}

impl TryFrom<f64> for ErrorRate {
    type Error = StatsError;

    fn try_from(rate: f64) -> Result<Self, StatsError> {
        Self::new(rate)
    }
}

impl From<ErrorRate> for f64 {
    fn from(rate: ErrorRate) -> Self {
        rate.get()
    }
}
