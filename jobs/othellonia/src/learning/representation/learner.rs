//! The learner of vectors.

use hatchery_core::StreamRng;
use hatchery_nets::{
    Activations, Adam, AdamState, Dropout, FirstLayerForm, Gradients, Matrix, Network, NetworkShape,
};

use super::batch::{MaskedBatch, MaskedRows, row_lens};
use super::loss::{LOSS_PARTS, N_OUTPUTS, PredictionLoss};
use super::scales::OutcomeScales;
use super::settings::RepresentationSettings;
use super::table::VectorTable;
use crate::features::{FeatureError, PieceVectors, VECTOR_LEN};
use crate::learning::samples::TrainingGames;
use crate::learning::step::{
    LearnError, LearnFailure, LearnSummary, Pulse, StepRandom, are_small, checked_end, take_steps,
};
use crate::pool::MAX_KINDS;

/// The largest number of a vector before it has learned anything (our own choice).
const FIRST_BOUND: f32 = 0.1;

/// Vectors that are being learned, and the network that predicts with them.
#[derive(Clone, Debug, PartialEq)]
pub struct Representation {
    pub(super) network: Network,
    pub(super) optimizer: AdamState,
    pub(super) table: VectorTable,
    pub(super) scales: OutcomeScales,
}

impl Representation {
    /// Returns random vectors for `kinds` kinds, and a random network with these hidden layers. The
    /// scales of the predicted numbers come from `games`, and stay.
    ///
    /// # Errors
    /// If there are no kinds or too many, or no decisions.
    ///
    /// # Panics
    /// If there is no hidden layer.
    pub fn new(
        kinds: usize,
        hidden: &[usize],
        games: &TrainingGames<'_>,
        rng: &mut StreamRng,
    ) -> Result<Self, LearnError> {
        if kinds == 0 || MAX_KINDS < kinds {
            return Err(FeatureError::Kinds { found: kinds }.into());
        }
        if games.n_decisions() == 0 {
            return Err(LearnError::NoDecisions);
        }
        let [state_len, action_len] = row_lens();
        let hidden = hidden.to_vec();
        let shape = NetworkShape { state_len, action_len, hidden, n_outputs: N_OUTPUTS };
        let table = VectorTable::random(kinds, FIRST_BOUND, rng);
        let network = Network::random(&shape, rng);
        let optimizer = AdamState::new(&network);
        Ok(Self { network, optimizer, table, scales: OutcomeScales::of_games(games) })
    }

    /// Returns the same learner, but fixes the vectors of the first kinds at `vectors`. Steps
    /// change only the vectors of later kinds, so that these vectors come into the space of the
    /// fixed vectors.
    ///
    /// # Errors
    /// If `vectors` has more kinds.
    pub fn with_fixed(mut self, vectors: &PieceVectors) -> Result<Self, LearnError> {
        if self.table.values.len() / VECTOR_LEN < vectors.kinds() {
            return Err(FeatureError::Kinds { found: vectors.kinds() }.into());
        }
        self.table.fix(vectors);
        Ok(self)
    }

    /// Returns the number of the first kinds whose vectors are fixed.
    #[must_use]
    pub const fn n_fixed(&self) -> usize {
        self.table.n_fixed
    }

    /// Returns the number of steps so far.
    #[must_use]
    pub const fn steps(&self) -> u64 {
        self.optimizer.steps()
    }

    /// Returns the vectors as they are now.
    ///
    /// # Panics
    /// Never: numbers stay finite.
    #[must_use]
    pub fn vectors(&self) -> PieceVectors {
        PieceVectors::new(&self.table.values).expect("steps keep numbers finite")
    }

    /// Learns `steps` steps, each from decisions that are drawn from `games` with equal
    /// probability. The random numbers of a step are the part of `stream` that has its number.
    ///
    /// # Errors
    /// If a deck has a piece beyond the kinds, or a loss is not finite: then all is as it was
    /// before the step, and the steps before it stay.
    pub fn learn(
        &mut self,
        games: &TrainingGames<'_>,
        settings: &RepresentationSettings,
        steps: u64,
        stream: &StreamRng,
        pulse: &mut Pulse<'_>,
    ) -> Result<LearnSummary, LearnFailure> {
        if games.n_decisions() == 0 {
            return Err(LearnError::NoDecisions.into());
        }
        let adam = Adam { weight_decay: settings.weight_decay, ..Adam::with_rate(settings.rate) };
        let mut memory = PredictionMemory::new(self);
        let mut rows = MaskedRows::new(self.table.values.len() / VECTOR_LEN);
        let mut batch = MaskedBatch::new();
        let summary = take_steps(steps, settings.stretch, pulse, || {
            let mut random = StepRandom::new(stream, self.steps(), settings.dropout);
            batch.draw(&mut rows, &self.table, games, settings, &mut random.samples)?;
            let loss_sum = self.step(&batch, &adam, random.dropout.as_mut(), &mut memory)?;
            Ok((batch.targets.len(), loss_sum))
        })?;
        checked_end(summary, &self.network, &self.optimizer)
    }

    /// Returns the mean losses of the chosen actions, by [`LOSS_PARTS`], in every `every`th
    /// decision of `games`.
    ///
    /// # Errors
    /// If a deck has a piece beyond the kinds.
    ///
    /// # Panics
    /// If `every` is 0.
    pub fn mean_losses(
        &self,
        games: &TrainingGames<'_>,
        every: usize,
    ) -> Result<[f64; LOSS_PARTS.len()], LearnError> {
        let mut rows = MaskedRows::new(self.table.values.len() / VECTOR_LEN);
        let (mut activations, mut gradient) = (Activations::default(), Matrix::default());
        let (mut batch, mut loss) = (MaskedBatch::new(), PredictionLoss::new());
        let (mut sums, mut n) = ([0.0; LOSS_PARTS.len()], 0.0);
        for number in (0..games.n_decisions()).step_by(every) {
            batch.clear();
            batch.push(&mut rows, &self.table, &games.decision(number))?;
            self.network.forward(&batch.input, FirstLayerForm::Fastest, &mut activations);
            let outputs = activations.outputs();
            let losses = loss.losses(outputs, &batch.targets, &self.scales, &mut gradient);
            sums.iter_mut().zip(losses).for_each(|(sum, loss)| *sum += loss);
            n += 1.0;
        }
        Ok(sums.map(|sum| sum / f64::max(n, 1.0)))
    }

    fn step(
        &mut self,
        batch: &MaskedBatch,
        adam: &Adam,
        dropout: Option<&mut Dropout>,
        memory: &mut PredictionMemory,
    ) -> Result<f64, LearnError> {
        let form = FirstLayerForm::Fastest;
        let PredictionMemory { activations, loss, of_outputs, gradients, of_vectors } = memory;
        let step = self.optimizer.steps() + 1;
        let network = &self.network;
        network.forward_with(
            &batch.input,
            form,
            hatchery_nets::PassOptions { dropout, noise: None },
            activations,
        );
        let outputs = activations.outputs();
        let losses = loss.losses(outputs, &batch.targets, &self.scales, of_outputs);
        let loss_sum: f64 = losses.iter().sum();
        if !loss_sum.is_finite() {
            return Err(LearnError::NotFinite { step, what: "loss" });
        }
        gradients.clear();
        let of_first =
            network.backward_to_first(&batch.input, form, activations, of_outputs, gradients);
        let of_rows = network.action_gradient(&of_first, 0..VECTOR_LEN);
        of_vectors.fill(0.0);
        for (row, piece) in batch.pieces.iter().enumerate() {
            let of_vector = of_vectors[usize::from(piece.0) * VECTOR_LEN..].iter_mut();
            of_vector.zip(of_rows.row(row)).for_each(|(sum, value)| *sum += value);
        }
        if !(gradients.parameters().all(are_small) && are_small(of_vectors)) {
            return Err(LearnError::NotFinite { step, what: "gradient" });
        }
        self.optimizer.step(adam, &mut self.network, gradients);
        self.table.step(adam, step, of_vectors);
        Ok(loss_sum)
    }
}

/// Memory for steps, so that each does not ask for its own.
struct PredictionMemory {
    activations: Activations,
    loss: PredictionLoss,
    of_outputs: Matrix,
    gradients: Gradients,
    of_vectors: Vec<f32>,
}

impl PredictionMemory {
    fn new(of: &Representation) -> Self {
        Self {
            activations: Activations::default(),
            loss: PredictionLoss::new(),
            of_outputs: Matrix::default(),
            gradients: Gradients::zeros(&of.network),
            of_vectors: vec![0.0; of.table.values.len()],
        }
    }
}

#[cfg(test)]
mod tests {
    use hatchery_core::{FastRng, RunSeed};

    use super::*;
    use crate::generate::{DEFAULT_COST_CAP, PoolSettings, generate_pieces, shipped_decks};
    use crate::players::GameAgent;
    use crate::pool::PiecePool;
    use crate::record::GameRecord;
    use crate::rules::{Game, GameStart, Player};

    /// The gradient of the vectors is that of finite differences of the loss.
    #[test]
    fn gradients_of_vectors_are_those_of_differences() {
        let pool = PiecePool::new(generate_pieces(&PoolSettings::default())).unwrap();
        let decks = shipped_decks().map(|deck| deck.build(&pool, DEFAULT_COST_CAP).unwrap());
        let seed = RunSeed::new("vector gradient", 1).generation(0);
        let mut rng = FastRng::seeded_by(&mut seed.stream("game"));
        let start = GameStart { seed: 3, first: Player::A };
        let (mut game, mut actions) = (Game::start([&decks[0], &decks[1]], start), Vec::new());
        while game.outcome().is_none() {
            let action = GameAgent::Random.choose(&game, &mut rng);
            game.play(action, &mut ()).unwrap();
            actions.push(action);
        }
        let record = GameRecord { decks: [0, 1], start, actions };
        let games = TrainingGames::new(&decks, [record]).unwrap();
        let mut stream = seed.stream("network");
        let mut learned = Representation::new(pool.len(), &[8], &games, &mut stream).unwrap();

        let mut rows = MaskedRows::new(pool.len());
        let loss_of = |learned: &Representation, rows: &mut MaskedRows| {
            let mut batch = MaskedBatch::new();
            (0..4).for_each(|at| batch.push(rows, &learned.table, &games.decision(at)).unwrap());
            let mut activations = Activations::default();
            learned.network.forward(&batch.input, FirstLayerForm::Fastest, &mut activations);
            let (outputs, mut gradient) = (activations.outputs(), Matrix::default());
            let targets = &batch.targets;
            let losses =
                PredictionLoss::new().losses(outputs, targets, &learned.scales, &mut gradient);
            (losses.iter().sum::<f64>() / 4.0, batch)
        };
        let (_, batch) = loss_of(&learned, &mut rows);
        let mut memory = PredictionMemory::new(&learned);
        learned.clone().step(&batch, &Adam::with_rate(1e-3), None, &mut memory).unwrap();
        let touched = batch.pieces.iter().map(|piece| usize::from(piece.0) * VECTOR_LEN);
        for place in touched.flat_map(|start| [start, start + 7, start + 29]) {
            let mut moved = |step: f32| {
                let value = learned.table.values[place];
                learned.table.values[place] = value + step;
                let (loss, _) = loss_of(&learned, &mut rows);
                learned.table.values[place] = value;
                loss
            };
            let slope = (moved(0.02) - moved(-0.02)) / 0.04;
            let found = f64::from(memory.of_vectors[place]);
            assert!((slope - found).abs() < 2e-4 + 0.02 * slope.abs(), "{place}: {slope}, {found}");
        }
        let n_touched = memory.of_vectors.iter().filter(|value| **value != 0.0).count();
        assert!((2 * VECTOR_LEN..=4 * VECTOR_LEN).contains(&n_touched), "{n_touched} numbers");
    }
}
