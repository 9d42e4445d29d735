//! The parts of specs that the studies share.

pub mod level_param;
pub(crate) mod plain_name;
pub mod player_param;
