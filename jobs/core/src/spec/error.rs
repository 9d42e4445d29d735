//! Errors in specs, with their place in the text.

use std::fmt;
use std::ops::Range;

/// The number of characters of a line that an error shows: as many as fit a terminal.
const SHOWN_CHARS: usize = 100;

/// A spec that cannot be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecError {
    /// The file, the preset, or the assignment on the command line.
    pub source_name: String,
    /// The place in the text, where it is known.
    pub place: Option<SourceSpan>,
    /// The key, its value, and the values allowed.
    pub message: String,
}

/// Some characters of a line of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceSpan {
    /// The line, counted from 1.
    pub line: usize,
    /// The first character, counted from 1.
    pub column: usize,
    /// The number of characters; at least 1.
    pub width: usize,
    /// The whole line.
    pub text: String,
}

impl SpecError {
    /// Returns an error of the whole spec.
    #[must_use]
    pub fn whole(source_name: &str, message: impl Into<String>) -> Self {
        Self { source_name: source_name.to_owned(), place: None, message: message.into() }
    }

    /// Returns an error of the bytes at `span` of `text`.
    #[must_use]
    pub(super) fn at(
        source_name: &str,
        text: &str,
        span: Option<Range<usize>>,
        message: &str,
    ) -> Self {
        let place = span.map(|span| SourceSpan::of(text, span));
        Self { source_name: source_name.to_owned(), place, message: message.to_owned() }
    }

    /// Returns an error of an assignment on the command line. The error shows at most the first
    /// line of the assignment.
    #[must_use]
    pub(super) fn assignment(written: &str, message: String) -> Self {
        let mut shown: String = written
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .take(SHOWN_CHARS)
            .collect();
        if shown.chars().count() < written.chars().count() {
            shown.push_str("...");
        }
        Self { source_name: shown, place: None, message }
    }
}

impl SourceSpan {
    fn of(text: &str, span: Range<usize>) -> Self {
        let start = text.floor_char_boundary(span.start.min(text.len()));
        let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |length| start + length);
        let end = text.floor_char_boundary(span.end.clamp(start, line_end));
        Self {
            line: text[..start].matches('\n').count() + 1,
            column: text[line_start..start].chars().count() + 1,
            width: text[start..end].chars().count().max(1),
            text: text[line_start..line_end].trim_end().to_owned(),
        }
    }

    /// Returns the visible part of the line, and the indent and width of the marks below it.
    ///
    /// A long line is cut to a window: the terminal would wrap it and misplace the marks.
    fn window(&self) -> (String, usize, usize) {
        let Self { column, width, text, .. } = self;
        let n_before = (column - 1).saturating_sub(SHOWN_CHARS / 2);
        // A terminal obeys control characters instead of showing them.
        let shown = text.chars().map(|c| if c.is_control() { ' ' } else { c });
        let shown = shown.skip(n_before).take(SHOWN_CHARS).collect();
        let indent = column - 1 - n_before;
        (shown, indent, (*width).clamp(1, SHOWN_CHARS - indent))
    }
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { source_name, place, message } = self;
        let Some(place) = place else {
            return write!(f, "{source_name}: {message}");
        };
        let SourceSpan { line, column, .. } = place;
        let (text, indent, width) = place.window();
        let gutter = line.to_string().len();
        writeln!(f, "{source_name}:{line}:{column}: {message}")?;
        writeln!(f, "{:gutter$} |", "")?;
        writeln!(f, "{line} | {text}")?;
        write!(f, "{:gutter$} | {:indent$}{:^<width$}", "", "", "")
    }
}

impl std::error::Error for SpecError {}
