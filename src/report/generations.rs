//! The table of generations, as CSV and as Parquet.

use std::sync::Arc;

use hatchery_coordinator::record::GenerationRecord;
use hatchery_core::MeasureValue;
use parquet::basic::{Repetition, Type as Physical};
use parquet::data_type::{DoubleType, Int64Type};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use crate::error::CommandError;
use crate::format::seconds;

/// A table of columns of equal length; a cell is empty where a generation lacks a measure.
#[derive(Debug)]
pub(super) struct GenerationTable {
    n_rows: usize,
    columns: Vec<(String, TableColumn)>,
}

#[derive(Debug)]
enum TableColumn {
    Count(Vec<i64>),
    Number(Vec<Option<f64>>),
}

/// Returns the table with a row for each of `records`: its cost, work and measures. An estimate has
/// three columns: its mean, `_low` and `_high`.
pub(super) fn table(records: &[GenerationRecord]) -> GenerationTable {
    let count = |of: &dyn Fn(&GenerationRecord) -> u64| {
        let counts = records.iter().map(|record| i64::try_from(of(record)).unwrap_or(i64::MAX));
        TableColumn::Count(counts.collect())
    };
    let number = |of: &dyn Fn(&GenerationRecord) -> f64| {
        TableColumn::Number(records.iter().map(|record| Some(of(record))).collect())
    };
    let mut table = GenerationTable {
        n_rows: records.len(),
        columns: vec![
            ("generation".to_owned(), count(&|record| record.generation.into())),
            ("jobs".to_owned(), count(&|record| record.spent.jobs)),
            ("trials".to_owned(), count(&|record| record.spent.trials)),
            ("cpu_s".to_owned(), number(&|record| seconds(record.spent.cpu_ns))),
            ("elapsed_s".to_owned(), number(&|record| seconds(record.spent.elapsed_ns))),
        ],
    };
    for (row, record) in records.iter().enumerate() {
        for work in &record.work {
            #[expect(clippy::cast_precision_loss, reason = "2^53 is far above any count")]
            table.set(&work.unit, row, work.count as f64);
        }
        for measure in record.measures() {
            table.set(&measure.name, row, measure.value.point());
            if let MeasureValue::Estimate(estimate) = measure.value {
                table.set(&format!("{}_low", measure.name), row, estimate.low);
                table.set(&format!("{}_high", measure.name), row, estimate.high);
            }
        }
    }
    table
}

impl GenerationTable {
    fn set(&mut self, name: &str, row: usize, number: f64) {
        let known = self.columns.iter().position(|(known, _)| known == name);
        let idx = known.unwrap_or_else(|| {
            self.columns.push((name.to_owned(), TableColumn::Number(vec![None; self.n_rows])));
            self.columns.len() - 1
        });
        if let (_, TableColumn::Number(numbers)) = &mut self.columns[idx] {
            numbers[row] = Some(number);
        }
    }

    /// Formats the table as CSV with a header.
    pub(super) fn csv(&self) -> Result<Vec<u8>, CommandError> {
        let failed = |error: csv::Error| CommandError::set_up(error);
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(self.columns.iter().map(|(name, _)| name)).map_err(failed)?;
        for row in 0..self.n_rows {
            let cells = self.columns.iter().map(|(_, column)| match column {
                TableColumn::Count(counts) => counts[row].to_string(),
                TableColumn::Number(numbers) => {
                    numbers[row].map(|n| n.to_string()).unwrap_or_default()
                }
            });
            writer.write_record(cells).map_err(failed)?;
        }
        writer.into_inner().map_err(CommandError::set_up)
    }

    /// Formats the table as a Parquet file.
    pub(super) fn parquet(&self) -> Result<Vec<u8>, CommandError> {
        self.write_parquet().map_err(CommandError::set_up)
    }

    fn write_parquet(&self) -> Result<Vec<u8>, parquet::errors::ParquetError> {
        let fields = self.columns.iter().map(|(name, column)| {
            let (physical, repetition) = match column {
                TableColumn::Count(_) => (Physical::INT64, Repetition::REQUIRED),
                TableColumn::Number(_) => (Physical::DOUBLE, Repetition::OPTIONAL),
            };
            let field = Type::primitive_type_builder(name, physical).with_repetition(repetition);
            field.build().map(Arc::new)
        });
        let fields = fields.collect::<Result<Vec<_>, _>>()?;
        let schema = Type::group_type_builder("generations").with_fields(fields).build()?;
        let mut file = Vec::new();
        let mut writer = SerializedFileWriter::new(&mut file, Arc::new(schema), Arc::default())?;
        let mut group = writer.next_row_group()?;
        for (_, column) in &self.columns {
            let Some(mut cells) = group.next_column()? else { break };
            match column {
                TableColumn::Count(counts) => {
                    cells.typed::<Int64Type>().write_batch(counts, None, None)?;
                }
                TableColumn::Number(numbers) => {
                    let present: Vec<f64> = numbers.iter().flatten().copied().collect();
                    let defined: Vec<i16> =
                        numbers.iter().map(|number| i16::from(number.is_some())).collect();
                    cells.typed::<DoubleType>().write_batch(&present, Some(&defined), None)?;
                }
            }
            cells.close()?;
        }
        group.close()?;
        writer.close()?;
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use hatchery_core::{IntervalEstimate, Measure};
    use parquet::file::reader::{FileReader, SerializedFileReader};

    use super::*;

    fn records() -> Vec<GenerationRecord> {
        let estimate = IntervalEstimate { mean: 2.5, low: 2.0, high: 3.0, n: 9, confidence: 0.95 };
        let measures = |measures: Vec<Measure>| serde_json::to_string(&measures).unwrap();
        let early = measures(vec![Measure::new("best", "lines", 1.5)]);
        let late = measures(vec![Measure::new("mean", "lines", estimate)]);
        let record = |generation, measures| GenerationRecord {
            generation,
            measures,
            ..GenerationRecord::default()
        };
        vec![record(0, early), record(1, late)]
    }

    #[test]
    fn csv_has_a_row_for_each_generation() {
        let csv = String::from_utf8(table(&records()).csv().unwrap()).unwrap();
        let expected = "generation,jobs,trials,cpu_s,elapsed_s,best,mean,mean_low,mean_high\n\
                        0,0,0,0,0,1.5,,,\n1,0,0,0,0,,2.5,2,3\n";
        assert_eq!(csv, expected);
    }

    #[test]
    fn parquet_reads_back() {
        let file = table(&records()).parquet().unwrap();
        let reader = SerializedFileReader::new(bytes::Bytes::from(file)).unwrap();
        let rows: Vec<_> =
            reader.get_row_iter(None).unwrap().map(|row| row.unwrap().to_string()).collect();
        let zeros = "jobs: 0, trials: 0, cpu_s: 0E0, elapsed_s: 0E0";
        let (first, second) = (
            "best: 1.5, mean: null, mean_low: null, mean_high: null",
            "best: null, mean: 2.5, mean_low: 2.0, mean_high: 3.0",
        );
        let expected = [
            format!("{{generation: 0, {zeros}, {first}}}"),
            format!("{{generation: 1, {zeros}, {second}}}"),
        ];
        assert_eq!(rows, expected);
    }
}
