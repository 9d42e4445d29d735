//! Advice on seats: how often each place in the order wins, in words.

use hatchery_core::IntervalEstimate;
use hatchery_core::findings::RichText;

use crate::rules::Seat;

/// The seats in words.
const NAMES: [&str; Seat::COUNT] = ["first", "second", "third", "fourth"];
/// The win rate of every seat if the seats win equally often.
const EVEN_RATE: f64 = 0.25;

/// Returns the seats' win rates in words, and the seats to prefer and to avoid: the seats whose
/// interval is wholly above an even share, and the seats whose interval is wholly below it.
pub(super) fn advice(seats: &[IntervalEstimate; Seat::COUNT]) -> String {
    let rates = NAMES.iter().zip(seats).map(|(name, &rate)| {
        let verb = if *name == NAMES[0] { " seat wins" } else { "" };
        format!("the {name}{verb} {}", RichText::percent(rate))
    });
    let rates = rates.collect::<Vec<_>>().join(", ");
    let above = named(seats, |rate| EVEN_RATE < rate.low);
    let below = named(seats, |rate| rate.high < EVEN_RATE);
    let choice = match (above, below) {
        (None, None) => "any seat may be worth an even share".to_owned(),
        (Some(above), None) => format!("prefer {above}"),
        (None, Some(below)) => format!("avoid {below}"),
        (Some(above), Some(below)) => format!("prefer {above}, avoid {below}"),
    };
    format!("{rates}; {choice}")
}

/// Returns the seats whose rate `counts` in words; none if there are none.
fn named(
    seats: &[IntervalEstimate; Seat::COUNT],
    counts: impl Fn(&IntervalEstimate) -> bool,
) -> Option<String> {
    let names = NAMES.iter().zip(seats).filter(|(_, rate)| counts(rate));
    let names: Vec<&str> = names.map(|(name, _)| *name).collect();
    (!names.is_empty()).then(|| format!("the {}", names.join(" and the ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seats_are_advised_by_their_intervals() {
        let check = |means: [f64; Seat::COUNT], expected: &str| {
            let rate = |mean: f64| {
                let (low, high) = (mean - 0.012, mean + 0.012);
                IntervalEstimate { mean, low, high, n: 9000, confidence: 0.95 }
            };
            let words = advice(&means.map(rate));
            assert!(words.ends_with(expected), "{words}");
            words
        };
        let words = check([0.21, 0.271, 0.26, 0.259], "; prefer the second, avoid the first");
        let rates = "the first seat wins 21.0 % (19.8 to 22.2), the second 27.1 % (25.9 to 28.3), ";
        assert!(words.starts_with(rates), "{words}");
        check([0.25, 0.255, 0.245, 0.25], "; any seat may be worth an even share");
        check([0.30, 0.30, 0.24, 0.24], "; prefer the first and the second");
        check([0.26, 0.26, 0.26, 0.22], "; avoid the fourth");
    }
}
