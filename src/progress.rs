//! The progress of a run: a fold of its events, and two displays for this progress.

mod display;
mod event;
mod fold;
#[cfg(test)]
mod traces;

pub(crate) use display::ProgressDisplay;
pub(crate) use event::ProgressUpdate;
