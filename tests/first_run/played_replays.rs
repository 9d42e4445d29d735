//! Replays that are played on a terminal: a pseudo-terminal with a real process on it.

use std::path::Path;

use crate::terminal::PseudoTerminal;
use crate::{hatchery, output, result, scratch, text};

/// The size of the terminal.
const COLUMNS: u16 = 50;
const ROWS: u16 = 8;

/// Starts the player of the run in `folder` on a terminal.
fn play(folder: &Path, more: &[&str]) -> PseudoTerminal {
    PseudoTerminal::start(&hatchery(folder, &[&["replay", "run"], more].concat()), (COLUMNS, ROWS))
}

/// Waits for the end of the player, checks that the terminal is as before, and returns the exit
/// code.
fn end(mut terminal: PseudoTerminal) -> Option<i32> {
    // The screen from before is back, lines wrap, and there is a cursor.
    for restored in ["\u{1b}[?25h", "\u{1b}[?7h", "\u{1b}[?1049l"] {
        terminal.wait_for(restored);
    }
    terminal.end()
}

/// A folder with a run of a game that shows each turn as a frame.
fn folder() -> tempfile::TempDir {
    let folder = scratch();
    result(folder.path(), &["run", "tetris-evolve/smoke", "--out", "run", "--output", "json"]);
    folder
}

#[test]
fn a_replay_is_played_and_obeys_keys() {
    let folder = folder();
    let mut terminal = play(folder.path(), &["best", "--play", "0.1"]);
    terminal.wait_for("\u{1b}[?1049h");
    terminal.wait_for("piece 1: ");
    terminal.wait_for("frame 1/");
    terminal.wait_for("playing, 0.1 frames/s");
    terminal.press(" ");
    terminal.wait_for("paused");
    // The end, and the beginning: on a busy machine it may have played on before it was paused.
    terminal.press("\u{1b}[F");
    terminal.wait_for("the game is ");
    terminal.press("\u{1b}[H");
    terminal.wait_for("frame 1/");
    terminal.press("\u{1b}[C");
    terminal.wait_for("piece 2: ");
    terminal.press("\u{1b}[C");
    terminal.wait_for("frame 3/");
    terminal.press("\u{1b}[D");
    terminal.wait_for("frame 2/");
    terminal.press("+");
    terminal.wait_for("paused, 0.2 frames/s");
    terminal.press("q");
    assert_eq!(end(terminal), Some(0));
}

#[test]
fn it_plays_to_the_end_by_itself() {
    let folder = folder();
    let mut terminal = play(folder.path(), &["best", "--last", "3", "--play", "100"]);
    terminal.wait_for("the game is ");
    terminal.wait_for("paused");
    terminal.press("q");
    assert_eq!(end(terminal), Some(0));
}

#[test]
fn frames_are_cut_to_the_terminal() {
    let folder = folder();
    let mut terminal = play(folder.path(), &["best", "--play", "0.1"]);
    // A line of the screen begins with its place, and the last row is the status.
    terminal.wait_for(&format!("\u{1b}[{ROWS};1Hframe 1/"));
    terminal.wait_for("cut to fit");
    terminal.press("\u{1b}[C");
    terminal.wait_for("\u{1b}[1;1H");
    let frame = terminal.wait_for(&format!("\u{1b}[{ROWS};1H"));
    let status = terminal.wait_for("\u{1b}[K");
    for line in frame.split("\u{1b}[K").chain([status.as_str()]) {
        let shown = line.rsplit_once(";1H").map_or(line, |(_, shown)| shown);
        assert!(shown.chars().count() <= usize::from(COLUMNS), "{shown:?}");
        assert!(!line.contains('\n'), "{line:?}");
    }
    assert_eq!(frame.matches("\u{1b}[K").count(), usize::from(ROWS) - 1, "{frame:?}");
    terminal.press("\u{1b}");
    assert_eq!(end(terminal), Some(0));
}

#[test]
fn interrupts_put_the_terminal_back() {
    let folder = folder();
    let mut terminal = play(folder.path(), &["best", "--play", "0.1"]);
    terminal.wait_for("frame 1/");
    terminal.press("\u{3}");
    assert_eq!(end(terminal), Some(130));
}

#[test]
fn without_a_terminal_it_is_refused() {
    let folder = scratch();
    let refused = output(folder.path(), &["replay", "run", "best", "--play"]);
    let said = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("--play needs a terminal") && said.contains("--frames"), "{said}");
    let wrong = hatchery(folder.path(), &["replay", "run", "best", "--play", "fast"]).output();
    let said = text(&wrong.unwrap().stderr);
    assert!(said.contains("frames a second from 0.1 to 100"), "{said}");
}
