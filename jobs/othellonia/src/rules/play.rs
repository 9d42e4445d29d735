//! Games: their states, the turns that lead from one state to the next, and what turns report.

pub(crate) mod event;
pub(crate) mod game;
pub(crate) mod outcome;
mod placement;
mod resolution;
pub(crate) mod running;
pub(crate) mod shuffle;
pub(crate) mod state;
mod turn;
