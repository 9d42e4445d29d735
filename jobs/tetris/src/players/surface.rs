//! Linear controllers that also weigh the wall's surface: the height of each column, the
//! differences between neighbors, and the largest height.
//!
//! These are the features of Bertsekas & Ioffe ("Temporal Differences-Based Policy Iteration and
//! Applications in Neuro-Dynamic Programming", 1996). BDU of Thiery & Scherrer ("Building
//! Controllers for Tetris", ICGA Journal 32, 2009) has them beside the features of DU, 28 in all.

use super::linear::{LinearController, WeightError, scaled_weight};
use super::{BoardEvaluator, MAX_WEIGHT, WEIGHT_SCALE};
use crate::features::{BoardFeatures, WellRule};
use crate::rules::{Board, BoardSize, height};

/// The weights of a wall's surface, for boards of one width.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurfaceWeights {
    /// The weight of the largest height.
    pub max_height: f64,
    /// The weight of each column's height, from left to right.
    pub heights: Vec<f64>,
    /// The weight of the difference of each two neighboring columns' heights, from left to right:
    /// one less than there are columns. Differences are never negative.
    pub differences: Vec<f64>,
}

/// A weighted sum of features and of the wall's surface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SurfaceController {
    linear: LinearController,
    max_height: i64,
    heights: Vec<i64>,
    differences: Vec<i64>,
}

/// Weights of a surface that are out of range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SurfaceError {
    /// A list has as many weights as no board has columns, or the two lists do not belong together.
    #[error(
        "{n_heights} heights and {n_differences} differences, expected one for each column and for \
         each two neighboring ones"
    )]
    Count {
        /// The number of weights of heights.
        n_heights: usize,
        /// The number of weights of differences.
        n_differences: usize,
    },
    /// A weight is out of range.
    #[error(transparent)]
    Weight(#[from] WeightError),
}

impl SurfaceController {
    /// Creates the controller that adds the value of the surface to that of `linear`; weights are
    /// rounded to eight decimals.
    ///
    /// # Errors
    /// If a list has not one weight for each column or each two neighboring columns of a board, or
    /// the magnitude of a weight is above [`MAX_WEIGHT`].
    pub fn new(linear: LinearController, surface: &SurfaceWeights) -> Result<Self, SurfaceError> {
        let SurfaceWeights { max_height, heights, differences } = surface;
        let (n_heights, n_differences) = (heights.len(), differences.len());
        if n_differences + 1 != n_heights || !is_width(n_heights) {
            return Err(SurfaceError::Count { n_heights, n_differences });
        }
        let scale = |weights: &[f64], feature| {
            weights.iter().map(|&weight| scaled_weight(feature, weight)).collect()
        };
        Ok(Self {
            linear,
            max_height: scaled_weight("max_height", *max_height)?,
            heights: scale(heights, "heights").map_err(SurfaceError::Weight)?,
            differences: scale(differences, "differences").map_err(SurfaceError::Weight)?,
        })
    }
}
