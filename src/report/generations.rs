//! The table of generations, as CSV and as Parquet.

use hatchery_coordinator::run::record::GenerationRecord;

use super::data_table::{DataTable, TableColumn};
use crate::format::{as_f64, seconds};
use crate::sweep::{KeyValue, SEED, SweepPoint};

/// Returns the table of a run with a row for each of `records`: the run, so that tables of several
/// runs can be joined, and the generation's cost, work and measures. A cell is empty where a
/// generation lacks a measure.
pub(super) fn table(run: &RunKeys, records: &[GenerationRecord]) -> DataTable {
    let count = |of: &dyn Fn(&GenerationRecord) -> u64| {
        TableColumn::counts(records.iter().map(|record| Some(of(record))))
    };
    let number = |of: &dyn Fn(&GenerationRecord) -> f64| {
        TableColumn::Number(records.iter().map(|record| Some(of(record))).collect())
    };
    let mut table = DataTable::new("generations", records.len());
    table.columns = vec![
        ("generation".to_owned(), count(&|record| record.generation.into())),
        ("jobs".to_owned(), count(&|record| record.spent.jobs)),
        ("trials".to_owned(), count(&|record| record.spent.trials)),
        ("cpu_s".to_owned(), number(&|record| seconds(record.spent.cpu_ns))),
        ("elapsed_s".to_owned(), number(&|record| seconds(record.spent.elapsed_ns))),
    ];
    for (row, record) in records.iter().enumerate() {
        for work in &record.work {
            table.set(row, &work.unit, as_f64(work.count));
        }
        for measure in record.measures() {
            table.set_measure(row, &measure);
        }
    }
    table.put_first(run.columns(records.len()));
    table
}

/// The keys that tell the rows of a run from rows of other runs.
#[derive(Debug)]
pub(super) struct RunKeys {
    pub(super) run: String,
    pub(super) name: String,
    pub(super) seed: u64,
}

impl RunKeys {
    /// Returns a column for each of the run, its name, its seed and the values of its sweep, which
    /// are the same in all rows.
    fn columns(&self, n_rows: usize) -> Vec<(String, TableColumn)> {
        let Self { run, name, seed } = self;
        let text = |text: &str| TableColumn::texts(std::iter::repeat_n(text, n_rows));
        let seeds = std::iter::repeat_n(Some(*seed), n_rows);
        let mut columns = vec![
            ("run".to_owned(), text(run)),
            ("name".to_owned(), text(name)),
            ("seed".to_owned(), TableColumn::counts(seeds)),
        ];
        let values = SweepPoint::of_run(name).map(|(_, point)| point.values).unwrap_or_default();
        for KeyValue { key, value } in values.into_iter().filter(|it| it.key != SEED) {
            columns.push((key, TableColumn::of_text(vec![Some(value); n_rows])));
        }
        columns
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

    fn keys(name: &str) -> RunKeys {
        RunKeys { run: "R".to_owned(), name: name.to_owned(), seed: 7 }
    }

    #[test]
    fn csv_has_a_row_for_each_generation() {
        // A swept parameter that is called like a measure has a name of its own.
        let name = "s/seed=7,games=50,best=a";
        let csv = String::from_utf8(table(&keys(name), &records()).csv().unwrap()).unwrap();
        let expected = "run,name,seed,games,params.best,generation,jobs,trials,cpu_s,elapsed_s,\
                        best,mean,mean_low,mean_high\n\
                        R,\"s/seed=7,games=50,best=a\",7,50,a,0,0,0,0,0,1.5,,,\n\
                        R,\"s/seed=7,games=50,best=a\",7,50,a,1,0,0,0,0,,2.5,2,3\n";
        assert_eq!(csv, expected);
    }

    #[test]
    fn parquet_reads_back() {
        let file = table(&keys("night"), &records()).parquet().unwrap();
        let reader = SerializedFileReader::new(bytes::Bytes::from(file)).unwrap();
        let rows: Vec<_> =
            reader.get_row_iter(None).unwrap().map(|row| row.unwrap().to_string()).collect();
        let run = "run: \"R\", name: \"night\", seed: 7";
        let zeros = "jobs: 0, trials: 0, cpu_s: 0E0, elapsed_s: 0E0";
        let (first, second) = (
            "best: 1.5, mean: null, mean_low: null, mean_high: null",
            "best: null, mean: 2.5, mean_low: 2.0, mean_high: 3.0",
        );
        let expected = [
            format!("{{{run}, generation: 0, {zeros}, {first}}}"),
            format!("{{{run}, generation: 1, {zeros}, {second}}}"),
        ];
        assert_eq!(rows, expected);
    }
}
