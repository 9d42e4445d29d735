//! Edax as a program of its own: it is under the GPL, and no part of this one.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Edax 4.6, built by its Makefile.
pub struct EdaxProgram {
    program: PathBuf,
    weights: PathBuf,
}

/// The count and the time that Edax reports for a depth.
pub struct EdaxCount {
    /// The number of games.
    pub n_games: u64,
    /// The CPU time that it took, in seconds, to the millisecond.
    pub seconds: f64,
}

impl EdaxProgram {
    /// Returns Edax with weights that are all zero. Perft does not use them, but Edax does not
    /// start without, and they are no part of its source.
    pub fn new(program: &Path) -> Self {
        const HEADER: usize = 28;
        const PLIES: usize = 61;
        const WEIGHTS: usize = 114_364;
        let mut bytes = vec![0; HEADER + PLIES * WEIGHTS * size_of::<u16>()];
        bytes[..8].copy_from_slice(b"XADELAVE");
        let weights = std::env::temp_dir().join(format!("edax-{}.dat", std::process::id()));
        fs::write(&weights, bytes).expect("the folder for temporary files is writable");
        let program = program.canonicalize().expect("Edax is there");
        Self { program, weights }
    }

    /// Runs Edax's `perft`, and returns what it says about `depth`.
    pub fn perft(&self, depth: u32) -> EdaxCount {
        let mut edax = Command::new(&self.program)
            // At level 1, because it begins with a search for its book of openings.
            .args(["-n", "1", "-l", "1", "-eval-file"])
            .arg(&self.weights)
            .current_dir(std::env::temp_dir())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Edax starts");
        let mut stdin = edax.stdin.take().expect("it is a pipe");
        let stdout = BufReader::new(edax.stdout.take().expect("it is a pipe"));
        writeln!(stdin, "perft {depth}").expect("Edax reads");
        let mut rows = stdout.lines().map_while(Result::ok);
        let found = rows.find_map(|row| count(&row, depth)).expect("Edax knows perft");
        // Before, it would forget what it has not done yet.
        writeln!(stdin, "quit").expect("Edax reads");
        rows.for_each(drop);
        edax.wait().expect("Edax ends");
        found
    }
}

impl Drop for EdaxProgram {
    fn drop(&mut self) {
        // It is in a folder for temporary files.
        let _ = fs::remove_file(&self.weights);
    }
}

/// Reads a row such as ` 11, 212258572, 5, 4, 3, 2, 1 - 20, 0:00.469, 450 MN/s`.
fn count(row: &str, depth: u32) -> Option<EdaxCount> {
    let columns: Vec<&str> = row.split(',').map(str::trim).collect();
    if columns.first()?.parse() != Ok(depth) {
        return None;
    }
    let (minutes, seconds) = columns.get(7)?.split_once(':')?;
    let minutes: f64 = minutes.trim().parse().ok()?;
    let seconds: f64 = seconds.parse().ok()?;
    Some(EdaxCount { n_games: columns.get(1)?.parse().ok()?, seconds: minutes * 60.0 + seconds })
}
