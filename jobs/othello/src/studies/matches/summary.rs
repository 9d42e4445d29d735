//! A state with its spec, and what both say together.

use hatchery_core::IntervalEstimate;
use hatchery_core::table::TableColumns;
use hatchery_stats::{MatchStrength, PairCounts};

use super::spec::{CheckedMatch, EloModelParam, MatchSpec};
use super::state::{MatchState, PairingState};
use crate::players::SearchEffort;
use crate::studies::crosstable::{self, MatchRow};
use crate::studies::ratings::{AgentRating, AgentRatings};

/// A state with its spec.
pub(super) struct MatchSummary<'a> {
    pub(super) spec: &'a MatchSpec,
    pub(super) checked: &'a CheckedMatch,
    pub(super) state: &'a MatchState,
    ratings: AgentRatings,
}

impl<'a> MatchSummary<'a> {
    pub(super) fn new(checked: &'a CheckedMatch, state: &'a MatchState) -> Self {
        let spec = &checked.spec;
        let results = checked.pairings.iter().copied().zip(&state.pairings);
        let results = results.map(|(agents, pairing)| (agents, &pairing.counts));
        let ratings = AgentRatings::new(checked.agents.len(), results, spec.error_rate);
        Self { spec, checked, state, ratings }
    }

    /// Returns the name of an agent.
    pub(super) fn name(&self, agent: usize) -> &'a str {
        self.spec.agents[agent].name()
    }

    /// Iterates over the matches with their agents.
    pub(super) fn matches(&self) -> impl Iterator<Item = ([usize; 2], &'a PairingState)> {
        self.checked.pairings.iter().copied().zip(&self.state.pairings)
    }

    /// Iterates over the results of the matches.
    pub(super) fn counts(&self) -> impl Iterator<Item = ([usize; 2], &'a PairCounts)> {
        self.matches().map(|(agents, pairing)| (agents, &pairing.counts))
    }

    /// Returns the number of games so far.
    pub(super) fn n_games(&self) -> u64 {
        self.counts().map(|(_, counts)| 2 * counts.pairs()).sum()
    }

    /// Returns the difference that a match shows; `None` before its first pair.
    pub(super) fn strength(&self, pairing: &PairingState) -> Option<MatchStrength> {
        crosstable::strength(&pairing.counts, self.spec.error_rate)
    }

    /// Returns the rating of an agent.
    pub(super) fn rating(&self, agent: usize) -> AgentRating {
        self.ratings.rating(agent)
    }

    /// Returns the first agent's rating minus the second agent's rating, if both are rated.
    pub(super) fn difference(&self, first: usize, second: usize) -> Option<IntervalEstimate> {
        self.ratings.difference(first, second)
    }

    /// Returns the agents with their ratings, the strongest first. Agents that won all their games
    /// come first, and agents that lost all their games come last.
    pub(super) fn ranking(&self) -> Vec<(usize, AgentRating)> {
        let mut agents: Vec<_> = self.ratings.all().into_iter().enumerate().collect();
        agents.sort_by(|(_, a), (_, b)| {
            let [(a, a_elo), (b, b_elo)] = [a.rank(), b.rank()];
            b.cmp(&a).then(b_elo.total_cmp(&a_elo))
        });
        agents
    }

    /// Returns the effort of an agent in all its matches.
    pub(super) fn effort(&self, agent: usize) -> SearchEffort {
        let mut all = SearchEffort::default();
        for (agents, pairing) in self.matches() {
            let seats = agents.iter().zip(&pairing.efforts);
            seats.filter(|(seat, _)| **seat == agent).for_each(|(_, one)| all.absorb(one));
        }
        all
    }

    /// Returns the confidence of intervals, in percent.
    pub(super) fn percent(&self) -> f64 {
        100.0 * (1.0 - self.spec.error_rate.get())
    }
}

/// Returns the unit of hypotheses.
pub(super) const fn unit(model: EloModelParam) -> &'static str {
    match model {
        EloModelParam::Logistic => "logistic Elo points",
        EloModelParam::Normalized => "normalized Elo points",
    }
}

/// Returns a row for each match.
pub(super) fn match_rows<'a>(summary: &MatchSummary<'a>) -> Vec<MatchRow<'a>> {
    let row = |(subject, (agents, pairing)): (usize, ([usize; 2], &'a PairingState))| MatchRow {
        subject,
        names: agents.map(|agent| summary.name(agent).to_owned()),
        counts: &pairing.counts,
        strength: summary.strength(pairing),
    };
    summary.matches().enumerate().map(row).collect()
}

/// Returns the columns of matches, with their log-likelihood ratios.
pub(super) fn crosstable<'a>(
    summary: &MatchSummary<'_>,
    rows: &'a [MatchRow<'a>],
) -> TableColumns<'a, MatchRow<'a>> {
    let verdict = |row: &MatchRow<'_>| summary.state.pairings[row.subject].verdict(summary.checked);
    crosstable::columns(rows).number("log_likelihood_ratio", 4, |row| Some(verdict(row)?.llr))
}
