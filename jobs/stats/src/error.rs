//! What may be wrong with the input of a statistic.

/// Why a statistic can't be taken.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// Fewer than two outcomes: nothing to compare.
    #[error("{k} outcomes can't be compared, at least 2 are needed")]
    Outcomes {
        /// How many there are.
        k: usize,
    },
    /// No trial was decided.
    #[error("no decided trial among {k} outcomes, at least 1 is needed")]
    NoTrials {
        /// How many outcomes there are.
        k: usize,
    },
    /// More trials than a float counts exactly.
    #[error("{n} trials are too many, at most 2^53 can be counted")]
    TooManyTrials {
        /// How many there are.
        n: u128,
    },
    /// More successes than trials.
    #[error("{successes} successes in {n} trials, there can't be more than {n}")]
    Successes {
        /// How many successes.
        successes: u64,
        /// How many trials.
        n: u64,
    },
    /// A number outside its range.
    #[error("{name} is {value}, it must be {range}")]
    Range {
        /// What the number is.
        name: &'static str,
        /// The number.
        value: f64,
        /// Where it must lie, in words.
        range: &'static str,
    },
    /// Looks that don't grow.
    #[error("look {look} is at {trials} trials, it must come after that at {before}")]
    Looks {
        /// The number of the look, from 0.
        look: usize,
        /// Where it is.
        trials: u64,
        /// Where the look before it is; 0 before the first.
        before: u64,
    },
    /// A schedule without looks.
    #[error("a schedule without looks decides nothing, at least 1 is needed")]
    NoLooks,
    /// A look that the schedule doesn't have.
    #[error("there is no look {look}, the schedule has {looks}, counted from 0")]
    NoSuchLook {
        /// Which look was asked for.
        look: usize,
        /// How many there are.
        looks: usize,
    },
    /// More decided trials than were played until a look.
    #[error("{decided} decided trials at a look of {trials}, there can't be more")]
    Decided {
        /// How many trials were decided.
        decided: u64,
        /// How many were to be played until the look.
        trials: u64,
    },
    /// Series with different numbers of outcomes.
    #[error("series {series} has {k} outcomes, the first has {expected}: all must be alike")]
    UnlikeSeries {
        /// The number of the series, from 0.
        series: usize,
        /// How many outcomes it has.
        k: usize,
        /// How many the first has.
        expected: usize,
    },
    /// Too few series to learn from.
    #[error("{n} series say nothing of how series differ, at least 2 are needed")]
    Series {
        /// How many there are.
        n: usize,
    },
    /// A budget below one trial per candidate and round.
    #[error("a budget of {budget} trials is too small, at least {least} are needed")]
    Budget {
        /// The budget.
        budget: u64,
        /// The least budget that gives every candidate a trial in every round.
        least: u64,
    },
}

/// The probability with which a statement may be wrong: above 0 and at most 0.5.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct ErrorRate(f64);

impl ErrorRate {
    /// The customary 5 %.
    pub const FIVE_PERCENT: Self = Self(0.05);

    /// The error rate `rate`.
    ///
    /// # Errors
    /// If it isn't above 0 and at most 0.5.
    pub fn new(rate: f64) -> Result<Self, Error> {
        if 0.0 < rate && rate <= 0.5 {
            return Ok(Self(rate));
        }
        Err(Error::Range { name: "error rate", value: rate, range: "above 0 and at most 0.5" })
    }

    /// The rate, as a number.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }

    /// The rate of each of `n` statements of which together at most this share of sets has a wrong
    /// one (Bonferroni).
    #[must_use]
    pub fn shared_among(self, n: u32) -> Self {
        Self(self.0 / f64::from(n.max(1)))
    }

    /// The rate of each side of a statement with two.
    #[must_use]
    pub fn per_side(self) -> Self {
        self.shared_among(2)
    }
}
