//! The results of a match as arguments.

use std::str::FromStr;

use clap::Args;
use hatchery_stats::{ErrorRate, MatchCounts, StatsError};

use super::output::OutputFormat;
use crate::error::{CommandError, UsageError};
use crate::report::MatchDocument;

/// The number of pairs of games with 0, 1/2, 1, 3/2 and 2 points.
type PairsByPoints = [u64; 5];

/// The results of a match between two players, and the format of the output.
#[derive(Debug, Args)]
pub(super) struct MatchArgs {
    /// Games that the first player won
    #[arg(long, value_name = "N")]
    wins: Option<u64>,
    /// Drawn games
    #[arg(long, value_name = "N")]
    draws: Option<u64>,
    /// Games that the first player lost
    #[arg(long, value_name = "N")]
    losses: Option<u64>,
    /// In place of single games, pairs of games on one opening with the colors swapped: how many
    /// brought the first player 0, 1/2, 1, 3/2 and 2 points, such as 10,20,40,25,5
    #[arg(
        long,
        value_name = "A,B,C,D,E",
        value_parser = pairs_by_points,
        conflicts_with_all = ["wins", "draws", "losses"]
    )]
    pairs: Option<PairsByPoints>,
    /// Share of intervals that may miss the true value, above 0 and at most 0.5
    #[arg(long, value_name = "RATE", default_value = "0.05", value_parser = error_rate)]
    error_rate: ErrorRate,
    /// Output format
    #[arg(long, value_enum, default_value = "table", env = "HATCHERY_OUTPUT")]
    pub(super) output: OutputFormat,
}

impl MatchArgs {
    /// Returns the results.
    ///
    /// # Errors
    /// If there are no games.
    pub(super) fn counts(&self) -> Result<MatchCounts, CommandError> {
        let singles = [self.losses, self.draws, self.wins].map(Option::unwrap_or_default);
        let counts = match self.pairs {
            Some(pairs) => MatchCounts::of_pairs(pairs),
            None => MatchCounts::of_games(singles),
        };
        Ok(counts.map_err(|error| match error {
            StatsError::NoTrials { .. } => UsageError::NoGames,
            error => error.into(),
        })?)
    }

    /// Returns what the results `counts` say about the two players.
    pub(super) fn strength(&self, counts: &MatchCounts) -> MatchDocument {
        MatchDocument::new(counts, self.error_rate)
    }
}

fn pairs_by_points(text: &str) -> Result<PairsByPoints, String> {
    let counts: Result<Vec<u64>, _> = text.split(',').map(|part| part.trim().parse()).collect();
    counts.ok().and_then(|counts| counts.try_into().ok()).ok_or_else(|| {
        "expected five whole numbers: pairs with 0, 1/2, 1, 3/2 and 2 points, such as 10,20,40,25,5"
            .to_owned()
    })
}

/// Parses the error rate of an interval or of a test.
pub(super) fn error_rate(text: &str) -> Result<ErrorRate, String> {
    let rate = f64::from_str(text).map_err(|_| "expected a number, such as 0.05".to_owned())?;
    ErrorRate::new(rate).map_err(|error| error.to_string())
}
