//! Estimation of the class prior: the share of positive points among all points.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::{LearningError, PointClass};
use super::training_set::{PointSet, TrainingSet, squared_distance};

/// The pairs of maps that count within a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "PairsParam")]
pub enum PairStatistic {
    /// All pairs, including those of a map with itself: the V-statistic.
    // Biased, with less variance.
    #[default]
    All,
    /// Pairs of different maps: the U-statistic.
    // Unbiased, with about twice the standard deviation. Needs two points of each class.
    Different,
}

/// An estimate of the class prior.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClassPrior {
    /// The probability that a point is positive, from 0 to 1.
    pub theta: f64,
    /// The estimate before it was clipped to that range.
    pub unclipped: f64,
    /// The number of labels behind the estimate. Few make it coarse: with 16 in 76 dimensions its
    /// standard deviation is at least 0.12, with 60 it is 0.05.
    pub labels: usize,
}

/// Estimates the share of positive points among unlabelled ones for which a mixture of both classes
/// is nearest to them in energy distance (Kawakubo, du Plessis & Sugiyama, "Computationally
/// efficient class-prior estimation under class balance change using energy distance", IEICE
/// Transactions E99-D, 2016), in closed form:
///
/// theta = (dPN - dNN + dNU - dPU) / (2 dPN - dPP - dNN),
///
/// where dAB is the mean of |a - b|^`alpha` over pairs; each point counts by its mass. The estimate
/// assumes that labelled points were not chosen by their features; extreme ones mislead it.
///
/// # Errors
/// If a class or the unlabelled points are empty (or have one point, for different pairs), `alpha`
/// is not above 0 and below 2, or the classes cannot be told apart.
pub fn class_prior(
    samples: &TrainingSet,
    alpha: f64,
    pairs: PairStatistic,
) -> Result<ClassPrior, LearningError> {
    if !(0.0 < alpha && alpha < 2.0) {
        let range = "above 0 and below 2";
        return Err(LearningError::Range { name: "alpha", value: alpha, range });
    }
    let least = if pairs == PairStatistic::Different { 2 } else { 1 };
    samples.check_count(PointClass::Positive, least)?;
    samples.check_count(PointClass::Negative, least)?;
    samples.check_count(PointClass::Unlabelled, 1)?;
    let [p, n, u] = [PointClass::Positive, PointClass::Negative, PointClass::Unlabelled]
        .map(|class| samples.masses(class));
    let labelled = samples.labelled();
    let within = |a: &[f64], b: &[f64]| {
        mean_distance((labelled, a), (labelled, b), alpha, pairs == PairStatistic::All)
    };
    let from_unlabelled =
        |a: &[f64]| mean_distance((labelled, a), (samples.unlabelled(), &u), alpha, true);
    let (pn, pp, nn) = (within(&p, &n), within(&p, &p), within(&n, &n));
    let scale = 2.0 * pn - pp - nn;
    let unclipped = (pn - nn + from_unlabelled(&n) - from_unlabelled(&p)) / scale;
    // An energy distance below the rounding errors of its terms is meaningless.
    if scale.abs() <= 1e-12 * pn.abs() || !unclipped.is_finite() {
        return Err(LearningError::Alike);
    }
    Ok(ClassPrior { theta: unclipped.clamp(0.0, 1.0), unclipped, labels: labelled.len() })
}

/// Returns the mean of |a - b|^alpha over pairs, by mass. Pairs of the same index in both lists are
/// left out if `same` is false.
fn mean_distance(a: (&PointSet, &[f64]), b: (&PointSet, &[f64]), alpha: f64, same: bool) -> f64 {
    let (mut sum, mut total) = (0.0, 0.0);
    for (i, (x, mass)) in a.0.iter().zip(a.1).enumerate() {
        for (j, (y, other)) in b.0.iter().zip(b.1).enumerate() {
            let weight = mass * other;
            if weight <= 0.0 || (!same && i == j) {
                continue;
            }
            sum += weight * power(squared_distance(x, y), alpha);
            total += weight;
        }
    }
    sum / total
}

fn power(squared: f64, alpha: f64) -> f64 {
    let root = libm::sqrt(squared);
    if (alpha - 1.0).abs() < f64::EPSILON { root } else { libm::pow(root, alpha) }
}
