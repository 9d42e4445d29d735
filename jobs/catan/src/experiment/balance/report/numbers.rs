//! Numbers as the report writes them.

use crate::seat_balance::{SeatBalance, percent_points};

/// Returns the win rates of the seats as cells of a row, in percent.
pub(super) fn rates(balance: &SeatBalance) -> String {
    balance.rates.map(|rate| format!("{:.2}", percent_points(rate.mean))).join(" | ")
}

/// Returns the p-value of equal rates as text.
pub(super) fn p_value(balance: &SeatBalance) -> String {
    let p = balance.test.p_value;
    if p < 0.0005 { "< 0.001".to_owned() } else { format!("{p:.3}") }
}

#[expect(clippy::cast_precision_loss, reason = "numbers of maps are far below 2^53")]
pub(super) fn to_f64(n: usize) -> f64 {
    n as f64
}
