//! Ratings of agents from a table of their games.

use hatchery_core::IntervalEstimate;
use hatchery_core::findings::RichText;
use hatchery_stats::error::ErrorRate;
use hatchery_stats::{PairCounts, PairRecord, PlayerRating, RatingFit, RatingPrior, ResultTable};

use super::wording;

/// The most likely ratings of several agents, without a prior.
#[derive(Clone, Debug)]
pub(super) struct AgentRatings {
    /// `None` if no chain of games connects all agents.
    fit: Option<RatingFit>,
    n_agents: usize,
    error_rate: ErrorRate,
}

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
    pub(super) fn text(&self) -> RichText {
        match self {
            Self::Rated(elo) => wording::elo(*elo),
            Self::Unrated(reason) => (*reason).into(),
        }
    }

    /// Returns the rating if there is one.
    pub(super) fn rated(&self) -> Option<IntervalEstimate> {
        match self {
            Self::Rated(elo) => Some(*elo),
            Self::Unrated(_) => None,
        }
    }
}

impl AgentRatings {
    /// Rates `n_agents` agents by the games of pairings.
    pub(super) fn new<'a>(
        n_agents: usize,
        pairings: impl Iterator<Item = ([usize; 2], &'a PairCounts)>,
        error_rate: ErrorRate,
    ) -> Self {
        let record = |([first, second], counts): ([usize; 2], &PairCounts)| {
            let [losses, draws, wins] = counts.games();
            PairRecord { first, second, wins, draws, losses }
        };
        let records: Vec<PairRecord> = pairings.map(record).collect();
        let fit = ResultTable::new(n_agents, &records)
            .and_then(|table| RatingFit::new(&table, RatingPrior::None));
        Self { fit: fit.ok(), n_agents, error_rate }
    }

    /// Returns the rating of an agent.
    pub(super) fn rating(&self, agent: usize) -> AgentRating {
        let Some(fit) = &self.fit else {
            return AgentRating::Unrated("unknown: no chain of games connects all");
        };
        match (fit.rating(agent), fit.interval(agent, self.error_rate)) {
            (Ok(PlayerRating::Rated { .. }), Ok(interval)) => AgentRating::Rated(interval),
            (Ok(PlayerRating::UnboundedAbove), _) => AgentRating::Unrated("unbounded above"),
            (Ok(PlayerRating::UnboundedBelow), _) => AgentRating::Unrated("unbounded below"),
            _ => AgentRating::Unrated("undetermined"),
        }
    }

    /// Returns the ratings of all agents.
    pub(super) fn all(&self) -> Vec<AgentRating> {
        (0..self.n_agents).map(|agent| self.rating(agent)).collect()
    }

    /// Returns the standard error of an agent's rating, if it has one.
    pub(super) fn standard_error(&self, agent: usize) -> Option<f64> {
        match self.fit.as_ref()?.rating(agent) {
            Ok(PlayerRating::Rated { standard_error, .. }) => Some(standard_error),
            _ => None,
        }
    }

    /// Returns the rating of one agent minus that of another, if both are rated: the interval to
    /// compare two agents by.
    pub(super) fn difference(&self, first: usize, second: usize) -> Option<IntervalEstimate> {
        self.fit.as_ref()?.difference(first, second, self.error_rate).ok()
    }
}
