//! The reasons why a trial of an own game has no result.

use crate::invalid_value::InvalidValue;

/// The reason why an own game gave no result. The texts are the same in every engine, except for
/// [`Engine`](Self::Engine).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GameFailure {
    /// The module cannot be used: no trial of this module can have a result.
    #[error("the module is refused: {reason}")]
    Module {
        /// What is wrong in the module, and where.
        reason: String,
    },
    /// The subject does not have the form that the game announces.
    #[error("the subject does not fit the game")]
    Subject(#[from] InvalidValue),
    /// The game itself refused the subject.
    #[error("the game refused the subject with code {code} in trial {trial_idx} of the call")]
    RefusedSubject {
        /// The trial, counted from 0 within the call.
        trial_idx: usize,
        /// The game's own code; not 0.
        code: u32,
    },
    /// A trial failed: it trapped, or broke a rule of the interface.
    #[error("trial {trial_idx} of the call failed: {reason}")]
    Trial {
        /// The trial, counted from 0 within the call.
        trial_idx: usize,
        /// What went wrong, and in which function.
        reason: String,
    },
    /// The watch ended the trial; its result is not wanted any more.
    #[error("the trial was ended")]
    Ended,
    /// The engine itself failed, for example because the machine has no memory left. This failure
    /// says nothing about the game.
    #[error("the engine {engine} failed: {reason}")]
    Engine {
        /// The name of the engine.
        engine: &'static str,
        /// The engine's own words.
        reason: String,
    },
}
