//! Openings: the first nodes and roads.

pub(crate) mod fastest_opening;
pub(crate) mod settlement_pairs;
pub(crate) mod value_opening;
