//! Basis functions. A classifier is a linear combination of basis functions.

use hatchery_core::StreamRng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::{LearningError, PointClass};
use super::training_set::{PointSet, TrainingSet, squared_distance, to_f64};

/// A scaling of features, which is applied before anything else.
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureScaling {
    means: Vec<f64>,
    deviations: Vec<f64>,
}

impl FeatureScaling {
    /// Creates the scaling that leaves features as they are.
    #[must_use]
    pub fn none(dimension: usize) -> Self {
        Self { means: vec![0.0; dimension], deviations: vec![1.0; dimension] }
    }

    /// Creates the scaling that subtracts the mean over `points` and divides by their population
    /// standard deviation. Features that do not vary become 0.
    ///
    /// # Errors
    /// If there are no points.
    pub fn standard(points: &PointSet) -> Result<Self, LearningError> {
        if points.is_empty() {
            return Err(LearningError::TooFew {
                class: PointClass::Unlabelled,
                found: 0,
                least: 1,
            });
        }
        let n = to_f64(points.len());
        let mean = |axis: usize| points.iter().map(|point| point[axis]).sum::<f64>() / n;
        let means: Vec<f64> = (0..points.dimension()).map(mean).collect();
        let deviation = |(axis, mean): (usize, &f64)| {
            let square = |point: &[f64]| (point[axis] - mean) * (point[axis] - mean);
            let deviation = libm::sqrt(points.iter().map(square).sum::<f64>() / n);
            // The rounding error of a constant is no variation.
            if deviation <= 1e-12 * mean.abs() { 1.0 } else { deviation }
        };
        let deviations = means.iter().enumerate().map(deviation).collect();
        Ok(Self { means, deviations })
    }

    /// Returns the number of features.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.means.len()
    }

    /// Returns the scaled features of `point`.
    #[must_use]
    pub fn apply(&self, point: &[f64]) -> Vec<f64> {
        let scales = self.means.iter().zip(&self.deviations);
        point.iter().zip(scales).map(|(x, (mean, deviation))| (x - mean) / deviation).collect()
    }

    /// Returns all of `points`, scaled.
    ///
    /// # Errors
    /// If the points have another dimension, or a scaled feature is too large.
    pub fn apply_all(&self, points: &PointSet) -> Result<PointSet, LearningError> {
        points.check_dimension(self.dimension())?;
        PointSet::new(self.dimension(), points.iter().map(|point| self.apply(point)))
    }
}

/// A set of basis functions. The last one is always the constant 1.
#[derive(Clone, Debug, PartialEq)]
pub enum Basis {
    /// The scaled features themselves.
    Linear,
    /// exp(-|x - center|^2 / (2 width^2)) about each center, of scaled features.
    Gaussian {
        /// The centers, scaled.
        centers: PointSet,
        /// The width, above 0.
        width: f64,
    },
}

impl Basis {
    /// Creates Gaussians about `centers`.
    ///
    /// # Errors
    /// If there are no centers, or `width` is not above 0 and finite.
    pub fn gaussian(centers: PointSet, width: f64) -> Result<Self, LearningError> {
        if centers.is_empty() {
            return Err(LearningError::EmptyGrid { name: "center" });
        }
        if 0.0 < width && width.is_finite() {
            return Ok(Self::Gaussian { centers, width });
        }
        Err(LearningError::Range { name: "width", value: width, range: "above 0 and finite" })
    }

    /// Returns the value of every function at a scaled point.
    #[must_use]
    pub fn values(&self, point: &[f64]) -> Vec<f64> {
        let mut values = match self {
            Self::Linear => point.to_vec(),
            Self::Gaussian { centers, width } => {
                let scale = 2.0 * width * width;
                let value = |center| libm::exp(-squared_distance(point, center) / scale);
                centers.iter().map(value).collect()
            }
        };
        values.push(1.0);
        values
    }
}

/// The maps about which Gaussians are centered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "CentersParam")]
pub enum GaussianCenters {
    /// Maps without label, drawn at random.
    #[default]
    Unlabelled,
    /// All maps with a label first, then others.
    LabelledFirst,
}

impl GaussianCenters {
    /// Draws at most `n` centers among `samples`, scaled. If there are fewer samples, every sample
    /// is a center.
    ///
    /// # Errors
    /// If `scaling` has another dimension, or a scaled feature is too large.
    pub fn draw(
        self,
        samples: &TrainingSet,
        scaling: &FeatureScaling,
        n: usize,
        rng: &mut StreamRng,
    ) -> Result<PointSet, LearningError> {
        let labelled = match self {
            Self::Unlabelled => 0,
            Self::LabelledFirst => samples.labelled().len().min(n),
        };
        let first = samples.labelled().iter().take(labelled);
        let rest = rng.permutation(samples.unlabelled().len());
        let rest = rest.iter().take(n - labelled).map(|&idx| samples.unlabelled().get(idx));
        scaling.apply_all(&PointSet::new(samples.labelled().dimension(), first.chain(rest))?)
    }
}

/// Returns the median distance of `points` from `centers` over all pairs, which is the natural
/// width of a Gaussian; 0 if there are no pairs.
#[must_use]
pub fn median_distance(points: &PointSet, centers: &PointSet) -> f64 {
    let to_centers = |point| centers.iter().map(move |center| squared_distance(point, center));
    let mut squares: Vec<f64> = points.iter().flat_map(to_centers).collect();
    let middle = squares.len() / 2;
    if squares.is_empty() {
        return 0.0;
    }
    let (below, upper, _) = squares.select_nth_unstable_by(middle, f64::total_cmp);
    let upper = *upper;
    if below.len() == middle && squares.len() % 2 == 1 {
        return libm::sqrt(upper);
    }
    let lower = squares[..middle].iter().copied().fold(0.0, f64::max);
    libm::sqrt((lower + upper) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_of_odd_and_even_numbers() {
        let points = |values: &[f64]| PointSet::new(1, values.iter().map(|&x| [x])).unwrap();
        let zero = points(&[0.0]);
        for (values, squared) in
            [(&[][..], 0.0), (&[3.0], 9.0), (&[1.0, 2.0, 9.0], 4.0), (&[1.0, 2.0], 2.5)]
        {
            let got = median_distance(&points(values), &zero);
            assert!((got * got - squared).abs() < 1e-12, "{values:?}: {got}");
        }
    }

    #[test]
    fn constant_features_become_zero() {
        let points = PointSet::new(2, [[0.1, 1.0], [0.1, 3.0], [0.1, 5.0]]).unwrap();
        let scaled = FeatureScaling::standard(&points).unwrap().apply_all(&points).unwrap();
        assert!(scaled.iter().all(|point| point[0].abs() < 1e-12));
        assert!((scaled.get(2)[1] - libm::sqrt(1.5)).abs() < 1e-12);
    }

    #[test]
    fn gaussians_by_hand() {
        let centers = PointSet::new(1, [[0.0], [2.0]]).unwrap();
        let values = Basis::gaussian(centers.clone(), 1.0).unwrap().values(&[2.0]);
        assert!((values[0] - libm::exp(-2.0)).abs() < 1e-15);
        assert_eq!(values[1..], [1.0, 1.0]);
        assert!(Basis::gaussian(centers, f64::NAN).is_err());
    }
}
