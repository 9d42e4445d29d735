//! Curves for TensorBoard.

use super::event_file::ScalarEvent;
use super::scalars::{period_scalars, rate_name};
use crate::studies::selfplay::spec::CheckedSelfplay;
use crate::studies::selfplay::state::SelfplayState;
use crate::studies::win_rates::win_rate;

/// Returns every network's curves, by the steps of its learner.
pub(super) fn scalar_events(checked: &CheckedSelfplay, state: &SelfplayState) -> Vec<ScalarEvent> {
    let mut events = Vec::new();
    for (network, it) in checked.networks.iter().zip(&state.networks) {
        let mut push = |curve: &str, step: u64, value: Option<f64>| {
            let tag = format!("{}/seed-{}/{curve}", network.arm.name(), network.seed + 1);
            events.extend(value.map(|value| ScalarEvent { tag, step, value }));
        };
        for scalars in period_scalars(checked, it) {
            let step = scalars.steps;
            #[expect(clippy::cast_precision_loss, reason = "for display")]
            push("games", step, Some(scalars.games as f64));
            push("loss", step, scalars.loss);
            push("win_rate_in_training", step, scalars.win_rate_in_training);
            push("replay_ratio", step, scalars.replay_ratio);
            push("sample_age", step, scalars.sample_age);
        }
        for look in &it.looks {
            for (opponent, games) in checked.opponents.iter().zip(&look.opponents) {
                push(&rate_name(&opponent.name), look.steps, Some(win_rate(games.games()).mean));
            }
        }
    }
    events
}
