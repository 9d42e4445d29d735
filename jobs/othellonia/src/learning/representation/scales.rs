//! Scales of the numbers that are predicted: their means and spreads.

use super::outcome::{REGRESSED, TurnOutcome};
use crate::learning::samples::{Decision, TrainingGames};

/// The number of numbers.
const N: usize = REGRESSED.len();

/// The most decisions that the scales are taken from.
const MOST_DECISIONS: u32 = 20_000;

/// The largest normalized number: those farther from the mean count as this.
const LARGEST: f32 = 10.0;

/// The means and standard deviations of the numbers that are predicted, over training games.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OutcomeScales {
    /// The means.
    pub means: [f32; N],
    /// The standard deviations; 1 where all numbers are equal.
    pub spreads: [f32; N],
}

impl OutcomeScales {
    /// Returns the scales of the actions that were chosen in `games`: in all decisions, or in
    /// 20,000 that are spread evenly.
    ///
    /// # Panics
    /// Never: the games were replayed.
    #[must_use]
    pub fn of_games(games: &TrainingGames<'_>) -> Self {
        let every = games.n_decisions().div_ceil(MOST_DECISIONS).max(1);
        let (mut n, mut sums, mut squares) = (0.0_f64, [0.0_f64; N], [0.0_f64; N]);
        for number in (0..games.n_decisions()).step_by(every as usize) {
            let Decision { game, chosen, .. } = games.decision(number);
            let outcome = TurnOutcome::of(&game, chosen).expect("the record was replayed");
            n += 1.0;
            for (at, number) in outcome.regressed.into_iter().map(f64::from).enumerate() {
                sums[at] += number;
                squares[at] += number * number;
            }
        }
        let mut scales = Self { means: [0.0; N], spreads: [1.0; N] };
        for at in 0..N {
            let mean = sums[at] / f64::max(n, 1.0);
            let variance = squares[at] / f64::max(n, 1.0) - mean * mean;
            scales.means[at] = rounded(mean);
            // Numbers that are all equal leave a rest of rounding.
            if 1e-9 * mean * mean < variance {
                scales.spreads[at] = rounded(variance.sqrt());
            }
        }
        scales
    }

    /// Returns the numbers, less their means, over their spreads.
    #[must_use]
    pub fn normalized(&self, mut numbers: [f32; N]) -> [f32; N] {
        for ((number, mean), spread) in numbers.iter_mut().zip(self.means).zip(self.spreads) {
            *number = ((*number - mean) / spread).clamp(-LARGEST, LARGEST);
        }
        numbers
    }
}

fn rounded(number: f64) -> f32 {
    #[expect(clippy::cast_possible_truncation, reason = "rounded to the precision of features")]
    let number = number as f32;
    number
}
