//! Tables with typed columns, as CSV and as Parquet.

use std::collections::BTreeSet;
use std::str::FromStr;
use std::sync::Arc;

use hatchery_core::table::{FileCells, FileColumn};
use hatchery_core::{Measure, MeasureValue};
use parquet::basic::{ConvertedType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;

use crate::error::CommandError;
use crate::format::as_f64;
use crate::terminal::escape_controls;

/// A table of columns of equal length.
#[derive(Debug)]
pub(super) struct DataTable {
    /// The name of the table in its Parquet schema.
    pub(super) name: &'static str,
    pub(super) n_rows: usize,
    /// The columns with their names.
    pub(super) columns: Vec<(String, TableColumn)>,
}

/// A column; a cell without a value is empty.
#[derive(Debug)]
pub(super) enum TableColumn {
    /// Whole numbers.
    Count(Vec<Option<i64>>),
    /// Numbers.
    Number(Vec<Option<f64>>),
    /// True or false.
    Flag(Vec<Option<bool>>),
    /// Texts.
    Text(Vec<Option<String>>),
}

impl DataTable {
    /// Returns the table of an exhibit with the types that its columns declare. The numbers are
    /// those of the exhibit's text.
    pub(super) fn of_exhibit(table: &hatchery_core::DataTable) -> Self {
        let column = |it: &FileColumn| (it.name.clone(), TableColumn::of_cells(&it.cells));
        let columns = table.file_columns().iter().map(column).collect();
        Self { name: "table", n_rows: table.n_rows(), columns }
    }

    /// Returns a table with this number of rows and no column yet.
    pub(super) fn new(name: &'static str, n_rows: usize) -> Self {
        Self { name, n_rows, columns: Vec::new() }
    }

    /// Sets a number of a row. If no earlier row has the column, the column is added.
    pub(super) fn set(&mut self, row: usize, column: &str, number: f64) {
        let known = self.columns.iter().position(|(known, _)| known == column);
        let idx = known.unwrap_or_else(|| {
            self.columns.push((column.to_owned(), TableColumn::Number(vec![None; self.n_rows])));
            self.columns.len() - 1
        });
        if let (_, TableColumn::Number(numbers)) = &mut self.columns[idx] {
            numbers[row] = Some(number);
        }
    }

    /// Sets a measure of a row. An estimate has three columns: its mean, `_low` and `_high`. A
    /// measure of the best of several candidates has their number in a column `_selected_from`.
    pub(super) fn set_measure(&mut self, row: usize, measure: &Measure) {
        let Measure { name, unit: _, value, selected_from } = measure;
        self.set(row, name, value.point());
        if let MeasureValue::Estimate(estimate) = value {
            self.set(row, &format!("{name}_low"), estimate.low);
            self.set(row, &format!("{name}_high"), estimate.high);
        }
        if let Some(n) = selected_from {
            self.set(row, &format!("{name}_selected_from"), as_f64(*n));
        }
    }

    /// Puts columns, including the parameters of specs, before the other columns. A parameter
    /// `NAME` that has the name of another column gets the column `params.NAME`.
    pub(super) fn put_first(&mut self, columns: Vec<(String, TableColumn)>) {
        let mut taken: BTreeSet<_> = self.columns.iter().map(|(name, _)| name.clone()).collect();
        let named = columns.into_iter().map(|(name, column)| match taken.insert(name.clone()) {
            true => (name, column),
            false => (format!("params.{name}"), column),
        });
        let named: Vec<_> = named.collect();
        self.columns.splice(..0, named);
    }

    /// Formats the table as CSV with a header.
    pub(super) fn csv(&self) -> Result<Vec<u8>, CommandError> {
        let failed = |error: csv::Error| CommandError::set_up(error);
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(self.columns.iter().map(|(name, _)| name)).map_err(failed)?;
        for row in 0..self.n_rows {
            let cells = self.columns.iter().map(|(_, column)| column.cell(row));
            writer.write_record(cells).map_err(failed)?;
        }
        writer.into_inner().map_err(CommandError::set_up)
    }

    /// Formats the table as a Parquet file.
    pub(super) fn parquet(&self) -> Result<Vec<u8>, CommandError> {
        self.write_parquet().map_err(CommandError::set_up)
    }

    fn write_parquet(&self) -> Result<Vec<u8>, ParquetError> {
        let fields = self.columns.iter().map(|(name, column)| column.field(name).map(Arc::new));
        let fields = fields.collect::<Result<Vec<_>, _>>()?;
        let schema = Type::group_type_builder(self.name).with_fields(fields).build()?;
        let mut file = Vec::new();
        let mut writer = SerializedFileWriter::new(&mut file, Arc::new(schema), Arc::default())?;
        let mut group = writer.next_row_group()?;
        for (_, column) in &self.columns {
            let Some(cells) = group.next_column()? else { break };
            column.write(cells)?;
        }
        group.close()?;
        writer.close()?;
        Ok(file)
    }
}

impl TableColumn {
    /// Returns a column of texts. An empty text becomes an empty cell.
    pub(super) fn texts<'a>(cells: impl IntoIterator<Item = &'a str>) -> Self {
        let cell = |cell: &'a str| (!cell.is_empty()).then(|| escape_controls(cell));
        Self::Text(cells.into_iter().map(cell).collect())
    }

    /// Returns a column of counts.
    pub(super) fn counts(cells: impl IntoIterator<Item = Option<u64>>) -> Self {
        let cell = |cell: Option<u64>| cell.map(|n| i64::try_from(n).unwrap_or(i64::MAX));
        Self::Count(cells.into_iter().map(cell).collect())
    }

    /// Returns a declared column. Its numbers are rounded as in a CSV file, and an empty text is an
    /// empty cell there.
    fn of_cells(cells: &FileCells) -> Self {
        match cells {
            FileCells::Counts(counts) => Self::Count(counts.clone()),
            FileCells::Numbers(form, numbers) => {
                let rounded = |number: &Option<f64>| number.map(|number| form.rounded(number));
                Self::Number(numbers.iter().map(rounded).collect())
            }
            FileCells::Flags(flags) => Self::Flag(flags.clone()),
            FileCells::Texts(_, texts) => {
                let text = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
                Self::Text(texts.iter().map(text).collect())
            }
        }
    }

    /// Returns a column of values of a sweep, which the names of runs have as texts. The column has
    /// the first of these types that fits all cells: whole numbers, numbers, texts. A name that
    /// only looks like a number, such as `07` or `nan`, is a text.
    pub(super) fn of_text(cells: Vec<Option<String>>) -> Self {
        if let Some(counts) = numbers_of(&cells) {
            return Self::Count(counts);
        }
        match numbers_of(&cells) {
            Some(numbers) => Self::Number(numbers),
            None => Self::Text(cells),
        }
    }

    fn cell(&self, row: usize) -> String {
        match self {
            Self::Count(counts) => counts[row].map(|n| n.to_string()),
            Self::Number(numbers) => numbers[row].map(|n| n.to_string()),
            Self::Flag(flags) => flags[row].map(|flag| flag.to_string()),
            Self::Text(texts) => texts[row].clone(),
        }
        .unwrap_or_default()
    }

    /// Returns the column's field in a Parquet schema.
    fn field(&self, name: &str) -> Result<Type, ParquetError> {
        let (physical, converted, repetition) = match self {
            Self::Count(counts) if counts.iter().all(Option::is_some) => {
                (Physical::INT64, ConvertedType::NONE, Repetition::REQUIRED)
            }
            Self::Count(_) => (Physical::INT64, ConvertedType::NONE, Repetition::OPTIONAL),
            Self::Number(_) => (Physical::DOUBLE, ConvertedType::NONE, Repetition::OPTIONAL),
            Self::Flag(_) => (Physical::BOOLEAN, ConvertedType::NONE, Repetition::OPTIONAL),
            Self::Text(_) => (Physical::BYTE_ARRAY, ConvertedType::UTF8, Repetition::OPTIONAL),
        };
        let field = Type::primitive_type_builder(name, physical);
        field.with_converted_type(converted).with_repetition(repetition).build()
    }

    fn write(&self, cells: SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        match self {
            Self::Count(counts) => write_cells::<Int64Type>(cells, counts.iter().copied()),
            Self::Number(numbers) => write_cells::<DoubleType>(cells, numbers.iter().copied()),
            Self::Flag(flags) => write_cells::<BoolType>(cells, flags.iter().copied()),
            Self::Text(texts) => {
                let bytes = texts.iter().map(|text| text.as_deref().map(ByteArray::from));
                write_cells::<ByteArrayType>(cells, bytes)
            }
        }
    }
}

/// Returns the cells as numbers, if each of them is written as numbers are in a spec.
fn numbers_of<T: FromStr>(cells: &[Option<String>]) -> Option<Vec<Option<T>>> {
    let number = |text: &String| {
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        let has_zero = digits.strip_prefix('0').is_some_and(|rest| rest.starts_with(is_digit));
        (digits.starts_with(is_digit) && !has_zero).then(|| text.parse().ok())?
    };
    let cell = |cell: &Option<String>| match cell {
        Some(text) => number(text).map(Some),
        None => Some(None),
    };
    cells.iter().map(cell).collect()
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
}

/// Writes the cells of a column: the values, and where there are any, unless the column is
/// required.
fn write_cells<T: DataType>(
    mut column: SerializedColumnWriter<'_>,
    cells: impl Iterator<Item = Option<T::T>> + Clone,
) -> Result<(), ParquetError> {
    let writer = column.typed::<T>();
    let defined: Vec<i16> = cells.clone().map(|cell| i16::from(cell.is_some())).collect();
    let is_optional = writer.get_descriptor().max_def_level() != 0;
    let present: Vec<T::T> = cells.flatten().collect();
    writer.write_batch(&present, is_optional.then_some(&defined[..]), None)?;
    column.close()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use hatchery_core::table::NumberForm;
    use parquet::file::reader::{FileReader, SerializedFileReader};

    use super::*;

    /// Returns the rows of the table as a reader of its Parquet file gets them.
    fn parquet_rows(table: &DataTable) -> Vec<String> {
        let file = table.parquet().unwrap();
        let reader = SerializedFileReader::new(bytes::Bytes::from(file)).unwrap();
        reader.get_row_iter(None).unwrap().map(|row| row.unwrap().to_string()).collect()
    }

    /// The text alone would let the deck pass for a number, the whole rates for counts, and the
    /// flags for texts.
    #[test]
    fn declared_columns_keep_their_types() {
        let decks = [("07", Some(1.0), true), ("", None, false), ("11", Some(2.004), true)];
        let exhibit = hatchery_core::DataTable::of(&decks)
            .text("deck", |it| it.0)
            .number("rate", NumberForm::Trimmed(2), |it| it.1)
            .flag("fits", |it| it.2)
            .count("games", |_| 3_u32)
            .text("note", |_| "")
            .exhibit("decks.csv");
        let table = DataTable::of_exhibit(exhibit.table.as_ref().unwrap());
        let expected = [
            "{deck: \"07\", rate: 1.0, fits: true, games: 3, note: null}",
            "{deck: null, rate: null, fits: false, games: 3, note: null}",
            "{deck: \"11\", rate: 2.0, fits: true, games: 3, note: null}",
        ];
        assert_eq!(parquet_rows(&table), expected);
        assert_eq!(Some(&*table.csv().unwrap()), exhibit.content.bytes());
        assert!(matches!(table.columns[4].1, TableColumn::Text(_)));
    }

    #[test]
    fn swept_values_are_numbers_only_where_all_of_them_are() {
        let column = |cells: &[&str]| {
            let cells = cells.iter().map(|cell| Some((*cell).to_owned())).chain([None]);
            TableColumn::of_text(cells.collect())
        };
        assert!(matches!(column(&["7", "-11", "0"]), TableColumn::Count(_)));
        assert!(matches!(column(&["0.5", "7", "-1e3"]), TableColumn::Number(_)));
        for text in ["07", "-07", "nan", "inf", "00.5", "\"7\"", ".5", "0x10", "seven", ""] {
            assert!(matches!(column(&["7", text]), TableColumn::Text(_)), "{text}");
        }
    }

    #[test]
    fn a_table_without_rows_is_one() {
        let table = hatchery_core::DataTable::of(&[(); 0]).count("ply", |()| 1_u64).build();
        assert!(parquet_rows(&DataTable::of_exhibit(&table)).is_empty());
    }
}
