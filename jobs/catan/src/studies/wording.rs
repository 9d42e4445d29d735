//! Numbers and terms in the words of findings.

use hatchery_core::IntervalEstimate;
use hatchery_core::findings::{FindingBlock, RichText, words};
use hatchery_core::table::TableColumns;
use hatchery_core::text::counted;
use hatchery_figures::{ForestChart, ForestRow, Quantity, ReferenceValue};

use crate::map::Map;
use crate::rules::Seat;
use crate::trial::seat_balance::{SeatBalance, estimate_in_points, percentage_points};

/// The numbers of the seats, and what rates are shares of.
const SEATS: &str = "Seats are numbered by the order of the first settlements: seat 1 \
    places first and last and has the first turn. Rates are percents of decided games.";

/// The numbers of players in words, from one.
pub(super) const NUMBERS: [&str; Seat::COUNT] = ["one", "two", "three", "four"];

/// Returns the meaning of the spread of the observed rates of `n_seats` players.
fn spread_term(n_seats: usize) -> String {
    let chance = match n_seats {
        Seat::COUNT => ": 0.89 points on average after 2,000 games",
        _ => "",
    };
    format!(
        "The spread is the standard deviation (divisor {n_seats}) of the observed win rates of the \
         {} seats, in percentage points. Even maps show one too{chance}.",
        NUMBERS[n_seats - 1]
    )
}

/// The spread of true rates.
const SIGMA: &str = "Sigma is the same of the true win rates: the spread without what \
    chance adds. Its interval inverts the noncentral chi-square distribution.";

/// Returns the meaning of the p-value of equal rates of `n_seats` players.
fn p_value_term(n_seats: usize) -> String {
    let plural = if n_seats == 2 { "" } else { "s" };
    format!(
        "p is the p-value of Pearson's chi-square test of equal rates, {} degree{plural} of \
         freedom.",
        n_seats - 1
    )
}

/// Returns the terms of a report on games of `n_seats` players.
pub(super) fn terms(n_seats: usize) -> String {
    [SEATS, &spread_term(n_seats), SIGMA, &p_value_term(n_seats)].join(" ")
}

/// Returns the estimate of a share and its interval in percentage points.
pub(super) fn points(share: IntervalEstimate) -> RichText {
    RichText::estimate(estimate_in_points(share), 2)
}

/// Returns the line below a table that leaves out `n` maps.
pub(super) fn left_out(n: u64) -> FindingBlock {
    let words = RichText::new(format!("{} more are in ", counted(n, "map")));
    FindingBlock::Text(words.code("maps.csv").plain("."))
}

/// Adds the columns of the win rates of `n_seats` seats to a table of the page.
pub(super) fn rates<'a, R>(
    table: TableColumns<'a, R>,
    n_seats: usize,
    balance: impl Fn(&'a R) -> Option<SeatBalance>,
) -> TableColumns<'a, R> {
    table.each(0..n_seats, |table, seat| {
        table.estimate(("", format!("seat {}, %", seat + 1)), 2, |row| {
            Some(estimate_in_points(balance(row)?.rates[seat]))
        })
    })
}

/// Returns the p-value of equal rates.
pub(super) fn p_value(balance: Option<SeatBalance>) -> Option<String> {
    Some(words::p_value(balance?.test.p_value, 3))
}

/// Returns the observed spread in percentage points.
pub(super) fn spread(balance: Option<SeatBalance>) -> Option<f64> {
    Some(percentage_points(balance?.spread.observed))
}

/// Returns the sigma in percentage points.
pub(super) fn sigma(balance: Option<SeatBalance>) -> Option<IntervalEstimate> {
    Some(estimate_in_points(balance?.spread.sigma))
}

/// Returns the beginning of a map's identity.
pub(super) fn map_id(map: &Map) -> RichText {
    RichText::default().code(format!("{:.12}", map.id()))
}

/// Returns a chart of the sigmas of maps, as shares, beside the margin in percentage points.
pub(super) fn sigma_chart(
    title: impl Into<String>,
    margin: f64,
    sigmas: impl IntoIterator<Item = (String, IntervalEstimate)>,
) -> ForestChart {
    let row =
        |(name, sigma)| ForestRow { name, quantity: Quantity::from(estimate_in_points(sigma)) };
    ForestChart {
        title: title.into(),
        x_label: "sigma, percentage points".to_owned(),
        x_shown: vec![0.0],
        reference: Some(ReferenceValue { name: format!("margin, {margin}"), value: margin }),
        rows: sigmas.into_iter().map(row).collect(),
    }
}
