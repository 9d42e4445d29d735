//! The clear rates at the end.

use hatchery_core::findings::{FindingBlock, FindingSection, KeyFact, RichText, words};

use super::super::pictures;
use super::super::spec::LevelCondition;
use super::super::summary::AdaptSummary;
use super::super::tables;
use crate::studies::mean_estimate::MeanEstimate;

/// Compares the levels adapted with each alpha with the conventional levels.
pub(super) fn finding(summary: &AdaptSummary<'_>) -> RichText {
    let all = summary.clear_rates();
    let Some((conventional, adapted)) = all.split_last() else { return RichText::default() };
    let mut words = RichText::default();
    if let Some(rate) = conventional.mean() {
        words = words.plain("Conventional levels are cleared in ").join(rate.percent());
        words = words.plain(" of plays.");
    }
    for rates in adapted {
        let Some(gain) = rates.mean_gain(conventional) else { continue };
        let condition = rates.condition.words(&summary.spec.adaptation.alphas);
        words = words
            .plain(" ")
            .strong(format!("With {condition}, levels are {}", verdict(gain)))
            .plain(": ")
            .join(gain.points())
            .plain(".");
    }
    words
}

fn verdict(gain: MeanEstimate) -> &'static str {
    match gain.interval() {
        Some(it) if 0.0 < it.low => "cleared more often",
        Some(it) if it.high < 0.0 => "cleared less often",
        _ => "not shown to be cleared more or less often",
    }
}

/// Returns the clear rate of conventional levels.
pub(super) fn key_fact(summary: &AdaptSummary<'_>) -> Option<KeyFact> {
    let rates = summary.clear_rates();
    let best = rates.iter().filter(|it| it.condition != LevelCondition::Conventional);
    let (plays, cleared) =
        best.fold((0, 0), |(plays, cleared), it| (plays + it.plays, cleared + it.cleared));
    (plays != 0).then(|| KeyFact {
        name: "Adapted levels cleared".to_owned(),
        value: words::of_all(cleared, plays),
        note: rates.last().map_or_else(String::new, |it| {
            format!("conventional: {}", words::of_all(it.cleared, it.plays))
        }),
    })
}

/// Returns the section of the clear rates.
pub(super) fn section(summary: &AdaptSummary<'_>) -> FindingSection {
    let caption = "The share of levels that subjects clear under each condition: mean over \
                   subjects, with 95 % intervals. A level is cleared if no pig is left.";
    let about = "p is that of Wilcoxon's signed-rank test of the subjects' clear rates against \
                 those at conventional levels, two-sided: exact, and by the normal approximation \
                 with corrections for ties and continuity. Subjects with equal rates are left out.";
    let picture = pictures::clear_rates(summary).picture();
    FindingSection::new(
        "Clear rates",
        vec![
            FindingBlock::figure("clear-rates", picture, caption),
            tables::clear_rates(summary, &tables::compared_rates(summary)).block(about),
        ],
    )
}
