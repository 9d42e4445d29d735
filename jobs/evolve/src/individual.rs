//! Individuals: genes and their scores.

use serde::{Deserialize, Serialize};

use crate::score::MeanScore;

/// A list of genes and its score so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Individual {
    /// The genes.
    pub genome: Vec<f32>,
    /// The score.
    pub score: MeanScore,
}

impl Individual {
    /// Records the score of each of `individuals` in this generation, in order.
    pub(crate) fn record_all(
        individuals: &mut [Self],
        scores: impl IntoIterator<Item = MeanScore>,
    ) {
        for (individual, score) in individuals.iter_mut().zip(scores) {
            individual.score = score;
        }
    }

    /// Returns the indices of `individuals`, best first; equal ones keep their order.
    pub(crate) fn ranked(individuals: &[Self]) -> Vec<usize> {
        let mut order: Vec<_> = (0..individuals.len()).collect();
        // The sort is stable: the first of equal ones stays first.
        order.sort_by(|&a, &b| individuals[b].score.compare(individuals[a].score));
        order
    }
}
