//! What may be wrong with what is to be learned from.

use core::fmt;

/// A class of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Those sought: balanced maps.
    Positive,
    /// The others.
    Negative,
    /// Those of which neither is known.
    Unlabelled,
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Positive => "positive",
            Self::Negative => "negative",
            Self::Unlabelled => "unlabelled",
        })
    }
}

/// Why nothing can be learned.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// A point of another dimension.
    #[error("point {point} has {found} numbers instead of {expected}")]
    Dimension {
        /// The number of the point, from 0.
        point: usize,
        /// How many numbers it has.
        found: usize,
        /// How many it must have.
        expected: usize,
    },
    /// A number that is infinite, or none, or so large that computing with it would be.
    #[error("number {idx} of point {point} is {value}, it must be from -1e75 to 1e75")]
    Number {
        /// The number of the point, from 0.
        point: usize,
        /// Which of its numbers, from 0.
        idx: usize,
        /// The number.
        value: f64,
    },
    /// Not one label per labelled point.
    #[error("{labels} labels for {points} labelled points, there must be as many")]
    Labels {
        /// How many labels.
        labels: usize,
        /// How many points.
        points: usize,
    },
    /// A number outside its range.
    #[error("{name} is {value}, it must be {range}")]
    Range {
        /// What the number is.
        name: &'static str,
        /// The number.
        value: f64,
        /// Where it must lie, in words.
        range: &'static str,
    },
    /// Too few points of a class.
    #[error("{found} {class} points, at least {least} are needed")]
    TooFew {
        /// Of which class.
        class: Class,
        /// How many there are.
        found: usize,
        /// How many are needed.
        least: usize,
    },
    /// Fewer different points than clusters.
    #[error("{distinct} different points can't be split into {clusters} clusters")]
    Clusters {
        /// How many different points there are.
        distinct: usize,
        /// How many clusters are wanted.
        clusters: usize,
    },
    /// The classes can't be told apart.
    #[error("positive and negative points are distributed alike, so no share of them can be told")]
    Alike,
    /// The equations have no unique solution.
    #[error("the equations have no unique solution with lambda {lambda}, take a larger one")]
    Singular {
        /// The regularization.
        lambda: f64,
    },
    /// Nothing to choose from.
    #[error("no {name} to choose from, at least 1 is needed")]
    EmptyGrid {
        /// Which list is empty.
        name: &'static str,
    },
}
