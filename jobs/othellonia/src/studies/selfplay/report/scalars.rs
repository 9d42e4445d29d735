//! Numbers of the periods of learning, for tables and for TensorBoard.

use super::event_file::ScalarEvent;
use crate::studies::selfplay::check::CheckedSelfplay;
use crate::studies::selfplay::schedule::Schedule;
use crate::studies::selfplay::state::{LearnerState, LearningPeriod, SelfplayState, StrengthLook};
use crate::studies::win_rates::win_rate;

/// The numbers of a period.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PeriodScalars {
    /// The games that it and those before learned from.
    pub(super) games: u64,
    /// The steps when it ended.
    pub(super) steps: u64,
    /// The mean loss of a row; `None` without steps.
    pub(super) loss: Option<f64>,
    /// The share of the games to learn from that were won since the period before.
    pub(super) win_rate_in_training: Option<f64>,
    /// The decisions drawn for each one that came into the replay memory.
    pub(super) replay_ratio: Option<f64>,
    /// The mean age of the decisions drawn, in games.
    pub(super) sample_age: Option<f64>,
}

/// Returns the numbers for every period of a network.
pub(super) fn period_scalars(checked: &CheckedSelfplay, it: &LearnerState) -> Vec<PeriodScalars> {
    let mut items = 0;
    let scalars = (0..).zip(&it.periods).map(|(number, period)| {
        let new = period.items.saturating_sub(items);
        items = period.items;
        let learned = learned_games(checked, it, number);
        let played = period.results.iter().any(|&games| games != 0);
        PeriodScalars {
            games: learned,
            steps: period.steps,
            loss: (period.own_steps != 0).then_some(period.mean_loss),
            win_rate_in_training: played.then(|| win_rate(period.results).mean),
            replay_ratio: ratio(period.drawn, new),
            sample_age: sample_age(period, learned),
        }
    });
    scalars.collect()
}

/// Returns the mean age of the decisions that a period drew, in games; `learned` games have become
/// its decisions.
fn sample_age(period: &LearningPeriod, learned: u64) -> Option<f64> {
    let decisions_a_game = ratio(period.items, learned)?;
    let age = ratio(period.age_sum, period.drawn)?;
    (0.0 < decisions_a_game).then(|| age / decisions_a_game)
}

/// Returns the games that a network had learned from before a look. Games that were played at the
/// same time as the look do not count.
pub(super) fn look_games(checked: &CheckedSelfplay, it: &LearnerState, look: &StrengthLook) -> u64 {
    let period = it.periods.iter().rposition(|period| period.steps == look.steps);
    period.map_or(look.games, |period| learned_games(checked, it, period))
}

/// Returns the games that a period and those before learned from.
fn learned_games(checked: &CheckedSelfplay, it: &LearnerState, period: usize) -> u64 {
    match &checked.schedule {
        Schedule::Paper { .. } => it.periods[period].games,
        Schedule::Wide { trials, .. } => {
            let trials = trials.iter().take(period + 1).map(|&n| u64::from(n));
            trials.sum::<u64>() * checked.schedule.file_games()
        }
    }
}

/// Returns a ratio of counts; `None` for 0 below.
#[expect(clippy::cast_precision_loss, reason = "for display")]
fn ratio(above: u64, below: u64) -> Option<f64> {
    (below != 0).then(|| above as f64 / below as f64)
}

/// Returns the name of win rates against an opponent, such as `win_rate_against_rule_0_5`.
pub(super) fn rate_name(opponent: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    let opponent: String = opponent.chars().map(plain).collect();
    format!("win_rate_against_{opponent}")
}

/// Returns the number of generations between the weights that play games and the first weights that
/// learn from these games.
pub(super) const fn lag(schedule: &Schedule) -> u32 {
    match schedule {
        Schedule::Paper { .. } => 0,
        Schedule::Wide { .. } => 1,
    }
}

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
