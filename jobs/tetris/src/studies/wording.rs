//! Numbers and settings in the words of findings.

use hatchery_core::IntervalEstimate;
use hatchery_core::findings::RichText;
use hatchery_core::text::{counted, grouped, rounded};
use hatchery_evolve::OptimizerKind;

use crate::params::game_params::{DrawParams, PieceParams};
use crate::rules::{QueueRules, Randomizer};

/// Says what stopped games mean for the numbers of their controllers.
pub(super) const STOPPED: &str = "Stopped games count with their lines so far: their controllers' \
                                  numbers, intervals too, are too low.";

/// Returns a number of lines in words: whole lines or, below 100, with one decimal.
pub(super) fn lines(number: f64) -> String {
    if number < 100.0 {
        return rounded(number, 1);
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at least 100")]
    let whole = number.round_ties_even() as u64;
    grouped(whole)
}

/// Returns the ends of an estimate's interval in lines: `4,297 to 4,417`.
pub(super) fn lines_interval(it: IntervalEstimate) -> String {
    if it.low.total_cmp(&it.high).is_eq() {
        return "exactly".to_owned();
    }
    format!("{} to {}", lines(it.low), lines(it.high))
}

/// Returns an estimate and its interval in lines: `4,357 (4,297 to 4,417)`.
pub(super) fn lines_estimate(it: IntervalEstimate) -> RichText {
    RichText::new(lines(it.mean)).soft(format!(" ({})", lines_interval(it)))
}

/// Adds how many times the next best the first one is, to a sentence that ends here. A first one
/// that may not be ahead is told after `unsure`, such as `, but it is not`.
pub(super) fn beside_next(
    words: RichText,
    next: Option<(&str, IntervalEstimate)>,
    unsure: &str,
) -> RichText {
    let Some((next, times)) = next else { return words.plain(".") };
    let is_ahead = 1.0 < times.low;
    let times = RichText::estimate(times, 2).plain(" times as many");
    if is_ahead {
        return words.plain(", ").join(times).plain(format!(" as {next}, the next."));
    }
    words.plain(format!("{unsure} shown to be ahead of {next}, the next: ")).join(times).plain(".")
}

/// Returns the optimizer's name.
pub(super) fn optimizer(kind: OptimizerKind) -> &'static str {
    match kind {
        OptimizerKind::Genetic => "genetic algorithm",
        OptimizerKind::CmaEs => "CMA-ES",
        OptimizerKind::CrossEntropy => "cross-entropy method",
    }
}

/// Returns how frequent pieces are, such as `S and Z 3 times as often`; `None` if all are equally
/// frequent.
pub(super) fn pieces(params: PieceParams) -> Option<String> {
    let PieceParams { i, o, t, z, s, j, l } = params;
    let weights = [("I", i), ("O", o), ("T", t), ("S", s), ("Z", z), ("J", j), ("L", l)];
    if weights.iter().all(|(_, weight)| *weight == i) {
        return None;
    }
    let others: Vec<_> = weights.iter().filter(|(_, weight)| *weight != 1).collect();
    if let [(_, times), ..] = others[..]
        && *times != 0
        && others.len() < weights.len()
        && others.iter().all(|(_, weight)| weight == times)
    {
        let letters: Vec<_> = others.iter().map(|(letter, _)| *letter).collect();
        return Some(format!("{} {times} times as often", letters.join(" and ")));
    }
    let weights = weights.map(|(letter, weight)| format!("{letter} {weight}"));
    Some(format!("pieces in proportion {}", weights.join(", ")))
}

/// Returns what is known of the pieces to come, such as `from a bag, 1 known next piece, hold`;
/// `None` for the benchmark.
fn queue(queue: QueueRules) -> Option<String> {
    let bag = (queue.randomizer == Randomizer::Bag).then(|| "from a bag".to_owned());
    let preview = queue.has_preview().then(|| counted(queue.preview as usize, "known next piece"));
    let hold = queue.hold.then(|| "hold".to_owned());
    join(bag.into_iter().chain(preview).chain(hold))
}

fn join(parts: impl Iterator<Item = String>) -> Option<String> {
    parts.reduce(|all, part| format!("{all}, {part}"))
}

/// Returns how pieces are chosen and what is known of them; `None` if all are equally frequent and
/// nothing is known.
pub(super) fn draw(draw: &DrawParams) -> Option<String> {
    join(chosen(draw).into_iter().chain(queue(draw.queue)))
}

/// Returns how pieces are chosen; `None` if all are equally frequent.
fn chosen(draw: &DrawParams) -> Option<String> {
    match (&draw.list, draw.seed) {
        (Some(list), _) => Some(format!("a list of {}", counted(list.0.len(), "piece"))),
        (None, Some(seed)) => Some(match pieces(draw.pieces) {
            Some(pieces) => format!("{pieces}, seed {seed}"),
            None => format!("seed {seed}"),
        }),
        (None, None) => pieces(draw.pieces),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_written_in_groups() {
        for (number, expected) in
            [(60_228_109.0, "60,228,109"), (1000.4, "1,000"), (79.94, "79.9"), (0.0, "0.0")]
        {
            assert_eq!(lines(number), expected);
        }
    }

    #[test]
    fn frequencies_are_told_in_short() {
        let uniform = PieceParams::default();
        assert_eq!(pieces(uniform), None);
        let often = PieceParams { s: 3, z: 3, ..uniform };
        assert_eq!(pieces(often).as_deref(), Some("S and Z 3 times as often"));
        let none = PieceParams { i: 0, ..uniform };
        let expected = "pieces in proportion I 0, O 1, T 1, S 1, Z 1, J 1, L 1";
        assert_eq!(pieces(none).as_deref(), Some(expected));
    }
}
