//! `report.md`: a report on the run.

use hatchery_core::IntervalEstimate;

use super::certificates::sigma;
use super::csv::origin;
use super::maps::{BOUNDS, ERROR_RATE, MapReport, by_chance, class_name, n_within};
use super::steps::{PredictionCounts, StepReport};
use super::summary::DesignSummary;
use crate::experiment::agent_name;
use crate::experiment::design::certification::Finalist;
use crate::experiment::design::spec::CertifyParams;
use crate::results::GameResults;
use crate::seat_balance::{SeatBalance, percent_points};

pub(super) fn report(summary: &DesignSummary<'_>) -> String {
    let mut parts = vec![heading(summary), predictions(summary), learning(summary)];
    parts.push(chosen(summary));
    parts.extend(summary.spec.certify.as_ref().map(|certify| certificates(summary, certify)));
    parts.push(maps(summary));
    parts.push(WORDS.to_owned());
    parts.join("\n")
}

fn heading(summary: &DesignSummary<'_>) -> String {
    let DesignSummary { spec, maps, finalists, is_done, .. } = summary;
    // The games by which finalists were chosen are not added, because maps of the steps bring
    // theirs along.
    let all: Vec<GameResults> = maps
        .iter()
        .map(|shown| shown.simulated.results)
        .chain(finalists.iter().map(|finalist| finalist.fresh))
        .collect();
    let all = GameResults::together(&all);
    let so_far = if *is_done { "" } else { "\nThe run is not finished yet.\n" };
    format!(
        "# Balanced maps by learning\n{so_far}\n\
         Seats are numbered by the order of the first settlements: seat 1 places first and last \
         and has the first turn. Rates are percents of decided games.\n\n\
         - players: {} on all seats\n\
         - games on each map of the start and of the steps: {}\n\
         - games of the steps, and fresh ones of finalists: {}, of which {} were stopped undecided \
         after {} turns\n\
         - maps learned from and chosen from: `{}`\n",
        agent_name(&spec.agent),
        spec.games,
        all.games,
        all.undecided(),
        spec.turn_cap,
        crate::map::MapPolicy::from(spec.policy).name(),
    )
}

fn predictions(summary: &DesignSummary<'_>) -> String {
    let row = |step: &StepReport<'_>| {
        let StepReport { number, good, bad, .. } = step;
        format!("| {number} | {} | {} |\n", called(good, "good"), called(bad, "bad"))
    };
    let rows: String = summary.steps.iter().map(row).collect();
    format!(
        "## Predicted and simulated\n\n\
         At each step the maps that the classifier called best and worst were simulated. *Right* \
         is what the labels say that the new games led to. Sigma is the root of the mean of the \
         true sigma^2 of these maps, with its 95 % interval: if the classifier knows something, it \
         is smaller where good was said.\n\n\
         | step | called good: right | sigma | called bad: right | sigma |\n\
         |---|---|---|---|---|\n{rows}"
    )
}

fn called(PredictionCounts { n, right, unclear, sigma }: &PredictionCounts, name: &str) -> String {
    let unclear = match unclear {
        0 => String::new(),
        unclear => format!(", {unclear} unclear"),
    };
    format!("{right} of {n} {name}{unclear} | {}", interval(*sigma))
}

fn learning(summary: &DesignSummary<'_>) -> String {
    let row = |step: &StepReport<'_>| {
        let StepReport { number, record, learned_from: [good, bad, unclear], threshold, .. } = step;
        let prior = record
            .prior
            .map_or_else(dash, |prior| format!("{:.2} ({:.2})", prior.theta, prior.estimate));
        let chosen = record.chosen.map_or_else(
            || "- | - | - | -".to_owned(),
            |chosen| {
                format!(
                    "{} | {:.3} | {} | {}",
                    chosen.eta,
                    chosen.lambda,
                    chosen.width.map_or_else(dash, |width| format!("{width:.2}")),
                    chosen.risk.map_or_else(dash, |risk| format!("{risk:.2}")),
                )
            },
        );
        format!(
            "| {number} | {good} / {bad} / {unclear} | {} | {prior} | {chosen} | {} of {} |\n",
            threshold.map_or_else(dash, |threshold| format!("{:.2}", percent_points(threshold))),
            record.called_good.0,
            record.called_good.1,
        )
    };
    let rows: String = summary.steps.iter().map(row).collect();
    let failures: String = summary
        .steps
        .iter()
        .filter_map(|step| Some((step.number, step.record.failure.as_ref()?)))
        .map(|(number, why)| format!("\nStep {number} was done in a simpler way: {why}.\n"))
        .collect();
    format!(
        "## What was learned\n\n\
         The class prior is the share of good maps among random ones as it was used, and as it was \
         estimated. Few labels tell it poorly.\n\n\
         | step | good / bad / without label | threshold | class prior | eta | lambda | width | \
         validation risk | candidates called good |\n\
         |---|---|---|---|---|---|---|---|---|\n{rows}{failures}"
    )
}

fn chosen(summary: &DesignSummary<'_>) -> String {
    let n = summary.chosen().count();
    let decided = summary.chosen().map(|shown| shown.simulated.results.decided()).min();
    let Some(decided @ 1..) = decided else {
        return String::new();
    };
    let least = summary.chosen().filter_map(MapReport::observed).fold(f64::INFINITY, f64::min);
    let (expected, expected_least) = by_chance(n, decided);
    let rows = BOUNDS.iter().zip(expected).map(|((_, bound), expected)| {
        let found = n_within(summary.chosen(), *bound);
        format!("| maps with a spread of at most {bound} | {found} | {expected:.1} |\n")
    });
    format!(
        "## The maps of the steps\n\n\
         Of the {n} maps that were chosen, beside what chance alone would show if all of them were \
         perfectly even:\n\n\
         | | found | if all were even |\n|---|---|---|\n{}\
         | least spread | {least:.2} | {expected_least:.2} |\n",
        rows.collect::<String>()
    )
}

fn certificates(summary: &DesignSummary<'_>, certify: &CertifyParams) -> String {
    let CertifyParams { margin, error_rate, wanted, futility, .. } = certify;
    let rows: String = summary.finalists.iter().map(finalist).collect();
    let look_schedule = certify.look_schedule();
    let looks: Vec<String> = look_schedule.looks().iter().map(u64::to_string).collect();
    let given_up = if 0.0 < *futility {
        format!(
            " A map is *given up* when its fresh games tell that the last look would certify it \
             with a probability of less than {futility}; so fewer of the uneven ones are refuted."
        )
    } else {
        String::new()
    };
    format!(
        "## Certificates\n\n\
         A map is certified when fresh games, which had no part in its choice, show at a level of \
         {error_rate} that sigma is below {margin} points: of a map that is not so even, it is \
         said with at most that probability. That holds for each map by itself: if all finalists \
         were just not even enough, up to one in {:.0} would be certified. A map is looked at \
         after {} games; the looks share the level, so that stopping early costs nothing. The \
         intervals of sigma are those of a number of games fixed beforehand, beside \
         that.{given_up} Wanted: {wanted}. Certified: {}.\n\n\
         | map | from | standing | spread when chosen (games) | fresh games | seat 1 | seat 2 | \
         seat 3 | seat 4 | spread | sigma |\n|---|---|---|---|---|---|---|---|---|---|---|\n{rows}",
        1.0 / error_rate,
        looks.join(", "),
        summary.certified().count(),
    )
}

fn finalist(finalist: &Finalist) -> String {
    let Finalist { map, chosen_by, fresh, status, .. } = finalist;
    let chosen = SeatBalance::of(chosen_by, ERROR_RATE);
    let chosen =
        chosen.map_or_else(dash, |chosen| format!("{:.2}", percent_points(chosen.spread.observed)));
    format!(
        "| `{:.12}` | {} | {} | {chosen} ({}) | {} | {} | {} |\n",
        map.id(),
        origin(&finalist.origin).0,
        status.name(),
        chosen_by.games,
        fresh.games,
        rates(SeatBalance::of(fresh, ERROR_RATE).as_ref()),
        interval(sigma(finalist)),
    )
}

fn maps(summary: &DesignSummary<'_>) -> String {
    let row = |shown: &MapReport<'_>| {
        let MapReport { simulated, class, balance, .. } = shown;
        let (_, score) = origin(&simulated.origin);
        let sigma =
            balance.map(|balance| crate::seat_balance::estimate_in_points(balance.spread.sigma));
        let p = balance.map_or_else(dash, |balance| format!("{:.3}", balance.test.p_value));
        format!(
            "| {} | {score} | {} | `{:.12}` | {} | {p} | {} |\n",
            shown.origin(),
            class_name(*class),
            simulated.map.id(),
            rates(balance.as_ref()),
            interval(sigma),
        )
    };
    let rows: String = summary.maps.iter().map(row).collect();
    format!(
        "## All maps of the start and of the steps\n\n\
         | map | score | by games | id | seat 1 | seat 2 | seat 3 | seat 4 | spread | p | sigma |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n{rows}"
    )
}

/// Returns the rates and the spread.
fn rates(balance: Option<&SeatBalance>) -> String {
    let Some(balance) = balance else { return "- | - | - | - | -".to_owned() };
    let rates = balance.rates.map(|rate| format!("{:.2}", percent_points(rate.mean)));
    format!("{} | {:.2}", rates.join(" | "), percent_points(balance.spread.observed))
}

fn interval(estimate: Option<IntervalEstimate>) -> String {
    estimate.map_or_else(dash, |IntervalEstimate { mean, low, high, .. }| {
        format!("{mean:.2} ({low:.2} to {high:.2})")
    })
}

fn dash() -> String {
    "-".to_owned()
}

const WORDS: &str = "## Words\n\n\
    - *spread*: the standard deviation (divisor 4) of the observed win rates of the four seats, in \
    percent points. Even maps show one too: 0.89 points on average after 2,000 games\n\
    - *sigma*: the same of the true win rates: the spread without what chance adds, with its 95 % \
    interval\n\
    - *p*: Pearson's chi-square test of equal rates, 3 degrees of freedom\n\
    - *score*: the classifier's; above 0 it calls a map good\n\
    - *unclear*: without label\n\n\
    The table is in `maps.csv` too, with the line of each map, the steps in `steps.csv`.\n";
