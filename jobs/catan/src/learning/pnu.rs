//! PNU learning: a classifier from positive, negative and unlabelled points (Sakai, du Plessis, Niu
//! & Sugiyama, "Semi-supervised classification based on classification from positive and unlabeled
//! data", ICML 2017, arXiv 1605.06955).
//!
//! The risk of a classifier can be written with positive and negative points (PN), with positive
//! and unlabelled ones (PU), or with negative and unlabelled ones (NU). PNU learning minimizes
//! (1 - eta) PN + eta PU for eta >= 0 and (1 + eta) PN - eta NU for eta < 0. With the squared loss
//! (m - 1)^2 / 4 and a classifier w . phi(x) the minimum is a system of linear equations.

use nalgebra::{Cholesky, DMatrix, DVector};

use super::basis::{Basis, FeatureScaling};
use super::error::{LearningError, PointClass};
use super::training_set::{PointSet, TrainingSet};

/// The settings of PNU learning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PnuSettings {
    /// The class prior: the probability that a point is positive, above 0 and below 1.
    pub prior: f64,
    /// The use of unlabelled points, from -1 to 1: with 0 they are ignored, with 1 they replace
    /// negative ones, with -1 they replace positive ones.
    pub eta: f64,
    /// The regularization, 0 or more: the weight of the sum of squared weights, without that of the
    /// constant function.
    pub lambda: f64,
}

impl PnuSettings {
    pub(super) fn check(&self) -> Result<(), LearningError> {
        let Self { prior, eta, lambda } = *self;
        if !(0.0 < prior && prior < 1.0) {
            let range = "above 0 and below 1";
            return Err(LearningError::Range { name: "class prior", value: prior, range });
        }
        if !(-1.0..=1.0).contains(&eta) {
            return Err(LearningError::Range { name: "eta", value: eta, range: "from -1 to 1" });
        }
        if !(0.0 <= lambda && lambda.is_finite()) {
            return Err(LearningError::Range { name: "lambda", value: lambda, range: "0 or more" });
        }
        Ok(())
    }
}

/// A learned classifier: the sign of its score is the class of a point, the size the distance from
/// the boundary.
#[derive(Clone, Debug, PartialEq)]
pub struct Classifier {
    scaling: FeatureScaling,
    basis: Basis,
    weights: Vec<f64>,
}

impl Classifier {
    /// Fits the classifier that minimizes the PNU risk over `samples`.
    ///
    /// # Errors
    /// If a setting is outside its range, points of a class that `eta` needs are missing,
    /// dimensions differ, or the equations have no unique solution.
    pub fn fit(
        samples: &TrainingSet,
        scaling: FeatureScaling,
        basis: Basis,
        settings: &PnuSettings,
    ) -> Result<Self, LearningError> {
        let labelled = design(&scaling.apply_all(samples.labelled())?, &basis);
        let unlabelled = design(&scaling.apply_all(samples.unlabelled())?, &basis);
        let moments = |points, class| WeightedMoments::of(points, &samples.masses(class), |_| true);
        let problem = PnuEquations {
            positive: moments(&labelled, PointClass::Positive),
            negative: moments(&labelled, PointClass::Negative),
            unlabelled: moments(&unlabelled, PointClass::Unlabelled),
        };
        let weights = problem.solve(settings)?.iter().copied().collect();
        Ok(Self { scaling, basis, weights })
    }

    /// Returns the weights of the basis functions; that of the constant is the last.
    #[must_use]
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Returns the scores of `points`; above 0 is positive.
    ///
    /// # Errors
    /// If the points have another dimension, or features beyond the range of floats.
    pub fn scores(&self, points: &PointSet) -> Result<Vec<f64>, LearningError> {
        let scaled = self.scaling.apply_all(points)?;
        let score = |point| {
            let values = self.basis.values(point);
            values.iter().zip(&self.weights).map(|(value, weight)| value * weight).sum()
        };
        Ok(scaled.iter().map(score).collect())
    }
}

/// Returns the basis functions at scaled points, one column per point.
pub(super) fn design(points: &PointSet, basis: &Basis) -> DMatrix<f64> {
    let columns: Vec<Vec<f64>> = points.iter().map(|point| basis.values(point)).collect();
    let rows = columns.first().map_or_else(|| basis_size(points, basis), Vec::len);
    DMatrix::from_iterator(rows, columns.len(), columns.into_iter().flatten())
}

fn basis_size(points: &PointSet, basis: &Basis) -> usize {
    basis.values(&vec![0.0; points.dimension()]).len()
}

/// Sums over the points in a class, weighted by the points' masses.
#[derive(Clone, Debug)]
pub(super) struct WeightedMoments {
    /// The sum of phi phi^T, on the diagonal and below.
    second: DMatrix<f64>,
    /// The sum of phi.
    first: DVector<f64>,
    /// The sum of 1.
    mass: f64,
}

impl WeightedMoments {
    /// Sums over the columns of `design` that `chosen` selects.
    pub(super) fn of(
        design: &DMatrix<f64>,
        masses: &[f64],
        chosen: impl Fn(usize) -> bool,
    ) -> Self {
        let n = design.nrows();
        let mut sum = Self { second: DMatrix::zeros(n, n), first: DVector::zeros(n), mass: 0.0 };
        for (idx, (phi, &mass)) in design.column_iter().zip(masses).enumerate() {
            if chosen(idx) && 0.0 < mass {
                sum.second.syger(mass, &phi, &phi, 1.0);
                sum.first.axpy(mass, &phi, 1.0);
                sum.mass += mass;
            }
        }
        sum
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.second += &other.second;
        self.first += &other.first;
        self.mass += other.mass;
    }
}

/// The system of linear equations of PNU learning.
#[derive(Clone, Debug)]
pub(super) struct PnuEquations {
    pub(super) positive: WeightedMoments,
    pub(super) negative: WeightedMoments,
    pub(super) unlabelled: WeightedMoments,
}

impl PnuEquations {
    pub(super) fn add(&mut self, other: &Self) {
        self.positive.add(&other.positive);
        self.negative.add(&other.negative);
        self.unlabelled.add(&other.unlabelled);
    }

    /// Returns the weights with the least risk (Sakai et al., §4.1, in the form without factors of
    /// 2):
    ///
    /// w = ((1 - |eta|) H_PN + |eta| H_U + lambda I)^-1 ((1 - |eta|) h_PN + |eta| h_X),
    /// h_X = 2 h_P - h_U for eta >= 0 and h_U - 2 h_N for eta < 0,
    ///
    /// where H and h are means of phi phi^T and phi. The means over P are multiplied by the prior,
    /// the means over N by one minus the prior. I has a 0 for the constant.
    pub(super) fn solve(&self, settings: &PnuSettings) -> Result<DVector<f64>, LearningError> {
        settings.check()?;
        let PnuSettings { prior, eta, lambda } = *settings;
        let (labelled, unlabelled) = (1.0 - eta.abs(), eta.abs());
        let (more_positive, more_negative) =
            if eta < 0.0 { (0.0, 2.0 * unlabelled) } else { (2.0 * unlabelled, 0.0) };
        let sign = if eta < 0.0 { 1.0 } else { -1.0 };
        // Each class with the weights of its H and its h.
        let terms = [
            (
                PointClass::Positive,
                &self.positive,
                labelled * prior,
                (labelled + more_positive) * prior,
            ),
            (
                PointClass::Negative,
                &self.negative,
                labelled * (1.0 - prior),
                -(labelled + more_negative) * (1.0 - prior),
            ),
            (PointClass::Unlabelled, &self.unlabelled, unlabelled, sign * unlabelled),
        ];
        let n = self.positive.first.len();
        let mut matrix = DMatrix::zeros(n, n);
        let mut vector = DVector::zeros(n);
        for (class, moments, of_matrix, of_vector) in terms {
            if of_matrix.abs() + of_vector.abs() <= 0.0 {
                continue;
            }
            if moments.mass <= 0.0 {
                return Err(LearningError::TooFew { class, found: 0, least: 1 });
            }
            matrix
                .zip_apply(&moments.second, |sum, value| *sum += of_matrix / moments.mass * value);
            vector.axpy(of_vector / moments.mass, &moments.first, 1.0);
        }
        for idx in 0..n - 1 {
            matrix[(idx, idx)] += lambda;
        }
        let solution = Cholesky::new(matrix).map(|factors| factors.solve(&vector));
        solution
            .filter(|weights| weights.iter().all(|weight| weight.is_finite()))
            .ok_or(LearningError::Singular { lambda })
    }
}

/// Returns the mixture of PN and unlabelled risks that *measures* a risk best, as eta: the variance
/// of the PN risk is least towards the class with fewer points per share (Sakai et al., §4.2).
/// Numbers of points count by mass: (sum of masses)^2 / sum of squared masses (Kish, *Survey
/// Sampling*, §11.7).
#[must_use]
pub fn validation_eta(samples: &TrainingSet, prior: f64) -> f64 {
    let effective = |class| {
        let masses = samples.masses(class);
        let sum: f64 = masses.iter().sum();
        let squares: f64 = masses.iter().map(|mass| mass * mass).sum();
        if squares <= 0.0 { 0.0 } else { sum * sum / squares }
    };
    mixed(effective(PointClass::Positive), effective(PointClass::Negative), prior)
}

/// Returns (psi_N - psi_P) / (psi_N + psi_P), with psi_P = prior^2 / n_P and psi_N = (1 - prior)^2
/// / n_N.
fn mixed(positive: f64, negative: f64, prior: f64) -> f64 {
    // Multiplied out, so that an empty class does no harm.
    let of_positive = prior * prior * negative;
    let of_negative = (1.0 - prior) * (1.0 - prior) * positive;
    let sum = of_negative + of_positive;
    if sum <= 0.0 { 0.0 } else { (of_negative - of_positive) / sum }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn validation_is_mixed_by_numbers_of_points() {
        assert!((mixed(3.0, 2.0, 0.5) - 0.2).abs() < 1e-15);
        assert!(mixed(0.0, 0.0, 0.5).abs() < 1e-15);
        // One negative point against many positive ones: PU, which needs no negative ones, has the
        // smaller variance.
        assert!(0.9 < mixed(100.0, 1.0, 0.1));
    }
}
