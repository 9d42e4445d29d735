//! `maps.csv`: every number of every map.

use hatchery_core::{DataTable, Exhibit, IntervalEstimate};

use super::summary::{BalanceSummary, MapStatistics, MapSummary};
use crate::studies::wording;
use crate::trial::seat_balance::{
    SeatBalance, SpreadPosterior, estimate_in_points, game_lengths, percentage_points,
};

/// The decimal places of rates, spreads and probabilities.
const DIGITS: usize = 4;

/// Returns a row for each map, the best first. Rates are percents, spreads percentage points;
/// fields that need decided games, or more than one map, are empty without them.
pub(super) fn table(summary: &BalanceSummary<'_>) -> Exhibit {
    let balance = |map: &MapSummary<'_>| Some(map.statistics.as_ref()?.balance);
    let posterior = |map: &MapSummary<'_>| map.statistics.as_ref()?.among.posterior;
    let seat = |map: &MapSummary<'_>, seat: usize| {
        Some(estimate_in_points(balance(map)?.rates_at_once[seat]))
    };
    let adjusted = |MapStatistics { among, .. }: &MapStatistics| among.adjusted_p_value;
    let variance =
        |it: SeatBalance| percentage_points(percentage_points(it.spread.debiased_variance));
    let seats = 0..summary.checked.look_schedule.n_seats();
    DataTable::of(&(1_u32..).zip(&summary.maps).collect::<Vec<_>>())
        .count("rank", |(rank, _)| *rank)
        .text("map", |(_, map)| &map.candidate.name)
        .text("group", |(_, map)| &map.candidate.group)
        .text("id", |(_, map)| format!("{:.12}", map.candidate.map.id()))
        .text("line", |(_, map)| map.candidate.map.to_string())
        .text("verdict", |(_, map)| map.stage.name())
        .count("looks", |(_, map)| map.candidate.looks)
        .count("games", |(_, map)| map.results.games)
        .count("decided", |(_, map)| map.results.decided())
        .count("undecided", |(_, map)| map.results.undecided())
        .each(seats.clone(), |table, seat| {
            table.count(format!("wins_{}", seat + 1), |(_, map)| map.results.wins[seat])
        })
        .each(seats.clone(), |table, seat| {
            table.estimate(format!("rate_{}", seat + 1), DIGITS, |(_, map)| {
                Some(estimate_in_points(balance(map)?.rates[seat]))
            })
        })
        .each(seats, |table, idx| {
            let name = |end: &str| format!("at_once_{}_{end}", idx + 1);
            table.number(name("low"), DIGITS, |(_, map)| Some(seat(map, idx)?.low)).number(
                name("high"),
                DIGITS,
                |(_, map)| Some(seat(map, idx)?.high),
            )
        })
        .number("chi_square", DIGITS, |(_, map)| Some(balance(map)?.test.statistic))
        .number("p_value", 6, |(_, map)| Some(balance(map)?.test.p_value))
        .number("adjusted_p_value", 6, |(_, map)| map.statistics.as_ref().map(adjusted))
        .number("observed_spread", DIGITS, |(_, map)| wording::spread(balance(map)))
        .number("debiased_variance", DIGITS, |(_, map)| balance(map).map(variance))
        .estimate("sigma", DIGITS, |(_, map)| wording::sigma(balance(map)))
        .estimate("range", DIGITS, |(_, map)| range(balance(map)))
        .number("expected_sigma", DIGITS, |(_, map)| {
            posterior(map).map(|SpreadPosterior { sigma, .. }| percentage_points(sigma))
        })
        .number("within_margin", DIGITS, |(_, map)| Some(posterior(map)?.within_margin))
        .number("turns_mean", 2, |(_, map)| game_lengths(map.results).mean())
        .number("turns_sd", 2, |(_, map)| game_lengths(map.results).sd())
        .count("turns_longest", |(_, map)| map.results.turns.longest)
        .csv("maps.csv")
}

fn range(balance: Option<SeatBalance>) -> Option<IntervalEstimate> {
    Some(estimate_in_points(balance?.spread.range))
}
