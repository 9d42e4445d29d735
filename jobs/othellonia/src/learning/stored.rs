//! Learners between trials: the parts that hold them.

use hatchery_core::{LargeValue, Part, WireValue};
use serde::{Deserialize, Serialize};

/// A learner between two trials.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, WireValue)]
pub struct StoredLearner {
    /// The result so far, for others to use: a file of vectors, or a model that plays.
    #[wire(tag = 1)]
    pub model: Part,
    /// The state that only the learner needs to go on, such as the memory of its optimizer.
    // Three times as many parts as the largest memory needs.
    #[wire(tag = 2, length(min = 1, max = 8))]
    pub memory: LargeValue,
}
