//! The state as numbers.

use hatchery_core::Measure;
use hatchery_stats::match_strength;

use super::spec::{CheckedMatch, MatchSpec};
use super::state::MatchState;
use super::summary::MatchSummary;

/// The name of the measure of the test of a single match.
pub(super) const LOG_LIKELIHOOD_RATIO: &str = "log_likelihood_ratio";

/// Returns the pairs played, then the score of each match as its first agent sees it if there is
/// one match, or the rating of each agent.
pub(super) fn measures(spec: &MatchSpec, state: &MatchState) -> Vec<Measure> {
    let checked = spec.checked();
    let pairs: u64 = state.pairings.iter().map(|pairing| pairing.counts.pairs()).sum();
    let mut measures = match &state.pairings[..] {
        [_] => single_match(spec, &checked, state),
        _ => all_ratings(&MatchSummary::new(spec, state)),
    };
    measures.push(Measure::new("pairs", "pairs", pairs));
    let decided = state.pairings.iter().filter(|pairing| pairing.is_decided).count();
    if checked.sprt.is_some() {
        measures.push(Measure::new("matches_decided", "matches", decided as u64));
    }
    measures
}

fn single_match(spec: &MatchSpec, checked: &CheckedMatch, state: &MatchState) -> Vec<Measure> {
    let Some(pairing) = state.pairings.first() else { return Vec::new() };
    let Some(counts) = pairing.match_counts() else { return Vec::new() };
    let name = spec.agents[0].name();
    let strength = match_strength(&counts, checked.error_rate);
    let mut measures = vec![
        Measure::new(format!("{name}/score"), "", strength.score.interval),
        Measure::new(format!("{name}/elo"), "Elo", strength.elo),
    ];
    if let Some(verdict) = pairing.verdict(checked) {
        measures.push(Measure::new(LOG_LIKELIHOOD_RATIO, "", verdict.llr));
    }
    measures
}

fn all_ratings(summary: &MatchSummary<'_>) -> Vec<Measure> {
    let rated = (0..summary.spec.agents.len()).filter_map(|agent| {
        let elo = summary.rating(agent).rated()?;
        Some(Measure::new(format!("{}/elo", summary.name(agent)), "Elo", elo))
    });
    rated.collect()
}
