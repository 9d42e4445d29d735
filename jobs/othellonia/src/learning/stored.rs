//! Learners between trials: the parts that hold them.

use hatchery_core::part::{LargeValue, Part};
use serde::{Deserialize, Serialize};

/// A learner between two trials.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredLearner {
    /// The result so far, for others to use: a file of vectors, or a model that plays.
    pub model: Part,
    /// The state that only the learner needs to go on, such as the memory of its optimizer.
    pub memory: LargeValue,
}

impl StoredLearner {
    /// Returns the parts that hold it.
    #[must_use]
    pub fn parts(&self) -> Vec<Part> {
        let mut parts = vec![self.model];
        parts.extend(self.memory.parts());
        parts
    }
}
