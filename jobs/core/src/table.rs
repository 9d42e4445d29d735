//! Tables with typed columns. Each column is declared once: its name, its type and its cells.
//!
//! ```text
//! rows, columns -> DataTable -csv---> the exhibit NAME.csv
//!                            -files-> NAME.parquet, whose types are those of the columns
//!                            -shown-> a table of the findings
//! ```
//! A column is in the file, on the page of the findings, or in both.
//!
//! ```
//! use hatchery_core::table::DataTable;
//!
//! let players = [("anne", 20_000_u64, 0.5), ("bob", 7, 1.0)];
//! let table = DataTable::of(&players)
//!     .text(("player", "player"), |it| it.0)
//!     .count(("games", "games played"), |it| it.1)
//!     .number("score", 2, |it| it.2)
//!     .build();
//! assert_eq!(table.csv(), "player,games,score\nanne,20000,0.50\nbob,7,1.00\n");
//! assert_eq!(table.shown("Players.").rows[0][1].to_string(), "20,000");
//! ```

mod cells;
mod columns;

use crate::rich_text::RichText;
use crate::text::{csv_cell, rounded, without_zeros};

pub use cells::{CountCell, EstimateCell, NumberCell, TextCell};
pub use columns::{ColumnName, TableColumns};

/// A table of columns of equal length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DataTable {
    n_rows: usize,
    file: Vec<FileColumn>,
    page: Vec<PageColumn>,
}

/// A column of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct FileColumn {
    /// The name in the first row of the file.
    pub name: String,
    /// The cells.
    pub cells: FileCells,
}

/// The cells of a column of a file; `None` is an empty cell.
#[derive(Clone, Debug, PartialEq)]
pub enum FileCells {
    /// Whole numbers.
    Counts(Vec<Option<i64>>),
    /// Numbers, all written in the same form.
    Numbers(NumberForm, Vec<Option<f64>>),
    /// True or false.
    Flags(Vec<Option<bool>>),
    /// Texts. An empty text is an empty cell.
    Texts(TextQuotes, Vec<Option<String>>),
}

/// The texts of a column that a file has in quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextQuotes {
    /// Texts that need quotes.
    WhereNeeded,
    /// All texts.
    Always,
}

/// The form of the numbers in a column of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberForm {
    /// With this number of decimal places: `0.50`.
    Fixed(usize),
    /// As `Fixed`, without a sign for numbers that round to zero.
    Rounded(usize),
    /// As a power of ten with this number of decimal places: `5.0e-1`.
    Scientific(usize),
    /// With at most this number of decimal places, without zeros at the end: `0.5`, `2`.
    Trimmed(usize),
    /// With as many digits as distinguish the number from all other numbers: `0.5`, `2`.
    Shortest,
    /// As `Shortest`, with a decimal point: `0.5`, `2.0`.
    WithPoint,
}

/// A table of the page. Each row has a cell per column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindingTable {
    /// A description of the table.
    pub caption: RichText,
    /// The columns.
    pub columns: Vec<TableHead>,
    /// The rows, from above.
    pub rows: Vec<Vec<RichText>>,
}

/// The head of a column of the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableHead {
    /// The name, with the unit of its numbers.
    pub name: String,
    /// True if the cells are numbers, which are aligned on the right.
    pub is_number: bool,
}

/// A column of the page.
#[derive(Clone, Debug, PartialEq)]
struct PageColumn {
    head: TableHead,
    cells: Vec<RichText>,
}

impl DataTable {
    /// Begins a table of a file, with a row for each of `rows` and no columns yet.
    pub fn of<R>(rows: &[R]) -> TableColumns<'_, R> {
        TableColumns::in_file(rows)
    }

    /// Begins a table of the findings, with a row for each of `rows` and no columns yet.
    pub fn on_page<R>(rows: &[R]) -> TableColumns<'_, R> {
        TableColumns::on_page(rows)
    }

    /// Returns a table with these columns of a file. Each column has `n_rows` cells.
    #[must_use]
    pub const fn of_columns(n_rows: usize, file: Vec<FileColumn>) -> Self {
        Self { n_rows, file, page: Vec::new() }
    }

    /// Returns the number of rows.
    #[must_use]
    pub const fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Returns the columns of the file, in their order.
    #[must_use]
    pub fn file_columns(&self) -> &[FileColumn] {
        &self.file
    }

    /// Returns the file as comma-separated values with a header (RFC 4180, with the line ends of
    /// Unix).
    #[must_use]
    pub fn csv(&self) -> String {
        let names = self.file.iter().map(|column| csv_cell(&column.name));
        let mut text = names.collect::<Vec<_>>().join(",") + "\n";
        for row in 0..self.n_rows {
            for (idx, column) in self.file.iter().enumerate() {
                if idx != 0 {
                    text.push(',');
                }
                text.push_str(&column.cells.csv(row));
            }
            text.push('\n');
        }
        text
    }

    /// Returns the table of the page.
    pub fn shown(&self, caption: impl Into<RichText>) -> FindingTable {
        let row = |row: usize| self.page.iter().map(|column| column.cells[row].clone()).collect();
        FindingTable {
            caption: caption.into(),
            columns: self.page.iter().map(|column| column.head.clone()).collect(),
            rows: (0..self.n_rows).map(row).collect(),
        }
    }
}

impl TableHead {
    /// Returns the head of a column of texts.
    pub fn text(name: impl Into<String>) -> Self {
        Self { name: name.into(), is_number: false }
    }

    /// Returns the head of a column of numbers.
    pub fn number(name: impl Into<String>) -> Self {
        Self { name: name.into(), is_number: true }
    }
}

impl FileCells {
    /// Returns a cell as it is written in a file of comma-separated values.
    fn csv(&self, row: usize) -> String {
        let text = match self {
            Self::Counts(counts) => counts[row].map(|count| count.to_string()),
            Self::Numbers(form, numbers) => numbers[row].map(|number| form.text(number)),
            Self::Flags(flags) => flags[row].map(|flag| flag.to_string()),
            Self::Texts(quotes, texts) => texts[row].as_deref().map(|text| quotes.csv(text)),
        };
        text.unwrap_or_default()
    }
}

impl TextQuotes {
    /// Returns a text as a cell of a file of comma-separated values.
    fn csv(self, text: &str) -> String {
        match self {
            Self::WhereNeeded => csv_cell(text),
            Self::Always => format!("\"{}\"", text.replace('"', "\"\"")),
        }
    }
}

impl NumberForm {
    /// Returns a number as a file writes it.
    #[must_use]
    pub fn text(self, number: f64) -> String {
        match self {
            Self::Fixed(digits) => format!("{number:.digits$}"),
            Self::Rounded(digits) => rounded(number, digits),
            Self::Scientific(digits) => format!("{number:.digits$e}"),
            Self::Trimmed(digits) => without_zeros(&format!("{number:.digits$}")),
            Self::Shortest => format!("{number}"),
            Self::WithPoint => format!("{number:?}"),
        }
    }

    /// Returns a number as the page writes it: a number that rounds to zero has no sign.
    pub(crate) fn shown(self, number: f64) -> String {
        match self {
            Self::Fixed(digits) => rounded(number, digits),
            form => form.text(number),
        }
    }

    /// Returns the number that a reader of a file gets. Typed files have the same numbers as text
    /// files.
    #[must_use]
    pub fn rounded(self, number: f64) -> f64 {
        self.text(number).parse().unwrap_or(number)
    }
}

impl From<usize> for NumberForm {
    fn from(digits: usize) -> Self {
        Self::Fixed(digits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::IntervalEstimate;

    struct Row {
        name: &'static str,
        games: Option<u32>,
        rate: Option<IntervalEstimate>,
    }

    fn rows() -> [Row; 2] {
        let rate = IntervalEstimate { mean: 0.25, low: 0.125, high: 0.5, n: 8, confidence: 0.95 };
        [
            Row { name: "a, b", games: Some(1_200), rate: Some(rate) },
            Row { name: "c", games: None, rate: None },
        ]
    }

    #[test]
    fn a_column_is_declared_once() {
        let rows = rows();
        let table = DataTable::of(&rows)
            .text(("name", "player"), |row| row.name)
            .count(("games", "games"), |row| row.games)
            .share((["rate", "low", "high"], "games won"), 3, |row| row.rate)
            .number("p", NumberForm::Scientific(1), |row| row.rate.map(|it| it.low))
            .flag("played", |row| row.games.is_some())
            .words(("", "verdict"), |row| row.games.map(|_| "even"))
            .build();
        let csv = "name,games,rate,low,high,p,played\n\
                   \"a, b\",1200,0.250,0.125,0.500,1.2e-1,true\n\
                   c,,,,,,false\n";
        assert_eq!(table.csv(), csv);
        let shown = table.shown("Games.");
        let heads: Vec<_> = shown.columns.iter().map(|it| (&*it.name, it.is_number)).collect();
        let expected = [("player", false), ("games", true), ("games won", true), ("verdict", true)];
        assert_eq!(heads, expected);
        let cells: Vec<Vec<_>> =
            shown.rows.iter().map(|row| row.iter().map(RichText::to_string).collect()).collect();
        let expected = [["a, b", "1,200", "25.0 % (12.5 to 50.0)", "even"], ["c", "-", "-", "-"]];
        assert_eq!(cells, expected);
    }

    #[test]
    fn names_of_the_page_are_heads() {
        let rows = rows();
        let columns = DataTable::on_page(&rows).estimate("rate", 2, |row| row.rate);
        let columns = columns.each(1..=2, |columns, seat| {
            columns.number(format!("seat {seat}"), 0, move |_| f64::from(seat))
        });
        let shown = columns.build().shown("");
        let heads: Vec<_> = shown.columns.iter().map(|head| &*head.name).collect();
        assert_eq!(heads, ["rate", "seat 1", "seat 2"]);
        assert_eq!(shown.rows[0][0].to_string(), "0.25 (0.12 to 0.50)");
        assert_eq!(shown.rows[1][2].to_string(), "2");
    }

    #[test]
    fn a_table_without_rows_has_a_header() {
        let table = DataTable::of(&[(); 0]).count("a", |()| 1_u64).text("b", |()| "").build();
        assert_eq!((table.csv().as_str(), table.n_rows()), ("a,b\n", 0));
    }

    #[test]
    fn readers_get_the_numbers_of_the_text() {
        let check = |form: NumberForm, number, text: &str, rounded: f64| {
            assert_eq!(form.text(number), text);
            assert_eq!(form.rounded(number).total_cmp(&rounded), std::cmp::Ordering::Equal);
        };
        check(NumberForm::Fixed(2), 0.126, "0.13", 0.13);
        check(NumberForm::Rounded(4), -0.000_01, "0.0000", 0.0);
        check(NumberForm::Scientific(3), 0.001_234_56, "1.235e-3", 0.001_235);
        check(NumberForm::Trimmed(6), 1.0 / 3.0, "0.333333", 0.333_333);
        check(NumberForm::Trimmed(6), 10.0, "10", 10.0);
        check(NumberForm::Shortest, 2.0, "2", 2.0);
        check(NumberForm::WithPoint, 2.0, "2.0", 2.0);
        check(NumberForm::Fixed(1), f64::NEG_INFINITY, "-inf", f64::NEG_INFINITY);
    }
}
