//! The contract of [`Experiment`], as checks that every experiment must pass.
//!
//! [`check`] runs a spec and makes all checks of it, [`presets`] checks what ships with an
//! experiment; both belong into the tests of every game:
//! ```text
//!   #[test]
//!   fn pig_conforms() {
//!       conformance::check::<Pig>(include_str!("../specs/smoke.toml")).unwrap();
//!       conformance::presets::<Pig>().unwrap();
//!   }
//! ```
//! To see which check fails and why, make it alone: each takes a [`Recording`] of a run. All
//! randomness of the checks has fixed seeds, so that what failed once fails again. Properties of
//! trials are checked of a few [series](crate::Series) and their first trials, so that a preset
//! that takes no time is also checked in no time.

mod bytes;
mod presets;
mod recording;
mod shows;
mod states;
mod trials;
mod violation;

pub use bytes::{damaged_bytes_are_refused, decoded_values_encode_the_same};
pub use presets::presets;
pub use recording::Recording;
pub use shows::{exhibits_are_files, measures_are_numbers, replays_can_be_stopped};
pub use states::{checkpoints_are_complete, states_are_repeatable};
pub use trials::{
    absorbing_is_associative, blocks_equal_single_trials, chunks_equal_the_whole,
    trials_are_repeatable, trials_ignore_their_order, work_adds_up,
};
pub use violation::{Difference, Violation};

use crate::erased::AnyExperiment;
use crate::experiment::Experiment;
use crate::reference;
use crate::spec::Document;

/// Runs the spec `spec_text` and makes all checks of it.
///
/// # Errors
/// The first violation, in the order in which the checks stand here: an experiment that breaks one
/// often breaks those below as well.
pub fn check<E: Experiment>(spec_text: &str) -> Result<(), Violation> {
    let recording = Recording::<E>::new(spec_text)?;
    for check in [
        trials_are_repeatable,
        trials_ignore_their_order,
        blocks_equal_single_trials,
        absorbing_is_associative,
        chunks_equal_the_whole,
        work_adds_up,
        states_are_repeatable,
        decoded_values_encode_the_same,
        checkpoints_are_complete,
        damaged_bytes_are_refused,
        measures_are_numbers,
        exhibits_are_files,
        replays_can_be_stopped,
    ] {
        check(&recording)?;
    }
    Ok(())
}

/// The line `NAME vVERSION PRESET DIGEST` of a run of `preset`, by which a result that changed is
/// noticed: the digest may change only with the version.
///
/// # Errors
/// If `experiment` has no such preset or can't run it.
pub fn signature(experiment: &dyn AnyExperiment, preset: &str) -> Result<String, Violation> {
    let name = experiment.name();
    let Some(found) = experiment.presets().iter().find(|known| known.name == preset) else {
        let known: Vec<_> = experiment.presets().iter().map(|known| known.name).collect();
        let expected = format!("one of {}", known.join(", "));
        return Err(Violation::wrong("preset", preset, expected));
    };
    let document = Document::parse(&format!("{name}/{preset}"), found.text.as_bytes())?;
    let head = document.head()?;
    let configured = experiment.configure(&document)?;
    let digest = reference::run(experiment, configured.as_ref(), head.seed)?.digest;
    Ok(format!("{name} v{} {preset} {digest}", experiment.version()))
}
