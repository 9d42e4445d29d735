//! What the results mean: scores with intervals, and a verdict on each arm and BOT.

use hatchery_core::IntervalEstimate;
use hatchery_stats::{
    MatchCounts, benjamini_hochberg, elo_of_score, match_elo, normal, student_estimate,
};

use super::arms::{ArmKind, Opponent};
use super::cells::{AdjustCell, cells};
use super::spec::{AdjustSpec, CheckedAdjust};
use super::state::{AdjustState, CellResults};

/// The score that an adjusting arm aims at.
pub(super) const EVEN: f64 = 0.5;

/// A state with what it is the state of.
pub(super) struct AdjustSummary<'a> {
    pub(super) spec: &'a AdjustSpec,
    pub(super) checked: CheckedAdjust,
    pub(super) cells: Vec<SummedCell<'a>>,
}

/// A cell with its results.
pub(super) struct SummedCell<'a> {
    pub(super) cell: AdjustCell,
    pub(super) results: &'a CellResults,
    /// The score of the games that count; `None` without games.
    pub(super) score: Option<IntervalEstimate>,
    /// The score of the first halves of sequences; `None` without them.
    pub(super) first_half: Option<f64>,
}

/// Whether an arm adapts to a BOT.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct AdaptVerdict {
    /// True if it is shown to be nearer to one half than the fixed control.
    pub(super) adapts: bool,
    /// How much nearer to one half the arm's score is than the control's.
    pub(super) nearer: IntervalEstimate,
    /// The p-value, adjusted for the number of BOTs.
    pub(super) p_value: f64,
}

impl<'a> AdjustSummary<'a> {
    pub(super) fn new(spec: &'a AdjustSpec, state: &'a AdjustState) -> Self {
        let checked = spec.checked();
        let cells = cells(spec, &checked).into_iter().zip(&state.cells);
        let cells = cells.map(|(cell, results)| SummedCell::new(cell, results, &checked));
        Self { spec, cells: cells.collect(), checked }
    }

    pub(super) fn opponent(&self, cell: &SummedCell<'_>) -> &Opponent {
        &self.checked.opponents[cell.cell.opponent]
    }

    /// Returns the arms that were played, in order, without the judge.
    pub(super) fn kinds(&self) -> Vec<ArmKind> {
        self.checked.arms.iter().map(|arm| arm.kind).collect()
    }

    /// Returns the cells of an arm against BOTs.
    pub(super) fn bots(&self, kind: ArmKind) -> impl Iterator<Item = &SummedCell<'a>> {
        let of_kind = self.cells.iter().filter(move |it| it.cell.kind == kind);
        of_kind.filter(|it| self.opponent(it).person.is_none())
    }

    /// Returns the cells of arms against simulated people.
    pub(super) fn people(&self) -> impl Iterator<Item = &SummedCell<'a>> {
        self.cells.iter().filter(|it| self.opponent(it).person.is_some())
    }

    /// Returns the Elo difference of an opponent to the fixed control; `None` without games.
    pub(super) fn ladder(&self) -> Vec<(&Opponent, IntervalEstimate)> {
        let rung = |cell: &SummedCell<'a>| {
            let counts = MatchCounts::of_pairs(cell.results.counted.by_points()).ok()?;
            let elo = match_elo(&counts.reversed(), self.checked.error_rate).elo;
            Some((&self.checked.opponents[cell.cell.opponent], elo))
        };
        self.bots(ArmKind::Fixed).filter_map(rung).collect()
    }

    /// Returns the score of the judge, and the BOT that it met.
    pub(super) fn judge(&self) -> Option<(&Opponent, IntervalEstimate)> {
        let cell = self.bots(ArmKind::Judge).next()?;
        Some((self.opponent(cell), cell.score?))
    }

    /// Returns the verdict on an arm for each BOT, in order; `None` for a BOT without games.
    pub(super) fn verdicts(&self, kind: ArmKind) -> Vec<Option<AdaptVerdict>> {
        let z = normal::quantile(1.0 - self.checked.error_rate.get() / 2.0);
        let nearer: Vec<Option<IntervalEstimate>> = self
            .bots(kind)
            .zip(self.bots(ArmKind::Fixed))
            .map(|(arm, control)| Some(nearer(&arm.score?, &control.score?)))
            .collect();
        let p_value = |nearer: &IntervalEstimate| {
            let standard_error = (nearer.high - nearer.low) / 2.0 / z;
            let p = 2.0 * normal::cdf(-(nearer.mean / standard_error).abs());
            if p.is_finite() { p } else { 1.0 }
        };
        let p_values: Vec<f64> = nearer.iter().flatten().map(p_value).collect();
        let mut adjusted = benjamini_hochberg(&p_values).unwrap_or_default().into_iter();
        let verdict = |nearer: Option<IntervalEstimate>| {
            let nearer = nearer?;
            let p_value = adjusted.next().unwrap_or(1.0);
            let adapts = 0.0 < nearer.mean && p_value <= self.checked.error_rate.get();
            Some(AdaptVerdict { adapts, nearer, p_value })
        };
        nearer.into_iter().map(verdict).collect()
    }
}

impl<'a> SummedCell<'a> {
    fn new(cell: AdjustCell, results: &'a CellResults, checked: &CheckedAdjust) -> Self {
        let counts = MatchCounts::of_pairs(results.counted.by_points()).ok();
        let score = counts.map(|counts| match cell.setup.pairs {
            1 => match_elo(&counts, checked.error_rate).score,
            // Games of a sequence depend on each other: sequences are the samples.
            pairs => {
                let points = 4.0 * f64::from(pairs - pairs / 2);
                let scores = results.trials.iter().map(|&sum| f64::from(sum) / points);
                let estimate = student_estimate(&scores.collect::<Vec<_>>());
                let (low, high) = (estimate.low.max(0.0), estimate.high.min(1.0));
                IntervalEstimate { low, high, n: counts.games(), ..estimate }
            }
        });
        let first = MatchCounts::of_pairs(results.first.by_points()).ok();
        let first_half = first.map(|counts| match_elo(&counts, checked.error_rate).score.mean);
        Self { cell, results, score, first_half }
    }
}

/// Returns how much nearer to one half a score is than that of the control: the difference of their
/// distances. A score beyond one half is as far from it as one before.
fn nearer(arm: &IntervalEstimate, control: &IntervalEstimate) -> IntervalEstimate {
    let mean = (control.mean - EVEN).abs() - (arm.mean - EVEN).abs();
    let half = |it: &IntervalEstimate| (it.high - it.low) / 2.0;
    let half = libm::hypot(half(arm), half(control));
    let (low, high, n) = (mean - half, mean + half, arm.n.min(control.n));
    IntervalEstimate { mean, low, high, n, confidence: arm.confidence }
}

/// Returns a score as Elo points, if it has any.
pub(super) fn elo(score: f64) -> Option<f64> {
    elo_of_score(score).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(mean: f64, half: f64) -> IntervalEstimate {
        IntervalEstimate { mean, low: mean - half, high: mean + half, n: 100, confidence: 0.95 }
    }

    #[test]
    fn nearer_is_the_difference_of_the_distances_from_one_half() {
        let check = |arm: f64, control: f64, expected: f64| {
            let found = nearer(&score(arm, 0.03), &score(control, 0.04));
            assert!((found.mean - expected).abs() < 1e-12, "{found:?}");
            assert!((found.high - found.low - 0.1).abs() < 1e-12, "{found:?}");
        };
        check(0.6, 0.8, 0.2);
        check(0.4, 0.2, 0.2);
        check(0.9, 0.8, -0.1);
        check(0.4, 0.6, 0.0);
        check(0.4, 0.51, -0.09);
    }
}
