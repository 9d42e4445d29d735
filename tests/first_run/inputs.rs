//! Parts that enter and leave a run: an exhibit of a run is an input of the next run.

use std::fs;
use std::path::Path;
use std::process::Command;

use hatchery_catalog::CATALOG;
use hatchery_core::spec::SpecDocument;
use hatchery_core::{Digest, PartSet, reference};
use serde_json::Value as Json;

use crate::local::wait;
use crate::{hatchery, output, result, scratch, text};

/// A run whose last part is an exhibit of two chunks.
const MAKER: [&str; 9] = [
    "burn/smoke",
    "--set",
    "parts=3",
    "--set",
    "part_bytes=300000",
    "--set",
    "new_parts=2",
    "--set",
    "generations=2",
];

/// Writes `taker.toml`: a run of several generations that takes in the bytes with this hash.
fn write_taker(folder: &Path, hash: &str) {
    let spec = format!(
        "experiment = \"burn\"\nseed = 1\n\n[params]\ntrials = 300\nrounds = 10\ngenerations = 7\n\
         input = {{ blake3 = \"{hash}\" }}\n"
    );
    fs::write(folder.join("taker.toml"), spec).unwrap();
}

/// The digest that the plainest way to run `taker.toml` gives.
fn reference_digest(folder: &Path, input: &[u8]) -> String {
    let spec = fs::read(folder.join("taker.toml")).unwrap();
    let document = SpecDocument::parse("taker", &spec).unwrap();
    let burn = CATALOG.find("burn").unwrap();
    let configured = burn.configure(&document).unwrap();
    let mut inputs = PartSet::default();
    inputs.add(input.to_vec());
    let run = reference::run_with_inputs(burn, configured.as_ref(), 1, &inputs);
    run.unwrap().digest.to_string()
}

/// The error message of a refused command.
pub(crate) fn refusal(folder: &Path, args: &[&str], code: i32) -> String {
    let output = output(folder, args);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {said}");
    assert!(output.stdout.is_empty(), "{args:?}");
    said
}

/// Makes a part in a run below `runs/`; returns the exhibit's entry in its result, and its bytes.
fn make_part(folder: &Path) -> (Json, Vec<u8>) {
    let made = result(folder, &[&["run"], &MAKER[..], &["--output", "json"]].concat());
    let run = fs::read_dir(folder.join("runs")).unwrap().next().unwrap().unwrap().path();
    let bytes = fs::read(run.join("exhibits/part.bin")).unwrap();
    (made["exhibits"][0].clone(), bytes)
}

#[test]
fn an_exhibit_of_one_run_is_an_input_of_the_next() {
    let folder = scratch();
    let folder = folder.path();
    let (exhibit, bytes) = make_part(folder);
    let hash = Digest::of(&bytes).to_string();
    let expected = serde_json::json!({
        "name": "part.bin", "path": "exhibits/part.bin",
        "media_type": "application/octet-stream", "bytes": 300_000, "blake3": hash,
    });
    assert_eq!(exhibit, expected);

    write_taker(folder, &hash);
    let expected = reference_digest(folder, &bytes);
    let run = ["run", "taker.toml", "--out", "taken", "--output", "json"];
    assert_eq!(result(folder, &run)["digest"], expected, "found among the runs");
    let again = ["run", "taker.toml", "--out", "taken", "--resume", "--output", "json"];
    assert_eq!(result(folder, &again)["digest"], expected);
    for args in [
        &["verify", "taken", "--sample", "100%"][..],
        &["replay", "taken", "0/0/0"],
        &["replay", "taken", "6/0/7"],
        &["spec", "taker.toml"],
    ] {
        let output = output(folder, args);
        assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    }

    // The same on another machine, where only the file is.
    let other = scratch();
    write_taker(other.path(), &hash.to_uppercase());
    fs::write(other.path().join("weights.bin"), &bytes).unwrap();
    let run = ["run", "taker.toml", "--input", "weights.bin", "--output", "json"];
    assert_eq!(result(other.path(), &run)["digest"], expected);
}

/// A run that is killed has its input in its store, or finds it again.
#[test]
fn a_killed_run_resumes_with_its_input() {
    let folder = scratch();
    let folder = folder.path();
    fs::write(folder.join("weights.bin"), b"weights of 19 bytes").unwrap();
    let hash = Digest::of(b"weights of 19 bytes").to_string();
    write_taker(folder, &hash);
    let input = ["--input", "weights.bin"];
    let run = ["run", "taker.toml", "--out", "killed", "--resume", "--output", "json"];
    let mut killed = hatchery(folder, &[&run[..], &input].concat()).spawn().unwrap();
    let store = folder.join("killed/run.redb");
    wait("a store", || store.exists().then_some(()));
    killed.kill().unwrap();
    killed.wait().unwrap();
    let expected = reference_digest(folder, b"weights of 19 bytes");
    assert_eq!(result(folder, &[&run[..], &input].concat())["digest"], expected);
    fs::remove_file(folder.join("weights.bin")).unwrap();
    assert_eq!(result(folder, &run)["digest"], expected, "it is in the store");
}

#[test]
fn an_input_that_is_found_nowhere_is_refused() {
    let folder = scratch();
    let folder = folder.path();
    let (_, bytes) = make_part(folder);
    let hash = Digest::of(&bytes).to_string();
    let missing = Digest::of(b"nowhere").to_string();
    write_taker(folder, &missing);
    let run = ["run", "taker.toml", "--out", "refused"];
    let said = refusal(folder, &run, 13);
    let expected = format!(
        "taker.toml:8:9: input = {{ blake3 = \"{missing}\" }}: found neither in --input (none \
         given), nor in exhibits of runs in runs/ (1 searched)"
    );
    assert!(said.contains(&expected), "{said}");

    // An exhibit that is not what it was is passed over.
    write_taker(folder, &hash);
    let run_folder = fs::read_dir(folder.join("runs")).unwrap().next().unwrap().unwrap().path();
    fs::write(run_folder.join("exhibits/part.bin"), b"other").unwrap();
    let said = refusal(folder, &run, 13);
    assert!(said.contains(&format!("its BLAKE3 hash is not {hash} any more")), "{said}");
    assert!(!folder.join("refused").exists(), "what is refused leaves nothing behind");
}

#[test]
fn a_file_that_is_no_input_is_refused() {
    let folder = scratch();
    let folder = folder.path();
    let hash = Digest::of(b"right").to_string();
    write_taker(folder, &hash);
    fs::write(folder.join("right.bin"), b"right").unwrap();
    fs::write(folder.join("wrong.bin"), b"wrong").unwrap();
    let large = fs::File::create(folder.join("large.bin")).unwrap();
    large.set_len((64 << 20) + 1).unwrap();
    let run = |input: &str, code| {
        refusal(folder, &["run", "taker.toml", "--input", "right.bin", "--input", input], code)
    };
    let wrong = Digest::of(b"wrong");
    let expected = format!(
        "--input wrong.bin has the BLAKE3 hash {wrong}, but the spec names no input with this \
         hash: input = {{ blake3 = \"{hash}\" }}"
    );
    let said = run("wrong.bin", 2);
    assert!(said.contains(&expected), "{said}");
    let said = run("large.bin", 2);
    assert!(said.contains("--input large.bin has more than 67108864 bytes"), "{said}");
    // A file is read twice, and nobody ever writes to this pipe.
    assert!(Command::new("mkfifo").arg(folder.join("a\npipe")).status().unwrap().success());
    for (path, kind) in [("/dev/zero", "a device"), (".", "a folder"), ("a\npipe", "a pipe")] {
        let said = run(path, 2);
        let path = path.replace('\n', "\\u{a}");
        let expected = format!(
            "--input {path} is {kind}, but a regular file is needed, as it is read twice: save it \
             first"
        );
        assert!(said.contains(&expected), "{said}");
    }
    assert!(run("nowhere.bin", 2).contains("cannot read --input nowhere.bin"));
    let said = refusal(folder, &["run", "pig/smoke", "--input", "right.bin"], 2);
    assert!(said.contains("the spec names no input with this hash: it has none"), "{said}");
    assert!(!folder.join("runs").exists());

    let spec = fs::read_to_string(folder.join("taker.toml")).unwrap();
    for (wrong, expected) in [
        (spec.replace(&hash, "abc"), "blake3 is \"abc\", but must be a string of 64 characters"),
        (spec.replace(&hash, &"g".repeat(64)), "must be 64 hexadecimal digits"),
        (spec.replace(" }", ", n = 1 }"), "there is no input.n; known are blake3"),
        (spec.replace("{ blake3 = ", "").replace(" }", ""), "but must be a table"),
    ] {
        fs::write(folder.join("wrong.toml"), wrong).unwrap();
        let said = refusal(folder, &["run", "wrong.toml"], 13);
        assert!(said.contains(expected), "{said}");
    }
}
