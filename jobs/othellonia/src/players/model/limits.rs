//! Limits of learned agents.

/// The most units of a hidden layer, and the most outputs: see [`MAX_LAYERS`].
pub const MAX_UNITS: usize = 1_024;

/// The most layers: a decision stays below some 100 ms, and a trial below some seconds.
pub const MAX_LAYERS: usize = 6;
