//! What is wrong with a spec, and where.

use std::fmt;
use std::ops::Range;

/// How many characters of a line an error shows: what fits a terminal.
const SHOWN_CHARS: usize = 100;

/// A spec that can't be run: where, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecError {
    /// The file, the preset, or the assignment on the command line.
    pub source_name: String,
    /// The place in the text, where it is known.
    pub place: Option<Place>,
    /// The thing, its value, and what would be right.
    pub message: String,
}

/// A place in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Counted from 1.
    pub line: usize,
    /// Counted in characters from 1.
    pub column: usize,
    /// How many characters of the line are meant; at least 1.
    pub width: usize,
    /// The whole line.
    pub text: String,
}

impl SpecError {
    /// An error of the whole spec.
    #[must_use]
    pub fn whole(source_name: &str, message: impl Into<String>) -> Self {
        Self { source_name: source_name.to_owned(), place: None, message: message.into() }
    }

    /// An error of the bytes at `span` of `text`.
    #[must_use]
    pub(super) fn at(
        source_name: &str,
        text: &str,
        span: Option<Range<usize>>,
        message: &str,
    ) -> Self {
        let place = span.map(|span| Place::of(text, span));
        Self { source_name: source_name.to_owned(), place, message: message.to_owned() }
    }

    /// An error of an assignment on the command line.
    #[must_use]
    pub(super) fn assignment(written: &str, message: String) -> Self {
        Self { source_name: format!("--set {written}"), place: None, message }
    }
}

impl Place {
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

    /// What of the line is shown, and the position in it of what is meant. A long line is cut to
    /// a window, or the marks below it would not stand where they belong.
    fn window(&self) -> (String, usize, usize) {
        let Self { column, width, text, .. } = self;
        let n_before = (column - 1).saturating_sub(SHOWN_CHARS / 2);
        // What a terminal would obey, it would not show.
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
        let Place { line, column, .. } = place;
        let (text, indent, width) = place.window();
        let gutter = line.to_string().len();
        writeln!(f, "{source_name}:{line}:{column}: {message}")?;
        writeln!(f, "{:gutter$} |", "")?;
        writeln!(f, "{line} | {text}")?;
        write!(f, "{:gutter$} | {:indent$}{:^<width$}", "", "", "")
    }
}

impl std::error::Error for SpecError {}
