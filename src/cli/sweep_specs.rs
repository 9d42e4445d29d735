//! The specs of a sweep; all specs are checked before the first run.

use std::collections::BTreeMap;

use super::input_args::InputArgs;
use super::spec_args::SpecArgs;
use crate::error::{CommandError, UsageError};
use crate::sweep::{SweepAxis, SweepError, SweepPoint, points};

/// The points of a sweep, and the experiment of its specs.
pub(super) struct CheckedSweep {
    pub(super) experiment: String,
    pub(super) points: Vec<SweepPoint>,
}

/// Returns the points of the sweep called `name` of `spec` over `axes`.
///
/// # Errors
///
/// Fails if there are too many points, if a point has no valid spec, or if two points have the same
/// spec.
pub(super) fn checked_sweep(
    name: &str,
    (spec, inputs): (&SpecArgs, &InputArgs),
    axes: &[SweepAxis],
) -> Result<CheckedSweep, CommandError> {
    let points = points(name, axes, spec.set_keys()).map_err(UsageError::from)?;
    let (mut experiment, mut seen) = (String::new(), BTreeMap::new());
    for point in &points {
        let loaded = spec.with(point.assignments()).open(inputs)?;
        let run =
            (loaded.head.experiment.clone(), loaded.head.seed, loaded.procedure.canonical_params());
        experiment.clone_from(&run.0);
        if seen.is_empty() {
            loaded.print_warnings();
        }
        // A value may be written in several ways.
        if let Some(first) = seen.insert(run, &point.name) {
            let (first, second) = (first.clone(), point.name.clone());
            return Err(UsageError::from(SweepError::SameRun { first, second }).into());
        }
    }
    Ok(CheckedSweep { experiment, points })
}
