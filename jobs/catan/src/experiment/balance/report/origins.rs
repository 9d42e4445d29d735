//! Maps of the same origin together, beside the published ones.

use hatchery_core::IntervalEstimate;

use super::numbers::p_value;
use crate::experiment::balance::summary::{BalanceSummary, MapGroup};
use crate::rules::Seat;
use crate::seat_balance::{estimate_in_points, percent_points};

/// Table 4 of Hwang & Kaneko: win rates in percent by JSettlers, 2,000 games per map. The paper
/// does not say whether its players P1 to P4 are seats.
const TABLE_4: [(&[&str], &str, [f64; Seat::COUNT]); 3] = [
    (&["rulebook"], "rulebook (1)", [23.29, 25.34, 24.04, 26.33]),
    (&["tournament", "tournament_strict"], "tournament (5)", [24.75, 24.91, 24.94, 25.40]),
    (&["free"], "random (29)", [24.79, 24.71, 25.10, 25.40]),
];

pub(super) fn section(summary: &BalanceSummary<'_>) -> String {
    let mut rows = Vec::new();
    let mut published = TABLE_4.to_vec();
    for group in &summary.groups {
        rows.push(origin_row(group));
        let like = published.iter().position(|(names, ..)| names.contains(&group.name.as_str()));
        if let Some((_, name, rates)) = like.map(|idx| published.remove(idx)) {
            let rates = rates.map(|rate| format!("{rate:.2}")).join(" | ");
            rows.push(format!("| *Hwang & Kaneko, table 4: {name}* | | {rates} | | |\n"));
        }
    }
    rows.push(origin_row(&summary.all));
    format!(
        "## By origin\n\nThe games of all maps of an origin together, with Wilson's intervals. The \
         published players P1 to P4 may be seats or the numbers of a program's players: it is not \
         said.\n\n\
         | maps | games | seat 1 | seat 2 | seat 3 | seat 4 | p | spread |\n\
         |---|---|---|---|---|---|---|---|\n{}",
        rows.concat()
    )
}

fn origin_row(group: &MapGroup) -> String {
    let MapGroup { name, n_maps, results, balance } = group;
    let numbers = match balance {
        None => "- | - | - | - | - | -".to_owned(),
        Some(balance) => {
            let rates = balance.rates.map(|rate| {
                let IntervalEstimate { mean, low, high, .. } = estimate_in_points(rate);
                format!("{mean:.2} ({low:.2} to {high:.2})")
            });
            let spread = percent_points(balance.spread.observed);
            format!("{} | {} | {spread:.2}", rates.join(" | "), p_value(balance))
        }
    };
    format!("| {name} ({n_maps}) | {} | {numbers} |\n", results.games)
}
