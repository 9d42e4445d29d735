//! The remaining generations, and their cost.

use hatchery_core::{CostTrend, WorkPhase};

use super::cost_model::{CostModel, TrialCounts, as_f64};

/// The logarithmic uncertainty of the cost of trials in a later phase without a known trend.
const OTHER_PHASE_UNCERTAINTY: f64 = 0.7;

/// The factor by which the mean number of trials in later generations may differ from the mean in
/// the latest generations of the same phase.
const TRIALS_MARGIN: f64 = 1.15;

/// The most steps in the sum over the cost of a phase.
const MOST_STEPS: u32 = 32;

/// The remaining generations of a phase.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    /// The first generation of the phase.
    begin: u32,
    /// The generations to come: `from..to`.
    from: u32,
    to: u32,
    /// The fewest and the most trials per generation, multiplied by the weight of a trial.
    n_trials: [f64; 2],
    pub(super) trend: CostTrend,
    pub(super) trial_weight: f64,
}

/// Returns the generations from `next` on, by phase. Without phases, a generation is one trial.
pub(super) fn segments(
    phases: &[WorkPhase],
    n_generations: u32,
    next: u32,
) -> impl Iterator<Item = Segment> {
    let whole = [WorkPhase::new(n_generations, 1..=1, CostTrend::Unknown)];
    let phases = if phases.is_empty() { whole.to_vec() } else { phases.to_vec() };
    let mut first = 0_u32;
    let segment = move |phase: WorkPhase| {
        let begin = first;
        first = first.saturating_add(phase.n_generations);
        let n_trials = [*phase.n_trials.start(), *phase.n_trials.end()];
        let trial_weight = phase.trial_weight;
        let n_trials = n_trials.map(|n_trials| as_f64(n_trials) * trial_weight);
        Segment {
            begin,
            from: begin.max(next),
            to: first,
            n_trials,
            trend: phase.cost,
            trial_weight,
        }
    };
    phases.into_iter().map(segment).filter(|segment| segment.from < segment.to)
}

impl Segment {
    /// Returns the least and the most CPU seconds. `known` is the last generation with known costs.
    pub(super) fn cpu_s(&self, costs: &CostModel, known: u32) -> [f64; 2] {
        let Some(outlook) = costs.outlook(self.trend) else { return [0.0, f64::INFINITY] };
        let unlike = match self.trend {
            CostTrend::Unknown if known < self.begin => OTHER_PHASE_UNCERTAINTY,
            _ => 0.0,
        };
        let n_steps = (self.to - self.from).min(MOST_STEPS);
        let width = f64::from(self.to - self.from) / f64::from(n_steps);
        let ahead = f64::from(self.from.saturating_sub(known));
        let n_trials = self.expected_trials(costs);
        let mut sum = [0.0; 2];
        for step in 0..n_steps {
            let middle = ahead + (f64::from(step) + 0.5) * width - 0.5;
            let cost = outlook.ahead(middle);
            for end in [0, 1] {
                sum[end] += cost[end] * n_trials[end] * width;
            }
        }
        [sum[0] * (-unlike).exp(), sum[1] * unlike.exp()]
    }

    /// Returns the fewest and the most trials that are expected per generation. The counts of the
    /// latest generations say more than wide limits.
    fn expected_trials(&self, costs: &CostModel) -> [f64; 2] {
        let [fewest, most] = self.n_trials;
        let Some(TrialCounts { mean, largest }) = costs.trials_since(self.begin) else {
            return [fewest, most];
        };
        if fewest <= 0.0 {
            return [0.0, most.min(largest)];
        }
        [mean / TRIALS_MARGIN, mean * TRIALS_MARGIN].map(|end| end.clamp(fewest, most))
    }
}
