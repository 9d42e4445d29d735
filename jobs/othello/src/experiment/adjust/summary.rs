//! The results as scores with intervals, and a verdict on each arm and BOT.

use hatchery_core::IntervalEstimate;
use hatchery_stats::{
    ErrorRate, MatchCounts, MatchStrength, MeanDifference, ScoreMean, benjamini_hochberg,
    match_strength,
};

use super::arms::{ArmKind, Opponent};
use super::cells::{AdjustCell, cells};
use super::check::CheckedAdjust;
use super::spec::AdjustSpec;
use super::state::{AdjustState, CellResults};

/// The score that an adjusting arm aims at.
pub(super) const EVEN: f64 = 0.5;

/// A state with its spec.
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
    pub(super) score: Option<ScoreMean>,
    /// The score of the first halves of sequences; `None` without them.
    pub(super) first_half: Option<f64>,
}

/// The comparison of an arm with the fixed control, against one BOT.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct AdaptVerdict {
    pub(super) outcome: AdaptOutcome,
    /// The distance of the control's score from one half, minus that of the arm's. The interval is
    /// corrected for the number of BOTs, as the verdict is, so that both are on the same side of 0;
    /// it is cut off at one half on both sides.
    pub(super) nearer: IntervalEstimate,
    /// The two-sided p-value, adjusted for the number of BOTs.
    pub(super) p_value: f64,
}

/// The conclusion of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AdaptOutcome {
    /// The arm is shown to be nearer to one half than the fixed control.
    Adapts,
    /// The arm is shown to be farther from one half than the fixed control.
    Farther,
    /// Neither is shown.
    NotShown,
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

    /// Returns the confidence of intervals, in percent.
    pub(super) fn percent(&self) -> f64 {
        100.0 * (1.0 - self.checked.error_rate.get())
    }

    /// Returns the Elo difference of each BOT to the fixed control, where there are games.
    pub(super) fn ladder(&self) -> Vec<(&Opponent, IntervalEstimate)> {
        let rung = |cell: &SummedCell<'a>| {
            let counts = MatchCounts::of_pairs(cell.results.counted.by_points()).ok()?;
            let elo = match_strength(&counts.reversed(), self.checked.error_rate).elo;
            Some((&self.checked.opponents[cell.cell.opponent], elo))
        };
        self.bots(ArmKind::Fixed).filter_map(rung).collect()
    }

    /// Returns the strength of the judge against the BOT that it met, and that BOT.
    pub(super) fn judge(&self) -> Option<(&Opponent, MatchStrength)> {
        let cell = self.bots(ArmKind::Judge).next()?;
        let counts = MatchCounts::of_pairs(cell.results.counted.by_points()).ok()?;
        Some((self.opponent(cell), match_strength(&counts, self.checked.error_rate)))
    }

    /// Returns the verdict on an arm for each BOT, in order; `None` for a BOT without games.
    pub(super) fn verdicts(&self, kind: ArmKind) -> Vec<Option<AdaptVerdict>> {
        let bots = self.bots(kind).zip(self.bots(ArmKind::Fixed));
        let compared: Vec<_> =
            bots.map(|(arm, control)| Some([arm.score?, control.score?])).collect();
        verdicts(&compared, self.checked.error_rate)
    }
}

impl<'a> SummedCell<'a> {
    fn new(cell: AdjustCell, results: &'a CellResults, checked: &CheckedAdjust) -> Self {
        let error_rate = checked.error_rate;
        let counts = MatchCounts::of_pairs(results.counted.by_points()).ok();
        let score = counts.and_then(|counts| match cell.setup.pairs {
            1 => Some(ScoreMean::of_match(&counts, error_rate)),
            // Games of a sequence depend on each other: sequences are the samples, and so the n.
            pairs => {
                let points = 4.0 * f64::from(pairs - pairs / 2);
                let scores = results.trials.iter().map(|&sum| f64::from(sum) / points);
                ScoreMean::of_scores(&scores.collect::<Vec<_>>(), error_rate)
            }
        });
        let first = MatchCounts::of_pairs(results.first.by_points()).ok();
        let first_half = first.map(|it| ScoreMean::of_match(&it, error_rate).interval.mean);
        Self { cell, results, score, first_half }
    }
}

/// Returns the verdicts on scores of an arm and of the control, one for each BOT.
fn verdicts(
    compared: &[Option<[ScoreMean; 2]>],
    error_rate: ErrorRate,
) -> Vec<Option<AdaptVerdict>> {
    let nearer = compared.iter().flatten().map(|[arm, control]| nearer(arm, control));
    let nearer: Vec<MeanDifference> = nearer.collect();
    let n_compared = nearer.len();
    let p_values: Vec<f64> = nearer.iter().map(MeanDifference::p_value).collect();
    let adjusted = benjamini_hochberg(&p_values).unwrap_or_default();
    // Intervals err as often as verdicts do (Benjamini & Yekutieli, "False discovery
    // rate-adjusted multiple confidence intervals", JASA 100, 2005), and lie on their side of 0.
    let n_shown = adjusted.iter().filter(|&&p_value| p_value <= error_rate.get()).count();
    let mut found = nearer.iter().zip(adjusted);
    let verdict = |scores: &Option<[ScoreMean; 2]>| {
        let [arm, control] = scores.as_ref()?;
        let (difference, p_value) = found.next()?;
        let outcome = match (p_value <= error_rate.get(), 0.0 < difference.mean) {
            (true, true) => AdaptOutcome::Adapts,
            (true, false) => AdaptOutcome::Farther,
            (false, _) => AdaptOutcome::NotShown,
        };
        let n_wider = n_shown + usize::from(outcome == AdaptOutcome::NotShown);
        let rate = interval_rate(error_rate, n_wider, n_compared);
        let nearer = difference.interval(rate, arm.interval.n.min(control.interval.n));
        let (low, high) = (nearer.low.max(-EVEN), nearer.high.min(EVEN));
        let nearer = IntervalEstimate { low, high, ..nearer };
        Some(AdaptVerdict { outcome, nearer, p_value })
    };
    compared.iter().map(verdict).collect()
}

/// Returns the error rate of the intervals of `n` of `n_all` differences.
fn interval_rate(error_rate: ErrorRate, n: usize, n_all: usize) -> ErrorRate {
    #[expect(clippy::cast_precision_loss, reason = "at most 16 BOTs")]
    let share = n as f64 / n_all.max(1) as f64;
    ErrorRate::new(error_rate.get() * share).unwrap_or(error_rate)
}

/// Returns how much nearer to one half a score is than that of the control: the difference of their
/// distances. A score beyond one half is as far from it as one before.
fn nearer(arm: &ScoreMean, control: &ScoreMean) -> MeanDifference {
    let distance = |it: &ScoreMean| (it.interval.mean - EVEN).abs();
    MeanDifference::new(distance(control) - distance(arm), [arm.error, control.error])
}

#[cfg(test)]
mod tests {
    use hatchery_stats::StandardError;

    use super::*;

    fn score(mean: f64, value: f64) -> ScoreMean {
        let (low, high) = (mean - 2.0 * value, mean + 2.0 * value);
        let interval = IntervalEstimate { mean, low, high, n: 100, confidence: 0.95 };
        ScoreMean { interval, error: StandardError { value, degrees: 10_000 } }
    }

    #[test]
    fn nearer_is_the_difference_of_the_distances_from_one_half() {
        let check = |arm: f64, control: f64, expected: f64| {
            let found = nearer(&score(arm, 0.03), &score(control, 0.04));
            assert!((found.mean - expected).abs() < 1e-12, "{found:?}");
            assert!((found.error.value - 0.05).abs() < 1e-12, "{found:?}");
        };
        check(0.6, 0.8, 0.2);
        check(0.4, 0.2, 0.2);
        check(0.9, 0.8, -0.1);
        check(0.4, 0.6, 0.0);
        check(0.4, 0.51, -0.09);
    }

    /// Differences of 3, 2.1, 0, -2.1 and -3 standard errors: p-values of 0.0027 and 0.0357, which
    /// become 0.0068 and 0.0447 of five tests. With one more test, the smaller differences are not
    /// shown any more: 0.0357 x 6 / 4 = 0.0536.
    #[test]
    fn both_directions_are_corrected_for_the_number_of_bots() {
        use AdaptOutcome::{Adapts, Farther, NotShown};
        let check = |errors: &[f64], error_rate: f64, expected: &[AdaptOutcome]| {
            let compared = errors
                .iter()
                .map(|errors| Some([score(0.7 - 0.05 * errors, 0.03), score(0.7, 0.04)]));
            let rate = ErrorRate::new(error_rate).unwrap();
            let found = verdicts(&compared.collect::<Vec<_>>(), rate);
            let found: Vec<_> = found.iter().flatten().map(|verdict| verdict.outcome).collect();
            assert_eq!(found, expected, "{errors:?} at {error_rate}");
        };
        let five = [3.0, 2.1, 0.0, -2.1, -3.0];
        check(&five, 0.05, &[Adapts, Adapts, NotShown, Farther, Farther]);
        check(&five, 0.04, &[Adapts, NotShown, NotShown, NotShown, Farther]);
        let six = [3.0, 2.1, 0.0, -2.1, -3.0, 0.1];
        check(&six, 0.05, &[Adapts, NotShown, NotShown, NotShown, Farther, NotShown]);
        check(&[-2.1], 0.05, &[Farther]);
    }

    #[test]
    fn verdicts_and_their_intervals_are_on_the_same_side() {
        for errors in [[3.0, 2.1, 0.0, -2.1, -3.0], [2.1, 2.0, 0.0, -1.0, -3.0]] {
            let compared = errors
                .iter()
                .map(|errors| Some([score(0.7 - 0.05 * errors, 0.03), score(0.7, 0.04)]));
            let compared: Vec<_> = compared.collect();
            for verdict in verdicts(&compared, ErrorRate::new(0.05).unwrap()).iter().flatten() {
                let IntervalEstimate { low, high, .. } = verdict.nearer;
                let expected = match (0.0 < low, high < 0.0) {
                    (true, _) => AdaptOutcome::Adapts,
                    (_, true) => AdaptOutcome::Farther,
                    _ => AdaptOutcome::NotShown,
                };
                assert_eq!(verdict.outcome, expected, "{verdict:?}");
            }
        }
    }

    #[test]
    fn intervals_of_verdicts_follow_the_error_rate() {
        let compared = [Some([score(0.6, 0.03), score(0.7, 0.04)]), None];
        let width = |error_rate: f64| {
            let found = verdicts(&compared, ErrorRate::new(error_rate).unwrap());
            assert_eq!(found[1], None);
            let verdict = found[0].unwrap();
            (verdict.nearer.high - verdict.nearer.low, verdict.p_value)
        };
        let ((five, p_five), (one, p_one)) = (width(0.05), width(0.01));
        assert!((five - 2.0 * 1.96 * 0.05).abs() < 1e-3 && (one - 2.0 * 2.576 * 0.05).abs() < 1e-3);
        assert!((p_five - p_one).abs() < 1e-15);
    }
}
