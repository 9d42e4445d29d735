//! Maps of the same origin together, beside the published ones.

use hatchery_core::DataTable;
use hatchery_core::findings::{FindingSection, RichText};
use hatchery_core::text::{grouped, rounded};

use crate::rules::Seat;
use crate::studies::balance::summary::{BalanceSummary, MapGroup};
use crate::studies::wording;

/// Table 4 of Hwang & Kaneko: win rates in percent by JSettlers, 2,000 games per map. The paper
/// does not say whether its players P1 to P4 are seats.
const TABLE_4: [(&[&str], &str, [f64; Seat::COUNT]); 3] = [
    (&["rulebook"], "rulebook (1)", [23.29, 25.34, 24.04, 26.33]),
    (&["tournament", "tournament_strict"], "tournament (5)", [24.75, 24.91, 24.94, 25.40]),
    (&["free"], "random (29)", [24.79, 24.71, 25.10, 25.40]),
];

/// The most rows of the table: a run may have a thousand maps of its own names.
const MAX_ROWS: usize = 60;

/// A row of the table.
enum OriginRow<'a> {
    Group(&'a MapGroup),
    Published(&'a str, [f64; Seat::COUNT]),
}

/// Returns the section on origins.
pub(super) fn section(summary: &BalanceSummary<'_>) -> FindingSection {
    let mut rows = Vec::new();
    let n_seats = summary.checked.look_schedule.n_seats();
    // The published games have four players.
    let mut published = if n_seats == Seat::COUNT { TABLE_4.to_vec() } else { Vec::new() };
    for group in summary.groups.iter().take(MAX_ROWS) {
        rows.push(OriginRow::Group(group));
        let like = published.iter().position(|(names, ..)| names.contains(&group.name.as_str()));
        let like = like.map(|idx| published.remove(idx));
        rows.extend(like.map(|(_, name, rates)| OriginRow::Published(name, rates)));
    }
    rows.push(OriginRow::Group(&summary.all));
    let rest = match summary.groups.len().saturating_sub(MAX_ROWS) {
        0 => String::new(),
        n => format!(" {} more origins are left out.", grouped(n)),
    };
    let caption = format!(
        "The games of all maps of an origin together, with Wilson's intervals. The published \
         players P1 to P4 may be seats or the numbers of a program's players: it is not said.{rest}"
    );
    let table = DataTable::on_page(&rows)
        .text("maps", OriginRow::name)
        .words("games", |row| row.of_group(|it| Some(grouped(it.results.games))))
        .each(0..n_seats, |table, seat| {
            table.words(format!("seat {}, %", seat + 1), move |row| row.rate(seat))
        })
        .words("p", |row| row.of_group(|it| wording::p_value(it.balance)))
        .words("spread", |row| row.of_group(|it| Some(rounded(wording::spread(it.balance)?, 2))));
    FindingSection::new("By origin", vec![table.block(caption)])
}

impl OriginRow<'_> {
    fn name(&self) -> RichText {
        match self {
            Self::Group(MapGroup { name, n_maps, .. }) => format!("{name} ({n_maps})").into(),
            Self::Published(name, _) => {
                RichText::default().soft(format!("Hwang & Kaneko, table 4: {name}"))
            }
        }
    }

    fn rate(&self, seat: usize) -> Option<RichText> {
        match self {
            Self::Group(group) => Some(wording::points(group.balance?.rates[seat])),
            Self::Published(_, rates) => Some(RichText::default().soft(rounded(rates[seat], 2))),
        }
    }

    /// Returns a cell that only groups have: the others are empty.
    fn of_group(&self, cell: impl Fn(&MapGroup) -> Option<String>) -> Option<String> {
        match self {
            Self::Group(group) => cell(group),
            Self::Published(..) => Some(String::new()),
        }
    }
}
