//! The files of `birds-adapt`.

use hatchery_core::Exhibit;

use super::summary::AdaptSummary;
use super::{findings, tables, trials};

pub(super) fn exhibits(summary: &AdaptSummary<'_>) -> Vec<Exhibit> {
    let mut exhibits = findings::findings(summary).exhibits();
    exhibits.extend([
        trials::table(summary),
        tables::pigs_by_round(summary),
        tables::fitness(summary),
        tables::rounds(summary),
    ]);
    if !summary.state.plays.is_empty() {
        exhibits.extend([
            tables::clear_rates(summary, &tables::compared_rates(summary)).csv("clear-rates.csv"),
            tables::plays(summary),
            tables::pigs(summary),
        ]);
    }
    exhibits
}
