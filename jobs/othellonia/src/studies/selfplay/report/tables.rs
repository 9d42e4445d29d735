//! Tables: looks, match-ups and periods.

use hatchery_core::Exhibit;
use hatchery_core::findings::words;
use hatchery_core::table::{DataTable, TableColumns};

use super::scalars::{PeriodScalars, look_games, period_scalars};
use crate::params::encoding_param::ArmSeed;
use crate::studies::selfplay::check::CheckedSelfplay;
use crate::studies::selfplay::state::{LearnerState, OpponentLook, SelfplayState, StrengthLook};
use crate::studies::win_rates::game_columns;

/// Games of a network against an opponent at a look.
struct LookRow<'a> {
    network: ArmSeed,
    /// The games that the network had learned from.
    training_games: u64,
    steps: u64,
    opponent: &'a str,
    games: &'a OpponentLook,
}

/// A period of a network's learning.
pub(super) struct PeriodRow<'a> {
    network: ArmSeed,
    learner: &'a LearnerState,
    /// The number of the period: 1 for the first one.
    number: usize,
    scalars: PeriodScalars,
}

/// Returns the looks at all networks.
pub(super) fn learning_curves(checked: &CheckedSelfplay, state: &SelfplayState) -> Exhibit {
    let rows = look_rows(checked, state, |network| &network.looks);
    let table = network_columns(&rows, |row| row.network)
        .count("training_games", |row| row.training_games)
        .count("steps", |row| row.steps)
        .text("opponent", |row| row.opponent);
    game_columns(table, |row| row.games.games()).exhibit("learning-curves.csv")
}

/// Returns the last look at each network by match-ups of decks.
pub(super) fn matchups(checked: &CheckedSelfplay, state: &SelfplayState) -> Exhibit {
    let looks =
        look_rows(checked, state, |network| network.looks.last().map_or(&[], std::slice::from_ref));
    let decks = || checked.decks.iter().map(|deck| &deck.name);
    let rows = looks.iter().flat_map(|look| {
        let pairs = decks().flat_map(|own| decks().map(move |enemy| [own, enemy]));
        pairs.zip(&look.games.matchups).map(move |(decks, counts)| (look, decks, counts))
    });
    let rows: Vec<_> = rows.collect();
    let table = network_columns(&rows, |(look, ..)| look.network)
        .count("training_games", |(look, ..)| look.training_games)
        .text("opponent", |(look, ..)| look.opponent)
        .text("deck", |(_, [own, _], _)| *own)
        .text("enemy_deck", |(_, [_, enemy], _)| *enemy);
    game_columns(table, |(.., counts)| counts.games()).exhibit("matchups.csv")
}

/// Returns a row for each of `rows`, with more decimal places in the file than on the page. A cell
/// is empty where nothing was counted.
pub(super) fn periods<'a>(
    rows: &'a [PeriodRow<'a>],
    n_seeds: u32,
) -> TableColumns<'a, PeriodRow<'a>> {
    let loss = |row: &PeriodRow<'_>| row.scalars.loss;
    let win_rate = |row: &PeriodRow<'_>| row.scalars.win_rate_in_training;
    let replay_ratio = |row: &PeriodRow<'_>| row.scalars.replay_ratio;
    let sample_age = |row: &PeriodRow<'_>| row.scalars.sample_age;
    network_columns(rows, |row| row.network)
        .text(("", "Network"), |row| row.network.words(n_seeds))
        .count("period", |row| row.number)
        .count(("training_games", "Games"), |row| row.scalars.games)
        .count(("steps", "Steps"), |row| row.scalars.steps)
        .number("loss", 6, loss)
        .number(("", "Loss"), 3, loss)
        .number("win_rate_in_training", 4, win_rate)
        .words(("", "Won in training"), |row| Some(words::percent(win_rate(row)?, 1)))
        .number("replay_ratio", 4, replay_ratio)
        .number(("", "Uses of a decision"), 1, replay_ratio)
        .number("sample_age", 4, sample_age)
        .number(("", "Age of a decision"), 0, sample_age)
        .count(("", "Snapshots"), |row| row.learner.snapshots.len())
}

/// Returns every network's periods.
pub(super) fn period_rows<'a>(
    checked: &CheckedSelfplay,
    state: &'a SelfplayState,
) -> Vec<PeriodRow<'a>> {
    let networks = checked.networks.iter().zip(&state.networks);
    let rows = networks.flat_map(|(&network, learner)| {
        let scalars = (1..).zip(period_scalars(checked, learner));
        scalars.map(move |(number, scalars)| PeriodRow { network, learner, number, scalars })
    });
    rows.collect()
}

impl PeriodRow<'_> {
    /// Returns true for the last period of a network so far.
    pub(super) fn is_last(&self) -> bool {
        self.number == self.learner.periods.len()
    }
}

/// Returns a row for each opponent in each of the looks that `looks` returns for a network.
fn look_rows<'a>(
    checked: &'a CheckedSelfplay,
    state: &'a SelfplayState,
    looks: impl Fn(&'a LearnerState) -> &'a [StrengthLook],
) -> Vec<LookRow<'a>> {
    let mut rows = Vec::new();
    for (&network, learner) in checked.networks.iter().zip(&state.networks) {
        for look in looks(learner) {
            let training_games = look_games(checked, learner, look);
            let opponents = checked.opponents.iter().zip(&look.opponents);
            rows.extend(opponents.map(|(opponent, games)| {
                let (steps, opponent) = (look.steps, opponent.name.as_str());
                LookRow { network, training_games, steps, opponent, games }
            }));
        }
    }
    rows
}

/// Begins a table of networks with the columns of each network.
fn network_columns<'a, R>(
    rows: &'a [R],
    network: impl Fn(&'a R) -> ArmSeed,
) -> TableColumns<'a, R> {
    DataTable::of(rows)
        .text("arm", |row| network(row).arm.name())
        .count("seed", |row| network(row).seed + 1)
}
