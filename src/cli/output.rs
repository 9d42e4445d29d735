//! Results on standard output.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use clap::ValueEnum;

use crate::error::{CommandError, UsageError};
use crate::run_folder::{RunFolder, write_whole, write_whole_beside};
use crate::signals::unless_stopped;
use crate::terminal::drain_error_output;

/// The file name that means standard output.
pub(super) const STANDARD_OUTPUT: &str = "-";

/// The format of a result on standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum OutputFormat {
    /// Text for people
    Table,
    /// One JSON document for scripts
    Json,
    /// No output
    Quiet,
}

impl OutputFormat {
    /// Prints a result in this format on standard output: as `table`, or as the document `json`.
    pub(super) fn print(
        self,
        table: impl FnOnce() -> String,
        json: impl FnOnce() -> String,
    ) -> Result<(), CommandError> {
        match self {
            Self::Table => print_result(&table()),
            Self::Json => print_result(&format!("{}\n", json())),
            Self::Quiet => Ok(()),
        }
    }
}

/// Prints a result on standard output. A reader that has closed the pipe is no error.
pub(super) fn print_result(text: &str) -> Result<(), CommandError> {
    print_bytes(text.as_bytes())
}

/// Prints bytes on standard output. A reader that has closed the pipe is no error.
pub(super) fn print_bytes(bytes: &[u8]) -> Result<(), CommandError> {
    ignore_closed_pipe(write_stdout(bytes))
}

/// Writes a file, completely or not at all; its folder must exist.
pub(super) fn write_file(path: &Path, content: &[u8]) -> Result<(), CommandError> {
    write_whole(path, content).map_err(|source| not_written(path, source))
}

/// Writes a file that a person named; its folder must exist. A regular file is written completely
/// or not at all. A symbolic link stays, and its target is written; so do devices and pipes. `-` is
/// standard output.
///
/// # Errors
/// If the file belongs to a run or a sweep, is read-only, or cannot be written, or if standard
/// output cannot be written.
pub(super) fn write_named_file(path: &Path, content: &[u8]) -> Result<(), CommandError> {
    if path == Path::new(STANDARD_OUTPUT) {
        return ignore_closed_pipe(write_stdout(content));
    }
    // Where a link leads counts, too.
    let target = fs::canonicalize(path);
    if is_file_of_run(path) || target.as_ref().is_ok_and(|target| is_file_of_run(target)) {
        return Err(UsageError::FileOfRun { path: path.to_owned() }.into());
    }
    let write = || match fs::metadata(path) {
        Ok(found) if found.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(found) if !found.is_file() => {
            fs::File::options().write(true).open(path)?.write_all(content)
        }
        Ok(found) if found.permissions().readonly() => Err(io::ErrorKind::PermissionDenied.into()),
        Ok(_) => write_whole_beside(&target?, content),
        Err(_) if path.is_symlink() => fs::write(path, content),
        Err(_) => write_whole_beside(path, content),
    };
    write().map_err(|source| not_written(path, source))
}

fn not_written(path: &Path, source: io::Error) -> CommandError {
    CommandError::File { path: path.to_owned(), action: "write", source }
}

/// Returns true if `path` is an existing file in the folder of a run or a sweep.
fn is_file_of_run(path: &Path) -> bool {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let folder = RunFolder::at(parent.unwrap_or_else(|| Path::new(".")));
    let is_ours = || folder.holds_run() || folder.fetched_run().is_some() || folder.holds_sweep();
    path.is_file() && is_ours()
}

/// Writes `content` to standard output, after what was printed on standard error before.
pub(super) fn write_stdout(content: &[u8]) -> io::Result<()> {
    drain_error_output();
    unless_stopped(|| {
        let mut out = io::stdout().lock();
        out.write_all(content).and_then(|()| out.flush())
    })
}

/// Converts an error of writing to standard output, unless the reader has closed the pipe.
pub(super) fn ignore_closed_pipe(written: io::Result<()>) -> Result<(), CommandError> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(CommandError::Output(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}
