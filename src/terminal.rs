//! Lines on standard error, and text that a terminal shows as it is.

mod error_output;

use std::fmt::{self, Write as _};
use std::io::{self, IsTerminal};
use std::sync::{Mutex, PoisonError};

use console::{Term, measure_text_width};
use indicatif::{ProgressBar, ProgressDrawTarget, TermLike};
use terminal_size::Width;

pub(crate) use self::error_output::drain as drain_error_output;

pub(crate) use hatchery_figures::is_control;

/// The line of progress on the terminal, if there is one.
///
/// One for the process, as it has one terminal: errors, notes and logs come from anywhere, and are
/// printed above the line instead of into it.
static PROGRESS: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Makes `bar` the line of progress that everything else is printed above.
pub(crate) fn set_progress(bar: Option<ProgressBar>) {
    *PROGRESS.lock().unwrap_or_else(PoisonError::into_inner) = bar;
}

/// Runs `print` while the line of progress is away.
fn above_progress<T>(print: impl FnOnce() -> T) -> T {
    let bar = PROGRESS.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match bar {
        Some(bar) => bar.suspend(print),
        None => print(),
    }
}

/// Prints a line for people on standard error, as soon as standard error takes it.
pub(crate) fn print_status(line: &str) {
    above_progress(|| error_output::write_lines(format!("{line}\n").as_bytes()));
}

/// Standard error for logs, which come above the line of progress.
#[derive(Debug)]
pub(crate) struct LogStream;

impl io::Write for LogStream {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        above_progress(|| error_output::write_lines(text));
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The number of columns of a terminal that does not report it.
const DEFAULT_COLUMNS: u16 = 80;

/// Returns the number of columns of the terminal that standard error is.
pub(crate) fn stderr_columns() -> u16 {
    let size = terminal_size::terminal_size_of(io::stderr());
    size.map_or(DEFAULT_COLUMNS, |(Width(columns), _)| columns)
}

/// Returns the target of a line of progress: standard error, which nobody waits for.
pub(crate) fn progress_target() -> ProgressDrawTarget {
    ProgressDrawTarget::term_like(Box::new(FrameTerminal::default()))
}

/// Standard error for the frames of a progress display. A frame is put together and written as a
/// whole.
#[derive(Debug, Default)]
struct FrameTerminal {
    frame: Mutex<String>,
}

impl FrameTerminal {
    fn add(&self, text: fmt::Arguments<'_>) -> io::Result<()> {
        let mut frame = self.frame.lock().unwrap_or_else(PoisonError::into_inner);
        frame.write_fmt(text).map_err(io::Error::other)
    }

    /// Adds the control sequence that moves the cursor by `n`, which ends with `end`.
    fn add_move(&self, n: usize, end: char) -> io::Result<()> {
        match n {
            0 => Ok(()),
            n => self.add(format_args!("\x1b[{n}{end}")),
        }
    }
}

impl TermLike for FrameTerminal {
    fn width(&self) -> u16 {
        stderr_columns()
    }

    fn move_cursor_up(&self, n: usize) -> io::Result<()> {
        self.add_move(n, 'A')
    }

    fn move_cursor_down(&self, n: usize) -> io::Result<()> {
        self.add_move(n, 'B')
    }

    fn move_cursor_right(&self, n: usize) -> io::Result<()> {
        self.add_move(n, 'C')
    }

    fn move_cursor_left(&self, n: usize) -> io::Result<()> {
        self.add_move(n, 'D')
    }

    fn write_line(&self, line: &str) -> io::Result<()> {
        self.add(format_args!("{line}\n"))
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        self.add(format_args!("{text}"))
    }

    fn clear_line(&self) -> io::Result<()> {
        self.add(format_args!("\r\x1b[2K"))
    }

    fn flush(&self) -> io::Result<()> {
        let frame = std::mem::take(&mut *self.frame.lock().unwrap_or_else(PoisonError::into_inner));
        if !frame.is_empty() {
            error_output::write_frame(frame.as_bytes());
        }
        Ok(())
    }
}

/// Returns whether a stream is a terminal on which a line can be renewed.
pub(crate) fn is_renewable(stream: &impl IsTerminal) -> bool {
    let kind = std::env::var_os("TERM");
    stream.is_terminal() && kind.is_some_and(|kind| !kind.is_empty() && kind != "dumb")
}

/// Returns the columns of the terminal that standard output is; as many as there are numbers if it
/// is none.
pub(crate) fn stdout_columns() -> usize {
    let size = io::stdout().is_terminal().then(|| Term::stdout().size_checked()).flatten();
    size.map_or(usize::MAX, |(_, columns)| columns.into())
}

/// Returns whether no line of `text` is wider than `columns`.
pub(crate) fn fits(text: &str, columns: usize) -> bool {
    text.lines().all(|line| measure_text_width(line) <= columns)
}

/// Escapes control characters in `text`, which comes from outside: `\u{1b}`.
pub(crate) fn escape_controls(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' => shown.push(' '),
            c if c != '\n' && is_control(c) => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
    }
    shown
}

/// Escapes control characters in `text`, including line breaks: `\u{a}`.
pub(crate) fn escape_line(text: &str) -> String {
    escape_controls(text).replace('\n', "\\u{a}")
}

/// Escapes control characters in the text of a JSON document, whose values stay the same.
pub(crate) fn escape_json(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        // Line breaks are between values: those in strings are escaped already.
        if c != '\n' && is_control(c) {
            // All of them have four digits.
            write!(escaped, "\\u{:04x}", u32::from(c)).unwrap_or(());
        } else {
            escaped.push(c);
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_not_shown() {
        assert_eq!(escape_controls("a\u{1b}[2Jb\n\tc\u{202e}"), "a\\u{1b}[2Jb\n c\\u{202e}");
        assert_eq!(escape_line("a\u{1b}\nb"), "a\\u{1b}\\u{a}b");
    }

    #[test]
    fn json_keeps_its_values_when_it_is_escaped() {
        let value =
            serde_json::json!({"a\u{9b}": ["\u{202e}b\u{1b}\u{7f}", "\n\t\u{e9}\u{1f600}"]});
        let escaped = escape_json(&serde_json::to_string_pretty(&value).unwrap());
        assert!(escaped.contains("\\u009b") && escaped.contains("\\u202eb\\u001b"), "{escaped}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&escaped).unwrap(), value);
    }
}
