//! The exhibits of a run: curves of win rates and of learning, agents, match-ups and a report.

mod arms;
mod charts;
mod event_file;
mod findings;
mod scalars;
mod tables;

use hatchery_core::{Exhibit, Findings, Measure};

use super::check::CheckedSelfplay;
use super::state::SelfplayState;
use crate::params::encoding_param::agent_file;
use crate::players::model::file;
use crate::studies::win_rates::win_rate;
use arms::{ArmCurve, RunView, arm_curves};
use event_file::{EVENT_FILE, event_file};
use scalars::{lag, rate_name, scalar_events};

/// Returns a state's numbers: every arm's win rates first.
pub(super) fn measures(checked: &CheckedSelfplay, state: &SelfplayState) -> Vec<Measure> {
    let curves = arm_curves(checked, state);
    let mut measures = Vec::new();
    for curve in &curves {
        let Some(look) = curve.looks.last() else { continue };
        for (opponent, games) in checked.opponents.iter().zip(&look.opponents) {
            let name = format!("{}/{}", curve.arm.name(), rate_name(&opponent.name));
            measures.push(Measure::new(name, "", win_rate(*games)));
        }
    }
    for curve in &curves {
        measures.extend(arm_measures(checked, curve));
    }
    measures.push(Measure::new("lag", "generations", u64::from(lag(&checked.schedule))));
    let games = state.networks.iter().fold(0, |sum: u64, it| sum.saturating_add(it.games));
    measures.push(Measure::new("games", "games", games));
    measures
}

/// Returns the numbers of how an arm learned.
fn arm_measures(checked: &CheckedSelfplay, curve: &ArmCurve<'_>) -> Vec<Measure> {
    let arm = curve.arm.name();
    let name = |measure: &str| format!("{arm}/{measure}");
    let mut measures = vec![
        Measure::new(name("games"), "games", curve.games()),
        Measure::new(name("steps"), "steps", curve.steps()),
    ];
    // Looks are rare, and those at networks of a generation come with the next one.
    if let Some(look) = curve.looks.last() {
        measures.push(Measure::new(name("evaluated_games"), "games", look.games));
    }
    if let Some(loss) = curve.mean_of_last(checked, |scalars| scalars.loss) {
        measures.push(Measure::new(name("loss"), "", loss));
    }
    if let Some(ratio) = curve.mean_of_last(checked, |scalars| scalars.replay_ratio) {
        measures.push(Measure::new(name("replay_ratio"), "uses", ratio));
    }
    if let Some(age) = curve.mean_of_last(checked, |scalars| scalars.sample_age) {
        measures.push(Measure::new(name("sample_age"), "games", age));
    }
    let [losses, draws, wins] = curve.last_training_games();
    if losses + draws + wins != 0 {
        let rate = win_rate([losses, draws, wins]);
        measures.push(Measure::new(name("win_rate_in_training"), "", rate));
    }
    measures
}

/// Returns what the networks have learned.
pub(super) fn findings(checked: &CheckedSelfplay, state: &SelfplayState) -> Findings {
    let curves = arm_curves(checked, state);
    findings::findings(&RunView { checked, state, curves: &curves })
}

/// Returns the files of a state.
pub(super) fn exhibits(checked: &CheckedSelfplay, state: &SelfplayState) -> Vec<Exhibit> {
    let curves = arm_curves(checked, state);
    let run = RunView { checked, state, curves: &curves };
    let mut exhibits = findings::findings(&run).exhibits();
    let events = event_file(scalar_events(checked, state));
    exhibits.extend([
        tables::learning_curves(checked, state),
        tables::matchups(checked, state),
        tables::periods(&tables::period_rows(checked, state), checked.spec.seeds)
            .exhibit("scalars.csv"),
        Exhibit::new(EVENT_FILE, "application/octet-stream", events),
    ]);
    for (at, (network, it)) in checked.networks.iter().zip(&state.networks).enumerate() {
        if let Some(learner) = &it.learner {
            exhibits.push(Exhibit::new(agent_file(*network), file::MEDIA_TYPE, learner.model));
            if at == 0 {
                exhibits.push(Exhibit::new("agent.safetensors", file::MEDIA_TYPE, learner.model));
            }
        }
    }
    if let Some(vectors) = state.vectors {
        exhibits.push(Exhibit::new("vectors.safetensors", file::MEDIA_TYPE, vectors));
    }
    exhibits
}
