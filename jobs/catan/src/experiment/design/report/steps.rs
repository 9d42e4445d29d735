//! The steps: what was learned, and whether games agreed.

use hatchery_core::{Estimate, Measure};
use hatchery_stats::OutcomeCounts;
use hatchery_stats::spread::pooled_sigma;

use super::ERROR_RATE;
use super::maps::Shown;
use crate::balance::in_points;
use crate::experiment::design::history::{Batch, History, Origin};
use crate::experiment::design::lesson::Lesson;
use crate::learning::PointClass;

/// A step.
pub(super) struct Step<'a> {
    /// Its number, from 1.
    pub(super) number: usize,
    /// What was learned from the maps before it.
    pub(super) lesson: &'a Lesson,
    /// How many maps had which class before it: positive, negative, none.
    pub(super) learned_from: [usize; 3],
    /// The spread between the classes, as a share.
    pub(super) threshold: Option<f64>,
    /// The maps that were called good.
    pub(super) good: Called,
    /// The maps that were called bad.
    pub(super) bad: Called,
}

/// Maps that were called the same.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Called {
    /// How many there are.
    pub(super) n: usize,
    /// How many were so by their games.
    pub(super) right: usize,
    /// How many have no class by their games.
    pub(super) unclear: usize,
    /// The root of the mean of their true sigma^2, in percent points; none without decided games.
    pub(super) sigma: Option<Estimate>,
}

/// The classes in the order of [`Step::learned_from`].
const CLASSES: [PointClass; 3] =
    [PointClass::Positive, PointClass::Negative, PointClass::Unlabelled];

/// All steps of `history`, whose maps are `maps`.
pub(super) fn all<'a>(history: &'a History, maps: &[Shown<'a>]) -> Vec<Step<'a>> {
    // A lesson after the last step leads to certification, and has no maps of its own here.
    let batches = history.batches.iter().zip(history.batches.iter().skip(1));
    let lessons = history.lessons.iter().zip(batches).enumerate();
    let step = |(idx, (lesson, (before, _))): (usize, (&'a Lesson, (&'a Batch, &Batch)))| {
        let number = idx + 1;
        let own = || maps.iter().filter(|shown| shown.step == number);
        let good = own().filter(|shown| matches!(shown.simulated.origin, Origin::CalledGood(_)));
        let bad = own().filter(|shown| matches!(shown.simulated.origin, Origin::CalledBad(_)));
        Step {
            number,
            lesson,
            learned_from: CLASSES.map(|class| before.labels.count(class)),
            threshold: before.labels.threshold,
            good: Called::of(&good.collect::<Vec<_>>(), PointClass::Positive),
            bad: Called::of(&bad.collect::<Vec<_>>(), PointClass::Negative),
        }
    };
    lessons.map(step).collect()
}

impl Called {
    fn of(maps: &[&Shown<'_>], class: PointClass) -> Self {
        let n_of = |class| maps.iter().filter(|shown| shown.class == class).count();
        let counts =
            maps.iter().filter_map(|shown| OutcomeCounts::new(&shown.simulated.results.wins).ok());
        let sigma = pooled_sigma(&counts.collect::<Vec<_>>(), ERROR_RATE).ok();
        Self {
            n: maps.len(),
            right: n_of(class),
            unclear: n_of(PointClass::Unlabelled),
            sigma: sigma.map(in_points),
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

impl Step<'_> {
    /// Whether games agreed, and what was learned with.
    pub(super) fn measures(&self) -> Vec<Measure> {
        let step = self.number;
        let mut measures: Vec<Measure> = self.good.measures(step, "called_good").collect();
        measures.extend(self.bad.measures(step, "called_bad"));
        let mut add = |name: &str, value: f64| {
            measures.push(Measure::new(format!("step_{step}/{name}"), "", value));
        };
        if let Some(prior) = self.lesson.prior {
            add("class_prior", prior.theta);
        }
        if let Some(chosen) = self.lesson.chosen {
            add("eta", chosen.eta);
            add("lambda", chosen.lambda);
            if let Some(risk) = chosen.risk {
                add("validation_risk", risk);
            }
        }
        measures
    }
}

/// How often games agreed over all steps.
pub(super) fn totals(steps: &[Step<'_>]) -> [Measure; 2] {
    let right = |called: fn(&Step<'_>) -> Called| -> u64 {
        steps.iter().map(|step| called(step).right as u64).sum()
    };
    [
        Measure::new("called_good_right", "maps", right(|step| step.good)),
        Measure::new("called_bad_right", "maps", right(|step| step.bad)),
    ]
}
