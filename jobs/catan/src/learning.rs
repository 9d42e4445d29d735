//! Learns which points are positive from few that are labelled and many that are not.
//!
//! A map is a point of numbers, its features; *positive* means balanced. Labels come from games,
//! which are expensive, and points without labels from a generator, which is cheap (Hwang & Kaneko,
//! "Automatic Map Generation for Settlers of Catan").
//!
//! 1. [`clusters`] splits measured maps into two classes.
//! 2. [`prior`] estimates the share of positive maps among all maps.
//! 3. [`pnu`] fits a classifier, over the functions of [`basis`], to both kinds of points.
//! 4. [`validation`] chooses its settings by cross-validation.
//!
//! Steps 2 to 4 learn from a [`TrainingSet`]. Everything is computed in a fixed order on one
//! thread, with operations that are the same on every machine.

pub mod basis;
pub mod clusters;
pub mod pnu;
pub mod prior;
pub mod validation;

mod error;
mod training_set;

pub use basis::{Basis, FeatureScaling};
pub use error::{LearningError, PointClass};
pub use pnu::{Classifier, PnuSettings};
pub use prior::{ClassPrior, class_prior};
pub use training_set::{PointLabel, PointSet, TrainingSet};
pub use validation::{GridChoice, ParameterGrid, cross_validate};
