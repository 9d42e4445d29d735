//! Learning from records of games: to play like the players of the games, and what pieces do.
//!
//! Learners are pure functions of their games, settings and random numbers: they change a network
//! and the memory of its optimizer by a number of steps, and go on where they ended.
//!
//! ```text
//! records -samples-> decisions -imitation-> network that tells which action is chosen
//!                             -representation-> vectors of pieces
//! ```

pub mod imitation;
pub mod reinforcement;
pub mod representation;
pub mod samples;
mod step;
mod stored;
pub mod vector_file;

pub use stored::StoredLearner;

pub use step::{LearnError, LearnFailure, LearnSummary, Learner, LossPoint, Pulse};
