//! Points and labels.

use super::error::{Class, Error};

/// No number may be further from 0: products of four still are finite.
const LARGEST: f64 = 1e75;

/// Points of one dimension, all numbers from -10^75 to 10^75.
#[derive(Clone, Debug, PartialEq)]
pub struct Points {
    dimension: usize,
    values: Vec<f64>,
}

impl Points {
    /// The points `rows`, each of `dimension` numbers.
    ///
    /// # Errors
    /// If `dimension` is 0, a row has another, or a number isn't from -10^75 to 10^75.
    pub fn new(
        dimension: usize,
        rows: impl IntoIterator<Item = impl AsRef<[f64]>>,
    ) -> Result<Self, Error> {
        if dimension == 0 {
            return Err(Error::Range { name: "dimension", value: 0.0, range: "at least 1" });
        }
        let mut values = Vec::new();
        for (point, row) in rows.into_iter().enumerate() {
            let row = row.as_ref();
            if row.len() != dimension {
                return Err(Error::Dimension { point, found: row.len(), expected: dimension });
            }
            let valid = |value: &f64| value.abs() <= LARGEST;
            if let Some(idx) = row.iter().position(|value| !valid(value)) {
                return Err(Error::Number { point, idx, value: row[idx] });
            }
            values.extend_from_slice(row);
        }
        Ok(Self { dimension, values })
    }

    /// How many numbers a point has.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// How many points there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len() / self.dimension
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The points, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[f64]> + Clone + '_ {
        self.values.chunks_exact(self.dimension)
    }

    /// Point number `idx`.
    ///
    /// # Panics
    /// If there are no more than `idx`.
    #[must_use]
    pub fn get(&self, idx: usize) -> &[f64] {
        &self.values[idx * self.dimension..][..self.dimension]
    }

    pub(super) fn check_dimension(&self, expected: usize) -> Result<(), Error> {
        if self.dimension == expected {
            return Ok(());
        }
        Err(Error::Dimension { point: 0, found: self.dimension, expected })
    }
}

/// What is known of a labelled point: how likely it is positive, and how much it counts.
///
/// A hard label is certain and counts 1; a soft one counts in both classes, in proportion. Points
/// of which too little is known are best left unlabelled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Label {
    positive: f64,
    weight: f64,
}

impl Label {
    /// Positive for certain.
    pub const POSITIVE: Self = Self { positive: 1.0, weight: 1.0 };
    /// Negative for certain.
    pub const NEGATIVE: Self = Self { positive: 0.0, weight: 1.0 };

    /// Positive with this probability.
    ///
    /// # Errors
    /// If `probability` isn't between 0 and 1.
    pub fn soft(probability: f64) -> Result<Self, Error> {
        if (0.0..=1.0).contains(&probability) {
            return Ok(Self { positive: probability, weight: 1.0 });
        }
        let range = "from 0 to 1";
        Err(Error::Range { name: "probability of positive", value: probability, range })
    }

    /// The same label, counting as `weight` points.
    ///
    /// # Errors
    /// If `weight` is negative or not finite.
    pub fn weighted(self, weight: f64) -> Result<Self, Error> {
        if 0.0 <= weight && weight.is_finite() {
            return Ok(Self { weight, ..self });
        }
        Err(Error::Range { name: "weight", value: weight, range: "0 or more, and finite" })
    }

    /// The other class, with the same certainty and weight.
    #[must_use]
    pub fn flipped(self) -> Self {
        Self { positive: 1.0 - self.positive, ..self }
    }

    /// Which class is likelier; positive if both are alike.
    #[must_use]
    pub fn class(self) -> Class {
        if self.positive < 0.5 { Class::Negative } else { Class::Positive }
    }

    /// How much it counts as a positive, and as a negative point.
    #[must_use]
    pub fn masses(self) -> (f64, f64) {
        (self.weight * self.positive, self.weight * (1.0 - self.positive))
    }
}

/// What is learned from: labelled points and unlabelled ones, of one dimension.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    labelled: Points,
    labels: Vec<Label>,
    unlabelled: Points,
}

impl Samples {
    /// The points `labelled` with `labels` in their order, and those without.
    ///
    /// # Errors
    /// If there isn't one label per point, or dimensions differ.
    pub fn new(labelled: Points, labels: Vec<Label>, unlabelled: Points) -> Result<Self, Error> {
        if labels.len() != labelled.len() {
            return Err(Error::Labels { labels: labels.len(), points: labelled.len() });
        }
        unlabelled.check_dimension(labelled.dimension)?;
        Ok(Self { labelled, labels, unlabelled })
    }

    /// The labelled points.
    #[must_use]
    pub fn labelled(&self) -> &Points {
        &self.labelled
    }

    /// Their labels.
    #[must_use]
    pub fn labels(&self) -> &[Label] {
        &self.labels
    }

    /// The other points.
    #[must_use]
    pub fn unlabelled(&self) -> &Points {
        &self.unlabelled
    }

    /// Each labelled point's mass in `class`; 1 for each unlabelled one.
    pub(super) fn masses(&self, class: Class) -> Vec<f64> {
        match class {
            Class::Positive => self.labels.iter().map(|label| label.masses().0).collect(),
            Class::Negative => self.labels.iter().map(|label| label.masses().1).collect(),
            Class::Unlabelled => vec![1.0; self.unlabelled.len()],
        }
    }

    /// How many points have mass in `class`.
    pub(super) fn count(&self, class: Class) -> usize {
        self.masses(class).iter().filter(|&&mass| 0.0 < mass).count()
    }

    /// # Errors
    /// If fewer than `least` points have mass in `class`.
    pub(super) fn check_count(&self, class: Class, least: usize) -> Result<(), Error> {
        let found = self.count(class);
        if found < least { Err(Error::TooFew { class, found, least }) } else { Ok(()) }
    }
}

pub(super) fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

#[expect(clippy::cast_precision_loss, reason = "numbers of points are far below 2^53")]
pub(super) fn to_f64(count: usize) -> f64 {
    count as f64
}
