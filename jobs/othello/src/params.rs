//! The parts of specs that the studies share.

pub mod agent_param;
pub mod archive_param;
pub(crate) mod match_param;
pub mod opening_param;
