//! The measures of a state.

use hatchery_core::Measure;
use hatchery_stats::{FairnessVerdict, mean_estimate};

use super::summary::BalanceSummary;
use crate::seat_balance::{estimate_in_points, game_lengths};

/// Returns the number of maps with each verdict, the measures of all maps together, and the sigma
/// of each map.
pub(super) fn measures(summary: &BalanceSummary<'_>) -> Vec<Measure> {
    let verdicts = [
        ("fair", FairnessVerdict::Fair),
        ("unfair", FairnessVerdict::Unfair),
        ("undecided", FairnessVerdict::Undecided),
    ];
    let count = |name: &str, n: usize| Measure::new(name, "maps", n as u64);
    let mut measures: Vec<Measure> =
        verdicts.map(|(name, verdict)| count(name, summary.n_judged(verdict))).into();
    let rate = summary.look_schedule.error_rate().get();
    let rejected = |p: &dyn Fn(&super::summary::MapStatistics) -> f64| {
        summary.maps_with_statistics().filter(|(_, statistics)| p(statistics) <= rate).count()
    };
    measures.push(count("significant", rejected(&|statistics| statistics.balance.test.p_value)));
    measures.push(count("discoveries", rejected(&|statistics| statistics.among.adjusted_p_value)));
    if let Some(balance) = &summary.all.balance {
        for (rate, seat) in balance.rates.iter().zip(1..) {
            measures.push(Measure::new(
                format!("seat_{seat}_wins"),
                "%",
                estimate_in_points(*rate),
            ));
        }
    }
    let results = &summary.all.results;
    measures.push(Measure::new("games", "games", results.games));
    measures.push(Measure::new("undecided_games", "games", results.undecided()));
    if results.games != 0 {
        let turns = mean_estimate(&game_lengths(results));
        measures.push(Measure::new("mean_turns", "turns", turns));
    }
    for (map, statistics) in summary.maps_with_statistics() {
        let name = format!("{}/sigma", map.candidate.name);
        measures.push(Measure::new(
            name,
            "points",
            estimate_in_points(statistics.balance.spread.sigma),
        ));
    }
    measures
}
