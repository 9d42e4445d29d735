//! Win rates: by arms and steps, and by decks.

use hatchery_core::table::{DataTable, TableColumns};
use hatchery_core::{Exhibit, IntervalEstimate};
use hatchery_figures::PointChart;

use crate::params::encoding_param::{ArmSeed, EncodingParam};
use crate::studies::imitate::check::CheckedImitate;
use crate::studies::imitate::state::{ImitateState, NetworkLook};
use crate::studies::win_rates::{game_columns, rate_chart, rate_series, sum, win_rate};

/// A run as its findings see it.
#[derive(Clone, Copy)]
pub(super) struct RunView<'a> {
    pub(super) checked: &'a CheckedImitate,
    pub(super) state: &'a ImitateState,
    /// The looks at each arm.
    pub(super) curves: &'a [ArmCurve],
}

/// The looks at an arm, its seeds taken together.
pub(super) struct ArmCurve {
    pub(super) arm: EncodingParam,
    /// The looks; a seed that ended early has no later ones.
    pub(super) looks: Vec<ArmLook>,
    /// The most steps of a seed.
    pub(super) steps: u64,
    /// The mean loss of the last stretch of the first seed.
    pub(super) loss: Option<f64>,
}

/// An arm's games after the same number of steps, for all seeds together.
#[derive(Clone, Default)]
pub(super) struct ArmLook {
    pub(super) steps: u64,
    /// Losses, draws and wins for every seed that has the look.
    pub(super) networks: Vec<[u64; 3]>,
    /// Losses, draws and wins by deck, for all seeds together.
    pub(super) decks: Vec<[u64; 3]>,
}

impl ArmLook {
    /// Returns the share of games that were won, with its interval.
    pub(super) fn rate(&self) -> IntervalEstimate {
        win_rate(sum(self.networks.iter().copied()))
    }

    /// Adds the look at a seed.
    fn add(&mut self, look: &NetworkLook) {
        self.networks.push(look.games());
        self.decks.resize(self.decks.len().max(look.decks.len()), [0; 3]);
        for (all, games) in self.decks.iter_mut().zip(&look.decks) {
            *all = sum([*all, games.games()]);
        }
    }
}

/// Returns every arm's curve.
pub(super) fn arm_curves(checked: &CheckedImitate, state: &ImitateState) -> Vec<ArmCurve> {
    let mut curves: Vec<ArmCurve> = Vec::new();
    for (network, it) in checked.networks.iter().zip(&state.networks) {
        if network.seed == 0 {
            let loss = it.curve.last().map(|point| point.mean_loss());
            curves.push(ArmCurve { arm: network.arm, looks: Vec::new(), steps: 0, loss });
        }
        let Some(curve) = curves.last_mut() else { continue };
        curve.steps = curve.steps.max(it.steps());
        for look in &it.looks {
            let at = curve.looks.iter().position(|other| other.steps == look.steps);
            let at = at.unwrap_or_else(|| {
                curve.looks.push(ArmLook { steps: look.steps, ..ArmLook::default() });
                curve.looks.len() - 1
            });
            curve.looks[at].add(look);
        }
        curve.looks.sort_by_key(|look| look.steps);
    }
    curves
}

/// Returns the looks at all networks.
pub(super) fn learning_curves(checked: &CheckedImitate, state: &ImitateState) -> Exhibit {
    let networks = checked.networks.iter().zip(&state.networks);
    let rows = networks.flat_map(|(network, it)| it.looks.iter().map(move |look| (network, look)));
    let rows: Vec<_> = rows.collect();
    let table = look_columns(&rows, |row| *row);
    game_columns(table, |(_, look)| look.games()).exhibit("learning-curves.csv")
}

/// Returns the last look at each network by decks.
pub(super) fn matchups(checked: &CheckedImitate, state: &ImitateState) -> Exhibit {
    let networks = checked.networks.iter().zip(&state.networks);
    let looks = networks.filter_map(|(network, it)| Some((network, it.looks.last()?)));
    let rows = looks.flat_map(|look| {
        let decks = checked.decks.iter().zip(&look.1.decks);
        decks.map(move |(deck, counts)| (look, &deck.name, counts))
    });
    let rows: Vec<_> = rows.collect();
    let table = look_columns(&rows, |(look, ..)| *look).text("deck", |(_, deck, _)| *deck);
    game_columns(table, |(.., counts)| counts.games()).exhibit("matchups.csv")
}

/// Begins a table with the columns of a look at a network.
fn look_columns<'a, R>(
    rows: &'a [R],
    look: impl Fn(&'a R) -> (&'a ArmSeed, &'a NetworkLook),
) -> TableColumns<'a, R> {
    DataTable::of(rows)
        .text("arm", |row| look(row).0.arm.name())
        .count("seed", |row| look(row).0.seed)
        .count("steps", |row| look(row).1.steps)
}

/// Returns the chart of win rates by steps.
pub(super) fn curves_chart(checked: &CheckedImitate, curves: &[ArmCurve]) -> PointChart {
    let series = curves.iter().map(|curve| {
        let points = curve.looks.iter().map(|look| (look.steps, look.rate()));
        rate_series(curve.arm.words().to_owned(), points)
    });
    let title = format!("Win rate against the agent {}", checked.opponent_name);
    rate_chart(title, "steps of learning", series.collect())
}
