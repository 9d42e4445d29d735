//! The verdict on an arm: does it adapt, or is it merely weaker, or stronger?

use hatchery_core::IntervalEstimate;
use hatchery_stats::{ErrorRate, MeanDifference, ScoreMean, benjamini_hochberg};

/// The score that an adjusting arm aims at.
pub(super) const EVEN: f64 = 0.5;

/// The comparison of an arm with the fixed control.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ArmVerdict {
    /// The comparison against each BOT, in order; `None` for a BOT without games.
    pub(super) bots: Vec<Option<BotVerdict>>,
    pub(super) conclusion: ArmConclusion,
}

/// The conclusion about an arm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArmConclusion {
    /// The arm is nearer to one half than the control against a weaker BOT and a stronger one.
    Adapts,
    /// The arm does not, and is shown to score less than the control against all BOTs.
    Weaker,
    /// The arm does not, and is shown to score more than the control against all BOTs.
    Stronger,
    /// No BOT is shown to be weaker than the control, or none to be stronger: nothing can adapt.
    NoContrast,
    /// Nothing of this is shown.
    NotShown,
}

/// The comparison of an arm with the fixed control, against one BOT.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BotVerdict {
    /// The strength of the BOT, as the control finds it.
    pub(super) bot: BotStrength,
    pub(super) outcome: NearnessOutcome,
    /// The arm's score, as it is shown to differ from the control's.
    pub(super) score: ScoreShift,
    /// The distance of the control's score from one half, minus that of the arm's. The interval is
    /// corrected for the number of BOTs, as the verdict is, so that both are on the same side of 0;
    /// it is cut off at one half on both sides.
    pub(super) nearer: IntervalEstimate,
    /// The two-sided p-value, adjusted for the number of BOTs.
    pub(super) p_value: f64,
}

/// The strength of a BOT relative to the fixed control, as its interval shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BotStrength {
    /// The control scores more than one half.
    Weaker,
    /// The control scores less than one half.
    Stronger,
    /// Neither is shown.
    NotShown,
}

/// The score of an arm relative to that of the fixed control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScoreShift {
    Lower,
    Higher,
    NotShown,
}

/// The conclusion about one BOT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NearnessOutcome {
    /// The arm is shown to be nearer to one half than the fixed control.
    Nearer,
    /// The arm is shown to be farther from one half than the fixed control.
    Farther,
    /// Neither is shown.
    NotShown,
}

impl ArmVerdict {
    /// Compares an arm's scores with the control's scores. Each pair of scores is against one BOT.
    pub(super) fn new(compared: &[Option<[ScoreMean; 2]>], error_rate: ErrorRate) -> Self {
        let bots = verdicts(compared, error_rate);
        let verdict = Self { bots, conclusion: ArmConclusion::NotShown };
        Self { conclusion: ArmConclusion::of(&verdict), ..verdict }
    }

    /// Counts the BOTs against which the arm's score is so shifted.
    pub(super) fn count_scores(&self, score: ScoreShift) -> usize {
        self.bots.iter().flatten().filter(|it| it.score == score).count()
    }

    /// Counts the BOTs with an outcome: all BOTs, or only the BOTs with the given strength.
    pub(super) fn count(&self, bot: Option<BotStrength>, outcome: NearnessOutcome) -> usize {
        let is_one = |it: &&BotVerdict| {
            it.outcome == outcome && bot.is_none_or(|strength| strength == it.bot)
        };
        self.bots.iter().flatten().filter(is_one).count()
    }
}

impl ArmConclusion {
    fn of(verdict: &ArmVerdict) -> Self {
        let has = |bot| verdict.bots.iter().flatten().any(|it| it.bot == bot);
        let sides = [BotStrength::Weaker, BotStrength::Stronger];
        let n_bots = verdict.bots.iter().flatten().count();
        if sides.iter().all(|&bot| 0 < verdict.count(Some(bot), NearnessOutcome::Nearer)) {
            Self::Adapts
        } else if n_bots != 0 && verdict.count_scores(ScoreShift::Lower) == n_bots {
            Self::Weaker
        } else if n_bots != 0 && verdict.count_scores(ScoreShift::Higher) == n_bots {
            Self::Stronger
        } else if sides.into_iter().all(has) {
            Self::NotShown
        } else {
            Self::NoContrast
        }
    }
}

/// Returns the verdicts on scores of an arm and of the control, one for each BOT.
fn verdicts(compared: &[Option<[ScoreMean; 2]>], error_rate: ErrorRate) -> Vec<Option<BotVerdict>> {
    let nearer = compared.iter().flatten().map(|[arm, control]| nearer(arm, control));
    let nearer: Vec<MeanDifference> = nearer.collect();
    let n_compared = nearer.len();
    let p_values: Vec<f64> = nearer.iter().map(MeanDifference::p_value).collect();
    let adjusted = benjamini_hochberg(&p_values).unwrap_or_default();
    // Intervals err as often as verdicts do (Benjamini & Yekutieli, "False discovery
    // rate-adjusted multiple confidence intervals", JASA 100, 2005), and lie on their side of 0.
    let n_shown = adjusted.iter().filter(|&&p_value| p_value <= error_rate.get()).count();
    let mut found = nearer.iter().zip(adjusted).zip(shifts(compared, error_rate));
    let verdict = |scores: &Option<[ScoreMean; 2]>| {
        let [arm, control] = scores.as_ref()?;
        let ((difference, p_value), score) = found.next()?;
        let outcome = match (p_value <= error_rate.get(), 0.0 < difference.mean) {
            (true, true) => NearnessOutcome::Nearer,
            (true, false) => NearnessOutcome::Farther,
            (false, _) => NearnessOutcome::NotShown,
        };
        let bot = match (EVEN < control.interval.low, control.interval.high < EVEN) {
            (true, _) => BotStrength::Weaker,
            (_, true) => BotStrength::Stronger,
            _ => BotStrength::NotShown,
        };
        let n_wider = n_shown + usize::from(outcome == NearnessOutcome::NotShown);
        let rate = interval_rate(error_rate, n_wider, n_compared);
        let nearer = difference.interval(rate, arm.interval.n.min(control.interval.n));
        let (low, high) = (nearer.low.max(-EVEN), nearer.high.min(EVEN));
        let nearer = IntervalEstimate { low, high, ..nearer };
        Some(BotVerdict { bot, outcome, score, nearer, p_value })
    };
    compared.iter().map(verdict).collect()
}

/// Returns how each score of the arm differs from the control's, corrected for the number of BOTs.
fn shifts(compared: &[Option<[ScoreMean; 2]>], error_rate: ErrorRate) -> Vec<ScoreShift> {
    let difference = |[arm, control]: &[ScoreMean; 2]| {
        MeanDifference::new(arm.interval.mean - control.interval.mean, [arm.error, control.error])
    };
    let differences: Vec<_> = compared.iter().flatten().map(difference).collect();
    let p_values: Vec<f64> = differences.iter().map(MeanDifference::p_value).collect();
    let adjusted = benjamini_hochberg(&p_values).unwrap_or_default();
    let shift = |(difference, p_value): (&MeanDifference, f64)| match difference.mean < 0.0 {
        _ if error_rate.get() < p_value => ScoreShift::NotShown,
        true => ScoreShift::Lower,
        false => ScoreShift::Higher,
    };
    differences.iter().zip(adjusted).map(shift).collect()
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
        use NearnessOutcome::{Farther, Nearer, NotShown};
        let check = |errors: &[f64], error_rate: f64, expected: &[NearnessOutcome]| {
            let compared = errors
                .iter()
                .map(|errors| Some([score(0.7 - 0.05 * errors, 0.03), score(0.7, 0.04)]));
            let rate = ErrorRate::new(error_rate).unwrap();
            let found = verdicts(&compared.collect::<Vec<_>>(), rate);
            let found: Vec<_> = found.iter().flatten().map(|verdict| verdict.outcome).collect();
            assert_eq!(found, expected, "{errors:?} at {error_rate}");
        };
        let five = [3.0, 2.1, 0.0, -2.1, -3.0];
        check(&five, 0.05, &[Nearer, Nearer, NotShown, Farther, Farther]);
        check(&five, 0.04, &[Nearer, NotShown, NotShown, NotShown, Farther]);
        let six = [3.0, 2.1, 0.0, -2.1, -3.0, 0.1];
        check(&six, 0.05, &[Nearer, NotShown, NotShown, NotShown, Farther, NotShown]);
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
                    (true, _) => NearnessOutcome::Nearer,
                    (_, true) => NearnessOutcome::Farther,
                    _ => NearnessOutcome::NotShown,
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

    /// Scores of an arm and of the control against BOTs, weakest first, with standard errors of 1
    /// point.
    #[test]
    fn adapting_takes_weaker_and_stronger_bots() {
        use ArmConclusion::{Adapts, NoContrast, NotShown, Stronger, Weaker};
        let check = |scores: &[[f64; 2]], expected: ArmConclusion| {
            let compared = scores.iter().map(|pair| Some(pair.map(|mean| score(mean, 0.01))));
            let found = ArmVerdict::new(&compared.collect::<Vec<_>>(), ErrorRate::FIVE_PERCENT);
            assert_eq!(found.conclusion, expected, "{scores:?}: {found:?}");
        };
        check(&[[0.5, 0.85], [0.5, 0.5], [0.45, 0.17]], Adapts);
        // Nearer to one half against the weak BOT only, as any weaker agent is.
        check(&[[0.39, 0.85], [0.2, 0.52], [0.12, 0.17]], Weaker);
        check(&[[0.6, 0.85], [0.5, 0.52], [0.17, 0.17]], NotShown);
        check(&[[0.95, 0.85], [0.8, 0.52], [0.4, 0.17]], Stronger);
        check(&[[0.85, 0.85], [0.5, 0.5], [0.17, 0.17]], NotShown);
        // Nearer against the weak BOT, farther on the other side against the strong one.
        check(&[[0.6, 0.85], [0.95, 0.17]], NotShown);
        check(&[[0.5, 0.63], [0.5, 0.5]], NoContrast);
        check(&[], NoContrast);
    }
}
