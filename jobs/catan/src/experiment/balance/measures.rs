//! The measures of a state.

use hatchery_core::Measure;
use hatchery_stats::FairnessVerdict;

use super::summary::Summary;
use crate::balance::{game_lengths, in_points};

/// Returns the number of maps with each verdict, the measures of all maps together, and the sigma
/// of each map.
pub(super) fn measures(summary: &Summary<'_>) -> Vec<Measure> {
    let verdicts = [
        ("fair", FairnessVerdict::Fair),
        ("unfair", FairnessVerdict::Unfair),
        ("undecided", FairnessVerdict::Undecided),
    ];
    let count = |name: &str, n: usize| Measure::new(name, "maps", n as u64);
    let mut measures: Vec<Measure> =
        verdicts.map(|(name, verdict)| count(name, summary.judged(verdict))).into();
    let rate = summary.look_schedule.error_rate().get();
    let rejected = |p: &dyn Fn(&super::summary::MapStatistics) -> f64| {
        summary.shown().filter(|(_, shown)| p(shown) <= rate).count()
    };
    measures.push(count("significant", rejected(&|shown| shown.balance.test.p_value)));
    measures.push(count("discoveries", rejected(&|shown| shown.among.adjusted_p_value)));
    if let Some(balance) = &summary.all.balance {
        for (rate, seat) in balance.rates.iter().zip(1..) {
            measures.push(Measure::new(format!("seat_{seat}_wins"), "%", in_points(*rate)));
        }
    }
    let results = &summary.all.results;
    measures.push(Measure::new("games", "games", results.games));
    measures.push(Measure::new("undecided_games", "games", results.undecided()));
    measures.push(Measure::new("mean_turns", "turns", game_lengths(results).mean()));
    for (map, shown) in summary.shown() {
        let name = format!("{}/sigma", map.candidate.name);
        measures.push(Measure::new(name, "points", in_points(shown.balance.spread.sigma)));
    }
    measures
}
