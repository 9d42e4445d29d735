//! The scores of agents against each other.

use hatchery_core::IntervalEstimate;
use hatchery_stats::error::ErrorRate;
use hatchery_stats::{MatchCounts, ScoreMean};

use super::spec::CheckedLogs;
use super::state::LogsState;

/// The score of an agent against another one.
pub(super) struct AgentScore {
    /// The plain names of both.
    pub(super) names: [String; 2],
    /// The wins and half of the draws of the first one, as a share of the games.
    pub(super) score: IntervalEstimate,
}

/// Returns a score for every two agents: the agent's score against the later agent over all
/// match-ups of decks, as wins and half of the draws, with an interval of 95 %. None before the
/// games were played.
///
/// In the match-up of two decks, each of the agents has played each deck, so that an advantage of
/// decks cancels out.
pub(super) fn agent_scores(checked: &CheckedLogs, state: &LogsState) -> Vec<AgentScore> {
    let names = unique_names(checked);
    let n_agents = names.len();
    let mut points = vec![[0_u64; 5]; n_agents * n_agents];
    for (series, games) in checked.series.iter().zip(&state.series) {
        let [a, b] = series.agents;
        let mut of_series = games.counts.by_points();
        if b < a {
            of_series.reverse();
        }
        let sums = &mut points[a.min(b) * n_agents + a.max(b)];
        for (sum, n) in sums.iter_mut().zip(of_series) {
            *sum = sum.saturating_add(n);
        }
    }
    let pairs = (0..n_agents).flat_map(|a| (a + 1..n_agents).map(move |b| [a, b]));
    let score = |[a, b]: [usize; 2]| {
        let counts = MatchCounts::of_pairs(points[a * n_agents + b]).ok()?;
        let score = ScoreMean::of_match(&counts, ErrorRate::FIVE_PERCENT);
        let names = [a, b].map(|agent| names[agent].clone());
        Some(AgentScore { names, score: score.interval })
    };
    pairs.filter_map(score).collect()
}

/// Returns the agents' plain names. A name that an earlier agent has already gets a number at its
/// end.
fn unique_names(checked: &CheckedLogs) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for agent in &checked.spec.agents {
        let name = agent.plain_name();
        let mut number = 1;
        let mut unique = name.clone();
        while names.contains(&unique) {
            number += 1;
            unique = format!("{name}_{number}");
        }
        names.push(unique);
    }
    names
}
