//! The files of `birds-adapt`.

use hatchery_core::Exhibit;

use super::summary::AdaptSummary;
use super::{findings, tables, trials};

pub(super) fn exhibits(summary: &AdaptSummary<'_>) -> Vec<Exhibit> {
    let csv = |name: &str, content: String| Exhibit::new(name, "text/csv", content);
    let mut exhibits = findings::findings(summary).exhibits();
    exhibits.extend([
        trials::table(summary),
        csv("p-by-round.csv", tables::pigs_by_round(summary)),
        csv("fitness.csv", tables::fitness(summary)),
        csv("rounds.csv", tables::rounds(summary)),
    ]);
    if !summary.state.plays.is_empty() {
        exhibits.extend([
            csv("clear-rates.csv", tables::clear_rates(summary)),
            csv("plays.csv", tables::plays(summary)),
            csv("pigs.csv", tables::pigs(summary)),
        ]);
    }
    exhibits
}
