//! How natural each arm's moves look.

use hatchery_core::DataTable;
use hatchery_core::findings::{FindingBlock, FindingSection, RichText};

use super::super::summary::AdjustSummary;
use super::super::tables::{natural_summary, records_by_bot};
use crate::naturalness::{NaturalnessMetric, NaturalnessSummary};

/// Returns the section with every arm's metrics.
pub(super) fn naturalness(summary: &AdjustSummary<'_>) -> FindingSection {
    if summary.spec.judge.games == 0 {
        let words = RichText::new("No moves were judged: ").code("judge.games").plain(" is 0.");
        return FindingSection::new("Naturalness", vec![FindingBlock::Text(words)]);
    }
    let about = RichText::new("Moves of each arm against all BOTs, as the judge sees them; ")
        .code("naturalness.csv")
        .plain(
            " has each BOT. Compare with the controls: also a player that never adjusts loses more \
             when it has more to lose. Intervals resample the games against each BOT.",
        );
    let mut blocks = vec![FindingBlock::Text(about)];
    let rate = summary.spec.error_rate;
    if rate.get() < NaturalnessSummary::MIN_ERROR_RATE {
        let words = RichText::new("There are no intervals: ").code("error_rate").plain(format!(
            " is below {}, the lowest that they can have.",
            NaturalnessSummary::MIN_ERROR_RATE
        ));
        blocks.push(FindingBlock::Text(words));
    }
    let arms = summary
        .kinds()
        .into_iter()
        .map(|kind| (kind.name(), natural_summary(&records_by_bot(summary, kind), rate).rows));
    let kind = |metric: &NaturalnessMetric| Some(metric.kind()?.name().replace('_', " "));
    let metrics: Vec<_> = NaturalnessMetric::ALL.into_iter().enumerate().collect();
    let table = DataTable::on_page(&metrics)
        .text("metric", |(_, metric)| metric.name().replace('_', " "))
        .text("kind", |(_, metric)| kind(metric))
        .text("unit", |(_, metric)| metric.unit())
        .each(arms, |table, (arm, rows)| {
            table.estimate(arm, 3, move |(number, _)| rows[*number].quantity())
        });
    blocks.push(table.block(RichText::default()));
    FindingSection::new("Naturalness", blocks)
}
