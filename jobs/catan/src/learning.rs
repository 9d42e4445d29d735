//! Learning which points are positive from few that are labelled and many that are not.
//!
//! A map is a point of numbers, its features; *positive* is balanced. Labels come from games, which
//! are dear, points without labels from a generator, which is not (Hwang & Kaneko, "Automatic Map
//! Generation for Settlers of Catan").
//!
//! 1. [`clusters`] splits measured maps into two classes.
//! 2. [`prior`] estimates what share of all maps is positive.
//! 3. [`pnu`] fits a classifier, over the functions of [`basis`], to both kinds of points.
//! 4. [`validation`] chooses its settings by cross-validation.
//!
//! [`Samples`] are what 2 to 4 learn from. All is computed in a fixed order on one thread, with
//! operations that are the same on every machine.

pub mod basis;
pub mod clusters;
pub mod pnu;
pub mod prior;
pub mod validation;

mod error;
mod samples;

pub use basis::{Basis, Scaling};
pub use error::{Class, Error};
pub use pnu::{Classifier, Settings};
pub use prior::{ClassPrior, class_prior};
pub use samples::{Label, Points, Samples};
pub use validation::{Choice, Grid, cross_validate};
