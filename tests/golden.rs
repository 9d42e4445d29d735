//! Golden signatures: the digest of every smoke preset, computed the plainest way; and the bytes of
//! every preset: its canonical parameters, and the plan that workers get.
//!
//! A changed digest with an unchanged version fails: raise the experiment's `VERSION`, then renew
//! the file with `UPDATE_GOLDEN=1 cargo test --test golden`.

#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

#[path = "golden/references.rs"]
mod references;

use std::collections::BTreeMap;

use hatchery_catalog::CATALOG;
use hatchery_core::seed::RunSeed;
use hatchery_core::spec::SpecDocument;
use hatchery_core::{Digest, WireValue as _, reference};

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/signatures.txt");
const BYTES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/bytes.txt");
const REFERENCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/references.txt");

/// The lines `PRESET vVERSION DIGEST` for all smoke presets.
fn signatures() -> Vec<String> {
    let line = |experiment: &'static dyn hatchery_core::AnyExperiment| {
        let preset = format!("{}/smoke", experiment.name());
        let digest = references::computed_digest(&preset, &[]);
        format!("{} {digest}", references::label(&preset, &[]))
    };
    CATALOG.experiments().map(line).collect()
}

/// The digests by preset and version in `lines`.
fn known(lines: &str) -> BTreeMap<&str, &str> {
    lines.lines().filter_map(|line| line.rsplit_once(' ')).collect()
}

#[test]
fn signatures_are_those_of_their_versions() {
    let golden = std::fs::read_to_string(PATH).unwrap_or_default();
    let got = signatures().join("\n") + "\n";
    for (version, digest) in known(&got) {
        let expected = known(&golden).get(version).copied().unwrap_or(digest);
        assert_eq!(digest, expected, "{version} gives another digest: raise its VERSION");
    }
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(PATH, &got).unwrap();
    } else {
        assert_eq!(got, golden, "renew with UPDATE_GOLDEN=1 cargo test --test golden");
    }
}

/// Returns the line `PRESET vVERSION params DIGEST plans DIGEST` of a preset: the digest of its
/// canonical parameters, and that of the plan of the first generation, of a smoke preset of the
/// plans of all generations.
fn bytes_of_preset(path: &str) -> String {
    let text = CATALOG.preset(path).unwrap().text;
    let document = SpecDocument::parse(path, text.as_bytes()).unwrap();
    let head = document.head().unwrap();
    let experiment = CATALOG.find(&head.experiment).unwrap();
    let configured = experiment.configure(&document).unwrap();
    let states = if path.ends_with("/smoke") {
        let mut states = reference::run(experiment, configured.as_ref(), head.seed).unwrap().states;
        states.pop();
        states
    } else {
        let seed = RunSeed::new(experiment.name(), head.seed).generation(0);
        vec![configured.begin(&seed, &[]).unwrap().state]
    };
    let mut plans = Vec::new();
    for state in states {
        let plan = configured.plan(&state).unwrap();
        let subjects = plan.series.iter().map(|series| &series.subject);
        let parts = plan.series.iter().flat_map(|series| &series.parts);
        for bytes in std::iter::once(&plan.shared).chain(subjects) {
            plans.extend(u32::try_from(bytes.len()).unwrap().to_le_bytes());
            plans.extend(bytes);
        }
        plan.shared_parts.iter().chain(parts).for_each(|part| plans.extend(part.encode()));
    }
    let params = Digest::of(configured.canonical_params().as_bytes());
    let label = references::label(path, &[]);
    format!("{label} params {params} plans {}\n", Digest::of(&plans))
}

#[test]
fn parameters_and_plans_have_the_same_bytes() {
    let got: String = CATALOG.preset_paths().map(|path| bytes_of_preset(&path)).collect();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(BYTES, &got).unwrap();
    }
    let golden = std::fs::read_to_string(BYTES).unwrap();
    assert_eq!(got, golden, "renew with UPDATE_GOLDEN=1 cargo test --test golden");
}

#[test]
fn references_are_what_the_plainest_way_to_run_gives() {
    let computed = references::KNOWN.lines().map(|line| {
        let words: Vec<_> = line.split(' ').collect();
        let [preset, _version, assignments @ .., _digest] = words.as_slice() else {
            panic!("{line:?} is no reference");
        };
        (*preset, assignments.to_vec(), references::computed_digest(preset, assignments))
    });
    let computed: Vec<_> = computed.collect();
    let line = |(preset, assignments, digest): &(&str, Vec<&str>, String)| {
        format!("{} {digest}\n", references::label(preset, assignments))
    };
    let lines: String = computed.iter().map(line).collect();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(REFERENCES, lines).unwrap();
        return;
    }
    assert_eq!(lines, references::KNOWN, "renew with UPDATE_GOLDEN=1 cargo test --test golden");
    for (preset, assignments, digest) in computed {
        assert_eq!(digest, references::digest(preset, &assignments), "{preset} {assignments:?}");
    }
}
