//! The measures of a state.

use hatchery_core::{IntervalEstimate, Measure};
use hatchery_stats::{FairnessVerdict, mean_estimate};

use super::summary::BalanceSummary;
use super::variation::MapVariation;
use crate::trial::seat_balance::{estimate_in_points, game_lengths, percentage_points};

/// Returns the measures of a run: the number of maps with each verdict, the measures over all maps
/// together, the measures of the agents and of the differences between maps, and each map's sigma.
pub(super) fn measures(summary: &BalanceSummary<'_>) -> Vec<Measure> {
    let verdicts = [
        ("fair", FairnessVerdict::Fair),
        ("unfair", FairnessVerdict::Unfair),
        ("undecided", FairnessVerdict::Undecided),
    ];
    let count = |name: &str, n: usize| Measure::new(name, "maps", n as u64);
    let mut measures: Vec<Measure> =
        verdicts.map(|(name, verdict)| count(name, summary.n_judged(verdict))).into();
    let rate = summary.checked.look_schedule.error_rate().get();
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
    measures.extend(agent_wins(summary));
    measures.extend(summary.variation().iter().flat_map(variation));
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

/// Returns the agents' win rates; equal agents share a rate. A rate is named by the number of the
/// agent's first place in the pool. There are no rates if all agents are equal.
fn agent_wins(summary: &BalanceSummary<'_>) -> impl Iterator<Item = Measure> {
    let measure = |(idx, rate): (usize, IntervalEstimate)| {
        Measure::new(format!("agent_{}_wins", idx + 1), "%", estimate_in_points(rate))
    };
    summary.agent_wins().into_iter().map(measure)
}

/// Returns the quartiles of sigma, and for each seat the standard deviation of the seat's true
/// rate.
fn variation(maps: &MapVariation) -> impl Iterator<Item = Measure> {
    let quartiles = ["sigma_lower_quartile", "sigma_median", "sigma_upper_quartile"];
    let quartiles = quartiles.into_iter().zip(maps.sigma_quartiles);
    let quartiles =
        quartiles.map(|(name, sigma)| Measure::new(name, "points", percentage_points(sigma)));
    let seats = maps.seats.iter().zip(1..).map(|(seat, n)| {
        Measure::new(format!("seat_{n}_sd"), "points", estimate_in_points(seat.sd))
    });
    quartiles.chain(seats)
}
