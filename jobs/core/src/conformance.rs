//! The contract of [`Experiment`] and [`Simulation`](crate::Simulation), as checks that every
//! experiment must pass.
//!
//! [`check`] runs a spec and makes all checks, [`presets`] checks the presets of an experiment, and
//! [`parameters_are_checked`] checks each parameter. All three belong in the tests of every game:
//! ```text
//!   #[test]
//!   fn pig_conforms() {
//!       conformance::check::<Pig>(include_str!("../specs/smoke.toml")).unwrap();
//!       conformance::presets::<Pig>().unwrap();
//!       conformance::parameters_are_checked(erased::<Pig>(), &[]).unwrap();
//!   }
//! ```
//! To find out which check fails and why, make a single check: each check takes a [`Recording`] of
//! a run. The randomness of the checks has fixed seeds, so a failure repeats. Properties of trials
//! are checked on a few [series](crate::Series) and their first trials, so that a short preset is
//! also checked quickly.

mod bytes;
mod context;
mod counts;
mod inputs;
mod parameters;
mod presets;
mod recording;
mod replays;
mod shows;
mod states;
mod trial_tables;
mod trials;
mod violation;

pub use bytes::{damaged_bytes_are_refused, decoded_values_encode_the_same};
pub use context::{parts_are_named, trials_heed_their_pulse};
pub use counts::large_counts_are_refused;
pub use inputs::inputs_are_listed;
pub use parameters::parameters_are_checked;
pub use presets::presets;
pub use recording::Recording;
pub use replays::{exports_are_repeatable, replays_are_scenes, replays_can_be_stopped};
pub use shows::{
    best_trials_exist, exhibits_are_files, findings_are_readable, measures_are_numbers,
    reports_say_what_was_done, tables_declare_columns,
};
pub use states::{checkpoints_are_complete, phases_hold, states_are_repeatable};
pub use trial_tables::{listed_trials_exist, listed_trials_replay};
pub use trials::{
    absorbing_is_associative, blocks_equal_single_trials, chunks_equal_the_whole,
    trials_are_repeatable, trials_ignore_their_order, work_adds_up,
};
pub use violation::{Difference, Violation};

use crate::erased::AnyExperiment;
use crate::experiment::Experiment;
use crate::part::PartSet;
use crate::reference;
use crate::spec::SpecDocument;

/// Runs the spec `spec_text` and makes all checks.
///
/// # Errors
/// The first violation, in the order below: an experiment that breaks one check often breaks the
/// later ones as well.
pub fn check<E: Experiment>(spec_text: &str) -> Result<(), Violation> {
    check_with_inputs::<E>(spec_text, PartSet::default())
}

/// Makes all checks of the spec `spec_text`, which names `inputs`.
///
/// # Errors
/// The first violation, as [`check`] returns it.
pub fn check_with_inputs<E: Experiment>(spec_text: &str, inputs: PartSet) -> Result<(), Violation> {
    let recording = Recording::<E>::with_inputs(spec_text, inputs)?;
    for check in [
        inputs_are_listed,
        trials_are_repeatable,
        trials_ignore_their_order,
        trials_heed_their_pulse,
        parts_are_named,
        blocks_equal_single_trials,
        absorbing_is_associative,
        chunks_equal_the_whole,
        work_adds_up,
        states_are_repeatable,
        phases_hold,
        decoded_values_encode_the_same,
        checkpoints_are_complete,
        damaged_bytes_are_refused,
        large_counts_are_refused,
        measures_are_numbers,
        exhibits_are_files,
        tables_declare_columns,
        findings_are_readable,
        reports_say_what_was_done,
        best_trials_exist,
        listed_trials_exist,
        replays_can_be_stopped,
        replays_are_scenes,
        exports_are_repeatable,
    ] {
        check(&recording)?;
    }
    Ok(())
}

/// Returns the line `NAME vVERSION PRESET DIGEST` of a run of `preset`. The digest may change only
/// with the version.
///
/// # Errors
/// If `experiment` has no such preset or cannot run it.
pub fn signature(experiment: &dyn AnyExperiment, preset: &str) -> Result<String, Violation> {
    let name = experiment.name();
    let Some(found) = experiment.presets().iter().find(|known| known.name == preset) else {
        let known: Vec<_> = experiment.presets().iter().map(|known| known.name).collect();
        let expected = format!("one of {}", known.join(", "));
        return Err(Violation::wrong("preset", preset, expected));
    };
    let document = SpecDocument::parse(&format!("{name}/{preset}"), found.text.as_bytes())?;
    let head = document.head()?;
    let configured = experiment.configure(&document)?;
    let digest = reference::run(experiment, configured.as_ref(), head.seed)?.digest;
    Ok(format!("{name} v{} {preset} {digest}", experiment.version()))
}
