//! The verdicts on the maps, and each map's sigma.

use hatchery_core::DataTable;
use hatchery_core::findings::{FindingBlock, FindingSection, RichText};
use hatchery_core::text::{counted, grouped, rounded};
use hatchery_stats::FairnessVerdict;

use crate::studies::balance::summary::{BalanceSummary, MapStage, MapStatistics};
use crate::studies::wording;

/// The most rows of the chart: it is read from one screen to the next.
const MAX_ROWS: usize = 60;

/// Returns the section on verdicts.
pub(super) fn section(summary: &BalanceSummary<'_>) -> FindingSection {
    let percent = error_percent(summary);
    let margin = summary.checked.spec.margin;
    let n_seats = wording::NUMBERS[summary.checked.look_schedule.n_seats() - 1];
    let about = format!(
        "Sigma is the standard deviation of the {n_seats} true win rates. Fair: it is below \
         {margin} points; unfair: it is above; each is said wrongly of a map with a probability of \
         at most {percent} %. Undecided: more games are needed."
    );
    let stages = [
        MapStage::Judged(FairnessVerdict::Fair),
        MapStage::Judged(FairnessVerdict::Unfair),
        MapStage::Judged(FairnessVerdict::Undecided),
        MapStage::Screened,
    ];
    let n_maps = |stage| summary.maps.iter().filter(|map| map.stage == stage).count();
    let table = DataTable::on_page(&stages)
        .text("verdict", |stage| stage.name())
        .count("maps", |stage| n_maps(*stage))
        .block("");
    FindingSection::new(
        "Verdicts",
        [
            chart(summary),
            Some(FindingBlock::text(about)),
            Some(table),
            Some(FindingBlock::Text(equal_rates(summary))),
        ]
        .into_iter()
        .flatten()
        .collect(),
    )
}

/// Returns the chart of the maps with decided games, if there are any.
fn chart(summary: &BalanceSummary<'_>) -> Option<FindingBlock> {
    let n_all = summary.maps_with_statistics().count();
    let sigmas: Vec<_> = summary
        .maps_with_statistics()
        .take(MAX_ROWS)
        .map(|(map, statistics)| (map.candidate.name.clone(), statistics.balance.spread.sigma))
        .collect();
    let levels = confidence_levels(sigmas.iter().map(|(_, sigma)| sigma.confidence));
    let chart = wording::sigma_chart("Sigma of each map", summary.checked.spec.margin, sigmas);
    let shown = match n_all <= MAX_ROWS {
        true => String::new(),
        false => format!(" The first {MAX_ROWS} of {}.", counted(n_all, "map")),
    };
    let caption = format!(
        "Sigma of each map, estimated without what chance adds, with {levels} % intervals; the \
         best first: by verdict, then by the estimated sigma. The margin is the largest sigma of a \
         fair map.{shown}"
    );
    (n_all != 0).then(|| FindingBlock::figure("sigma", chart.picture(), caption))
}

/// Returns the confidence of intervals in percent, to one decimal: `90`, or `90 to 95` if they
/// differ. One that would round to 100 is `more than 99.9`.
fn confidence_levels(confidences: impl Iterator<Item = f64> + Clone) -> String {
    let least = confidences.clone().fold(1.0, f64::min);
    let most = confidences.fold(0.0, f64::max);
    let percent = |level: f64| match rounded(100.0 * level, 1).as_str() {
        "100.0" => "more than 99.9".to_owned(),
        text => text.trim_end_matches(".0").to_owned(),
    };
    let (least, most) = (percent(least), percent(most));
    if least == most { least } else { format!("{least} to {most}") }
}

fn equal_rates(summary: &BalanceSummary<'_>) -> RichText {
    let percent = error_percent(summary);
    let significant = |p: &dyn Fn(&MapStatistics) -> f64| {
        let all = summary.maps_with_statistics();
        all.filter(|(_, statistics)| 100.0 * p(statistics) <= percent).count()
    };
    let alone = significant(&|statistics| statistics.balance.test.p_value);
    let discoveries = significant(&|statistics| statistics.among.adjusted_p_value);
    let n = summary.maps_with_statistics().count() as u64;
    #[expect(clippy::cast_precision_loss, reason = "numbers of maps are far below 2^53")]
    let by_chance = rounded(percent / 100.0 * n as f64, 1);
    format!(
        "Equal rates are rejected at {percent} % for {}, where chance alone rejects {by_chance}; \
         allowing for the number of maps (Benjamini-Hochberg), for {}.",
        counted(alone, "map"),
        grouped(discoveries)
    )
    .into()
}

fn error_percent(summary: &BalanceSummary<'_>) -> f64 {
    100.0 * summary.checked.look_schedule.error_rate().get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_that_differ_are_a_range() {
        let levels = |all: &[f64]| confidence_levels(all.iter().copied());
        assert_eq!(levels(&[0.9, 0.9]), "90");
        assert_eq!(levels(&[0.95, 0.9, 0.9375]), "90 to 95");
        assert_eq!(levels(&[0.9375, 0.999_999_94]), "93.8 to more than 99.9");
    }
}
