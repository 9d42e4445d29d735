//! A run folder that the release before made.

use std::fs;
use std::path::Path;

use crate::references::digest as reference_digest;
use crate::{LONG, result, scratch, text};

/// The file of a run that was killed, byte for byte. To be dropped once `pig` has another version,
/// because a run of that release then cannot continue anyway.
const KILLED: &str = include_str!("../golden/run_of_format_2.txt");

/// Writes the folder of the killed run.
pub(crate) fn write_folder(folder: &Path) {
    let mut lines = KILLED.lines().skip(2);
    let n_bytes = lines.next().and_then(|line| line.strip_suffix(" bytes"));
    let mut bytes = vec![0; n_bytes.unwrap().parse().unwrap()];
    for line in lines {
        let (offset, digits) = line.split_once(' ').unwrap();
        let offset = usize::from_str_radix(offset, 16).unwrap();
        for (byte, pair) in bytes[offset..].iter_mut().zip(digits.as_bytes().chunks(2)) {
            *byte = u8::from_str_radix(&text(pair), 16).unwrap();
        }
    }
    fs::create_dir(folder).unwrap();
    fs::write(folder.join("run.redb"), bytes).unwrap();
    let preset = hatchery_catalog::CATALOG.preset("pig/quick").unwrap();
    let spec = preset.text.replace("200_000", "600000");
    fs::write(folder.join("spec.toml"), spec).unwrap();
}

#[test]
fn a_run_of_the_release_before_resumes_to_the_same_digest() {
    let folder = scratch();
    write_folder(&folder.path().join("old"));
    let resume = [&LONG[..], &["--out", "old", "--resume", "--output", "json"]].concat();
    let document = result(folder.path(), &resume);
    assert_eq!(document["digest"], reference_digest("pig/quick", &["games=600000"]));
    assert_eq!(document["trials"], 14 * 600_000, "every trial counts once");
    // Its states are read to play it again.
    let verified = result(folder.path(), &["verify", "old", "--output", "json"]);
    assert_eq!(verified["digest"], document["digest"], "{verified}");
}
