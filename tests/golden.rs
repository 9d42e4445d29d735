//! Golden signatures: the digest of every smoke preset, computed the plainest way.
//!
//! A changed digest with an unchanged version fails: raise the experiment's `VERSION`, then renew
//! the file with `UPDATE_GOLDEN=1 cargo test --test golden`.

#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use std::collections::BTreeMap;

use hatchery_catalog::CATALOG;
use hatchery_core::reference;
use hatchery_core::spec::SpecDocument;

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/signatures.txt");

/// The lines `PRESET vVERSION DIGEST` of all smoke presets.
fn signatures() -> Vec<String> {
    let line = |experiment: &&'static dyn hatchery_core::AnyExperiment| {
        let path = format!("{}/smoke", experiment.name());
        let preset = CATALOG.preset(&path).expect("every experiment has a smoke preset");
        let document = SpecDocument::parse(&path, preset.text.as_bytes()).unwrap();
        let procedure = experiment.configure(&document).unwrap();
        let seed = document.head().unwrap().seed;
        let outcome = reference::run(*experiment, procedure.as_ref(), seed).unwrap();
        format!("{path} v{} {}", experiment.version(), outcome.digest)
    };
    CATALOG.0.iter().map(line).collect()
}

/// The digest of each preset and version in `lines`.
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
