//! Differences between the maps.

use hatchery_core::DataTable;
use hatchery_core::findings::{FindingBlock, FindingSection};
use hatchery_core::text::{grouped, rounded};

use crate::experiment::balance::summary::BalanceSummary;
use crate::experiment::balance::variation::{MapVariation, SeatVariation};
use crate::seat_balance::{estimate_in_points, percentage_points};

/// Returns the section on differences between the maps; `None` if there are too few maps.
pub(super) fn section(summary: &BalanceSummary<'_>) -> Option<FindingSection> {
    let MapVariation { n_maps, sigma_quartiles, seats } = summary.variation()?;
    let [lower, median, upper] = sigma_quartiles.map(|sigma| rounded(percentage_points(sigma), 2));
    let quartiles = format!(
        "The quartiles of the estimated sigma of {} maps (all with at least two decided games) are \
         {lower}, {median} and {upper} percentage points; it is 0 where chance explains all.",
        grouped(n_maps)
    );
    let seats: Vec<_> = (1_u32..).zip(seats).collect();
    let caption = "Win rates of each seat from map to map, all maps alike: their mean, and the \
                   standard deviation of the true rates, with its interval: what chance adds is \
                   subtracted.";
    let table = DataTable::on_page(&seats)
        .count("seat", |(seat, _)| *seat)
        .number("mean rate, %", 2, |(_, SeatVariation { mean, .. })| percentage_points(*mean))
        .estimate("standard deviation, points", 2, |(_, SeatVariation { sd, .. })| {
            estimate_in_points(*sd)
        })
        .block(caption);
    let blocks = vec![FindingBlock::text(quartiles), table];
    Some(FindingSection::new("Differences between the maps", blocks))
}
