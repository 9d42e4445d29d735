//! Tables and the picture of the change of scores.

use std::fmt::Write as _;

use hatchery_core::IntervalEstimate;
use hatchery_core::text::{TAKES_ALL, csv_cell};
use hatchery_figures::{ForestChart, ForestRow, Quantity, ReferenceValue};

use crate::experiment::impact::change::ChangeCounts;
use crate::experiment::impact::spec::CheckedImpact;
use crate::experiment::impact::state::ImpactState;
use crate::rules::PieceId;

/// The name for all hosts together, or for all decks that a host meets.
const ALL: &str = "all";

/// Returns the changes as a table: for every host against every deck, for every host, and for all
/// hosts together. A trial is one pair of games with each deck that is met, without and with the
/// new piece.
pub(super) fn change_csv(checked: &CheckedImpact, state: &ImpactState) -> String {
    let mut text = "agent,host,enemy,replaced,trials,before,after,change,low,high,equal_trials,\
                    variance_ratio\n"
        .to_owned();
    for (agent, look) in state.looks() {
        let mut matchups = look.matchups.iter();
        let hosts = checked.hosts.iter().zip(&look.hosts).zip(&state.replaced);
        for ((host, of_host), replaced) in hosts {
            let replaced = replaced.to_string();
            for (enemy, counts) in checked.field.iter().zip(&mut matchups) {
                write_row(&mut text, [agent, &host.name, &enemy.name, &replaced], counts);
            }
            write_row(&mut text, [agent, &host.name, ALL, &replaced], of_host);
        }
        write_row(&mut text, [agent, ALL, ALL, ""], &look.all);
    }
    text
}

fn write_row(text: &mut String, names: [&str; 4], counts: &ChangeCounts) {
    let (Some([before, after]), Some(change)) = (counts.scores(), counts.estimate()) else {
        return;
    };
    let IntervalEstimate { mean, low, high, .. } = change;
    let saving = counts.saving().map_or_else(String::new, |saving| format!("{saving:.3}"));
    writeln!(
        text,
        "{},{},{:.4},{:.4},{mean:.4},{low:.4},{high:.4},{},{saving}",
        names.join(","),
        counts.trials(),
        before.mean,
        after.mean,
        counts.n_equal(),
    )
    .expect(TAKES_ALL);
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
    pub(super) piece: u16,
    pub(super) name: &'a str,
    pub(super) cosine: f32,
}

/// Returns the neighbors of the new piece, the nearest first.
pub(super) fn new_neighbors<'a>(
    checked: &'a CheckedImpact,
    state: &ImpactState,
) -> Vec<NewNeighbor<'a>> {
    let row = state.neighbors.iter().find(|row| u32::from(row.piece) == checked.piece);
    let most = checked.spec.vector.as_ref().map_or(0, |vector| vector.neighbors as usize);
    let nearest = row.into_iter().flat_map(|row| &row.nearest).take(most);
    let neighbor = nearest.filter_map(|&(piece, cosine)| {
        let definition = checked.pool.definition(PieceId(piece))?;
        Some(NewNeighbor { piece, name: &definition.name, cosine })
    });
    neighbor.collect()
}

/// Returns the neighbors of the new piece as a table.
pub(super) fn neighbors_csv(checked: &CheckedImpact, state: &ImpactState) -> String {
    let mut text = "piece,rank,neighbor,neighbor_name,cosine\n".to_owned();
    for (rank, neighbor) in (1..).zip(new_neighbors(checked, state)) {
        let NewNeighbor { piece, name, cosine } = neighbor;
        writeln!(text, "{},{rank},{piece},{},{cosine:.4}", checked.piece, csv_cell(name))
            .expect(TAKES_ALL);
    }
    text
}
