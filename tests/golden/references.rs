//! Runs of known outcome: their digests, computed the plainest way.
//!
//! Digests that take long and that many tests compare with are in `references.txt`, which the
//! golden test computes anew: each test is a process of its own under some runners.

use hatchery_catalog::CATALOG;
use hatchery_core::erased::ConfiguredExperiment;
use hatchery_core::spec::SpecDocument;
use hatchery_core::{AnyExperiment, reference};

/// The lines `PRESET vVERSION ASSIGNMENT ... DIGEST`.
pub(crate) const KNOWN: &str = include_str!("references.txt");

/// Returns the digest of a preset with these assignments.
pub(crate) fn digest(preset: &str, assignments: &[&str]) -> String {
    let run = label(preset, assignments);
    let mut known = KNOWN.lines().filter_map(|line| line.rsplit_once(' '));
    match known.find(|(label, _)| *label == run) {
        Some((_, digest)) => digest.to_owned(),
        None => computed_digest(preset, assignments),
    }
}

/// Returns that digest, computed.
pub(crate) fn computed_digest(preset: &str, assignments: &[&str]) -> String {
    let ConfiguredPreset { experiment, procedure, seed } = configured(preset, assignments);
    reference::run(experiment, procedure.as_ref(), seed).unwrap().digest.to_string()
}

/// A preset with assignments, ready to run.
pub(crate) struct ConfiguredPreset {
    pub(crate) experiment: &'static dyn AnyExperiment,
    pub(crate) procedure: Box<dyn ConfiguredExperiment>,
    pub(crate) seed: u64,
}

/// Returns a preset with these assignments.
pub(crate) fn configured(preset: &str, assignments: &[&str]) -> ConfiguredPreset {
    let text = CATALOG.preset(preset).unwrap().text;
    let mut document = SpecDocument::parse(preset, text.as_bytes()).unwrap();
    for assignment in assignments {
        document = document.set(assignment).unwrap();
    }
    let head = document.head().unwrap();
    let experiment = CATALOG.find(&head.experiment).unwrap();
    let procedure = experiment.configure(&document).unwrap();
    ConfiguredPreset { experiment, procedure, seed: head.seed }
}

/// Returns the part of a line before the digest.
pub(crate) fn label(preset: &str, assignments: &[&str]) -> String {
    let experiment = preset.split('/').next().unwrap();
    let version = CATALOG.find(experiment).unwrap().version();
    [&[preset, &format!("v{version}")], assignments].concat().join(" ")
}
