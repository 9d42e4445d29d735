//! Replays that are played on a terminal: a pseudo-terminal with a real process on it.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use crate::{hatchery, output, result, scratch, text};

/// The size of the terminal.
const COLUMNS: u16 = 50;
const ROWS: u16 = 8;

/// The longest wait for something that a person sees at once.
const DEADLINE: Duration = Duration::from_secs(60);

/// A terminal with `hatchery replay --play` on it.
struct Terminal {
    keys: File,
    side: OwnedFd,
    output: Receiver<Vec<u8>>,
    /// All that was printed so far.
    printed: String,
    player: Child,
}

impl Terminal {
    /// Starts the player in a session of its own, whose terminal this is.
    fn play(folder: &Path, more: &[&str]) -> Self {
        let main = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&main).unwrap();
        unlockpt(&main).unwrap();
        let name = ptsname(&main, Vec::new()).unwrap();
        let flags = OFlags::RDWR | OFlags::NOCTTY;
        let side = rustix::fs::open(&name, flags, Mode::empty()).unwrap();
        let size = Winsize { ws_row: ROWS, ws_col: COLUMNS, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&side, size).unwrap();
        let mut command = Command::new("setsid");
        command.args(["--ctty", "--wait", env!("CARGO_BIN_EXE_hatchery"), "replay", "run"]);
        command.args(more).current_dir(folder).env("TERM", "xterm");
        command.stdin(Stdio::from(side.try_clone().unwrap()));
        command.stdout(Stdio::from(side.try_clone().unwrap()));
        command.stderr(Stdio::from(side.try_clone().unwrap()));
        let player = command.spawn().unwrap();
        let keys = File::from(main);
        let mut screen = keys.try_clone().unwrap();
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(n @ 1..) = screen.read(&mut bytes) {
                if sender.send(bytes[..n].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self { keys, side, output, printed: String::new(), player }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until `part` is printed, forgets all up to it, and returns what was before it.
    fn wait_for(&mut self, part: &str) -> String {
        while !self.printed.contains(part) {
            let bytes = self.output.recv_timeout(DEADLINE);
            let bytes = bytes.unwrap_or_else(|_| panic!("no {part:?} in {:?}", self.printed));
            self.printed += &String::from_utf8_lossy(&bytes);
        }
        let (before, after) = self.printed.split_once(part).unwrap();
        let (before, after) = (before.to_owned(), after.to_owned());
        self.printed = after;
        before
    }

    /// Waits for the end of the player, checks that the terminal is as before, and returns the exit
    /// code.
    fn end(mut self) -> Option<i32> {
        // The screen from before is back, lines wrap, and there is a cursor.
        for restored in ["\u{1b}[?25h", "\u{1b}[?7h", "\u{1b}[?1049l"] {
            self.wait_for(restored);
        }
        let status = self.player.wait().unwrap();
        let modes = tcgetattr(&self.side).unwrap().local_modes;
        assert!(modes.contains(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG));
        status.code()
    }
}

/// A folder with a run of a game in which each turn is a frame.
fn folder() -> tempfile::TempDir {
    let folder = scratch();
    result(folder.path(), &["run", "tetris-evolve/smoke", "--out", "run", "--output", "json"]);
    folder
}

#[test]
fn a_replay_is_played_and_obeys_keys() {
    let folder = folder();
    let mut terminal = Terminal::play(folder.path(), &["best", "--play", "0.1"]);
    terminal.wait_for("\u{1b}[?1049h");
    terminal.wait_for("piece 1: ");
    terminal.wait_for("frame 1/");
    terminal.wait_for("playing, 0.1 frames/s");
    terminal.press(" ");
    terminal.wait_for("paused");
    terminal.press("\u{1b}[C");
    terminal.wait_for("piece 2: ");
    terminal.press("\u{1b}[C");
    terminal.wait_for("frame 3/");
    terminal.press("\u{1b}[D");
    terminal.wait_for("frame 2/");
    terminal.press("+");
    terminal.wait_for("paused, 0.2 frames/s");
    terminal.press("q");
    assert_eq!(terminal.end(), Some(0));
}

#[test]
fn it_plays_to_the_end_by_itself() {
    let folder = folder();
    let mut terminal = Terminal::play(folder.path(), &["best", "--last", "3", "--play", "100"]);
    terminal.wait_for("the game is ");
    terminal.wait_for("paused");
    terminal.press("q");
    assert_eq!(terminal.end(), Some(0));
}

#[test]
fn frames_are_cut_to_the_terminal() {
    let folder = folder();
    let mut terminal = Terminal::play(folder.path(), &["best", "--play", "0.1"]);
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
    assert_eq!(terminal.end(), Some(0));
}

#[test]
fn interrupts_put_the_terminal_back() {
    let folder = folder();
    let mut terminal = Terminal::play(folder.path(), &["best", "--play", "0.1"]);
    terminal.wait_for("frame 1/");
    terminal.press("\u{3}");
    assert_eq!(terminal.end(), Some(130));
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
