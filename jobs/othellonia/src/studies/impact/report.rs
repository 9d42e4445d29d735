//! The exhibits of a run: the change of scores, the new piece's neighbors and its agent.

mod findings;
mod table;

use hatchery_core::{Exhibit, Findings, Measure};

use self::findings::RunView;
use self::table::{change_rows, new_neighbors};
use super::check::CheckedImpact;
use super::state::ImpactState;
use crate::players::model::file;
use crate::studies::loss_curve::{loss_table, named_losses};
use crate::studies::vector_learning::recorded_sums;

/// Returns a state's numbers: the change over all hosts, then every host's change.
pub(super) fn measures(checked: &CheckedImpact, state: &ImpactState) -> Vec<Measure> {
    let mut measures = Vec::new();
    for (name, look) in state.looks() {
        let all = look.all.estimate();
        measures.extend(all.map(|change| Measure::new(format!("change/{name}"), "", change)));
    }
    for (name, look) in state.looks() {
        for (host, counts) in checked.hosts.iter().zip(&look.hosts) {
            let name = format!("{}/change/{name}", host.name);
            measures.extend(counts.estimate().map(|change| Measure::new(name, "", change)));
        }
    }
    if let Some(look) = &state.zero_shot {
        let saving = look.all.saving();
        measures.extend(saving.map(|saving| Measure::new("variance_ratio", "", saving)));
    }
    let matchups = state.looks().flat_map(|(_, look)| &look.matchups);
    // Pairs without and with the piece, of two games each.
    let games: u64 = matchups.map(|counts| 4 * counts.trials()).sum();
    measures.push(Measure::new("games", "games", games));
    if let Some(last) = state.learning.curve.last() {
        measures.push(Measure::new("vector/loss", "", last.mean_loss()));
    }
    if checked.vector.is_some() {
        let [games, _] = recorded_sums(&state.games);
        measures.push(Measure::new("vector/games", "games", games));
    }
    if checked.tune.is_some() {
        measures.push(Measure::new("tuning/games", "games", state.tuning.games));
        measures.push(Measure::new("tuning/steps", "steps", state.tuning.steps()));
    }
    measures
}

/// Returns what the new piece changes.
pub(super) fn findings(checked: &CheckedImpact, state: &ImpactState) -> Findings {
    findings::findings(&RunView { checked, state })
}

/// Returns the files of a state.
pub(super) fn exhibits(checked: &CheckedImpact, state: &ImpactState) -> Vec<Exhibit> {
    let run = RunView { checked, state };
    let mut exhibits = findings::findings(&run).exhibits();
    let changes = change_rows(checked, state);
    exhibits.push(table::changes(&changes, checked).exhibit("impact.csv"));
    if checked.vector.is_some() {
        let neighbors = new_neighbors(checked, state);
        exhibits.push(table::neighbors(&neighbors, checked).exhibit("neighbors.csv"));
    }
    let curves = [("prediction", &state.learning.curve), ("tuning", &state.tuning.curve)];
    let curves = curves.into_iter().filter(|(_, curve)| !curve.is_empty());
    let curves: Vec<_> = curves.map(|(name, curve)| named_losses(name, curve)).collect();
    if !curves.is_empty() {
        exhibits.push(loss_table(&curves));
    }
    if let Some(extended) = state.extended {
        exhibits.push(Exhibit::new("agent-extended.safetensors", file::MEDIA_TYPE, extended));
    }
    if let Some(tuned) = &state.tuning.learner {
        exhibits.push(Exhibit::new("agent-tuned.safetensors", file::MEDIA_TYPE, tuned.model));
    }
    exhibits
}
