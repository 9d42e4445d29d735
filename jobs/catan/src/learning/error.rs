//! Errors of learning.

use core::fmt;

/// A class of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointClass {
    /// The points sought: balanced maps.
    Positive,
    /// The other points.
    Negative,
    /// Points whose class is unknown.
    Unlabelled,
}

impl fmt::Display for PointClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Positive => "positive",
            Self::Negative => "negative",
            Self::Unlabelled => "unlabelled",
        })
    }
}

/// The reason why nothing can be learned.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LearningError {
    /// A point has another dimension.
    #[error("point {point} has {found} numbers instead of {expected}")]
    Dimension {
        /// The index of the point.
        point: usize,
        /// The number of its coordinates.
        found: usize,
        /// The number of coordinates required.
        expected: usize,
    },
    /// A number is infinite, NaN, or so large that computing with it would overflow.
    #[error("number {idx} of point {point} is {value}, it must be from -1e75 to 1e75")]
    Number {
        /// The index of the point.
        point: usize,
        /// The index of the number in its point.
        idx: usize,
        /// The number.
        value: f64,
    },
    /// The numbers of labels and labelled points differ.
    #[error("{labels} labels for {points} labelled points, there must be as many")]
    Labels {
        /// The number of labels.
        labels: usize,
        /// The number of points.
        points: usize,
    },
    /// A number is outside its range.
    #[error("{name} is {value}, it must be {range}")]
    Range {
        /// The name of the number.
        name: &'static str,
        /// The number.
        value: f64,
        /// The range, in words.
        range: &'static str,
    },
    /// A class has too few points.
    #[error("{found} {class} points, at least {least} are needed")]
    TooFew {
        /// The class.
        class: PointClass,
        /// The number found.
        found: usize,
        /// The number required.
        least: usize,
    },
    /// There are fewer different points than clusters.
    #[error("{distinct} different points can't be split into {clusters} clusters")]
    Clusters {
        /// The number of different points.
        distinct: usize,
        /// The number of clusters requested.
        clusters: usize,
    },
    /// Both classes of points have the same distribution.
    #[error(
        "cannot estimate the share of positive points: both classes have the same distribution"
    )]
    Alike,
    /// The equations have no unique solution.
    #[error("the equations have no unique solution with lambda {lambda}, take a larger one")]
    Singular {
        /// The regularization.
        lambda: f64,
    },
    /// A list to choose from is empty.
    #[error("no {name} to choose from, at least 1 is needed")]
    EmptyGrid {
        /// The name of the list's items.
        name: &'static str,
    },
}
