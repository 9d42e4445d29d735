//! Tables: looks, match-ups and periods.

use std::fmt::Write as _;

use hatchery_core::text::TAKES_ALL;

use super::scalars::{look_games, period_scalars};
use crate::experiment::selfplay::spec::CheckedSelfplay;
use crate::experiment::selfplay::state::SelfplayState;
use crate::experiment::win_rates::{COLUMNS, cells};

/// Returns the looks at all networks as a table.
pub(super) fn curves_csv(checked: &CheckedSelfplay, state: &SelfplayState) -> String {
    let mut text = format!("arm,seed,training_games,steps,opponent,{COLUMNS}\n");
    for (network, it) in checked.networks.iter().zip(&state.networks) {
        let (arm, seed) = (network.arm.name(), network.seed + 1);
        for look in &it.looks {
            let games_before = look_games(checked, it, look);
            for (opponent, games) in checked.opponents.iter().zip(&look.opponents) {
                let (steps, name) = (look.steps, &opponent.name);
                let cells = cells(games.games());
                writeln!(text, "{arm},{seed},{games_before},{steps},{name},{cells}")
                    .expect(TAKES_ALL);
            }
        }
    }
    text
}

/// Returns the last look at each network by match-ups of decks as a table.
pub(super) fn matchups_csv(checked: &CheckedSelfplay, state: &SelfplayState) -> String {
    let mut text = format!("arm,seed,training_games,opponent,deck,enemy_deck,{COLUMNS}\n");
    let decks = || checked.decks.iter();
    for (network, it) in checked.networks.iter().zip(&state.networks) {
        let Some(look) = it.looks.last() else { continue };
        let (arm, seed) = (network.arm.name(), network.seed + 1);
        let games_before = look_games(checked, it, look);
        for (opponent, against) in checked.opponents.iter().zip(&look.opponents) {
            let pairs = decks().flat_map(|own| decks().map(move |enemy| (&own.name, &enemy.name)));
            for ((own, enemy), counts) in pairs.zip(&against.matchups) {
                let (name, cells) = (&opponent.name, cells(counts.games()));
                writeln!(text, "{arm},{seed},{games_before},{name},{own},{enemy},{cells}")
                    .expect(TAKES_ALL);
            }
        }
    }
    text
}

/// Returns every network's periods as a table; a cell is empty where nothing was counted.
pub(super) fn scalars_csv(checked: &CheckedSelfplay, state: &SelfplayState) -> String {
    let mut text = "arm,seed,period,training_games,steps,loss,win_rate_in_training,replay_ratio,\
                    sample_age\n"
        .to_owned();
    let cell = |number: Option<f64>| number.map_or_else(String::new, |it| format!("{it:.4}"));
    for (network, it) in checked.networks.iter().zip(&state.networks) {
        let (arm, seed) = (network.arm.name(), network.seed + 1);
        for (period, scalars) in (1..).zip(period_scalars(checked, it)) {
            let period: u32 = period;
            let (games, steps) = (scalars.games, scalars.steps);
            let loss = scalars.loss.map_or_else(String::new, |loss| format!("{loss:.6}"));
            let [rate, replay, age] =
                [scalars.win_rate_in_training, scalars.replay_ratio, scalars.sample_age].map(cell);
            writeln!(text, "{arm},{seed},{period},{games},{steps},{loss},{rate},{replay},{age}")
                .expect(TAKES_ALL);
        }
    }
    text
}
