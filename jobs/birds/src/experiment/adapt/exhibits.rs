//! The files of `birds-adapt`.

use hatchery_core::Exhibit;

use super::summary::AdaptSummary;
use super::{pictures, report, tables};

pub(super) fn exhibits(summary: &AdaptSummary<'_>) -> Vec<Exhibit> {
    let svg = |name: &str, content: String| Exhibit::new(name, "image/svg+xml", content);
    let csv = |name: &str, content: String| Exhibit::new(name, "text/csv", content);
    let mut exhibits = vec![
        Exhibit::new("report.md", "text/markdown", report::report(summary)),
        svg("p-by-round.svg", pictures::pigs_by_round(summary)),
        csv("p-by-round.csv", tables::pigs_by_round(summary)),
        svg("fitness.svg", pictures::fitness(summary)),
        csv("fitness.csv", tables::fitness(summary)),
        csv("rounds.csv", tables::rounds(summary)),
    ];
    if !summary.state.plays.is_empty() {
        exhibits.extend([
            csv("clear-rates.csv", tables::clear_rates(summary)),
            csv("plays.csv", tables::plays(summary)),
            svg("pigs.svg", pictures::pigs(summary)),
            csv("pigs.csv", tables::pigs(summary)),
        ]);
    }
    exhibits
}
