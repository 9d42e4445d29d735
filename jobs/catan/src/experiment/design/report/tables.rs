//! CSV tables. Unknown values are empty fields.

use hatchery_core::IntervalEstimate;
use hatchery_core::text::counted;

use super::certificates;
use super::maps::{ERROR_RATE, MapReport, class_name};
use super::steps::{PredictionCounts, StepReport};
use super::summary::DesignSummary;
use crate::experiment::design::certification::Finalist;
use crate::experiment::design::history::MapOrigin;
use crate::map::Map;
use crate::results::GameResults;
use crate::seat_balance::{SeatBalance, estimate_in_points, percentage_points};

const STEPS_HEAD: &str = "step,labelled_good,labelled_bad,unlabelled,threshold,\
    class_prior,class_prior_estimate,eta,lambda,width,validation_risk,\
    candidates,candidates_called_good,\
    called_good,called_good_right,called_good_unclear,\
    called_good_sigma,called_good_sigma_low,called_good_sigma_high,\
    called_bad,called_bad_right,called_bad_unclear,\
    called_bad_sigma,called_bad_sigma_low,called_bad_sigma_high,\
    evidence,evidence_p_value,failure";

const MAPS_HEAD: &str = "step,origin,score,class,id,line,\
    games,decided,wins_1,wins_2,wins_3,wins_4,p_value,observed_spread,debiased_variance,\
    sigma,sigma_low,sigma_high";

const FINALISTS_HEAD: &str = "origin,standing,id,line,\
    chosen_by_games,chosen_by_spread,\
    games,decided,wins_1,wins_2,wins_3,wins_4,p_value,observed_spread,debiased_variance,\
    sigma,sigma_low,sigma_high";

/// The columns that follow with a panel.
const PANEL_HEAD: &str = ",map_standing,\
    seat_1,seat_1_low,seat_1_high,seat_2,seat_2_low,seat_2_high,\
    seat_3,seat_3_low,seat_3_high,seat_4,seat_4_low,seat_4_high,agent";

/// Returns a row for each step. Spreads are percentage points.
pub(super) fn steps(summary: &DesignSummary<'_>) -> String {
    table(STEPS_HEAD, summary.steps.iter().map(step))
}

/// Returns a row for each map of the start and the steps.
pub(super) fn maps(summary: &DesignSummary<'_>) -> String {
    table(MAPS_HEAD, summary.maps.iter().map(map))
}

/// Returns a row for each finalist. With a panel, that is one for each map and agent, which has the
/// standing of the map over all agents, the name of the agent, and the seats' win rates in percent.
pub(super) fn finalists(summary: &DesignSummary<'_>) -> String {
    let rows = summary.finalists.iter().map(|it| finalist(summary, it));
    if summary.panel.is_empty() {
        return table(FINALISTS_HEAD, rows);
    }
    let of_maps = summary.panel.iter();
    let verdicts = of_maps.flat_map(|map| map.verdicts.iter().map(move |verdict| (map, verdict)));
    let rows = rows.zip(verdicts).map(|(mut fields, (map, verdict))| {
        fields.push(map.standing.name().to_owned());
        let seats = verdict.seats.map(|seats| seats.map(|rate| Some(estimate_in_points(rate))));
        fields.extend(seats.unwrap_or_default().into_iter().flat_map(estimate));
        // Names may have commas and quotation marks.
        fields.push(format!("\"{}\"", verdict.name.replace('"', "\"\"")));
        fields
    });
    table(&format!("{FINALISTS_HEAD}{PANEL_HEAD}"), rows)
}

fn table(head: &str, rows: impl Iterator<Item = Vec<String>>) -> String {
    let rows = rows.map(|fields| fields.join(","));
    std::iter::once(head.to_owned()).chain(rows).collect::<Vec<_>>().join("\n") + "\n"
}

fn step(step: &StepReport<'_>) -> Vec<String> {
    let record = step.record;
    let mut fields = vec![step.number.to_string()];
    fields.extend(step.learned_from.map(|n| n.to_string()));
    fields.push(number(step.threshold.map(percentage_points)));
    fields.push(number(record.prior.map(|prior| prior.theta)));
    fields.push(number(record.prior.map(|prior| prior.estimate)));
    fields.push(number(record.chosen.map(|chosen| chosen.eta)));
    fields.push(number(record.chosen.map(|chosen| chosen.lambda)));
    fields.push(number(record.chosen.and_then(|chosen| chosen.width)));
    fields.push(number(record.chosen.and_then(|chosen| chosen.risk)));
    fields.push(record.called_good.1.to_string());
    fields.push(record.called_good.0.to_string());
    for PredictionCounts { n, right, unclear, sigma } in [step.good, step.bad] {
        fields.extend([n, right, unclear].map(|n| n.to_string()));
        fields.extend(estimate(sigma));
    }
    fields.extend([step.evidence.verdict.name().to_owned(), number(Some(step.evidence.p_value))]);
    // Reasons contain commas, but no quotation marks.
    fields.push(record.failure.as_ref().map_or_else(String::new, |why| format!("\"{why}\"")));
    fields
}

fn map(shown: &MapReport<'_>) -> Vec<String> {
    let simulated = shown.simulated;
    let (origin, score) = origin(&simulated.origin);
    let mut fields = vec![shown.step.to_string(), origin, score];
    fields.push(class_name(shown.class).to_owned());
    fields.extend(names(&simulated.map));
    fields.extend(results(&simulated.results, shown.balance.as_ref()));
    fields
}

fn finalist(summary: &DesignSummary<'_>, finalist: &Finalist) -> Vec<String> {
    let (origin, _) = origin(&finalist.origin);
    let mut fields = vec![origin, finalist.status.name().to_owned()];
    fields.extend(names(&finalist.map));
    let chosen_by = SeatBalance::of(&finalist.chosen_by, ERROR_RATE);
    let chosen_by = chosen_by.map(|balance| percentage_points(balance.spread.observed));
    fields.push(finalist.chosen_by.games.to_string());
    fields.push(number(chosen_by));
    fields.extend(results(&finalist.fresh, certificates::balance(summary.spec, finalist).as_ref()));
    fields
}

/// Returns the origin of a map as text, and its score.
pub(super) fn origin(origin: &MapOrigin) -> (String, String) {
    match origin {
        MapOrigin::Start(name) => (name.clone(), String::new()),
        MapOrigin::CalledGood(score) => ("called good".to_owned(), number(*score)),
        MapOrigin::CalledBad(score) => ("called bad".to_owned(), number(*score)),
        MapOrigin::Bred { founder, swaps } => (
            format!("{} from {:.12}", counted(*swaps as usize, "swap"), founder.id()),
            String::new(),
        ),
    }
}

fn names(map: &Map) -> [String; 2] {
    [format!("{:.12}", map.id()), map.to_string()]
}

fn results(results: &GameResults, balance: Option<&SeatBalance>) -> Vec<String> {
    let mut fields = vec![results.games.to_string(), results.decided().to_string()];
    fields.extend(results.wins.map(|wins| wins.to_string()));
    fields.push(number(balance.map(|balance| balance.test.p_value)));
    fields.push(number(balance.map(|balance| percentage_points(balance.spread.observed))));
    let variance = balance.map(|balance| balance.spread.debiased_variance);
    fields.push(number(variance.map(|variance| percentage_points(percentage_points(variance)))));
    fields.extend(estimate(balance.map(|balance| estimate_in_points(balance.spread.sigma))));
    fields
}

fn estimate(estimate: Option<IntervalEstimate>) -> [String; 3] {
    let Some(IntervalEstimate { mean, low, high, .. }) = estimate else {
        return [const { String::new() }; 3];
    };
    [mean, low, high].map(|value| number(Some(value)))
}

/// Formats a number with at most six decimal places, without trailing zeros.
fn number(value: Option<f64>) -> String {
    let Some(value) = value else { return String::new() };
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_are_short() {
        for (value, expected) in [(0.5, "0.5"), (10.0, "10"), (0.0, "0"), (1.0 / 3.0, "0.333333")] {
            assert_eq!(number(Some(value)), expected);
        }
        assert_eq!(number(None), "");
    }
}
