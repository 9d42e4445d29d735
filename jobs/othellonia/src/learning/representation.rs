//! Representation: vectors of pieces are learned from what their placement leads to (Kono et al.,
//! 8).
//!
//! A network predicts features of the next state from a state and an action. The input masks the
//! placed piece; instead, the network gets a free vector of 30 numbers for the piece's kind. What
//! the masked input does not explain must go into that vector, and it is learned together with the
//! network.
//!
//! # Input
//!
//! The columns are the columns of [`FeatureLayout`](crate::features::FeatureLayout), without
//! * the pieces in the 76 slots of the state: other pieces are told by their status only (attack,
//!   kinds of skills, what runs), so that the input does not grow with the kinds;
//! * what identifies the placed piece in the state, see
//!   [`hand_piece_columns`](crate::features::FeatureLayout::hand_piece_columns);
//! * all of the action that is not in
//!   [`placement_columns`](crate::features::FeatureLayout::placement_columns): the piece, and the
//!   preview of its outcome, which is the answer.
//!
//! The free vector is in the columns of the action's piece.
//!
//! # Output
//!
//! [`TurnOutcome`] by the end of the turn: 11 numbers by regression, each less its mean over its
//! spread in the training games; the kind of the skill that fires or none, and the end of the game,
//! by cross entropy of exclusive events; each kind that fires or not by binary cross entropy. The
//! number of flips is not predicted, because the input shows it.

mod batch;
mod file;
mod learner;
mod loss;
mod neighbors;
mod outcome;
mod scales;
mod settings;
mod table;

pub use file::RepresentationFileError;
pub use learner::Representation;
pub use loss::{LOSS_PARTS, N_OUTPUTS};
pub use neighbors::{Neighbor, neighbors};
pub use outcome::{END_CLASSES, OUTCOME_VERSION, REGRESSED, SKILL_CLASSES, TurnOutcome};
pub use scales::OutcomeScales;
pub use settings::RepresentationSettings;
