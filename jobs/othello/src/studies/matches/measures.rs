//! The state as numbers.

use hatchery_core::{IntervalEstimate, Measure, MeasureValue};
use hatchery_stats::{ELO_LIMIT, match_strength};

use super::spec::CheckedMatch;
use super::state::MatchState;
use super::summary::MatchSummary;
use crate::studies::ratings::UnboundedSide;

/// The name of the measure of the test of a single match.
pub(super) const LOG_LIKELIHOOD_RATIO: &str = "log_likelihood_ratio";

/// Returns the number of pairs played. A single match's score follows, as its first agent sees the
/// score; with several matches, the agents' ratings follow instead.
pub(super) fn measures(checked: &CheckedMatch, state: &MatchState) -> Vec<Measure> {
    let pairs: u64 = state.pairings.iter().map(|pairing| pairing.counts.pairs()).sum();
    let mut measures = match &state.pairings[..] {
        [_] => single_match(checked, state),
        _ => all_ratings(&MatchSummary::new(checked, state)),
    };
    measures.push(Measure::new("pairs", "pairs", pairs));
    let decided = state.pairings.iter().filter(|pairing| pairing.is_decided).count();
    if checked.sprt.is_some() {
        measures.push(Measure::new("matches_decided", "matches", decided as u64));
    }
    measures
}

fn single_match(checked: &CheckedMatch, state: &MatchState) -> Vec<Measure> {
    let Some(pairing) = state.pairings.first() else { return Vec::new() };
    let Some(counts) = pairing.match_counts() else { return Vec::new() };
    let name = checked.spec.agents[0].name();
    let strength = match_strength(&counts, checked.spec.error_rate);
    let mut measures = vec![Measure::new(format!("{name}/score"), "", strength.score.interval)];
    measures.extend(elo(name, strength.elo));
    if let Some(verdict) = pairing.verdict(checked) {
        measures.push(Measure::new(LOG_LIKELIHOOD_RATIO, "", verdict.llr));
    }
    measures
}

/// Returns the Elo difference that a match shows. An end at [`ELO_LIMIT`] means that the interval
/// is open there; the other end is then a measure by itself.
fn elo(name: &str, elo: IntervalEstimate) -> Vec<Measure> {
    let measure =
        |what: &str, elo: MeasureValue| Measure::new(format!("{name}/{what}"), "Elo", elo);
    let is_finite = |elo: f64| elo.abs() < ELO_LIMIT;
    if is_finite(elo.low) && is_finite(elo.high) {
        return vec![measure("elo", elo.into())];
    }
    let ends = [(UnboundedSide::Above, elo.low), (UnboundedSide::Below, elo.high)];
    let ends = ends.into_iter().filter(|(_, end)| is_finite(*end));
    let ends = ends.map(|(side, end)| measure(side.measure(), end.into()));
    let mean = is_finite(elo.mean).then(|| measure("elo", elo.mean.into()));
    mean.into_iter().chain(ends).collect()
}

fn all_ratings(summary: &MatchSummary<'_>) -> Vec<Measure> {
    let agents = 0..summary.spec.agents.len();
    agents.filter_map(|agent| summary.rating(agent).measure(summary.name(agent))).collect()
}
