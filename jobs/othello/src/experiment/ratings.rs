//! Ratings of agents from a table of their games.

use hatchery_core::IntervalEstimate;
use hatchery_stats::error::ErrorRate;
use hatchery_stats::{PairRecord, PlayerRating, RatingFit, RatingPrior, ResultTable};

use crate::results::PairCounts;

/// The rating of an agent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum AgentRating {
    /// Elo points above the mean of all rated agents.
    Rated(IntervalEstimate),
    /// Unknown, for this reason.
    Unrated(&'static str),
}

impl AgentRating {
    /// Returns the rating in whole Elo points, or why there is none.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Rated(IntervalEstimate { mean, low, high, .. }) => {
                format!("{mean:+.0} ({low:+.0} to {high:+.0})")
            }
            Self::Unrated(reason) => (*reason).to_owned(),
        }
    }
}

/// Returns the ratings of `n_agents` agents from the games of pairings, without a prior.
pub(super) fn ratings<'a>(
    n_agents: usize,
    pairings: impl Iterator<Item = ([usize; 2], &'a PairCounts)>,
    error_rate: ErrorRate,
) -> Vec<AgentRating> {
    let record = |([first, second], counts): ([usize; 2], &PairCounts)| {
        let [losses, draws, wins] = counts.games();
        PairRecord { first, second, wins, draws, losses }
    };
    let records: Vec<PairRecord> = pairings.map(record).collect();
    let fit = ResultTable::new(n_agents, &records)
        .and_then(|table| RatingFit::new(&table, RatingPrior::None));
    let Ok(fit) = fit else {
        return vec![AgentRating::Unrated("unknown: no chain of games connects all"); n_agents];
    };
    let rating = |agent| match (fit.rating(agent), fit.interval(agent, error_rate)) {
        (Ok(PlayerRating::Rated { .. }), Ok(interval)) => AgentRating::Rated(interval),
        (Ok(PlayerRating::UnboundedAbove), _) => AgentRating::Unrated("unbounded above"),
        (Ok(PlayerRating::UnboundedBelow), _) => AgentRating::Unrated("unbounded below"),
        _ => AgentRating::Unrated("undetermined"),
    };
    (0..n_agents).map(rating).collect()
}
