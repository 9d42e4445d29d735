//! Maps of the same origin together, beside the published ones.

use hatchery_core::findings::{FindingBlock, FindingSection, RichText, TableHead};
use hatchery_core::text::{grouped, rounded};

use crate::experiment::balance::summary::{BalanceSummary, MapGroup};
use crate::experiment::wording;
use crate::rules::Seat;
use crate::seat_balance::percentage_points;

/// Table 4 of Hwang & Kaneko: win rates in percent by JSettlers, 2,000 games per map. The paper
/// does not say whether its players P1 to P4 are seats.
const TABLE_4: [(&[&str], &str, [f64; Seat::COUNT]); 3] = [
    (&["rulebook"], "rulebook (1)", [23.29, 25.34, 24.04, 26.33]),
    (&["tournament", "tournament_strict"], "tournament (5)", [24.75, 24.91, 24.94, 25.40]),
    (&["free"], "random (29)", [24.79, 24.71, 25.10, 25.40]),
];

/// The most rows of the table: a run may have a thousand maps of its own names.
const MAX_ROWS: usize = 60;

/// Returns the section on origins.
pub(super) fn section(summary: &BalanceSummary<'_>) -> FindingSection {
    let mut rows = Vec::new();
    let mut published = TABLE_4.to_vec();
    for group in summary.groups.iter().take(MAX_ROWS) {
        rows.push(origin_row(group));
        let like = published.iter().position(|(names, ..)| names.contains(&group.name.as_str()));
        rows.extend(like.map(|idx| published_row(published.remove(idx))));
    }
    rows.push(origin_row(&summary.all));
    let columns = [TableHead::text("maps"), TableHead::number("games")];
    let ends = [TableHead::number("p"), TableHead::number("spread")];
    let columns = columns.into_iter().chain(wording::rate_heads()).chain(ends).collect();
    let left_out = summary.groups.len().saturating_sub(MAX_ROWS);
    let rest = match left_out {
        0 => String::new(),
        n => format!(" {} more origins are left out.", grouped(n)),
    };
    let caption = format!(
        "The games of all maps of an origin together, with Wilson's intervals. The published \
         players P1 to P4 may be seats or the numbers of a program's players: it is not said.{rest}"
    );
    FindingSection::new("By origin", vec![FindingBlock::table(caption, columns, rows)])
}

fn origin_row(MapGroup { name, n_maps, results, balance }: &MapGroup) -> Vec<RichText> {
    let balance = balance.as_ref();
    let spread = balance.map(|balance| rounded(percentage_points(balance.spread.observed), 2));
    let mut cells = vec![format!("{name} ({n_maps})").into(), grouped(results.games).into()];
    cells.extend(wording::rate_cells(balance));
    cells.extend([wording::cell(balance.map(wording::p_value)), wording::cell(spread)]);
    cells
}

fn published_row((_, name, rates): (&[&str], &str, [f64; Seat::COUNT])) -> Vec<RichText> {
    let name = RichText::default().soft(format!("Hwang & Kaneko, table 4: {name}"));
    let rates = rates.map(|rate| RichText::default().soft(rounded(rate, 2)));
    let empty = || "".into();
    [name, empty()].into_iter().chain(rates).chain([empty(), empty()]).collect()
}
