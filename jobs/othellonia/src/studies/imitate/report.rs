//! The exhibits of a run: curves of win rates and losses, agents, match-ups and a report.

mod findings;
mod rates;
mod strength;

use hatchery_core::{Exhibit, Findings, Measure};

use self::rates::{ArmCurve, RunView, arm_curves};
use super::check::CheckedImitate;
use super::state::ImitateState;
use crate::params::encoding_param::agent_file;
use crate::players::model::file;
use crate::studies::loss_curve::{loss_table, named_losses};
use crate::studies::vector_learning::recorded_sums;

/// Returns a state's numbers: every arm's win rates first.
pub(super) fn measures(checked: &CheckedImitate, state: &ImitateState) -> Vec<Measure> {
    let curves = arm_curves(checked, state);
    let opponent = checked.opponent_name;
    let rate = |curve: &ArmCurve| {
        let name = format!("{}/win_rate_against_{opponent}", curve.arm.name());
        Some(Measure::new(name, "", curve.looks.last()?.rate()))
    };
    let mut measures: Vec<_> = curves.iter().filter_map(rate).collect();
    for curve in &curves {
        let name = curve.arm.name();
        measures.push(Measure::new(format!("{name}/steps"), "steps", curve.steps));
        if let Some(loss) = curve.loss {
            measures.push(Measure::new(format!("{name}/loss"), "", loss));
        }
    }
    if let Some(last) = state.learning.curve.last() {
        measures.push(Measure::new("prediction/loss", "", last.mean_loss()));
    }
    let [games, _] = recorded_sums(&state.games);
    measures.push(Measure::new("games", "games", games));
    measures
}

/// Returns what the networks have learned.
pub(super) fn findings(checked: &CheckedImitate, state: &ImitateState) -> Findings {
    let curves = arm_curves(checked, state);
    findings::findings(&RunView { checked, state, curves: &curves })
}

/// Returns the files of a state.
pub(super) fn exhibits(checked: &CheckedImitate, state: &ImitateState) -> Vec<Exhibit> {
    let curves = arm_curves(checked, state);
    let networks = checked.networks.iter().zip(&state.networks);
    let mut losses: Vec<_> =
        networks.map(|(network, it)| named_losses(network.name(), &it.curve)).collect();
    if !state.learning.curve.is_empty() {
        losses.push(named_losses("prediction", &state.learning.curve));
    }
    let run = RunView { checked, state, curves: &curves };
    let mut exhibits = findings::findings(&run).exhibits();
    exhibits.extend([
        rates::learning_curves(checked, state),
        rates::matchups(checked, state),
        loss_table(&losses),
    ]);
    for (network, it) in checked.networks.iter().zip(&state.networks) {
        if let Some(learner) = &it.learner {
            exhibits.push(Exhibit::new(agent_file(*network), file::MEDIA_TYPE, learner.model));
        }
    }
    if let Some(vectors) = state.vectors {
        exhibits.push(Exhibit::new("vectors.safetensors", file::MEDIA_TYPE, vectors));
    }
    exhibits
}
