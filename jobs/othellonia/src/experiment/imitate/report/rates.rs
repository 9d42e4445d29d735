//! Win rates: by arms and steps, and by decks.

use std::fmt::Write as _;

use hatchery_core::IntervalEstimate;
use hatchery_core::text::TAKES_ALL;
use hatchery_figures::{
    MeasuredPoint, PointAxis, PointChart, PointSeries, Quantity, ReferenceLine, SeriesForm,
};
use hatchery_stats::PairCounts;

use crate::experiment::encoding_param::EncodingParam;
use crate::experiment::imitate::spec::CheckedImitate;
use crate::experiment::imitate::state::{ImitateState, NetworkLook};
use crate::experiment::win_rates::{COLUMNS, cells, sum, win_rate};

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
        self.networks.push(all_games(look));
        self.decks.resize(self.decks.len().max(look.decks.len()), [0; 3]);
        for (all, games) in self.decks.iter_mut().zip(&look.decks) {
            *all = sum([*all, games.games()]);
        }
    }
}

/// Returns losses, draws and wins with all decks.
fn all_games(look: &NetworkLook) -> [u64; 3] {
    sum(look.decks.iter().map(PairCounts::games))
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

/// Returns the looks at all networks as a table.
pub(super) fn curves_csv(checked: &CheckedImitate, state: &ImitateState) -> String {
    let mut text = format!("arm,seed,steps,{COLUMNS}\n");
    for (network, it) in checked.networks.iter().zip(&state.networks) {
        for look in &it.looks {
            let (arm, seed, steps) = (network.arm.name(), network.seed, look.steps);
            writeln!(text, "{arm},{seed},{steps},{}", cells(all_games(look))).expect(TAKES_ALL);
        }
    }
    text
}

/// Returns the last look at each network by decks as a table.
pub(super) fn matchups_csv(checked: &CheckedImitate, state: &ImitateState) -> String {
    let mut text = format!("arm,seed,steps,deck,{COLUMNS}\n");
    for (network, it) in checked.networks.iter().zip(&state.networks) {
        let Some(look) = it.looks.last() else { continue };
        for (deck, counts) in checked.decks.iter().zip(&look.decks) {
            let (arm, seed, steps, deck) =
                (network.arm.name(), network.seed, look.steps, &deck.name);
            let cells = cells(counts.games());
            writeln!(text, "{arm},{seed},{steps},{deck},{cells}").expect(TAKES_ALL);
        }
    }
    text
}

/// Returns the chart of win rates by steps.
#[expect(clippy::cast_precision_loss, reason = "for display")]
pub(super) fn curves_chart(checked: &CheckedImitate, curves: &[ArmCurve]) -> PointChart {
    let point = |look: &ArmLook| {
        let rate = look.rate();
        MeasuredPoint {
            x: look.steps as f64,
            y: Quantity::estimate(rate.mean, [rate.low, rate.high]).scaled(100.0),
        }
    };
    let series = curves.iter().map(|curve| PointSeries {
        name: curve.arm.words().to_owned(),
        form: SeriesForm::JoinedPoints,
        points: curve.looks.iter().map(point).collect(),
    });
    PointChart {
        title: format!("Win rate against the agent {}", checked.opponent_name),
        x_label: "steps of learning".to_owned(),
        y_label: "games won, %".to_owned(),
        x_axis: PointAxis::Numbers,
        y_shown: vec![0.0, 100.0],
        reference: Some(ReferenceLine { name: "50 %".to_owned(), y: 50.0 }),
        series: series.collect(),
    }
}
