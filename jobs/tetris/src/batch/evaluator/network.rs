//! Batch evaluators for neural networks.

use super::lane_weights::{LaneWeights, SeatedWeights};
use super::{BatchEvaluator, FeatureVectors, all};
use crate::batch::vectors::{ByteVector, FloatBlock, FloatBlocks, N_BLOCKS};
use crate::features::N_FEATURES;
use crate::players::{BoardEvaluator, HiddenNeuron, NetworkShape, NeuralNetwork};

/// The number of weights for a hidden neuron: a weight for every input, its bias, and the output's
/// weight for the neuron.
const NEURON_WEIGHTS: usize = N_FEATURES + 2;

/// The weights of a hidden neuron for each board.
trait NeuronBlocks<B: ByteVector> {
    /// Returns the weight of an input.
    fn weight(&self, input: usize) -> FloatBlocks<B>;
    fn bias(&self) -> FloatBlocks<B>;
    /// Returns the output's weight.
    fn output(&self) -> FloatBlocks<B>;
}

/// The same neuron for all boards.
impl<B: ByteVector> NeuronBlocks<B> for &HiddenNeuron {
    #[inline(always)]
    fn weight(&self, input: usize) -> FloatBlocks<B> {
        [B::Block::splat(self.weights[input]); N_BLOCKS]
    }

    #[inline(always)]
    fn bias(&self) -> FloatBlocks<B> {
        [B::Block::splat(self.bias); N_BLOCKS]
    }

    #[inline(always)]
    fn output(&self) -> FloatBlocks<B> {
        [B::Block::splat(self.output); N_BLOCKS]
    }
}

/// A hidden neuron for every board, from the board's player.
struct LaneNeuron<'a> {
    weights: &'a LaneWeights,
    /// The index of its first weight.
    at: usize,
}

impl<B: ByteVector> NeuronBlocks<B> for LaneNeuron<'_> {
    #[inline(always)]
    fn weight(&self, input: usize) -> FloatBlocks<B> {
        self.weights.at::<B>(self.at + input)
    }

    #[inline(always)]
    fn bias(&self) -> FloatBlocks<B> {
        self.weights.at::<B>(self.at + N_FEATURES)
    }

    #[inline(always)]
    fn output(&self) -> FloatBlocks<B> {
        self.weights.at::<B>(self.at + N_FEATURES + 1)
    }
}

/// Performs the operations of [`BoardEvaluator::value`] in the same order, from the output's `bias`
/// on.
#[inline(always)]
fn network_values<B: ByteVector, const REMOVED: bool>(
    diversity: bool,
    bias: FloatBlocks<B>,
    neurons: impl Iterator<Item = impl NeuronBlocks<B>>,
    features: &impl FeatureVectors<B>,
) -> FloatBlocks<B> {
    let splat = B::Block::splat;
    let features = all(features);
    let mut values = bias;
    // All blocks of one neuron before the next, so that each weight is loaded once.
    for neuron in neurons {
        let mut sums = neuron.bias();
        for (idx, feature) in features.iter().enumerate() {
            if (idx != 1 || REMOVED) && (idx != 8 || diversity) {
                for ((sum, feature), weight) in sums.iter_mut().zip(feature).zip(neuron.weight(idx))
                {
                    *sum = sum.add(feature.mul(weight));
                }
            }
        }
        for ((value, sum), output) in values.iter_mut().zip(sums).zip(neuron.output()) {
            // As `HiddenNeuron::squash`.
            let x = sum.max(splat(-3.0)).min(splat(3.0));
            let square = x.mul(x);
            let above = x.mul(splat(27.0).add(square));
            let squashed = above.div(splat(27.0).add(splat(9.0).mul(square)));
            *value = value.add(output.mul(squashed));
        }
    }
    values
}

/// With look-ahead.
impl BatchEvaluator for NeuralNetwork {
    type Value = f32;
    type Scalar = Self;

    const RELATIVE: bool = false;
    const LOOKS_AHEAD: bool = true;

    fn scalar(&self) -> &Self {
        self
    }

    fn add(&self, sum: &mut f64, weight: u32, value: f32) {
        <Self as BoardEvaluator>::add(sum, weight, value);
    }

    #[inline(always)]
    fn values<B: ByteVector, const REMOVED: bool>(
        &self,
        features: &impl FeatureVectors<B>,
    ) -> FloatBlocks<B> {
        let bias = [B::Block::splat(self.output_bias()); N_BLOCKS];
        network_values::<B, REMOVED>(self.shape().diversity, bias, self.neurons().iter(), features)
    }
}

/// Neural networks of the same size. Each values the boards of its own games.
pub(in crate::batch) struct NetworkPlayers<'a> {
    players: &'a [&'a NeuralNetwork],
    /// Every player's weights: first the weights of the hidden neurons, neuron by neuron, then the
    /// output's bias.
    seated: SeatedWeights,
}

impl<'a> NetworkPlayers<'a> {
    /// Creates the evaluator of `players`, at least one.
    pub(in crate::batch) fn new(players: &'a [&'a NeuralNetwork]) -> Self {
        let weights = |network: &&NeuralNetwork| {
            let neurons = network.neurons().iter();
            let neurons = neurons.flat_map(|it| it.weights.into_iter().chain([it.bias, it.output]));
            neurons.chain([network.output_bias()]).collect()
        };
        Self { players, seated: SeatedWeights::new(players.iter().map(weights).collect()) }
    }
}

impl BatchEvaluator for NetworkPlayers<'_> {
    type Value = f32;
    type Scalar = NeuralNetwork;

    const RELATIVE: bool = false;
    const LOOKS_AHEAD: bool = false;

    fn scalar(&self) -> &NeuralNetwork {
        self.players[0]
    }

    #[inline(always)]
    fn seated(&mut self) -> Option<&mut SeatedWeights> {
        Some(&mut self.seated)
    }

    fn add(&self, _sum: &mut f64, _weight: u32, _value: f32) {
        unreachable!("players of games with look-ahead have another evaluator");
    }

    #[inline(always)]
    fn values<B: ByteVector, const REMOVED: bool>(
        &self,
        features: &impl FeatureVectors<B>,
    ) -> FloatBlocks<B> {
        // The weights of a single network are broadcast, a sixth faster than they are loaded.
        if let [only] = self.players {
            return BatchEvaluator::values::<B, REMOVED>(*only, features);
        }
        let weights = self.seated.of::<REMOVED>();
        let NetworkShape { n_hidden, diversity } = self.players[0].shape();
        let neurons =
            (0..n_hidden).map(|neuron| LaneNeuron { weights, at: neuron * NEURON_WEIGHTS });
        let bias = weights.at::<B>(n_hidden * NEURON_WEIGHTS);
        network_values::<B, REMOVED>(diversity, bias, neurons, features)
    }
}
