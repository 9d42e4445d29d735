//! The cells of the experiment: each arm against each of its opponents.

use super::arms::{AdjustArm, ArmKind, Opponent};
use super::check::CheckedAdjust;
use crate::players::OthelloAgent;
use crate::trial::setup::MatchSetup;

/// The fewest sequences of an arm that learns from game to game, whose scores are the samples of an
/// interval: that of fewer would be of little use. The fewest that are judged, too.
pub(super) const MIN_SEQUENCES: u32 = 6;

/// An arm against an opponent.
#[derive(Clone, Debug)]
pub(super) struct AdjustCell {
    pub(super) kind: ArmKind,
    /// The index of the opponent; that of the opponent nearest to the fixed control for the judge.
    pub(super) opponent: usize,
    /// The numbers of trials that are judged, and that are not.
    pub(super) n_trials: [u32; 2],
    /// The games of a trial.
    pub(super) setup: MatchSetup,
}

impl AdjustCell {
    /// Returns the setup and the number of trials for each series: the judged trials first, then
    /// the other trials. Either number may be 0.
    pub(super) fn series(&self) -> impl Iterator<Item = (MatchSetup, u32)> {
        let [judged, others] = self.n_trials;
        let plain = MatchSetup { judge: None, ..self.setup.clone() };
        let both = [(self.setup.clone(), judged), (plain, others)].into_iter();
        both.filter(|(_, n_trials)| *n_trials != 0)
    }
}

/// Returns all cells: each arm against each of its opponents, then the judge against the BOT that
/// is nearest to the fixed control.
pub(super) fn cells(checked: &CheckedAdjust) -> Vec<AdjustCell> {
    let mut cells = Vec::new();
    for arm in &checked.arms {
        for (opponent, it) in checked.opponents.iter().enumerate() {
            if it.person.is_none() || arm.kind.meets_people() {
                cells.push(cell(checked, arm, opponent));
            }
        }
    }
    let bots = checked.opponents.iter().enumerate().filter(|(_, it)| it.is_steady_bot());
    let nearest = bots.min_by_key(|(_, it)| it.agent.depth().abs_diff(checked.spec.fixed));
    if let Some((opponent, _)) = nearest {
        let judge =
            AdjustArm { kind: ArmKind::Judge, agent: OthelloAgent::Mcts(checked.judge.agent) };
        let cell = cell(checked, &judge, opponent);
        let n_trials = [0, cell.n_trials.iter().sum()];
        cells.push(AdjustCell { n_trials, ..cell });
    }
    cells
}

fn cell(checked: &CheckedAdjust, arm: &AdjustArm, opponent: usize) -> AdjustCell {
    let spec = &checked.spec;
    let Opponent { agent, change, games, .. } = &checked.opponents[opponent];
    // Of a sequence of games, only the second half counts, or what follows a change.
    let (pairs, counted, fewest) = match (change, arm.agent.carries()) {
        (Some(change), _) => (spec.sequence / 2, spec.sequence - 2 * change.after, MIN_SEQUENCES),
        (None, true) => (spec.sequence / 2, spec.sequence / 2, MIN_SEQUENCES),
        (None, false) => (1, 2, 1),
    };
    let n_trials = games.div_ceil(counted).max(fewest);
    let judged = match (spec.judge.games, change) {
        (0, _) | (_, Some(_)) => 0,
        (games, None) => games.div_ceil(counted).max(fewest).min(n_trials),
    };
    let agents = [arm.agent.clone(), OthelloAgent::Mcts(*agent)];
    let setup = MatchSetup {
        judge: Some(checked.judge),
        change: *change,
        ..MatchSetup::new(agents, checked.openings.clone(), pairs)
    };
    AdjustCell { kind: arm.kind, opponent, n_trials: [judged, n_trials - judged], setup }
}
