//! Ratings of agents from a table of their games.

use hatchery_core::findings::RichText;
use hatchery_core::text::grouped;
use hatchery_core::{IntervalEstimate, Measure};
use hatchery_stats::error::ErrorRate;
use hatchery_stats::{
    PairCounts, PairRecord, PlayerRating, RatingFit, RatingPrior, ResultTable, least_rating,
};

use super::wording;

/// The most likely ratings of several agents, without a prior.
#[derive(Clone, Debug)]
pub(super) struct AgentRatings {
    /// `None` if no chain of games connects all agents.
    fit: Option<RatingFit>,
    n_agents: usize,
    pairings: Vec<([usize; 2], PairCounts)>,
    error_rate: ErrorRate,
}

/// The rating of an agent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum AgentRating {
    /// Elo points above the mean rating of the rated agents.
    Rated(IntervalEstimate),
    /// The agent has won or lost all its games with rated agents: every higher or every lower
    /// rating is more likely.
    Unbounded(UnboundedRating),
    /// Unknown, for this reason.
    Unrated(&'static str),
}

/// The rating of an agent that has won or lost all its games with rated agents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct UnboundedRating {
    pub(super) side: UnboundedSide,
    /// The number of games that the agent has all won or all lost: all its games, or else its games
    /// with rated agents.
    n_games: u64,
    /// True if it has no other games.
    are_all: bool,
    /// The end of the agent's rating, in Elo points above the mean rating of the rated agents;
    /// `None` if the agent has met no rated agent.
    bound: Option<f64>,
    confidence: f64,
}

/// The side on which a rating has no bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnboundedSide {
    /// All games are won.
    Above,
    /// All games are lost.
    Below,
}

impl UnboundedSide {
    /// Returns the word for its games, the word for its bound, and the end of the measure's name.
    const fn words(self) -> [&'static str; 3] {
        match self {
            Self::Above => ["won", "at least", "elo_at_least"],
            Self::Below => ["lost", "at most", "elo_at_most"],
        }
    }

    /// Returns the word for tables.
    const fn standing(self) -> &'static str {
        match self {
            Self::Above => "unbounded above",
            Self::Below => "unbounded below",
        }
    }

    /// Returns the name of the measure of a bound.
    pub(super) const fn measure(self) -> &'static str {
        self.words()[2]
    }
}

impl UnboundedRating {
    /// Says what the games were: `won all 40 games`.
    pub(super) fn games(&self) -> String {
        let [won, ..] = self.side.words();
        let with = if self.are_all { "" } else { " with rated agents" };
        format!("{won} all {} games{with}", grouped(self.n_games))
    }

    /// Returns the bound in whole points, if there is one: `at least +443 Elo (95 %)`.
    pub(super) fn bound(&self) -> Option<String> {
        let [_, at_least, _] = self.side.words();
        let percent = wording::whole_or_tenth(100.0 * self.confidence);
        Some(format!("{at_least} {} Elo ({percent} %)", wording::signed(self.bound?)))
    }

    /// Returns the games and the bound: `won all 40 games: at least +443 Elo (95 %)`.
    fn text(&self) -> String {
        self.games() + &self.bound_after_games()
    }

    /// Says of `agent` what its games were, and the bound.
    pub(super) fn sentence(&self, agent: &str) -> RichText {
        let games = RichText::default().strong(format!("{agent} {}", self.games()));
        games.plain(self.bound_after_games() + ".")
    }

    fn bound_after_games(&self) -> String {
        self.bound().map_or_else(String::new, |bound| format!(": {bound}"))
    }
}

impl AgentRating {
    /// Returns the rating in whole Elo points, or why there is none.
    pub(super) fn text(&self) -> RichText {
        match self {
            Self::Rated(elo) => wording::elo(*elo),
            Self::Unbounded(unbounded) => unbounded.text().into(),
            Self::Unrated(reason) => (*reason).into(),
        }
    }

    /// Returns the measure of an agent's rating or of its end, if there is one.
    pub(super) fn measure(&self, agent: &str) -> Option<Measure> {
        match self {
            Self::Rated(elo) => Some(Measure::new(format!("{agent}/elo"), "Elo", *elo)),
            Self::Unbounded(UnboundedRating { side, bound, .. }) => {
                Some(Measure::new(format!("{agent}/{}", side.measure()), "Elo", (*bound)?))
            }
            Self::Unrated(_) => None,
        }
    }

    /// Returns a word for tables: `rated`, or why there is no rating.
    pub(super) const fn standing(&self) -> &'static str {
        match self {
            Self::Rated(_) => "rated",
            Self::Unbounded(UnboundedRating { side, .. }) => side.standing(),
            Self::Unrated(reason) => reason,
        }
    }

    /// Returns the order of ranking, greater for a stronger agent. Agents that won all games rank
    /// highest, then rated agents, then agents without a known result, then agents that lost all
    /// games. Within each group, agents are ordered by Elo.
    pub(super) fn rank(&self) -> (u8, f64) {
        match self {
            Self::Unbounded(UnboundedRating { side, bound, .. }) => {
                let group = if *side == UnboundedSide::Above { 3 } else { 0 };
                (group, bound.unwrap_or_default())
            }
            Self::Rated(elo) => (2, elo.mean),
            Self::Unrated(_) => (1, 0.0),
        }
    }

    /// Returns the rating if there is one.
    pub(super) fn rated(&self) -> Option<IntervalEstimate> {
        match self {
            Self::Rated(elo) => Some(*elo),
            Self::Unbounded(_) | Self::Unrated(_) => None,
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
        let pairings: Vec<_> = pairings.map(|(agents, counts)| (agents, *counts)).collect();
        let record = |([first, second], counts): &([usize; 2], PairCounts)| {
            let [losses, draws, wins] = counts.games();
            PairRecord { first: *first, second: *second, wins, draws, losses }
        };
        let records: Vec<PairRecord> = pairings.iter().map(record).collect();
        let fit = ResultTable::new(n_agents, &records)
            .and_then(|table| RatingFit::new(&table, RatingPrior::None));
        Self { fit: fit.ok(), n_agents, pairings, error_rate }
    }

    /// Returns the rating of an agent.
    pub(super) fn rating(&self, agent: usize) -> AgentRating {
        let Some(fit) = &self.fit else {
            return AgentRating::Unrated("unknown: no chain of games connects all");
        };
        match (fit.rating(agent), fit.interval(agent, self.error_rate)) {
            (Ok(PlayerRating::Rated { .. }), Ok(interval)) => AgentRating::Rated(interval),
            (Ok(PlayerRating::UnboundedAbove), _) => self.unbounded(agent, UnboundedSide::Above),
            (Ok(PlayerRating::UnboundedBelow), _) => self.unbounded(agent, UnboundedSide::Below),
            _ => AgentRating::Unrated("undetermined"),
        }
    }

    /// Returns the rating of an agent that has won or lost all its games, or all its games with
    /// rated agents.
    ///
    /// Both games of a pair begin alike, so that a pair that is won counts as one win.
    fn unbounded(&self, agent: usize, side: UnboundedSide) -> AgentRating {
        let of_agent = self.pairings.iter().filter(|(agents, _)| agents.contains(&agent));
        let (mut n_pairs, mut n_rated, mut are_all) = (0, 0, true);
        let mut opponents = Vec::new();
        let sign = if side == UnboundedSide::Above { 1.0 } else { -1.0 };
        for &([first, second], counts) in of_agent {
            let (is_first, [losses, draws, wins]) = (first == agent, counts.games());
            are_all &= draws == 0
                && match is_first == (side == UnboundedSide::Above) {
                    true => losses == 0,
                    false => wins == 0,
                };
            n_pairs += counts.pairs();
            if let Some(elo) = self.rating_of_rated(if is_first { second } else { first }) {
                n_rated += counts.pairs();
                opponents.push((sign * elo, counts.pairs()));
            }
        }
        let bound = least_rating(&opponents, self.error_rate).ok().map(|bound| sign * bound);
        if !are_all && bound.is_none() {
            return AgentRating::Unrated(side.standing());
        }
        AgentRating::Unbounded(UnboundedRating {
            side,
            n_games: 2 * if are_all { n_pairs } else { n_rated },
            are_all,
            bound,
            confidence: 1.0 - self.error_rate.get(),
        })
    }

    fn rating_of_rated(&self, agent: usize) -> Option<f64> {
        match self.fit.as_ref()?.rating(agent) {
            Ok(PlayerRating::Rated { elo, .. }) => Some(elo),
            _ => None,
        }
    }

    /// Returns all agents' ratings.
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

    /// Returns the first agent's rating minus the second agent's rating, if both are rated. Compare
    /// two agents by this interval.
    pub(super) fn difference(&self, first: usize, second: usize) -> Option<IntervalEstimate> {
        self.fit.as_ref()?.difference(first, second, self.error_rate).ok()
    }
}
