//! Comparisons of runs as pages.

use std::fs;
use std::path::Path;

use crate::{output, printed, refused, result, scratch};

/// Runs a preset into the folder `out`, and returns the run's id and digest.
fn run(folder: &Path, out: &str, args: &[&str]) -> [String; 2] {
    let args = [&["run"], args, &["--out", out, "--output", "json"]].concat();
    let document = result(folder, &args);
    ["run", "digest"].map(|field| document[field].as_str().unwrap().to_owned())
}

/// Returns the page without its style sheet and its script.
fn content(page: &str) -> String {
    let (_, body) = page.split_once("<main>").unwrap();
    body.split_once("</main>").unwrap().0.to_owned()
}

#[test]
fn two_seeds_are_compared_in_one_page() {
    let folder = scratch();
    let folder = folder.path();
    let [id_a, digest_a] = run(folder, "a", &["pig/smoke"]);
    let [id_b, digest_b] = run(folder, "b", &["pig/smoke", "--seed", "2"]);
    assert_eq!(printed(folder, &["report", "a", "b"]), "comparison.html\n");
    let page = fs::read_to_string(folder.join("comparison.html")).unwrap();
    let main = content(&page);
    for part in [
        "<h1>2 runs of pig compared</h1>",
        "Nothing but the seed.",
        "best_hold_at",
        "Mean turns by generation",
        &id_a,
        &id_b,
        &digest_a,
        &digest_b,
        &format!("hatchery report {id_a} {id_b}"),
        "experiment = &quot;pig&quot;",
    ] {
        assert!(main.contains(part), "{part}: {main}");
    }
    // No measure of this game has an interval.
    assert!(main.contains("a difference cannot be told from chance"), "{main}");
    assert!(!main.contains("gave the same bytes"), "{main}");
    for part in ["http://", "https://", " src=", "@import", "url("] {
        assert!(!page.replace("http://www.w3.org/", "").contains(part), "{part}");
    }
    // Another time, from another folder, gives the same bytes.
    assert_eq!(printed(folder, &["report", "a", "b", "--out", "-"]), page);
    fs::rename(folder.join("a"), folder.join("moved")).unwrap();
    assert_eq!(printed(folder, &["report", "moved", "b", "--out", "-"]), page);
}

#[test]
fn differences_have_intervals_and_say_what_they_assume() {
    let folder = scratch();
    let folder = folder.path();
    run(folder, "a", &["tetris-evaluate/smoke"]);
    run(folder, "b", &["tetris-evaluate/smoke", "--set", "games=50"]);
    run(folder, "c", &["tetris-evaluate/smoke", "--seed", "7"]);
    run(folder, "again", &["tetris-evaluate/smoke"]);
    let main = content(&printed(folder, &["report", "a", "b", "c", "again", "--out", "-"]));
    for part in [
        "<h1>4 runs of tetris-evaluate compared</h1>",
        "Interval of the difference",
        "B has the seed of A.",
        "C has another seed than A",
        "A and D gave the same bytes",
        // The parameter that differs, side by side.
        "<code>games</code></th><td class=\"mono small\">20</td><td class=\"mono small\">50</td>",
        "A: tetris-evaluate-smoke",
    ] {
        assert!(main.contains(part), "{part}: {main}");
    }
    // One generation has no course.
    assert!(!main.contains("By generation"), "{main}");
    let main = content(&printed(folder, &["report", "a", "again", "--out", "-"]));
    assert!(main.contains("Both runs<b> gave the same bytes</b>"), "{main}");
    assert!(main.contains("Nothing: the runs have the same parameters"), "{main}");
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let folder = scratch();
    let folder = folder.path();
    run(folder, "a", &["pig/smoke"]);
    run(folder, "b", &["pig/smoke", "--seed", "2"]);
    run(folder, "other", &["tetris-evolve/smoke"]);
    let report = fs::read(folder.join("a/report.html")).unwrap();
    for (args, expected) in [
        (&["a", "other"][..], "is of tetris-evolve: give runs of the same experiment"),
        (&["a", "b", "a"], "is given twice"),
        (&["a", "./a"], "is given twice"),
        (&["a", "b", "a", "b", "a", "b", "a", "b", "a"], "a page compares at most 8"),
        (&["a", "nosuch"], "no run \"nosuch\""),
        (&["a", "b", "--out", "a/report.html"], "is a file of a run"),
    ] {
        let said = refused(folder, &[&["report"], args].concat());
        assert!(said.contains(expected), "{args:?}: {said}");
    }
    assert_eq!(fs::read(folder.join("a/report.html")).unwrap(), report);
    assert!(!folder.join("comparison.html").exists());
    let nowhere = output(folder, &["report", "a", "b", "--out", "no/such/folder.html"]);
    assert_eq!(nowhere.status.code(), Some(3));
}

/// A later state may have fewer figures than an earlier one.
#[test]
fn figures_that_a_run_has_no_more_are_removed() {
    let folder = scratch();
    let folder = folder.path();
    run(folder, "a", &["tetris-evolve/smoke"]);
    let figures = folder.join("a/figures");
    let names = || {
        let entries = fs::read_dir(&figures).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let current = names();
    let first = figures.join(&current[0]);
    fs::copy(&first, figures.join("stale.svg")).unwrap();
    fs::write(figures.join("mine.svg"), "<svg/>").unwrap();
    let args = ["run", "a/spec.toml", "--out", "a", "--resume", "--output", "json"];
    result(folder, &args);
    let mut expected = current;
    expected.push("mine.svg".into());
    expected.sort();
    assert_eq!(names(), expected);
}
