//! The table of runs, as CSV and as Parquet: all columns of a list, and all measures.

use std::collections::BTreeMap;

use super::data_table::{DataTable, TableColumn};
use super::farm::RunDocument;
use crate::error::CommandError;
use crate::sweep::{KeyValue, SEED, SweepPoint};

/// The format of a table for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TableFormat {
    Csv,
    Parquet,
}

/// Returns the table with a row for each of `runs`: the run's identity, its progress, the values of
/// its sweep, and its measures. A cell is empty where a run has no such value.
///
/// # Errors
/// If the table cannot be written.
pub(crate) fn runs_table(
    runs: &[RunDocument],
    format: TableFormat,
) -> Result<Vec<u8>, CommandError> {
    let mut table = DataTable::new("runs", runs.len());
    for (row, run) in runs.iter().enumerate() {
        run.measures.iter().for_each(|measure| table.set_measure(row, measure));
    }
    table.put_first(columns(runs));
    match format {
        TableFormat::Csv => table.csv(),
        TableFormat::Parquet => table.parquet(),
    }
}

/// Returns the columns that come before the measures.
fn columns(runs: &[RunDocument]) -> Vec<(String, TableColumn)> {
    let text = |of: &dyn Fn(&RunDocument) -> &str| {
        let cells: Vec<&str> = runs.iter().map(of).collect();
        TableColumn::texts(cells)
    };
    let count = |of: &dyn Fn(&RunDocument) -> Option<u64>| TableColumn::counts(runs.iter().map(of));
    let number = |of: &dyn Fn(&RunDocument) -> f64| {
        TableColumn::Number(runs.iter().map(|run| Some(of(run))).collect())
    };
    let fixed = [
        ("run", text(&|run| &run.run)),
        ("name", text(&|run| &run.name)),
        ("experiment", text(&|run| &run.experiment)),
        ("version", count(&|run| Some(run.version.into()))),
        ("seed", count(&|run| Some(run.seed))),
        ("user", text(&|run| &run.user)),
        ("state", text(&|run| run.state.word())),
        ("generation", count(&|run| Some(run.generation.into()))),
        ("generations", count(&|run| Some(run.generations.into()))),
        ("trials", count(&|run| Some(run.trials_total))),
        ("cpu_s", number(&|run| run.cpu_s)),
        ("created_unix_ms", count(&|run| Some(run.created_unix_ms))),
        ("started_unix_ms", count(&|run| run.started_unix_ms)),
        ("ended_unix_ms", count(&|run| run.ended_unix_ms)),
        ("digest", text(&|run| &run.digest)),
        ("error", text(&|run| run.error.as_deref().unwrap_or_default())),
        ("title", text(&|run| run.finding.title.as_deref().unwrap_or_default())),
        ("headline", text(&|run| run.finding.headline.as_deref().unwrap_or_default())),
    ];
    let fixed = fixed.into_iter().map(|(name, column)| (name.to_owned(), column));
    let swept = swept(runs).into_iter().map(|(key, cells)| (key, TableColumn::of_text(cells)));
    fixed.chain(swept).collect()
}

/// Returns the keys that runs of sweeps take values of, each with the cells of its column.
fn swept(runs: &[RunDocument]) -> BTreeMap<String, Vec<Option<String>>> {
    let mut all = BTreeMap::new();
    for (row, run) in runs.iter().enumerate() {
        let Some((_, point)) = SweepPoint::of_run(&run.name) else { continue };
        for KeyValue { key, value } in point.values.into_iter().filter(|it| it.key != SEED) {
            all.entry(key).or_insert_with(|| vec![None; runs.len()])[row] = Some(value);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use hatchery_core::{IntervalEstimate, Measure};
    use hatchery_proto::v1::{RunStatus, State};

    use super::*;

    #[test]
    fn runs_of_several_experiments_share_a_table() {
        let run = |name: &str, measures: Vec<Measure>| {
            let (name, state) = (name.to_owned(), State::Done.into());
            let status = RunStatus { name, state, seed: 2, ..RunStatus::default() };
            RunDocument { measures, ..RunDocument::from(status) }
        };
        let estimate = IntervalEstimate { mean: 2.5, low: 2.0, high: 3.0, n: 9, confidence: 0.95 };
        let runs = [
            run("s/seed=2,games=50", vec![Measure::new("games", "games", 7_u64)]),
            run("night, long", vec![Measure::new("mean", "lines", estimate)]),
        ];
        let csv = runs_table(&runs, TableFormat::Csv).unwrap();
        let mut reader = csv::Reader::from_reader(csv.as_slice());
        let names = reader.headers().unwrap().clone();
        let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
        let cell = |row: usize, name: &str| {
            &rows[row][names.iter().position(|known| known == name).expect(name)]
        };
        for (row, name, expected) in [
            (0, "name", "s/seed=2,games=50"),
            (0, "seed", "2"),
            (0, "state", "done"),
            (0, "params.games", "50"),
            (0, "games", "7"),
            (0, "mean", ""),
            (1, "name", "night, long"),
            (1, "params.games", ""),
            (1, "mean_low", "2"),
            (1, "headline", ""),
        ] {
            assert_eq!(cell(row, name), expected, "{name} in row {row}");
        }
        assert_eq!(&runs_table(&runs, TableFormat::Parquet).unwrap()[..4], b"PAR1");
    }
}
