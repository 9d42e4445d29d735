//! `hatchery top` on a terminal.

use console::strip_ansi_codes;

use crate::harness::Farm;
use crate::sharing::submit_endless;
use crate::terminal::PseudoTerminal;

/// The size of the terminal: the smallest usual one.
const COLUMNS: u16 = 80;
const ROWS: u16 = 24;

/// Whatever names and reasons are like, no line is wrapped, and a key ends it.
#[test]
fn the_view_fits_the_terminal_and_ends_with_q() {
    let farm = Farm::start(1, 1);
    let (name, user) = ("n".repeat(60), "u".repeat(60));
    for priority in ["high", "low"] {
        submit_endless(&farm, &["--name", &name, "--user", &user, "--priority", priority]);
    }
    let url = farm.coordinators[0].0.clone();
    let top = farm.hatchery(&["top", "--interval", "1s", "--coordinator", &url]);
    let mut terminal = PseudoTerminal::start(&top, (COLUMNS, ROWS));
    // Each line is filled up to the width of the terminal: one that is longer would push the others
    // out of place.
    let head = "1 coordinator answers · 2 unfinished runs · ";
    terminal.wait_for(head);
    let view = format!("{head}{}", terminal.wait_for("all experiments"));
    let view: Vec<char> = strip_ansi_codes(&view).chars().collect();
    let lines = view.chunks(COLUMNS.into()).map(|line| line.iter().collect::<String>());
    let lines: Vec<_> = lines.map(|line| line.trim().to_owned()).collect();
    let is_id = |word: &str| word.len() == 8 && word.chars().all(|c| c.is_ascii_alphanumeric());
    for line in lines.iter().filter(|line| !line.is_empty()) {
        let first = line.split(' ').next().unwrap();
        let is_known = ["1", "RUN", "USER", "WORKER", "version"].contains(&first);
        assert!(is_known || is_id(first) || first == user, "{line:?} in {lines:#?}");
    }
    let line = |part: &str| lines.iter().find(|line| line.starts_with(part)).unwrap();
    for column in ["NAME", "STATE", "GEN.", "DONE", "LEFT", "JOBS", "TRIALS/S", "PRIORITY"] {
        assert!(line("RUN").contains(column), "no {column} in {lines:#?}");
    }
    let n_rows = |part: &str| lines.iter().filter(|line| line.contains(part)).count();
    assert_eq!((n_rows("nnn"), n_rows("uuu")), (2, 1), "two runs and their user: {lines:#?}");
    terminal.press("?q");
    let rest = terminal.last_words();
    assert!(!rest.contains("?q"), "keys are not shown: {rest:?}");
    assert_eq!(terminal.end(), Some(0));
}
