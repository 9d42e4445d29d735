//! Numbers and terms in the words of findings.

use hatchery_core::IntervalEstimate;
use hatchery_core::findings::{FindingBlock, RichText, TableHead};
use hatchery_core::text::{counted, rounded};
use hatchery_figures::{ForestChart, ForestRow, Quantity, ReferenceValue};

use crate::map::Map;
use crate::rules::Seat;
use crate::seat_balance::{SeatBalance, estimate_in_points};

/// The numbers of the seats, and what rates are shares of.
pub(super) const SEATS: &str = "Seats are numbered by the order of the first settlements: seat 1 \
    places first and last and has the first turn. Rates are percents of decided games.";

/// The spread of observed rates.
pub(super) const SPREAD: &str = "The spread is the standard deviation (divisor 4) of the observed \
    win rates of the four seats, in percentage points. Even maps show one too: 0.89 points on \
    average after 2,000 games.";

/// The spread of true rates.
pub(super) const SIGMA: &str = "Sigma is the same of the true win rates: the spread without what \
    chance adds. Its interval inverts the noncentral chi-square distribution.";

/// The test of equal rates.
pub(super) const P_VALUE: &str =
    "p is the p-value of Pearson's chi-square test of equal rates, 3 degrees of freedom.";

/// Returns an optional cell of a table: a dash for none.
pub(super) fn cell(text: Option<impl Into<RichText>>) -> RichText {
    text.map_or_else(|| "-".into(), Into::into)
}

/// Returns the estimate of a share and its interval in percentage points.
pub(super) fn points(share: IntervalEstimate) -> RichText {
    RichText::estimate(estimate_in_points(share), 2)
}

/// Returns a number with at most four decimal places, without trailing zeros.
pub(super) fn short_number(number: f64) -> String {
    let text = rounded(number, 4);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Returns the line below a table of maps that leaves out `n` of them.
pub(super) fn left_out(n: u64) -> FindingBlock {
    let words = RichText::new(format!("{} more are in ", counted(n, "map")));
    FindingBlock::Text(words.code("maps.csv").plain("."))
}

/// Returns the p-value of equal rates.
pub(super) fn p_value(balance: &SeatBalance) -> String {
    probability(balance.test.p_value)
}

/// Returns a p-value with three decimal places.
pub(super) fn probability(p: f64) -> String {
    if p < 0.0005 { "< 0.001".to_owned() } else { format!("{p:.3}") }
}

/// Returns the heads of the columns with the win rates of the seats.
pub(super) fn rate_heads() -> impl Iterator<Item = TableHead> {
    (1..=Seat::COUNT).map(|seat| TableHead::number(format!("seat {seat}, %")))
}

/// Returns the win rates of the seats as cells of a row.
pub(super) fn rate_cells(balance: Option<&SeatBalance>) -> [RichText; Seat::COUNT] {
    match balance {
        None => [const { "-" }; Seat::COUNT].map(RichText::from),
        Some(balance) => balance.rates.map(points),
    }
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
