//! The exhibits of a run: vectors, neighbors and losses.

mod findings;
mod neighbors;

use hatchery_core::{Exhibit, Findings, Measure};

use self::neighbors::{NeighborShares, NeighborTable, neighbor_columns};
use super::spec::CheckedRepresent;
use super::state::RepresentState;
use crate::players::model::file;
use crate::studies::loss_curve::{loss_table, named_losses};
use crate::studies::vector_learning::recorded_sums;

/// Returns the numbers of a state.
pub(super) fn measures(checked: &CheckedRepresent, state: &RepresentState) -> Vec<Measure> {
    let mut measures = Vec::new();
    let table = NeighborTable::new(&checked.games.pool, &state.neighbors);
    if let Some(shares) = table.shares() {
        let NeighborShares { near_effect, all_effect, near_attribute, all_attribute } = shares;
        measures.extend([
            Measure::new("neighbors_with_common_effect", "", near_effect),
            Measure::new("pairs_with_common_effect", "", all_effect),
            Measure::new("neighbors_of_same_attribute", "", near_attribute),
            Measure::new("pairs_of_same_attribute", "", all_attribute),
        ]);
    }
    if let Some(last) = state.curve.last() {
        measures.push(Measure::new("loss", "", last.mean_loss()));
    }
    let [games, placements] = recorded_sums(&state.games);
    measures.push(Measure::new("steps", "steps", state.steps()));
    measures.push(Measure::new("games", "games", games));
    measures.push(Measure::new("placements", "placements", placements));
    measures
}

/// Returns what the vectors show.
pub(super) fn findings(checked: &CheckedRepresent, state: &RepresentState) -> Findings {
    let table = NeighborTable::new(&checked.games.pool, &state.neighbors);
    findings::findings(checked, state, &table)
}

/// Returns the files of a state.
pub(super) fn exhibits(checked: &CheckedRepresent, state: &RepresentState) -> Vec<Exhibit> {
    let table = NeighborTable::new(&checked.games.pool, &state.neighbors);
    let curves = [named_losses("prediction", &state.curve)];
    let mut exhibits = findings::findings(checked, state, &table).exhibits();
    exhibits.push(loss_table(&curves));
    exhibits.push(neighbor_columns(&table.neighbors()).exhibit("neighbors.csv"));
    if let Some(learner) = &state.learner {
        exhibits.push(Exhibit::new("vectors.safetensors", file::MEDIA_TYPE, learner.model));
    }
    exhibits
}
