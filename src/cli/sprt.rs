//! `hatchery sprt`

use clap::Args;
use hatchery_stats::ErrorRate;

use super::match_args::{MatchArgs, error_rate};
use crate::error::{CommandError, UsageError};
use crate::report::farm::json;
use crate::report::{EloHypotheses, EloUnit, SprtDocument};

/// Ask a sequential probability ratio test (SPRT) whether a match can end
///
/// The test compares two hypotheses on how much stronger the first player is. It prints the
/// log-likelihood ratio (LLR) of the results, its two bounds, and the verdict. Look after batches
/// of some 50 games or pairs, in the order in which they were played. The first verdict is final.
#[derive(Debug, Args)]
pub(crate) struct SprtCommand {
    #[command(flatten)]
    results: MatchArgs,
    /// Hypothesis of no or little difference, in the unit of --model
    #[arg(long, value_name = "ELO", default_value_t = 0.0, allow_negative_numbers = true)]
    elo0: f64,
    /// Hypothesis of a difference, above --elo0 and in the same unit
    #[arg(long, value_name = "ELO", allow_negative_numbers = true)]
    elo1: f64,
    /// Unit of the hypotheses
    #[arg(long, value_enum, default_value = "normalized")]
    model: EloUnit,
    /// Probability of accepting elo1 where elo0 is true, above 0 and at most 0.5
    #[arg(long, value_name = "RATE", default_value = "0.05", value_parser = error_rate)]
    alpha: ErrorRate,
    /// Probability of accepting elo0 where elo1 is true, above 0 and at most 0.5
    #[arg(long, value_name = "RATE", default_value = "0.05", value_parser = error_rate)]
    beta: ErrorRate,
}

impl SprtCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        let counts = self.results.counts()?;
        let Self { elo0, elo1, model, alpha, beta, .. } = *self;
        let hypotheses = EloHypotheses { elo0, elo1, model };
        let test = hypotheses.test(alpha, beta).map_err(UsageError::from)?;
        let strength = self.results.strength(&counts);
        let answer = SprtDocument::new(strength, hypotheses, &test, &counts);
        self.results.output.print(|| answer.text(), || json(answer.clone()))
    }
}
