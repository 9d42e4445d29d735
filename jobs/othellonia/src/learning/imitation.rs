//! Imitation: a network learns which actions are chosen (Kono et al., 7.3).
//!
//! A sample is a decision and one of its legal actions; its target is 1 if the action was chosen
//! (put) and 0 if not. Of the actions that were not chosen, a few are drawn at random. The loss is
//! the binary cross entropy of the network's only output, which is the logarithm of the odds of 1.

use hatchery_core::{FastRng, InvalidValue, StreamRng, WireValue};
use hatchery_nets::loss::binary_cross_entropy;
use hatchery_nets::{Activations, Adam, FirstLayerForm, InputBatch, Network};

use super::samples::{Decision, TrainingGames};
use super::step::{
    LearnFailure, LearnSummary, Learner, Pulse, StepMemory, StepOptions, StepRandom,
    check_open_ranges, checked_end, take_steps,
};
use crate::features::{FeatureError, FeatureLayout, Information, SparseRow};
use crate::rules::{Action, Game};

/// The settings of imitation. The seed text of Kono et al. leaves all but `negatives` open: the
/// defaults are our own.
#[derive(Clone, Debug, PartialEq, WireValue)]
#[wire(check)]
pub struct ImitationSettings {
    /// The decisions of a step.
    #[wire(tag = 5, range(min = 1, max = 4_096))]
    pub decisions: u32,
    /// The most actions of a decision that were not chosen (Kono et al., 9.2.1: 5).
    #[wire(tag = 6, range(min = 1, max = 143))]
    pub negatives: u32,
    /// The step size of Adam, above 0.
    #[wire(tag = 7, range(max = 1))]
    pub rate: f32,
    /// The share of a weight that L2 regularization adds to its gradient.
    #[wire(tag = 8, range(min = 0, max = 1))]
    pub weight_decay: f32,
    /// The probability of dropping a hidden value, below 1. Kono et al. (9.1) use dropout. From
    /// 2,000 games, a network with 256 hidden units learned less in as many steps: with 0.2, it
    /// agreed with 51 % of the choices in games not seen after 4,000 steps; with 0, with 54 %.
    #[wire(tag = 9, range(min = 0))]
    pub dropout: f32,
    /// How the first layer is computed.
    #[wire(tag = 10)]
    pub form: FirstLayerForm,
    /// The steps of a stretch of the curve of losses.
    #[wire(tag = 11, range(min = 1))]
    pub stretch: u64,
}

impl Default for ImitationSettings {
    fn default() -> Self {
        Self {
            decisions: 32,
            negatives: 5,
            rate: 1e-3,
            weight_decay: 1e-6,
            dropout: 0.0,
            form: FirstLayerForm::Fastest,
            stretch: 100,
        }
    }
}

/// The number of outputs of a network that imitates.
pub const N_OUTPUTS: usize = 1;

impl ImitationSettings {
    /// Checks the ranges without one of their ends.
    ///
    /// # Errors
    /// If a setting is out of its range.
    pub fn check(&self) -> Result<(), InvalidValue> {
        check_open_ranges(self.rate, self.dropout)
    }
}

/// Changes the learner by `steps` steps, each on decisions that are drawn from `games` with equal
/// probability.
///
/// A step draws its random numbers from the part of `stream` with the step's number, counted over
/// the life of the optimizer. Steps in several calls therefore equal the same steps in a single
/// call.
///
/// # Errors
/// If the network does not fit, a piece has no features, or a loss
/// is not finite: then the learner is as it was before the step, and the steps before it stay.
pub fn learn(
    learner: &mut Learner<'_>,
    games: &TrainingGames<'_>,
    settings: &ImitationSettings,
    steps: u64,
    stream: &StreamRng,
    pulse: &mut Pulse<'_>,
) -> Result<LearnSummary, LearnFailure> {
    learner.check(games, N_OUTPUTS)?;
    let adam = Adam { weight_decay: settings.weight_decay, ..Adam::with_rate(settings.rate) };
    let mut memory = StepMemory::new(learner.network);
    let mut batch = PutBatch::new(&learner.layout, learner.information);
    let summary = take_steps(steps, settings.stretch, pulse, || {
        let mut random = StepRandom::new(stream, learner.optimizer.steps(), settings.dropout);
        batch.draw(games, settings, &mut random.samples)?;
        let PutBatch { input, targets, .. } = &batch;
        let (form, dropout) = (settings.form, random.dropout.as_mut());
        let options = StepOptions { form, adam: &adam, dropout, noise: None };
        let loss_sum = learner.step(input, options, &mut memory, |outputs, gradient| {
            binary_cross_entropy(outputs, targets, gradient)
        })?;
        Ok((targets.len(), loss_sum))
    })?;
    checked_end(summary, learner.network, learner.optimizer)
}

/// Decisions and some of their actions, with what was put.
struct PutBatch<'a> {
    layout: FeatureLayout<'a>,
    information: Information,
    input: InputBatch,
    targets: Vec<f32>,
    row: SparseRow,
    actions: Vec<Action>,
}

impl<'a> PutBatch<'a> {
    fn new(layout: &FeatureLayout<'a>, information: Information) -> Self {
        Self {
            layout: *layout,
            information,
            input: InputBatch::new(layout.state_len(), layout.action_len()),
            targets: Vec::new(),
            row: SparseRow::default(),
            actions: Vec::new(),
        }
    }

    fn draw(
        &mut self,
        games: &TrainingGames<'_>,
        settings: &ImitationSettings,
        rng: &mut FastRng,
    ) -> Result<(), FeatureError> {
        self.input.clear();
        self.targets.clear();
        for _ in 0..settings.decisions {
            let Decision { game, chosen, .. } = games.decision(rng.below(games.n_decisions()));
            self.draw_actions(&game, chosen, settings.negatives as usize, rng);
            self.layout.sparse_state(&game, self.information, &mut self.row)?;
            self.input.push_state(self.row.entries());
            for &action in &self.actions {
                self.layout.sparse_action(&game, action, &mut self.row)?;
                self.input.push_action(self.row.entries());
                self.targets.push(if action == chosen { 1.0 } else { 0.0 });
            }
        }
        Ok(())
    }

    /// Fills in the chosen action, and `negatives` of the others or all if they are fewer.
    fn draw_actions(
        &mut self,
        game: &Game<'_>,
        chosen: Action,
        negatives: usize,
        rng: &mut FastRng,
    ) {
        self.actions.clear();
        self.actions.push(chosen);
        self.actions.extend(game.actions().filter(|action| *action != chosen));
        let n_others = self.actions.len() - 1;
        for place in 1..=negatives.min(n_others.saturating_sub(1)) {
            let n_left = u32::try_from(self.actions.len() - place).expect("at most 144 actions");
            self.actions.swap(place, place + rng.below(n_left) as usize);
        }
        self.actions.truncate(1 + negatives);
    }
}

/// The agreement of a network with the players of games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// The decisions with at least two legal actions.
    pub decisions: u64,
    /// The number of choices that the network agreed with: its first best action was the chosen
    /// action.
    pub agreed: u64,
}

impl Agreement {
    /// Returns the share of decisions with agreement; 0 without decisions.
    #[must_use]
    pub fn share(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^53 decisions")]
        let [agreed, decisions] = [self.agreed, self.decisions.max(1)].map(|it| it as f64);
        agreed / decisions
    }
}

/// Compares the first best action of a network with the chosen one, in every `every`th decision of
/// `games`.
///
/// # Errors
/// If a piece of a deck has no features.
///
/// # Panics
/// If the network does not fit to the layout, or `every` is 0.
pub fn agreement(
    network: &Network,
    layout: &FeatureLayout<'_>,
    information: Information,
    games: &TrainingGames<'_>,
    every: usize,
) -> Result<Agreement, FeatureError> {
    let mut found = Agreement::default();
    let mut input = InputBatch::new(layout.state_len(), layout.action_len());
    let (mut row, mut activations) = (SparseRow::default(), Activations::default());
    for number in (0..games.n_decisions()).step_by(every) {
        let Decision { game, chosen, .. } = games.decision(number);
        input.clear();
        layout.sparse_state(&game, information, &mut row)?;
        input.push_state(row.entries());
        for action in game.actions() {
            layout.sparse_action(&game, action, &mut row)?;
            input.push_action(row.entries());
        }
        if input.n_rows() < 2 {
            continue;
        }
        network.forward(&input, FirstLayerForm::Fastest, &mut activations);
        let mut best: Option<(f32, Action)> = None;
        for (&value, action) in activations.outputs().values().iter().zip(game.actions()) {
            if best.is_none_or(|(most, _)| most < value) {
                best = Some((value, action));
            }
        }
        found.decisions += 1;
        found.agreed += u64::from(best.is_some_and(|(_, action)| action == chosen));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use hatchery_core::RunSeed;

    use super::*;
    use crate::features::PieceEncoding;
    use crate::generate::{DEFAULT_COST_CAP, PoolSettings, generate_pieces, shipped_decks};
    use crate::pool::PiecePool;
    use crate::rules::{GameStart, Player};

    /// Calls `look` with the actions drawn for the states of a game, `n` times each.
    fn each_draw(negatives: usize, n: usize, mut look: impl FnMut(&Game<'_>, Action, &[Action])) {
        let pool = PiecePool::new(generate_pieces(&PoolSettings::default())).unwrap();
        let decks = shipped_decks().map(|deck| deck.build(&pool, DEFAULT_COST_CAP).unwrap());
        let seed = RunSeed::new("imitation", 1).generation(0);
        let mut rng = FastRng::seeded_by(&mut seed.stream("draws"));
        let layout = FeatureLayout::new(PieceEncoding::OneHotDeck).unwrap();
        let mut batch = PutBatch::new(&layout, Information::Perfect);
        let start = GameStart { seed: 1, first: Player::A };
        let mut game = Game::start([&decks[0], &decks[1]], start);
        while game.outcome().is_none() {
            let n_actions = u32::try_from(game.actions().count()).unwrap();
            let chosen = game.actions().nth(rng.below(n_actions) as usize).unwrap();
            for _ in 0..n {
                batch.draw_actions(&game, chosen, negatives, &mut rng);
                look(&game, chosen, &batch.actions);
            }
            game.play(chosen, &mut ()).unwrap();
        }
    }

    #[test]
    fn one_action_is_put_and_five_others_are_not() {
        let mut n_few = 0;
        each_draw(5, 3, |game, chosen, drawn| {
            let legal: BTreeSet<_> = game.actions().collect();
            let different: BTreeSet<_> = drawn.iter().copied().collect();
            assert_eq!(drawn[0], chosen);
            assert_eq!(different.len(), drawn.len());
            assert!(different.is_subset(&legal));
            assert_eq!(drawn.len(), legal.len().min(6));
            n_few += usize::from(legal.len() < 6);
        });
        assert!(n_few != 0, "no state with few actions");
    }

    #[test]
    fn all_others_are_drawn_as_often() {
        let mut counts: BTreeMap<u8, BTreeMap<Action, f64>> = BTreeMap::new();
        let mut n_actions = BTreeMap::new();
        each_draw(5, 2_000, |game, _, drawn| {
            let ply = game.state().placements;
            n_actions.insert(ply, game.actions().count());
            for &action in &drawn[1..] {
                *counts.entry(ply).or_default().entry(action).or_default() += 1.0;
            }
        });
        for (ply, counts) in counts {
            let n_others = n_actions[&ply] - 1;
            assert_eq!(counts.len(), n_others, "actions drawn at ply {ply}");
            let chance = (5.0 / f64::from(u32::try_from(n_others).unwrap())).min(1.0);
            let expected = 2_000.0 * chance;
            // 5 standard deviations: of some 500 actions, one fails in 3,000 seeds.
            let bound = 5.0 * (expected * (1.0 - chance)).sqrt() + 0.5;
            for (action, count) in counts {
                assert!((count - expected).abs() < bound, "{action} at ply {ply}: {count}");
            }
        }
    }
}
