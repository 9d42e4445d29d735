//! Tables and the picture of the change of scores.

use hatchery_core::IntervalEstimate;
use hatchery_core::findings::words;
use hatchery_core::table::{DataTable, TableColumns};
use hatchery_figures::{ForestChart, ForestRow, Quantity, ReferenceValue};

use crate::rules::PieceId;
use crate::studies::finding_parts::{piece_name, piece_words};
use crate::studies::impact::change::ChangeCounts;
use crate::studies::impact::check::CheckedImpact;
use crate::studies::impact::state::ImpactState;

/// The name for all hosts together, or for all decks that a host meets.
const ALL: &str = "all";

/// The change that the new piece makes: for a host against a deck, for a host against all decks, or
/// for all hosts together.
pub(super) struct ChangeRow<'a> {
    pub(super) agent: &'static str,
    host: &'a str,
    enemy: &'a str,
    /// The piece that the new one replaces; `None` for all hosts together.
    replaced: Option<u32>,
    counts: &'a ChangeCounts,
    /// The scores without and with the piece.
    scores: [IntervalEstimate; 2],
    change: IntervalEstimate,
}

/// Returns the changes that were measured: by agent, for every host against every deck, for every
/// host, and for all hosts together.
pub(super) fn change_rows<'a>(
    checked: &'a CheckedImpact,
    state: &'a ImpactState,
) -> Vec<ChangeRow<'a>> {
    let mut rows = Vec::new();
    let mut push = |agent, [host, enemy]: [&'a str; 2], replaced, counts: &'a ChangeCounts| {
        let (Some(scores), Some(change)) = (counts.scores(), counts.estimate()) else { return };
        rows.push(ChangeRow { agent, host, enemy, replaced, counts, scores, change });
    };
    for (agent, look) in state.looks() {
        let mut matchups = look.matchups.iter();
        let hosts = checked.hosts.iter().zip(&look.hosts).zip(&state.replaced);
        for ((host, of_host), &replaced) in hosts {
            for (enemy, counts) in checked.field.iter().zip(&mut matchups) {
                push(agent, [&host.name, &enemy.name], Some(replaced), counts);
            }
            push(agent, [&host.name, ALL], Some(replaced), of_host);
        }
        push(agent, [ALL; 2], None, &look.all);
    }
    rows
}

/// Returns a row for each of `rows`. A trial is one pair of games with each deck that is met,
/// without and with the new piece.
pub(super) fn changes<'a>(
    rows: &'a [ChangeRow<'a>],
    checked: &CheckedImpact,
) -> TableColumns<'a, ChangeRow<'a>> {
    let [before, after] = [0, 1].map(|at| move |row: &ChangeRow<'_>| row.scores[at].mean);
    let trials = |row: &ChangeRow<'_>| row.counts.trials();
    let saving = |row: &ChangeRow<'_>| row.counts.saving();
    DataTable::of(rows)
        .text("agent", |row| row.agent)
        .text(("host", "Deck"), |row| row.host)
        .text("enemy", |row| row.enemy)
        .count("replaced", |row| row.replaced)
        .text(("", "Replaced piece"), |row| Some(piece_name(&checked.pool, row.replaced?)))
        .count("trials", trials)
        .number("before", 4, before)
        .words(("", "Score without"), |row| words::percent(before(row), 1))
        .number("after", 4, after)
        .words(("", "Score with"), |row| words::percent(after(row), 1))
        .estimate(["change", "low", "high"], 4, |row| row.change)
        .words(("", "Change"), |row| words::points(row.change))
        .count(("", "Trials"), trials)
        .count(("equal_trials", "Unchanged"), |row| row.counts.n_equal())
        .number("variance_ratio", 3, saving)
        .number(("", "Variance ratio"), 2, saving)
}

impl ChangeRow<'_> {
    /// Returns true if the row is about all decks that a host meets.
    pub(super) fn is_of_all_enemies(&self) -> bool {
        self.enemy == ALL
    }
}

/// Returns the chart of the changes: a row for each host, and a row for all hosts together, with
/// the agent as it is and with the tuned agent.
pub(super) fn change_chart(checked: &CheckedImpact, state: &ImpactState) -> ForestChart {
    let has_several = state.tuned.is_some();
    let rows = state.looks().flat_map(|(agent, look)| {
        let agent =
            if has_several { format!(", {}", agent.replace('_', "-")) } else { String::new() };
        let names = checked.hosts.iter().map(|host| host.name.as_str()).chain(["all decks"]);
        let changes = look.hosts.iter().chain([&look.all]);
        let row = move |(name, counts): (&str, &ChangeCounts)| {
            let IntervalEstimate { mean, low, high, .. } = counts.estimate()?;
            let [value, low, high] = [mean, low, high].map(|it| 100.0 * it);
            let quantity = Quantity::Estimate { value, interval: [low, high] };
            Some(ForestRow { name: format!("{name}{agent}"), quantity })
        };
        names.zip(changes).filter_map(row)
    });
    ForestChart {
        title: "Change of the score of decks that the new piece enters".to_owned(),
        x_label: "change, points of score".to_owned(),
        x_shown: vec![0.0],
        reference: Some(ReferenceValue { name: "no change".to_owned(), value: 0.0 }),
        rows: rows.collect(),
    }
}

/// A neighbor of the new piece.
pub(super) struct NewNeighbor<'a> {
    /// 1 for the nearest neighbor.
    rank: u32,
    piece: u16,
    name: &'a str,
    cosine: f32,
}

/// Returns the neighbors of the new piece, the nearest first.
pub(super) fn new_neighbors<'a>(
    checked: &'a CheckedImpact,
    state: &ImpactState,
) -> Vec<NewNeighbor<'a>> {
    let row = state.neighbors.iter().find(|row| u32::from(row.piece) == checked.piece);
    let most = checked.spec.vector.as_ref().map_or(0, |vector| vector.neighbors as usize);
    let nearest = row.into_iter().flat_map(|row| &row.nearest).take(most);
    let known = nearest.filter_map(|&(piece, cosine)| {
        Some((piece, checked.pool.definition(PieceId(piece))?.name.as_str(), cosine))
    });
    let ranked = (1..).zip(known);
    ranked.map(|(rank, (piece, name, cosine))| NewNeighbor { rank, piece, name, cosine }).collect()
}

/// Returns a row for each neighbor of the new piece.
pub(super) fn neighbors<'a>(
    rows: &'a [NewNeighbor<'a>],
    checked: &CheckedImpact,
) -> TableColumns<'a, NewNeighbor<'a>> {
    DataTable::of(rows)
        .count("piece", |_| checked.piece)
        .count("rank", |row| row.rank)
        .count("neighbor", |row| row.piece)
        .text(("", "Nearest piece"), |row| piece_name(&checked.pool, row.piece.into()))
        .text("neighbor_name", |row| row.name)
        .text(("", "What it is"), |row| piece_words(&checked.pool, row.piece.into()))
        .number("cosine", 4, |row| row.cosine)
        .number(("", "Cosine"), 3, |row| row.cosine)
}
