//! The tables of a design, in files and in findings. Unknown values are empty cells.

use hatchery_core::DataTable;
use hatchery_core::findings::words;
use hatchery_core::table::{NumberForm, TableColumns};
use hatchery_core::text::{counted, grouped};

use super::maps::{ERROR_RATE, MapReport, class_name};
use super::panel::{AgentVerdict, PanelMap};
use super::steps::{PredictionCounts, StepReport};
use super::summary::DesignSummary;
use crate::map::Map;
use crate::rules::Seat;
use crate::studies::design::certification::Finalist;
use crate::studies::design::history::MapOrigin;
use crate::studies::wording;
use crate::trial::results::GameResults;
use crate::trial::seat_balance::{SeatBalance, estimate_in_points, percentage_points};

/// The form of numbers in files.
const NUMBER: NumberForm = NumberForm::Trimmed(6);

/// Returns a row for each step, with what was learned before it on the page. Spreads are percentage
/// points.
pub(super) fn steps<'a>(steps: &'a [StepReport<'a>]) -> TableColumns<'a, StepReport<'a>> {
    let threshold = |step: &StepReport<'_>| step.threshold.map(percentage_points);
    let prior = |step: &StepReport<'_>| Some(step.record.prior?.theta);
    let estimated = |step: &StepReport<'_>| Some(step.record.prior?.estimate);
    let eta = |step: &StepReport<'_>| Some(step.record.chosen?.eta);
    let lambda = |step: &StepReport<'_>| Some(step.record.chosen?.lambda);
    let width = |step: &StepReport<'_>| step.record.chosen?.width;
    let risk = |step: &StepReport<'_>| step.record.chosen?.risk;
    let table = DataTable::of(steps)
        .count(("step", "step"), |step| step.number)
        .count(("labelled_good", "labels: good"), |step| step.learned_from[0])
        .count(("labelled_bad", "bad"), |step| step.learned_from[1])
        .count(("unlabelled", "none"), |step| step.learned_from[2])
        .number("threshold", NUMBER, threshold)
        .number(("", "threshold"), 2, threshold)
        .number("class_prior", NUMBER, prior)
        .number(("", "class prior used"), 2, prior)
        .number("class_prior_estimate", NUMBER, estimated)
        .number(("", "estimated"), 2, estimated)
        .number("eta", NUMBER, eta)
        .words(("", "eta"), |step| eta(step).map(|eta| words::trimmed(eta, 4)))
        .number("lambda", NUMBER, lambda)
        .number(("", "lambda"), 3, lambda)
        .number("width", NUMBER, width)
        .number(("", "width"), 2, width)
        .number("validation_risk", NUMBER, risk)
        .number(("", "validation risk"), 2, risk)
        .count("candidates", |step| step.record.called_good.1)
        .count("candidates_called_good", |step| step.record.called_good.0)
        .text(("", "candidates called good"), |step| {
            words::of_all(step.record.called_good.0, step.record.called_good.1)
        });
    let table = predictions(table, "good", |step| &step.good);
    predictions(table, "bad", |step| &step.bad)
        .text("evidence", |step| step.evidence.verdict.name())
        .number("evidence_p_value", NUMBER, |step| step.evidence.p_value)
        .quoted("failure", |step| step.record.failure.as_ref())
}

fn predictions<'a>(
    table: TableColumns<'a, StepReport<'a>>,
    called: &str,
    counts: impl Fn(&'a StepReport<'a>) -> &'a PredictionCounts,
) -> TableColumns<'a, StepReport<'a>> {
    let name = |what: &str| format!("called_{called}{what}");
    table
        .count(name(""), |step| counts(step).n)
        .count(name("_right"), |step| counts(step).right)
        .count(name("_unclear"), |step| counts(step).unclear)
        .estimate(name("_sigma"), NUMBER, |step| counts(step).sigma)
}

/// Returns a row for each of `maps`, the maps of the start and the steps.
pub(super) fn maps<'a>(maps: &'a [MapReport<'a>]) -> TableColumns<'a, MapReport<'a>> {
    let score = |shown: &MapReport<'_>| match shown.simulated.origin {
        MapOrigin::CalledGood(score) | MapOrigin::CalledBad(score) => score,
        MapOrigin::Start(_) | MapOrigin::Bred { .. } => None,
    };
    let table = DataTable::of(maps)
        .count("step", |shown| shown.step)
        .text(("", "map"), MapReport::origin)
        .text("origin", |shown| origin(&shown.simulated.origin))
        .number("score", NUMBER, score)
        .number(("", "score"), 3, score)
        .text(("class", "by games"), |shown| class_name(shown.class))
        .text("id", |shown| id(&shown.simulated.map))
        .text(("", "id"), |shown| wording::map_id(&shown.simulated.map))
        .text("line", |shown| shown.simulated.map.to_string());
    results(table, |shown| &shown.simulated.results, |shown| shown.balance)
        .words(("", "p"), |shown| wording::p_value(shown.balance))
        .estimate(("", "sigma"), 2, |shown| wording::sigma(shown.balance))
}

/// A finalist with its place in a panel, if there is one.
pub(super) struct FinalistRow<'a> {
    finalist: &'a Finalist,
    balance: Option<SeatBalance>,
    chosen_by: Option<SeatBalance>,
    panel: Option<(&'a PanelMap<'a>, &'a AgentVerdict<'a>)>,
}

/// Returns the finalists. With a panel, that is one for each map and agent.
pub(super) fn finalist_rows<'a>(summary: &'a DesignSummary<'_>) -> Vec<FinalistRow<'a>> {
    let of_maps = summary.panel.iter();
    let mut panel = of_maps.flat_map(|map| map.verdicts.iter().map(move |it| (map, it)));
    let row = |finalist: &'a Finalist| FinalistRow {
        finalist,
        balance: summary.balance(finalist),
        chosen_by: SeatBalance::of(&finalist.chosen_by.wins, ERROR_RATE),
        panel: panel.next(),
    };
    summary.finalists.iter().map(row).collect()
}

/// Returns a row for each finalist. With a panel, the file has the standing of the map over all
/// agents, the seats' win rates in percent and the name of the agent as well.
pub(super) fn finalists<'a>(
    rows: &'a [FinalistRow<'a>],
    has_panel: bool,
) -> TableColumns<'a, FinalistRow<'a>> {
    let table = DataTable::of(rows)
        .text(("", "map"), |row| wording::map_id(&row.finalist.map))
        .text(("origin", "from"), |row| origin(&row.finalist.origin))
        .text(("standing", "standing"), |row| row.finalist.status.name())
        .text("id", |row| id(&row.finalist.map))
        .text("line", |row| row.finalist.map.to_string())
        .number(("", "spread when chosen"), 2, |row| wording::spread(row.chosen_by))
        .count(("chosen_by_games", "games until then"), |row| row.finalist.chosen_by.games)
        .number("chosen_by_spread", NUMBER, |row| wording::spread(row.chosen_by))
        .words(("", "fresh games"), |row| grouped(row.finalist.fresh.games));
    let seat = |row: &FinalistRow<'_>, seat: usize| {
        Some(estimate_in_points(row.panel?.1.seats.as_ref()?[seat]))
    };
    results(table, |row| &row.finalist.fresh, |row| row.balance)
        .estimate(("", "sigma"), 2, |row| wording::sigma(row.balance))
        .only_if(has_panel, |table| {
            table
                .text("map_standing", |row| Some(row.panel?.0.standing.name()))
                .each(0..Seat::COUNT, |table, idx| {
                    table.estimate(format!("seat_{}", idx + 1), NUMBER, |row| seat(row, idx))
                })
                .quoted("agent", |row| Some(&row.panel?.1.name))
        })
}

/// Adds the results of games: all numbers in the file, rates and spread on the page.
fn results<'a, R>(
    table: TableColumns<'a, R>,
    of: impl Fn(&'a R) -> &'a GameResults,
    balance: impl Fn(&'a R) -> Option<SeatBalance>,
) -> TableColumns<'a, R> {
    let variance =
        |it: SeatBalance| percentage_points(percentage_points(it.spread.debiased_variance));
    let table = table
        .count("games", |row| of(row).games)
        .count("decided", |row| of(row).decided())
        .each(0..Seat::COUNT, |table, seat| {
            table.count(format!("wins_{}", seat + 1), |row| of(row).wins[seat])
        })
        .number("p_value", NUMBER, |row| Some(balance(row)?.test.p_value));
    wording::rates(table, Seat::COUNT, &balance)
        .number("observed_spread", NUMBER, |row| wording::spread(balance(row)))
        .number(("", "spread"), 2, |row| wording::spread(balance(row)))
        .number("debiased_variance", NUMBER, |row| balance(row).map(variance))
        .estimate("sigma", NUMBER, |row| wording::sigma(balance(row)))
}

/// Returns the origin of a map as text.
pub(super) fn origin(origin: &MapOrigin) -> String {
    match origin {
        MapOrigin::Start(name) => name.clone(),
        MapOrigin::CalledGood(_) => "called good".to_owned(),
        MapOrigin::CalledBad(_) => "called bad".to_owned(),
        MapOrigin::Bred { founder, swaps } => {
            format!("{} from {:.12}", counted(*swaps as usize, "swap"), founder.id())
        }
    }
}

fn id(map: &Map) -> String {
    format!("{:.12}", map.id())
}
