//! The columns of naturalness metrics in files.

use hatchery_core::table::{NumberForm, TableColumns};

use crate::naturalness::NaturalnessRow;

/// Adds the columns of the metric that `metric` returns for a row.
pub(super) fn with_metric<'a, R>(
    table: TableColumns<'a, R>,
    metric: impl Fn(&'a R) -> &'a NaturalnessRow,
) -> TableColumns<'a, R> {
    table
        .text("metric", |row| metric(row).metric.name())
        .text("kind", |row| Some(metric(row).metric.kind()?.name()))
        .text("unit", |row| metric(row).metric.unit())
        .estimate(["value", "low", "high"], NumberForm::Rounded(4), |row| metric(row).quantity())
        .count("n_moves", |row| metric(row).n_moves)
        .count("n_games", |row| metric(row).n_games)
}
