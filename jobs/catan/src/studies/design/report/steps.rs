//! Reports on the steps: what was learned, and whether games agreed.

use hatchery_core::{IntervalEstimate, Measure};
use hatchery_stats::OutcomeCounts;
use hatchery_stats::spread::pooled_sigma;

use super::evidence::{EvidenceVerdict, StepEvidence};
use super::maps::{ERROR_RATE, MapReport};
use crate::learning::PointClass;
use crate::studies::design::history::{DesignHistory, MapBatch, MapOrigin};
use crate::studies::design::map_learner::LearningRecord;
use crate::trial::seat_balance::estimate_in_points;

/// The report on a step.
pub(super) struct StepReport<'a> {
    /// The number of the step, from 1.
    pub(super) number: usize,
    /// The record of what was learned from the maps before the step.
    pub(super) record: &'a LearningRecord,
    /// The number of maps in each class before the step: positive, negative, none.
    pub(super) learned_from: [usize; 3],
    /// The spread between the classes, as a share.
    pub(super) threshold: Option<f64>,
    /// The maps that were called good.
    pub(super) good: PredictionCounts,
    /// The maps that were called bad.
    pub(super) bad: PredictionCounts,
    pub(super) evidence: StepEvidence,
}

/// Counts of the maps that the classifier put into one class.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct PredictionCounts {
    /// The number of maps.
    pub(super) n: usize,
    /// The number of maps whose games agree.
    pub(super) right: usize,
    /// The number of maps without a class by their games.
    pub(super) unclear: usize,
    /// The root of the mean of their true sigma^2, in percentage points; none without decided
    /// games.
    pub(super) sigma: Option<IntervalEstimate>,
}

/// The classes in the order of [`StepReport::learned_from`].
const CLASSES: [PointClass; 3] =
    [PointClass::Positive, PointClass::Negative, PointClass::Unlabelled];

/// Returns reports on all steps of `history`, whose maps are `maps`. The `n_steps` of a whole run
/// share the error rate of their tests.
pub(super) fn all<'a>(
    history: &'a DesignHistory,
    maps: &[MapReport<'a>],
    n_steps: u32,
) -> Vec<StepReport<'a>> {
    let error_rate = ERROR_RATE.shared_among(n_steps.max(1)).get();
    // Learning after the last step leads to certification, and has no maps of its own here.
    let batches = history.batches.iter().zip(history.batches.iter().skip(1));
    let learning_records = history.learning_records.iter().zip(batches).enumerate();
    let step =
        |(idx, (record, (before, _))): (usize, (&'a LearningRecord, (&'a MapBatch, &MapBatch)))| {
            let number = idx + 1;
            let own = || maps.iter().filter(|shown| shown.step == number);
            let good =
                own().filter(|shown| matches!(shown.simulated.origin, MapOrigin::CalledGood(_)));
            let bad =
                own().filter(|shown| matches!(shown.simulated.origin, MapOrigin::CalledBad(_)));
            let [good, bad] = [good.collect::<Vec<_>>(), bad.collect()];
            StepReport {
                number,
                record,
                learned_from: CLASSES.map(|class| before.labels.count(class)),
                threshold: before.labels.threshold,
                good: PredictionCounts::of(&good, PointClass::Positive),
                bad: PredictionCounts::of(&bad, PointClass::Negative),
                evidence: StepEvidence::of(&good, &bad, error_rate),
            }
        };
    learning_records.map(step).collect()
}

/// Returns the root of the mean of the true sigma^2 of `maps`, in percentage points; none without
/// decided games.
pub(super) fn sigma_together<'a>(
    maps: impl Iterator<Item = &'a MapReport<'a>>,
) -> Option<IntervalEstimate> {
    let counts = maps.filter_map(|shown| OutcomeCounts::new(&shown.simulated.results.wins).ok());
    pooled_sigma(&counts.collect::<Vec<_>>(), ERROR_RATE).ok().map(estimate_in_points)
}

impl PredictionCounts {
    fn of(maps: &[&MapReport<'_>], class: PointClass) -> Self {
        let n_of = |class| maps.iter().filter(|shown| shown.class == class).count();
        Self {
            n: maps.len(),
            right: n_of(class),
            unclear: n_of(PointClass::Unlabelled),
            sigma: sigma_together(maps.iter().copied()),
        }
    }

    fn measures(&self, step: usize, called: &str) -> impl Iterator<Item = Measure> {
        let right = Measure::new(format!("step_{step}/{called}_right"), "maps", self.right as u64);
        let sigma = self.sigma;
        let sigma =
            sigma.map(|sigma| Measure::new(format!("step_{step}/{called}_sigma"), "points", sigma));
        [right].into_iter().chain(sigma)
    }
}

impl StepReport<'_> {
    /// Returns the agreement of games and the settings of learning.
    pub(super) fn measures(&self) -> Vec<Measure> {
        let step = self.number;
        let mut measures: Vec<Measure> = self.good.measures(step, "called_good").collect();
        measures.extend(self.bad.measures(step, "called_bad"));
        let mut add = |name: &str, value: f64| {
            measures.push(Measure::new(format!("step_{step}/{name}"), "", value));
        };
        if let Some(prior) = self.record.prior {
            add("class_prior", prior.theta);
        }
        if let Some(chosen) = self.record.chosen {
            add("eta", chosen.eta);
            add("lambda", chosen.lambda);
            if let Some(risk) = chosen.risk {
                add("validation_risk", risk);
            }
        }
        measures
    }
}

/// Returns the number of maps whose games agreed, over all steps, and that of the steps whose calls
/// are significant.
pub(super) fn totals(steps: &[StepReport<'_>]) -> [Measure; 3] {
    let right = |called: fn(&StepReport<'_>) -> PredictionCounts| -> u64 {
        steps.iter().map(|step| called(step).right as u64).sum()
    };
    [
        Measure::new("called_good_right", "maps", right(|step| step.good)),
        Measure::new("called_bad_right", "maps", right(|step| step.bad)),
        Measure::new("significant_steps", "steps", n_significant(steps) as u64),
    ]
}

/// Returns the number of steps whose calls are significant.
pub(super) fn n_significant(steps: &[StepReport<'_>]) -> usize {
    let is_significant =
        |step: &&StepReport<'_>| step.evidence.verdict == EvidenceVerdict::Significant;
    steps.iter().filter(is_significant).count()
}
