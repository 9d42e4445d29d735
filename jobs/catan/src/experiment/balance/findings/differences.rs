//! How the maps differ from each other.

use hatchery_core::findings::{FindingBlock, FindingSection, RichText, TableHead};
use hatchery_core::text::{grouped, rounded};

use crate::experiment::balance::summary::BalanceSummary;
use crate::experiment::balance::variation::{MapVariation, SeatVariation};
use crate::seat_balance::percent_points;

/// Returns the section on how the maps differ, if there are enough of them.
pub(super) fn section(summary: &BalanceSummary<'_>) -> Option<FindingSection> {
    let MapVariation { n_maps, sigma_quartiles, seats } = summary.variation?;
    let [lower, median, upper] = sigma_quartiles.map(|sigma| rounded(percent_points(sigma), 2));
    let quartiles = format!(
        "Half of the {} maps have an estimated sigma from {lower} to {upper} percentage points; \
         the median is {median}.",
        grouped(n_maps as u64)
    );
    let row = |(seat, number): (_, u32)| -> Vec<RichText> {
        let SeatVariation { mean, deviation } = seat;
        let [mean, deviation] = [mean, deviation].map(|it| rounded(percent_points(it), 2));
        vec![number.to_string().into(), mean.into(), deviation.into()]
    };
    let columns = ["seat", "mean rate, %", "standard deviation"].map(TableHead::number).to_vec();
    let caption = "Win rates of the seats from map to map, all maps alike: their mean, and the \
                   standard deviation of the true rates in percentage points (what chance adds is \
                   subtracted).";
    let rows = seats.into_iter().zip(1..).map(row).collect();
    let blocks = vec![FindingBlock::text(quartiles), FindingBlock::table(caption, columns, rows)];
    Some(FindingSection::new("How maps differ", blocks))
}
