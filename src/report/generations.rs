//! The table of generations, as CSV and as Parquet.

use hatchery_coordinator::record::GenerationRecord;
use hatchery_core::MeasureValue;

use super::data_table::{DataTable, TableColumn};
use crate::format::{as_f64, seconds};

/// Returns the table with a row for each of `records`: its cost, work and measures. An estimate has
/// three columns: its mean, `_low` and `_high`. A measure of the best of several candidates has
/// their number in a column `_selected_from`. A cell is empty where a generation lacks a measure.
pub(super) fn table(records: &[GenerationRecord]) -> DataTable {
    let count = |of: &dyn Fn(&GenerationRecord) -> u64| {
        let counts = records.iter().map(|record| i64::try_from(of(record)).unwrap_or(i64::MAX));
        TableColumn::Count(counts.map(Some).collect())
    };
    let number = |of: &dyn Fn(&GenerationRecord) -> f64| {
        TableColumn::Number(records.iter().map(|record| Some(of(record))).collect())
    };
    let mut table = DataTable {
        name: "generations",
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
            set(&mut table, &work.unit, row, as_f64(work.count));
        }
        for measure in record.measures() {
            set(&mut table, &measure.name, row, measure.value.point());
            if let MeasureValue::Estimate(estimate) = measure.value {
                set(&mut table, &format!("{}_low", measure.name), row, estimate.low);
                set(&mut table, &format!("{}_high", measure.name), row, estimate.high);
            }
            if let Some(n) = measure.selected_from {
                set(&mut table, &format!("{}_selected_from", measure.name), row, as_f64(n));
            }
        }
    }
    table
}

/// Sets a cell of a column, which is new if no row before has it.
fn set(table: &mut DataTable, name: &str, row: usize, number: f64) {
    let known = table.columns.iter().position(|(known, _)| known == name);
    let idx = known.unwrap_or_else(|| {
        table.columns.push((name.to_owned(), TableColumn::Number(vec![None; table.n_rows])));
        table.columns.len() - 1
    });
    if let (_, TableColumn::Number(numbers)) = &mut table.columns[idx] {
        numbers[row] = Some(number);
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
