//! The rules of docs/STYLE.md for files and words: width of lines, length of files, one word per
//! idea.
//!
//! Each list of exceptions only shrinks: an exception that is no longer needed fails too.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The folders with source of this project.
const FOLDERS: [&str; 11] = [
    "coordinator",
    "deploy/bench/othello",
    "deploy/bench/rust",
    "guests",
    "jobs",
    "meters",
    "proto",
    "server",
    "src",
    "tests",
    "worker",
];

const MAX_COLUMNS: usize = 100;
const MAX_SOURCE_LINES: usize = 500;

/// Files with wider lines, and their number: messages that a test compares whole.
const WIDE_LINES: &[(&str, usize)] =
    &[("coordinator/src/control/status.rs", 1), ("jobs/core/tests/conformance.rs", 7)];

/// Source files that are longer, with a limit of their own.
const LONG_FILES: &[(&str, usize)] = &[];

/// Replaced words, the word that is used instead, and the folders where the old word still occurs.
/// Names on the wire, such as the label `parked`, are in strings or backticks and do not count.
const REPLACED: &[(&str, &str, &[&str])] = &[
    ("bury", "dead job", &[]),
    ("buried", "dead job", &[]),
    ("burial", "dead job", &[]),
    ("parked", "dead job", &["coordinator", "meters", "tests"]),
    ("expelled", "quarantined", &[]),
    ("convicted", "quarantined", &[]),
    ("disowned", "invalidated", &[]),
    ("clerk", "effect runner", &[]),
    ("errand", "effect", &[]),
    ("roster", "membership", &[]),
    ("scribe", "event writer", &[]),
    ("bells", "changes", &[]),
    ("crew", "summary of workers", &[]),
    ("harvest", "page of results", &[]),
    ("stirred", "results available", &[]),
    ("strays", "unleased results", &[]),
    ("handout", "assignment", &[]),
    ("rota", "fair scheduler", &[]),
];

/// Returns all files below `folder` with the extension `extension`, build outputs aside.
fn files(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("the folder can be read").path();
        let name = path.file_name().expect("entries have names");
        if path.is_dir() && name != "target" {
            files(&path, extension, found);
        } else if path.extension().is_some_and(|it| it == extension) {
            found.push(path);
        }
    }
}

/// Returns the texts of the source files by path below the repository's root.
fn sources() -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for folder in FOLDERS {
        files(&root.join(folder), "rs", &mut found);
    }
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("source is UTF-8");
        let path = path.strip_prefix(root).expect("it is below the root");
        (path.to_str().expect("its name is UTF-8").to_owned(), text)
    };
    found.into_iter().map(read).collect()
}

/// Returns true if the file has no source of the program: tests and what only they use.
fn is_for_tests(path: &str) -> bool {
    let folders = ["tests/", "benches/", "examples/", "conformance/"];
    folders.iter().any(|folder| path.starts_with(folder) || path.contains(&format!("/{folder}")))
        || ["/tests.rs", "/conformance.rs"].iter().any(|end| path.ends_with(end))
}

fn limit(exceptions: &[(&str, usize)], path: &str) -> Option<usize> {
    exceptions.iter().find(|(known, _)| *known == path).map(|(_, limit)| *limit)
}

#[test]
fn lines_have_at_most_100_columns() {
    let mut faults = Vec::new();
    for (path, text) in sources() {
        let wide: Vec<_> = (1..)
            .zip(text.lines())
            .filter(|(_, line)| MAX_COLUMNS < line.chars().count())
            .map(|(number, _)| format!("{path}:{number}"))
            .collect();
        if wide.len() != limit(WIDE_LINES, &path).unwrap_or(0) {
            faults.push(format!("{path} has {} wide lines: {wide:?}", wide.len()));
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn source_files_have_at_most_500_lines() {
    let mut faults = Vec::new();
    for (path, text) in sources() {
        let (n_lines, exception) = (text.lines().count(), limit(LONG_FILES, &path));
        if !is_for_tests(&path) && exception.unwrap_or(MAX_SOURCE_LINES) < n_lines {
            faults.push(format!("{path} has {n_lines} lines"));
        }
        if exception.is_some() && n_lines <= MAX_SOURCE_LINES {
            faults.push(format!("{path} needs no exception any more"));
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

/// Returns the line without text in double quotes or backticks.
fn unquoted(line: &str) -> String {
    let mut kept = String::new();
    let mut quote = None;
    for c in line.chars() {
        match quote {
            Some(open) if open == c => quote = None,
            Some(_) => {}
            None if matches!(c, '"' | '`') => quote = Some(c),
            None => kept.push(c),
        }
    }
    kept
}

#[test]
fn there_is_one_word_for_each_idea() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut texts = sources();
    // It names the words themselves.
    texts.remove("tests/tidy.rs");
    for page in
        ["README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/ARCHITECTURE.md", "docs/FARM.md"]
    {
        let text = fs::read_to_string(root.join(page)).expect("the page is there");
        texts.insert(page.to_owned(), text);
    }
    let (mut faults, mut found) = (Vec::new(), Vec::new());
    for (path, text) in &texts {
        for (number, line) in (1..).zip(text.lines()) {
            let line = unquoted(line).to_lowercase();
            let words = || line.split(|c: char| !c.is_alphanumeric());
            for (word, instead, folders) in REPLACED {
                if !words().any(|it| it == *word) {
                    continue;
                }
                match folders.iter().find(|folder| path.starts_with(*folder)) {
                    Some(folder) => found.push((*word, *folder)),
                    None => faults.push(format!("{path}:{number}: {word}: write {instead}")),
                }
            }
        }
    }
    for (word, _, folders) in REPLACED {
        for folder in folders.iter().filter(|folder| !found.contains(&(*word, **folder))) {
            faults.push(format!("{word} is gone from {folder}: it needs no exception any more"));
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

/// Returns the lines of a table of Cargo.toml.
fn cargo_table(table: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let text = fs::read_to_string(path).expect("the manifest is there");
    let lines = text.lines().skip_while(|line| *line != format!("[{table}]")).skip(1);
    lines.take_while(|line| !line.starts_with('[')).map(str::to_owned).collect()
}

/// `release` optimizes some packages little, and cargo applies its overrides to `dist` as well.
#[test]
fn what_is_handed_out_is_optimized_and_stripped() {
    let handed_out = cargo_table("profile.dist.package");
    let find = |package: &str| {
        let begin = format!("{package} = {{ opt-level = 3");
        handed_out.iter().find(|line| line.starts_with(&begin))
    };
    let overrides = cargo_table("profile.release.package");
    let packages = overrides.iter().filter_map(|line| line.split_once(" = {"));
    let slow: Vec<_> = packages.map(|(it, _)| it).filter(|it| find(it).is_none()).collect();
    assert!(slow.is_empty(), "not optimized by [profile.dist.package]: {slow:?}");
    let program = find("hatchery").expect("the program has an override");
    assert!(program.contains("strip = \"symbols\""), "{program}");
}
