//! Golden signatures: the digest of every smoke preset, computed the plainest way.
//!
//! A changed digest with an unchanged version fails: raise the experiment's `VERSION`, then renew
//! the file with `UPDATE_GOLDEN=1 cargo test --test golden`.

#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

#[path = "golden/references.rs"]
mod references;

use std::collections::BTreeMap;

use hatchery_catalog::CATALOG;

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/signatures.txt");
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
