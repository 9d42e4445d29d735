//! Characters at places.

use std::collections::BTreeMap;

/// Characters at columns and rows of any number; rows are counted downward.
#[derive(Debug, Default)]
pub(super) struct TextCanvas {
    /// By row and column.
    characters: BTreeMap<(i32, i32), char>,
}

impl TextCanvas {
    /// Writes `text` from a column on, over present text.
    pub(super) fn write(&mut self, column: i32, row: i32, text: &str) {
        for (column, c) in (column..).zip(text.chars()) {
            self.characters.insert((row, column), c);
        }
    }

    /// Writes `text` around a column.
    pub(super) fn write_centered(&mut self, column: i32, row: i32, text: &str) {
        self.write(column - columns(text) / 2, row, text);
    }

    /// Returns all rows as lines, from the first character to the last.
    pub(super) fn lines(&self) -> String {
        let first_column = self.characters.keys().map(|&(_, column)| column).min();
        let (Some(first_column), Some((&(first_row, _), _)), Some((&(last_row, _), _))) =
            (first_column, self.characters.first_key_value(), self.characters.last_key_value())
        else {
            return String::new();
        };
        let line = |row| {
            let mut line = String::new();
            let mut next = first_column;
            for (&(_, column), &c) in self.characters.range((row, i32::MIN)..=(row, i32::MAX)) {
                line.extend((next..column).map(|_| ' '));
                line.push(c);
                next = column + 1;
            }
            line.truncate(line.trim_end().len());
            line
        };
        (first_row..=last_row).map(line).collect::<Vec<_>>().join("\n")
    }
}

/// Returns the number of columns that `text` takes.
pub(super) fn columns(text: &str) -> i32 {
    i32::try_from(text.chars().count()).unwrap_or(i32::MAX)
}
