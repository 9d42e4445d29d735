//! Results on standard output.

use std::io::Write;
use std::path::Path;

use clap::ValueEnum;

use crate::error::CommandError;
use crate::run_folder::write_whole;

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
    ignore_closed_pipe(write_stdout(text))
}

/// Writes a file, completely or not at all; its folder must exist.
pub(super) fn write_file(path: &Path, content: &[u8]) -> Result<(), CommandError> {
    write_whole(path, content).map_err(|source| {
        let (path, action) = (path.to_owned(), "write");
        CommandError::File { path, action, source }
    })
}

/// Writes `text` to standard output.
pub(super) fn write_stdout(text: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush())
}

/// Converts an error of writing to standard output, unless the reader has closed the pipe.
pub(super) fn ignore_closed_pipe(written: std::io::Result<()>) -> Result<(), CommandError> {
    match written {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(CommandError::Output(error))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}
