//! Reports of runs as pages.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::{LONG, hatchery, output, printed, refused, result, scratch, text};

#[test]
fn a_run_ends_with_a_report_that_depends_on_the_run_only() {
    let folder = scratch();
    let document = result(folder.path(), &["run", "tetris-evolve/smoke", "--output", "json"]);
    let path = printed(folder.path(), &["open", "--print"]);
    let page = fs::read_to_string(folder.path().join(path.trim_end())).unwrap();
    assert_eq!(printed(folder.path(), &["report", "last", "--out", "-"]), page);
    let again = printed(folder.path(), &["report", "last", "--out", "again.html"]);
    assert_eq!(again, "again.html\n");
    assert_eq!(fs::read_to_string(folder.path().join("again.html")).unwrap(), page);
    for part in [
        document["digest"].as_str().unwrap(),
        document["run"].as_str().unwrap(),
        "experiment = &quot;tetris-evolve&quot;",
        "exhibits/champion.toml",
        "the same on any machine",
        // A game of the champion.
        "data-scene-player",
        "A trial of the best, trial ",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    // Nothing is asked of any network.
    for part in ["http://", "https://", " src=", "@import", "url("] {
        let of_names = page.replace("http://www.w3.org/", "");
        assert!(!of_names.contains(part), "{part}");
    }
}

#[test]
fn a_run_ends_with_what_to_do_next() {
    let folder = scratch();
    let hints = |args: &[&str]| -> Vec<String> {
        let output = output(folder.path(), args);
        assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
        let lines = text(&output.stderr);
        let lines = lines.lines().filter_map(|line| line.split_once("hatchery "));
        lines.map(|(_, hint)| hint.split("  ").next().unwrap().to_owned()).collect()
    };
    let hinted = hints(&["run", "tetris-evolve/smoke", "--out", "a folder"]);
    let expected = ["open 'a folder'", "replay 'a folder' best --play", "verify 'a folder'"]
        .map(str::to_owned);
    assert_eq!(hinted, expected);
    // They work.
    printed(folder.path(), &["open", "a folder", "--print"]);
    printed(folder.path(), &["replay", "a folder", "best", "--last", "1"]);
    printed(folder.path(), &["verify", "a folder"]);

    // Nothing is best of curves, and quiet is quiet.
    let hinted = hints(&["run", "tetris-compare/smoke", "--out", "b"]);
    assert_eq!(hinted, ["open b", "verify b"]);
    let quiet = hints(&["run", "tetris-evolve/smoke", "--out", "c", "--output", "quiet"]);
    assert_eq!(quiet, [""; 0]);
}

#[test]
fn an_interrupted_run_has_a_report_so_far() {
    let folder = scratch();
    let args = [&LONG[..], &["--out", "long"]].concat();
    let mut run = hatchery(folder.path(), &args).stderr(Stdio::piped()).spawn().unwrap();
    // The first line of progress comes once the run is there.
    let mut lines = BufReader::new(run.stderr.take().unwrap()).lines();
    lines.next().unwrap().unwrap();
    rustix::process::kill_process(
        rustix::process::Pid::from_child(&run),
        rustix::process::Signal::INT,
    )
    .unwrap();
    run.wait().unwrap();
    let page = printed(folder.path(), &["report", "long", "--out", "-"]);
    assert!(page.contains("<b>Unfinished.</b>") && page.contains("so far"), "{page}");
}

#[test]
fn what_is_no_run_is_refused() {
    let folder = scratch();
    fs::create_dir(folder.path().join("empty")).unwrap();
    for verb in ["report", "open"] {
        let said = refused(folder.path(), &[verb, "empty"]);
        assert!(said.contains("no run \"empty\""), "{said}");
    }
    printed(folder.path(), &["run", "pig/smoke", "--out", "pig"]);
    let nowhere = output(folder.path(), &["report", "pig", "--out", "no/such/folder.html"]);
    assert!(!nowhere.status.success());
    assert!(text(&nowhere.stderr).contains("no/such/folder.html"), "{}", text(&nowhere.stderr));
    // A part of a run, such as a copy that was cut off.
    let store = folder.path().join("pig/run.redb");
    let bytes = fs::read(&store).unwrap();
    fs::write(&store, &bytes[..bytes.len() / 2]).unwrap();
    let cut = output(folder.path(), &["report", "pig"]);
    assert!(!cut.status.success() && !text(&cut.stderr).contains("panicked"));
}

#[test]
fn a_measure_is_plotted_in_the_terminal() {
    let folder = scratch();
    result(folder.path(), &["run", "tetris-evolve/smoke", "--output", "json"]);
    for columns in [40, 80, 200] {
        let args = ["plot", "last", "mean_fitness", "--columns", &columns.to_string()];
        let plot = printed(folder.path(), &args);
        assert!(plot.starts_with("mean_fitness: "), "{plot}");
        assert!(plot.contains('┤') && plot.trim_end().ends_with("generation"), "{plot}");
        // Braille without color.
        assert!(plot.chars().any(|c| ('\u{2801}'..='\u{28ff}').contains(&c)), "{plot}");
        assert!(!plot.contains('\u{1b}'), "{plot}");
        for line in plot.lines().skip(1) {
            assert!(line.chars().count() <= columns, "{line}");
        }
    }
    // The most important measure, which was selected.
    let plot = printed(folder.path(), &["plot", "last"]);
    assert!(plot.starts_with("best_fitness: ") && plot.contains("biased upward"), "{plot}");

    let refusal = refused(folder.path(), &["plot", "last", "mean_fitnes"]);
    assert!(refusal.contains("did you mean mean_fitness?"), "{refusal}");
    let refusal = refused(folder.path(), &["plot", "last", "--columns", "39"]);
    assert!(refusal.contains("40 to 200"), "{refusal}");
}
