//! `maps.csv`: all numbers of all maps.

use hatchery_core::IntervalEstimate;

use super::summary::{BalanceSummary, MapStatistics, MapSummary};
use crate::seat_balance::{estimate_in_points, game_lengths, percentage_points};

const HEAD: &str = "rank,map,group,id,line,verdict,looks,games,decided,undecided,\
    wins_1,wins_2,wins_3,wins_4,\
    rate_1,rate_1_low,rate_1_high,rate_2,rate_2_low,rate_2_high,\
    rate_3,rate_3_low,rate_3_high,rate_4,rate_4_low,rate_4_high,\
    at_once_1_low,at_once_1_high,at_once_2_low,at_once_2_high,\
    at_once_3_low,at_once_3_high,at_once_4_low,at_once_4_high,\
    chi_square,p_value,adjusted_p_value,\
    observed_spread,debiased_variance,sigma,sigma_low,sigma_high,range,range_low,range_high,\
    expected_sigma,within_margin,turns_mean,turns_sd,turns_longest";

/// The number of columns of statistics, from `rate_1` to `within_margin`.
const N_STATISTICS: usize = 33;

/// Returns a row for each map, the best first. Rates are percents, spreads percentage points;
/// fields that need decided games, or more than one map, are empty without them.
pub(super) fn csv(summary: &BalanceSummary<'_>) -> String {
    let rows = summary.maps.iter().zip(1..).map(|(map, rank)| row(map, rank));
    std::iter::once(HEAD.to_owned()).chain(rows).collect::<Vec<_>>().join("\n") + "\n"
}

fn row(map: &MapSummary<'_>, rank: u32) -> String {
    let MapSummary { candidate, results, stage, statistics } = map;
    let mut fields = vec![
        rank.to_string(),
        candidate.name.clone(),
        candidate.group.clone(),
        format!("{:.12}", candidate.map.id()),
        candidate.map.to_string(),
        stage.name().to_owned(),
        candidate.looks.to_string(),
        results.games.to_string(),
        results.decided().to_string(),
        results.undecided().to_string(),
    ];
    fields.extend(results.wins.map(|wins| wins.to_string()));
    match statistics {
        Some(statistics) => fields.extend(statistic_fields(statistics)),
        None => fields.extend(vec![String::new(); N_STATISTICS]),
    }
    let lengths = game_lengths(results);
    fields.push(format!("{:.2}", lengths.mean()));
    fields.push(format!("{:.2}", lengths.sd()));
    fields.push(results.turns.longest.to_string());
    fields.join(",")
}

fn statistic_fields(MapStatistics { balance, among }: &MapStatistics) -> Vec<String> {
    let number = |value: f64| format!("{value:.4}");
    let ends = |estimate: &IntervalEstimate| {
        let IntervalEstimate { low, high, .. } = estimate_in_points(*estimate);
        [number(low), number(high)]
    };
    let whole = |estimate: &IntervalEstimate| {
        let [low, high] = ends(estimate);
        [number(percentage_points(estimate.mean)), low, high]
    };
    let spread = &balance.spread;
    let mut fields: Vec<String> = balance.rates.iter().flat_map(whole).collect();
    fields.extend(balance.rates_at_once.iter().flat_map(ends));
    fields.push(number(balance.test.statistic));
    fields.push(format!("{:.6}", balance.test.p_value));
    fields.push(format!("{:.6}", among.adjusted_p_value));
    fields.push(number(percentage_points(spread.observed)));
    fields.push(number(percentage_points(percentage_points(spread.debiased_variance))));
    fields.extend(whole(&spread.sigma));
    fields.extend(whole(&spread.range));
    fields.extend(match among.posterior {
        Some(posterior) => {
            [number(percentage_points(posterior.sigma)), number(posterior.within_margin)]
        }
        None => [String::new(), String::new()],
    });
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_has_all_columns() {
        let columns: Vec<&str> = HEAD.split(',').collect();
        let place = |name| columns.iter().position(|column| *column == name).unwrap();
        assert_eq!(place("within_margin") - place("rate_1") + 1, N_STATISTICS);
        assert!(columns.iter().all(|column| !column.contains(' ')), "{columns:?}");
    }
}
