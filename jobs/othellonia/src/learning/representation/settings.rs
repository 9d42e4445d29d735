//! The settings of representation learning.

use hatchery_core::{InvalidValue, WireValue};

use crate::learning::step::check_open_ranges;

/// The settings of representation learning: all are our own choice.
#[derive(Clone, Debug, PartialEq, WireValue)]
#[wire(check)]
pub struct RepresentationSettings {
    /// The decisions of a step.
    #[wire(tag = 3, range(min = 1, max = 4_096))]
    pub decisions: u32,
    /// The share of samples whose action is drawn from all legal ones instead of being the chosen
    /// one.
    ///
    /// Any transition that the rules allow will do. Transitions of good players are better (Kono et
    /// al., 8.1), but good players never show some effects.
    #[wire(tag = 4, range(min = 0, max = 1))]
    pub explored: f64,
    /// The step size of Adam, above 0.
    #[wire(tag = 5, range(max = 1))]
    pub rate: f32,
    /// The share of a weight, or of a number of a vector, that L2 regularization adds to its
    /// gradient.
    #[wire(tag = 6, range(min = 0, max = 1))]
    pub weight_decay: f32,
    /// The probability of dropping a hidden value, below 1.
    #[wire(tag = 7, range(min = 0))]
    pub dropout: f32,
    /// The steps of a stretch of the curve of losses.
    #[wire(tag = 8, range(min = 1))]
    pub stretch: u64,
}

impl Default for RepresentationSettings {
    fn default() -> Self {
        Self {
            decisions: 64,
            explored: 0.25,
            rate: 1e-3,
            weight_decay: 1e-6,
            dropout: 0.0,
            stretch: 100,
        }
    }
}

impl RepresentationSettings {
    /// Checks the ranges without one of their ends.
    ///
    /// # Errors
    /// If a setting is out of its range.
    pub fn check(&self) -> Result<(), InvalidValue> {
        check_open_ranges(self.rate, self.dropout)
    }
}
