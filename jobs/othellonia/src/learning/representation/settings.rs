//! The settings of representation learning.

use crate::learning::step::{LearnError, check_common};

/// The share of samples whose action is drawn from all legal ones instead of being the chosen one,
/// from 0 to 1.
///
/// Any transition that the rules allow will do, and those of good players are the better ones (Kono
/// et al., 8.1); but good players never show some effects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Explored(pub f64);

/// The settings of representation learning: all are our own choice.
#[derive(Clone, Debug, PartialEq)]
pub struct RepresentationSettings {
    /// The decisions of a step, from 1 to 4,096.
    pub decisions: u32,
    /// The share of samples with any legal action.
    pub explored: Explored,
    /// The step size of Adam, above 0 and at most 1.
    pub rate: f32,
    /// The share of a weight, or of a number of a vector, that L2 regularization adds to its
    /// gradient, from 0 to 1.
    pub weight_decay: f32,
    /// The probability with which a hidden value is dropped, from 0 to below 1.
    pub dropout: f32,
    /// The steps of a stretch of the curve of losses, at least 1.
    pub stretch: u64,
}

impl Default for RepresentationSettings {
    fn default() -> Self {
        Self {
            decisions: 64,
            explored: Explored(0.25),
            rate: 1e-3,
            weight_decay: 1e-6,
            dropout: 0.0,
            stretch: 100,
        }
    }
}

impl RepresentationSettings {
    /// Checks the settings.
    ///
    /// # Errors
    /// If one is out of its range.
    pub fn check(&self) -> Result<(), LearnError> {
        let Self { decisions, rate, weight_decay, dropout, stretch, .. } = *self;
        check_common(decisions, [rate, weight_decay, dropout], stretch)?;
        let Explored(explored) = self.explored;
        if !(0.0..=1.0).contains(&explored) {
            let (setting, expected) = ("explored", "from 0 to 1");
            return Err(LearnError::Setting { setting, found: explored.to_string(), expected });
        }
        Ok(())
    }
}
