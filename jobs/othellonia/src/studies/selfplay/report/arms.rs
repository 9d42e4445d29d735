//! Arms: what their networks have learned, taken together.

use hatchery_core::IntervalEstimate;

use super::scalars::{PeriodScalars, look_games, period_scalars};
use crate::params::encoding_param::EncodingParam;
use crate::studies::selfplay::check::CheckedSelfplay;
use crate::studies::selfplay::state::{LearnerState, SelfplayState, StrengthLook};
use crate::studies::win_rates::{sum, win_rate};

/// An arm.
pub(super) struct ArmCurve<'a> {
    pub(super) arm: EncodingParam,
    /// Its networks, one for each seed.
    pub(super) networks: Vec<&'a LearnerState>,
    /// The looks; a network that ended early has no later ones.
    pub(super) looks: Vec<ArmLook>,
}

/// The games that an arm's networks played after the same number of games to learn from.
#[derive(Clone, Debug, Default)]
pub(super) struct ArmLook {
    /// The number of games to learn from, per network.
    pub(super) games: u64,
    /// The most steps of a network.
    pub(super) steps: u64,
    /// Losses, draws and wins against each opponent.
    pub(super) opponents: Vec<[u64; 3]>,
    /// The same games by network, for every network that has the look.
    pub(super) by_network: Vec<Vec<[u64; 3]>>,
}

/// Returns the arms of a run.
pub(super) fn arm_curves<'a>(
    checked: &CheckedSelfplay,
    state: &'a SelfplayState,
) -> Vec<ArmCurve<'a>> {
    let mut curves: Vec<ArmCurve<'_>> = Vec::new();
    for (network, it) in checked.networks.iter().zip(&state.networks) {
        if network.seed == 0 {
            let arm = network.arm;
            curves.push(ArmCurve { arm, networks: Vec::new(), looks: Vec::new() });
        }
        let Some(curve) = curves.last_mut() else { continue };
        curve.networks.push(it);
        for look in &it.looks {
            curve.add(look_games(checked, it, look), look);
        }
    }
    for curve in &mut curves {
        curve.looks.sort_by_key(|look| look.games);
    }
    curves
}

impl ArmCurve<'_> {
    /// Adds the look at a network after so many games to learn from.
    fn add(&mut self, games_before: u64, look: &StrengthLook) {
        let at = self.looks.iter().position(|other| other.games == games_before);
        let at = at.unwrap_or_else(|| {
            let opponents = vec![[0; 3]; look.opponents.len()];
            self.looks.push(ArmLook { games: games_before, opponents, ..ArmLook::default() });
            self.looks.len() - 1
        });
        let all = &mut self.looks[at];
        let games: Vec<_> = look.opponents.iter().map(|it| it.games()).collect();
        all.steps = all.steps.max(look.steps);
        for (all, games) in all.opponents.iter_mut().zip(&games) {
            *all = sum([*all, *games]);
        }
        all.by_network.push(games);
    }

    /// Returns the most games that a network has played.
    pub(super) fn games(&self) -> u64 {
        self.networks.iter().map(|it| it.games).max().unwrap_or(0)
    }

    /// Returns the most steps of a network.
    pub(super) fn steps(&self) -> u64 {
        self.networks.iter().map(|it| it.steps()).max().unwrap_or(0)
    }

    /// Returns the mean over networks of a number of their last period.
    #[expect(clippy::cast_precision_loss, reason = "a few networks")]
    pub(super) fn mean_of_last(
        &self,
        checked: &CheckedSelfplay,
        number: impl Fn(&PeriodScalars) -> Option<f64>,
    ) -> Option<f64> {
        let last = self.networks.iter().filter_map(|it| period_scalars(checked, it).pop());
        let numbers: Vec<_> = last.filter_map(|scalars| number(&scalars)).collect();
        let n = numbers.len() as f64;
        // Each is divided first, so that the sum is finite.
        (!numbers.is_empty()).then(|| numbers.iter().map(|number| number / n).sum())
    }

    /// Returns losses, draws and wins in the games to learn from of the last period.
    pub(super) fn last_training_games(&self) -> [u64; 3] {
        let last = self.networks.iter().filter_map(|it| it.periods.last());
        sum(last.map(|period| period.results))
    }
}

impl ArmLook {
    /// Returns the share of games that were won against an opponent.
    pub(super) fn rate(&self, opponent: usize) -> Option<IntervalEstimate> {
        self.opponents.get(opponent).map(|&games| win_rate(games))
    }

    /// Returns every network's games against an opponent.
    pub(super) fn of_networks(&self, opponent: usize) -> Vec<[u64; 3]> {
        self.by_network.iter().filter_map(|it| it.get(opponent)).copied().collect()
    }
}

/// The opponent that the numbers to read first are against, if it is one.
const YARDSTICK: &str = "standard";

/// A run as its findings see it.
#[derive(Clone, Copy)]
pub(super) struct RunView<'a> {
    pub(super) checked: &'a CheckedSelfplay,
    pub(super) state: &'a SelfplayState,
    /// The looks at each arm.
    pub(super) curves: &'a [ArmCurve<'a>],
}

impl RunView<'_> {
    /// Returns true after the first period of learning.
    pub(super) fn has_learned(&self) -> bool {
        self.state.networks.iter().any(|network| !network.periods.is_empty())
    }

    /// Returns the index of the opponent that the numbers to read first are against.
    pub(super) fn yardstick(&self) -> usize {
        let opponents = &self.checked.opponents;
        let at = opponents.iter().position(|opponent| opponent.name == YARDSTICK);
        at.unwrap_or_else(|| opponents.len().saturating_sub(1))
    }
}
