//! Numbers in the words of reports.

use hatchery_core::IntervalEstimate;
use hatchery_core::findings::{RichText, words};
use hatchery_stats::{ELO_LIMIT, score_of_elo};

/// Returns an Elo difference and its interval in whole points, with their signs.
pub(super) fn elo(it: IntervalEstimate) -> RichText {
    words::quantity(it.into(), signed, "")
}

/// Says what a player that is ahead by this Elo difference scores on average.
pub(super) fn expected_score(elo: IntervalEstimate) -> RichText {
    let score = |elo| score_of_elo(elo).unwrap_or(0.5);
    let [mean, low, high] = [elo.mean, elo.low, elo.high].map(score);
    let score = IntervalEstimate { mean, low, high, ..elo };
    RichText::new("it is expected to score ").join(RichText::percent(score))
}

/// Returns a percentage without decimal places, or with one if it is not whole.
pub(super) fn whole_or_tenth(percent: f64) -> String {
    words::trimmed(percent, 1)
}

/// Returns a whole number with its sign; zero has none.
pub(super) fn signed(number: f64) -> String {
    words::signed(number, 0)
}

/// Returns the Elo difference that a match shows, in whole points with their signs; differences at
/// [`ELO_LIMIT`] are unbounded.
pub(super) fn match_elo(it: IntervalEstimate) -> RichText {
    let text = |elo: f64| {
        if elo.abs() < ELO_LIMIT {
            return signed(elo);
        }
        let side = if elo < 0.0 { "below" } else { "above" };
        format!("unbounded {side}")
    };
    words::quantity(it.into(), text, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unbounded_differences_are_called_so() {
        let elo = |mean, low, high| {
            match_elo(IntervalEstimate { mean, low, high, n: 50, confidence: 0.95 }).to_string()
        };
        assert_eq!(elo(40.2, -3.0, 90.0), "+40 (-3 to +90)");
        assert_eq!(elo(1199.8262, 141.4, 1199.8262), "unbounded above (+141 to unbounded above)");
        assert_eq!(elo(-800.0, -1199.8262, -10.0), "-800 (unbounded below to -10)");
    }
}
