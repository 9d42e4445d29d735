//! Steps of the learner.

use hatchery_core::{FastRng, StreamRng};
use hatchery_nets::categorical::entropy;
use hatchery_nets::loss::softmax_cross_entropy;
use hatchery_nets::{Adam, DrawnItem, FirstLayerForm, RowNoise};

use super::learner::ReinforcementLearner;
use super::settings::PriorityLoss;
use super::targets::{TargetNoise, Targets};
use super::transitions::TransitionBatch;
use crate::features::FeatureError;
use crate::learning::samples::TrainingGames;
use crate::learning::step::{
    LearnError, LearnFailure, LearnSummary, Pulse, StepMemory, StepOptions, checked_end, take_step,
    take_steps,
};

/// The parts of the stream of a step: its draws, and the noise of the network that chooses the next
/// action, of the one that values it, and of the one that learns.
const DRAWS: u64 = 0;
const CHOICE_NOISE: u64 = 1;
const VALUE_NOISE: u64 = 2;
const LEARN_NOISE: u64 = 3;

/// Memory for steps.
struct StepBuffers {
    drawn: Vec<DrawnItem>,
    weights: Vec<f32>,
    transitions: TransitionBatch,
    targets: Targets,
    noise: RowNoise,
    losses: Vec<f64>,
    step: StepMemory,
}

impl ReinforcementLearner {
    /// Takes `steps` steps, each on items that are drawn from the replay memory.
    ///
    /// A step draws its random numbers from the part of `stream` with the step's number, counted
    /// over the life of the optimizer. Steps in several calls therefore equal the same steps in a
    /// single call.
    ///
    /// The losses of the summary are cross entropies, not weighted.
    ///
    /// # Errors
    /// If the memory is empty though there are steps to take, a piece of a deck has no features, or
    /// a loss or gradient is not finite: then the learner is as it was before the step, and the
    /// steps before it stay.
    ///
    /// # Panics
    /// If `games` lack a game that was [absorbed](Self::absorb).
    pub fn learn(
        &mut self,
        games: &TrainingGames<'_>,
        steps: u64,
        stream: &StreamRng,
        pulse: &mut Pulse<'_>,
    ) -> Result<LearnSummary, LearnFailure> {
        if steps == 0 {
            return Ok(LearnSummary::default());
        }
        if self.replay.is_empty() {
            return Err(LearnError::NoDecisions.into());
        }
        let mut buffers = StepBuffers::new(self);
        let summary = take_steps(steps, self.settings.stretch, pulse, || {
            self.step(games, &stream.part(self.steps()), &mut buffers)
        })?;
        checked_end(summary, self.model.network(), &self.optimizer)
    }

    /// Takes a step with the random numbers of `stream`; returns its number of rows and the sum of
    /// their losses.
    fn step(
        &mut self,
        games: &TrainingGames<'_>,
        stream: &StreamRng,
        buffers: &mut StepBuffers,
    ) -> Result<(usize, f64), LearnError> {
        let rng = |part| FastRng::seeded_by(&mut stream.part(part));
        self.replay.draw(self.settings.batch, &mut rng(DRAWS), &mut buffers.drawn);
        self.fill(games, buffers)?;
        let StepBuffers { drawn, weights, transitions, targets, noise, losses, step } = buffers;
        let of_targets = TargetNoise { choice: rng(CHOICE_NOISE), value: rng(VALUE_NOISE) };
        let networks = [self.model.network(), &self.target];
        targets.compute(transitions, networks, of_targets, self.settings.next_actions);
        weights.clear();
        weights.extend(drawn.iter().map(|item| item.weight));
        let adam = Adam::with_rate(self.settings.rate);
        let (network, optimizer) = (self.model.network_mut(), &mut self.optimizer);
        let noise = network.deviation().is_some().then(|| {
            noise.draw(network, drawn.len(), &mut rng(LEARN_NOISE));
            &*noise
        });
        let form = FirstLayerForm::Fastest;
        let options = StepOptions { form, adam: &adam, dropout: None, noise };
        take_step(
            network,
            optimizer,
            &transitions.decisions,
            options,
            step,
            |outputs, gradient| {
                softmax_cross_entropy(outputs, &targets.rows, Some(weights), gradient, losses)
            },
        )?;
        self.finish(buffers);
        Ok((buffers.drawn.len(), buffers.losses.iter().sum()))
    }

    /// Fills in the transitions of the items that were drawn.
    fn fill(
        &self,
        games: &TrainingGames<'_>,
        buffers: &mut StepBuffers,
    ) -> Result<(), FeatureError> {
        let StepBuffers { drawn, transitions, .. } = buffers;
        transitions.clear();
        let (layout, information) = (self.model.layout(), self.model.information());
        for drawn in drawn {
            let item = *self.replay.get(drawn.number).expect("an item that was drawn is kept");
            transitions.push(games, item, &self.settings, (&layout, information))?;
        }
        Ok(())
    }

    /// Sets the priorities of the items that a step learned from, counts them, and copies the
    /// network to the target if it is time.
    fn finish(&mut self, buffers: &StepBuffers) {
        let StepBuffers { drawn, targets, losses, .. } = buffers;
        for (row, (item, loss)) in drawn.iter().zip(losses).enumerate() {
            let loss = match self.settings.priority_loss {
                PriorityLoss::CrossEntropy => *loss,
                PriorityLoss::Divergence => loss - entropy(targets.rows.row(row)),
            };
            self.replay.set_loss(item.number, loss);
            self.drawn += 1;
            self.age_sum += self.n_items() - 1 - item.number;
        }
        if self.steps().is_multiple_of(self.settings.target_steps.into()) {
            self.target.clone_from(self.model.network());
        }
    }
}

impl StepBuffers {
    fn new(learner: &ReinforcementLearner) -> Self {
        let layout = learner.model.layout();
        let lens = [layout.state_len(), layout.action_len()];
        Self {
            drawn: Vec::new(),
            weights: Vec::new(),
            transitions: TransitionBatch::new(&layout),
            targets: Targets::new(learner.bins(), lens),
            noise: RowNoise::default(),
            losses: Vec::new(),
            step: StepMemory::new(learner.model.network()),
        }
    }
}
