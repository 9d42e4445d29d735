//! Differences between the maps.

use hatchery_core::findings::{FindingBlock, FindingSection, RichText, TableHead};
use hatchery_core::text::{grouped, rounded};

use crate::experiment::balance::summary::BalanceSummary;
use crate::experiment::balance::variation::{MapVariation, SeatVariation};
use crate::experiment::wording;
use crate::seat_balance::percentage_points;

/// Returns the section on differences between the maps, if there are enough of them.
pub(super) fn section(summary: &BalanceSummary<'_>) -> Option<FindingSection> {
    let MapVariation { n_maps, sigma_quartiles, seats } = summary.variation()?;
    let [lower, median, upper] = sigma_quartiles.map(|sigma| rounded(percentage_points(sigma), 2));
    let quartiles = format!(
        "The quartiles of the estimated sigma of {} maps (all with at least two decided games) are \
         {lower}, {median} and {upper} percentage points; it is 0 where chance explains all.",
        grouped(n_maps)
    );
    let row = |(SeatVariation { mean, sd }, seat): (_, u32)| -> Vec<RichText> {
        vec![
            seat.to_string().into(),
            rounded(percentage_points(mean), 2).into(),
            wording::points(sd),
        ]
    };
    let columns = ["seat", "mean rate, %", "standard deviation, points"];
    let caption = "Win rates of each seat from map to map, all maps alike: their mean, and the \
                   standard deviation of the true rates, with its interval: what chance adds is \
                   subtracted.";
    let rows = seats.into_iter().zip(1..).map(row).collect();
    let table = FindingBlock::table(caption, columns.map(TableHead::number).to_vec(), rows);
    let blocks = vec![FindingBlock::text(quartiles), table];
    Some(FindingSection::new("Differences between the maps", blocks))
}
