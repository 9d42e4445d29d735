//! Points, labels, and training sets of both.

use super::error::{LearningError, PointClass};

/// The largest absolute value of a number: products of four are still finite.
const LARGEST: f64 = 1e75;

/// A set of points that have the same dimension. Numbers are from -10^75 to 10^75.
#[derive(Clone, Debug, PartialEq)]
pub struct PointSet {
    dimension: usize,
    values: Vec<f64>,
}

impl PointSet {
    /// Creates the set of the points `rows`, each of `dimension` numbers.
    ///
    /// # Errors
    /// If `dimension` is 0, a row has another dimension, or a number is not from -10^75 to 10^75.
    pub fn new(
        dimension: usize,
        rows: impl IntoIterator<Item = impl AsRef<[f64]>>,
    ) -> Result<Self, LearningError> {
        if dimension == 0 {
            return Err(LearningError::Range {
                name: "dimension",
                value: 0.0,
                range: "at least 1",
            });
        }
        let mut values = Vec::new();
        for (point, row) in rows.into_iter().enumerate() {
            let row = row.as_ref();
            if row.len() != dimension {
                return Err(LearningError::Dimension {
                    point,
                    found: row.len(),
                    expected: dimension,
                });
            }
            let valid = |value: &f64| value.abs() <= LARGEST;
            if let Some(idx) = row.iter().position(|value| !valid(value)) {
                return Err(LearningError::Number { point, idx, value: row[idx] });
            }
            values.extend_from_slice(row);
        }
        Ok(Self { dimension, values })
    }

    /// Returns the dimension: the number of coordinates of a point.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Returns the number of points.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len() / self.dimension
    }

    /// Returns true if there are no points.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns the points in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[f64]> + Clone + '_ {
        self.values.chunks_exact(self.dimension)
    }

    /// Returns point number `idx`.
    ///
    /// # Panics
    /// If there are at most `idx` points.
    #[must_use]
    pub fn get(&self, idx: usize) -> &[f64] {
        &self.values[idx * self.dimension..][..self.dimension]
    }

    pub(super) fn check_dimension(&self, expected: usize) -> Result<(), LearningError> {
        if self.dimension == expected {
            return Ok(());
        }
        Err(LearningError::Dimension { point: 0, found: self.dimension, expected })
    }
}

/// The label of a point: the probability that it is positive, and its weight.
///
/// A hard label is certain and has weight 1; a soft one counts in both classes, in proportion.
/// Points about which too little is known are best left unlabelled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointLabel {
    positive: f64,
    weight: f64,
}

impl PointLabel {
    /// Creates a label that is positive with this probability.
    ///
    /// # Errors
    /// If `probability` is not between 0 and 1.
    pub fn soft(probability: f64) -> Result<Self, LearningError> {
        if (0.0..=1.0).contains(&probability) {
            return Ok(Self { positive: probability, weight: 1.0 });
        }
        let range = "from 0 to 1";
        Err(LearningError::Range { name: "probability of positive", value: probability, range })
    }

    /// Returns the same label, counting as `weight` points.
    ///
    /// # Errors
    /// If `weight` is negative or not finite.
    pub fn weighted(self, weight: f64) -> Result<Self, LearningError> {
        if 0.0 <= weight && weight.is_finite() {
            return Ok(Self { weight, ..self });
        }
        Err(LearningError::Range { name: "weight", value: weight, range: "0 or more, and finite" })
    }

    /// Returns the likelier class; positive if both are equally likely.
    #[must_use]
    pub fn class(self) -> PointClass {
        if self.positive < 0.5 { PointClass::Negative } else { PointClass::Positive }
    }

    /// Returns the masses of the label as a positive and as a negative point.
    #[must_use]
    pub fn masses(self) -> (f64, f64) {
        (self.weight * self.positive, self.weight * (1.0 - self.positive))
    }
}

/// A training set: labelled and unlabelled points that have the same dimension.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingSet {
    labelled: PointSet,
    labels: Vec<PointLabel>,
    unlabelled: PointSet,
}

impl TrainingSet {
    /// Creates a training set of the points `labelled`, with `labels` in their order, and the
    /// points `unlabelled`.
    ///
    /// # Errors
    /// If there is not one label per point, or dimensions differ.
    pub fn new(
        labelled: PointSet,
        labels: Vec<PointLabel>,
        unlabelled: PointSet,
    ) -> Result<Self, LearningError> {
        if labels.len() != labelled.len() {
            return Err(LearningError::Labels { labels: labels.len(), points: labelled.len() });
        }
        unlabelled.check_dimension(labelled.dimension)?;
        Ok(Self { labelled, labels, unlabelled })
    }

    /// Returns the labelled points.
    #[must_use]
    pub fn labelled(&self) -> &PointSet {
        &self.labelled
    }

    /// Returns the labels of the labelled points.
    #[must_use]
    pub fn labels(&self) -> &[PointLabel] {
        &self.labels
    }

    /// Returns the unlabelled points.
    #[must_use]
    pub fn unlabelled(&self) -> &PointSet {
        &self.unlabelled
    }

    /// Returns each labelled point's mass in `class`, or 1 for each unlabelled point.
    pub(super) fn masses(&self, class: PointClass) -> Vec<f64> {
        match class {
            PointClass::Positive => self.labels.iter().map(|label| label.masses().0).collect(),
            PointClass::Negative => self.labels.iter().map(|label| label.masses().1).collect(),
            PointClass::Unlabelled => vec![1.0; self.unlabelled.len()],
        }
    }

    /// Returns the number of points with mass in `class`.
    pub(super) fn count(&self, class: PointClass) -> usize {
        self.masses(class).iter().filter(|&&mass| 0.0 < mass).count()
    }

    /// Checks that the class has enough points.
    ///
    /// # Errors
    /// If fewer than `least` points have mass in `class`.
    pub(super) fn check_count(&self, class: PointClass, least: usize) -> Result<(), LearningError> {
        let found = self.count(class);
        if found < least { Err(LearningError::TooFew { class, found, least }) } else { Ok(()) }
    }
}

pub(super) fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

#[expect(clippy::cast_precision_loss, reason = "numbers of points are far below 2^53")]
pub(super) fn to_f64(count: usize) -> f64 {
    count as f64
}
