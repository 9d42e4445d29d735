//! `hatchery elo`

use clap::Args;

use super::match_args::MatchArgs;
use crate::error::CommandError;
use crate::report::farm::json;

/// Compute the Elo difference of two players from the results of a match
///
/// Prints score, Elo and normalized Elo with intervals, and the likelihood of superiority (LOS):
/// the probability that the first player is the stronger one. Give pairs if each opening was
/// played twice with the colors swapped: single games of such a match exaggerate the uncertainty.
#[derive(Debug, Args)]
pub(crate) struct EloCommand {
    #[command(flatten)]
    results: MatchArgs,
}

impl EloCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        let strength = self.results.strength(&self.results.counts()?);
        self.results.output.print(|| strength.text(), || json(strength.clone()))
    }
}
