//! Results on standard output.

use std::io::Write;

use clap::ValueEnum;

use crate::failure::Failure;

/// How a command shows its result on standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Output {
    /// For people.
    Table,
    /// One JSON document, for scripts.
    Json,
    /// Nothing.
    Quiet,
}

/// Prints a result on standard output. A reader that has seen enough is no failure.
pub(super) fn print_result(text: &str) -> Result<(), Failure> {
    ignore_closed_pipe(write_stdout(text))
}

/// Writes `text` to standard output.
pub(super) fn write_stdout(text: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush())
}

/// Turns an error of writing to standard output into a failure, unless nobody reads any more.
pub(super) fn ignore_closed_pipe(written: std::io::Result<()>) -> Result<(), Failure> {
    match written {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(Failure::Output(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}
