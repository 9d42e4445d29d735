//! The parts of specs that the studies share.

pub mod controller_params;
pub mod estimator_param;
pub mod game_params;
