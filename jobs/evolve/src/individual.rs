//! Individuals: genomes and their scores.

use serde::{Deserialize, Serialize};

use crate::score::{MeanScore, RankedScore};

/// A genome, such as a list of genes, and its score so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Individual<G = Vec<f32>, S = MeanScore> {
    /// The genome.
    pub genome: G,
    /// The score.
    pub score: S,
}

impl<G, S: RankedScore> Individual<G, S> {
    /// Returns an individual that has not been scored.
    pub(crate) fn unscored(genome: G) -> Self {
        Self { genome, score: S::default() }
    }

    /// Records the scores of `individuals` in this generation, in order.
    pub(crate) fn record_all(individuals: &mut [Self], scores: impl IntoIterator<Item = S>) {
        for (individual, score) in individuals.iter_mut().zip(scores) {
            individual.score = score;
        }
    }

    /// Returns the indices of `individuals`, best first; equal individuals keep their order.
    pub(crate) fn ranked(individuals: &[Self]) -> Vec<usize> {
        let mut order: Vec<_> = (0..individuals.len()).collect();
        // The sort is stable: the first of equal ones stays first.
        order.sort_by(|&a, &b| individuals[b].score.rank_cmp(&individuals[a].score));
        order
    }
}
