//! Summaries and intervals that hold up.
//!
//! Every formula cites its source, and every interval has a test of how often it covers the truth.
//! Sums are exact integers until the last division; all functions are those of `libm`, so results
//! are the same on every machine.
//!
//! - scores: [`summary`], [`mean`], [`median`], [`replicates`]
//! - shares of outcomes: [`proportion`], [`multinomial`]; whether they are alike: [`uniformity`],
//!   by how much they are not: [`mod@spread`], and whether by less than a margin: [`certification`]
//! - many looks: [`sequential`]; many tests: [`multiplicity`]; many series: [`shrinkage`],
//!   [`halving`]
//! - distributions: [`normal`], [`gamma`], [`chi_square`]

pub mod error;

pub mod mean;
pub mod median;
pub mod replicates;
pub mod summary;

pub mod certification;
pub mod multinomial;
pub mod proportion;
pub mod spread;
pub mod uniformity;

pub mod halving;
pub mod multiplicity;
pub mod sequential;
pub mod shrinkage;

pub mod chi_square;
pub mod gamma;
pub mod normal;
mod root;

pub use certification::{Certification, Verdict};
pub use error::{Error, ErrorRate};
pub use halving::halving_rounds;
pub use mean::mean_estimate;
pub use median::median_estimate;
pub use multinomial::{Counts, goodman_intervals, sison_glaz_intervals};
pub use multiplicity::benjamini_hochberg;
pub use proportion::wilson_interval;
pub use replicates::{MIN_REPLICATES, replicates_estimate};
pub use sequential::{GroupSequential, Spending, anytime_verdict};
pub use shrinkage::Population;
pub use spread::{Spread, spread};
pub use summary::Summary;
pub use uniformity::{g_test, pearson_test};

/// The confidence of all intervals.
pub const CONFIDENCE: f64 = 0.95;
