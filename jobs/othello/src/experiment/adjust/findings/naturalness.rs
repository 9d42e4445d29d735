//! How natural each arm's moves look.

use hatchery_core::findings::{FindingBlock, FindingSection, RichText, TableHead};
use hatchery_core::text::rounded;

use super::super::summary::AdjustSummary;
use super::super::tables::{natural_summary, records_by_bot};
use crate::naturalness::{NaturalnessMetric, NaturalnessRow, NaturalnessSummary};

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
    let kinds = summary.kinds();
    let arms = kinds.iter().map(|&kind| natural_summary(&records_by_bot(summary, kind), rate));
    let arms: Vec<_> = arms.collect();
    let columns = ["metric", "kind", "unit"].into_iter().map(TableHead::text);
    let columns = columns.chain(kinds.iter().map(|kind| TableHead::number(kind.name())));
    let rows = NaturalnessMetric::ALL.into_iter().enumerate().map(|(number, metric)| {
        let kind = metric.kind().map(|kind| kind.name().replace('_', " "));
        let kind = kind.unwrap_or_else(|| "-".to_owned());
        let mut row =
            vec![metric.name().replace('_', " ").into(), kind.into(), metric.unit().into()];
        row.extend(arms.iter().map(|arm| value(&arm.rows[number])));
        row
    });
    let rows = rows.collect();
    blocks.push(FindingBlock::table(RichText::default(), columns.collect(), rows));
    FindingSection::new("Naturalness", blocks)
}

fn value(row: &NaturalnessRow) -> RichText {
    let number = |number: f64| rounded(number, 3);
    match (row.value, row.interval) {
        (Some(value), Some([low, high])) => {
            RichText::new(number(value)).soft(format!(" ({} to {})", number(low), number(high)))
        }
        (Some(value), None) => number(value).into(),
        (None, _) => "-".into(),
    }
}
