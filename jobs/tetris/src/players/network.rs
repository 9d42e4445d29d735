//! The controller by Miyazaki & Arakawa: a neural network with the first eight features, or with
//! all nine features.
//!
//! 32-bit floats, multiplied and then added in a fixed order, without fused operations and without
//! the platform's mathematical functions: every machine plays the same games.

use hatchery_core::text::counted;
use hatchery_core::{InvalidValue, WireValue};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::BoardEvaluator;
use crate::features::{BoardFeatures, N_FEATURES, WellRule};
use crate::rules::Board;

/// The divisors of the inputs, so that they are of the order of 1 on a 10x20 board. Ours: the paper
/// does not say how inputs are scaled. The first input is given doubled.
const INPUT_SCALES: [f32; N_FEATURES] =
    [2.0 * 20.0, 16.0, 100.0, 100.0, 40.0, 60.0, 40.0, 20.0, 5.0];

/// A neural network of the first eight features, or of all nine.
// Weights are far below the limits of 32-bit floats.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, WireValue)]
#[serde(deny_unknown_fields)]
pub struct NetworkParams {
    /// The number of hidden neurons.
    #[schemars(range(min = 1, max = 64), extend("x-source" = "Miyazaki & Arakawa, §3.1: 5"))]
    #[wire(tag = 1)]
    pub hidden: u32,
    /// True if pattern diversity is an input, the ninth.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schemars(extend("x-source" = "Miyazaki & Arakawa, Table 1: not"))]
    #[wire(tag = 3)]
    pub diversity: bool,
    /// For each hidden neuron the weight of each input, in the order of features, and a bias; then
    /// the output's weight of each hidden neuron and a bias.
    #[schemars(inner(range(min = -1e6, max = 1e6)))]
    #[wire(tag = 2)]
    pub weights: Vec<f32>,
}

/// The size of a network with one hidden layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NetworkShape {
    /// The number of hidden neurons, 1 to 64.
    pub n_hidden: usize,
    /// True if pattern diversity is an input, the ninth; the paper's Table 1 has the other eight.
    pub diversity: bool,
}

/// A network with one hidden layer.
#[derive(Clone, Debug, PartialEq, WireValue)]
#[wire(try_from = NetworkParams)]
pub struct NeuralNetwork {
    shape: NetworkShape,
    weights: Vec<f32>,
    /// The hidden neurons, with weights for unscaled features.
    neurons: Vec<HiddenNeuron>,
}

impl From<&NeuralNetwork> for NetworkParams {
    fn from(NeuralNetwork { shape, weights, .. }: &NeuralNetwork) -> Self {
        let hidden = u32::try_from(shape.n_hidden).expect("at most 64");
        Self { hidden, diversity: shape.diversity, weights: weights.clone() }
    }
}

impl TryFrom<NetworkParams> for NeuralNetwork {
    type Error = InvalidValue;

    fn try_from(params: NetworkParams) -> Result<Self, InvalidValue> {
        let NetworkParams { hidden, diversity, weights } = params;
        Self::new(NetworkShape { n_hidden: hidden as usize, diversity }, weights)
    }
}

impl NetworkShape {
    /// Returns the number of inputs: 8 or 9.
    #[must_use]
    pub fn n_inputs(self) -> usize {
        if self.diversity { N_FEATURES } else { N_FEATURES - 1 }
    }

    /// Returns the number of weights: every hidden neuron has a weight per input and a bias; the
    /// output's weights and its bias follow. Five hidden neurons with eight inputs have 51 weights.
    #[must_use]
    pub fn n_weights(self) -> usize {
        self.n_hidden * (self.n_inputs() + 1) + self.n_hidden + 1
    }
}

impl NeuralNetwork {
    /// Creates the network with `weights`: for each hidden neuron the weights of its inputs, in the
    /// order of features, and the bias, then the output's weights of the hidden neurons and its
    /// bias.
    ///
    /// # Errors
    /// If the number of weights does not fit.
    pub fn new(shape: NetworkShape, weights: Vec<f32>) -> Result<Self, InvalidValue> {
        let (n_weights, expected) = (weights.len(), shape.n_weights());
        if n_weights != expected {
            let (hidden, inputs) = (counted(shape.n_hidden, "hidden neuron"), shape.n_inputs());
            let expected = format!("{expected}, for {hidden} with {inputs} inputs");
            return Err(InvalidValue::new("weights", &counted(n_weights, "weight"), expected));
        }
        let neurons = neurons(shape, &weights);
        Ok(Self { shape, weights, neurons })
    }

    /// Returns the size of the network.
    #[must_use]
    pub fn shape(&self) -> NetworkShape {
        self.shape
    }

    /// Returns the weights, in the order that [`NeuralNetwork::new`] takes them.
    #[must_use]
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    pub(crate) fn neurons(&self) -> &[HiddenNeuron] {
        &self.neurons
    }

    pub(crate) fn output_bias(&self) -> f32 {
        self.weights[self.weights.len() - 1]
    }

    /// Returns the value of a board with `features`.
    #[inline]
    fn output(&self, features: &BoardFeatures) -> f32 {
        let inputs = inputs(features);
        let inputs = &inputs[..self.shape.n_inputs()];
        let mut value = self.output_bias();
        for neuron in &self.neurons {
            let mut sum = neuron.bias;
            for (input, weight) in inputs.iter().zip(neuron.weights) {
                sum += input * weight;
            }
            value += neuron.output * HiddenNeuron::squash(sum);
        }
        value
    }
}

impl BoardEvaluator for NeuralNetwork {
    type Value = f32;
    type Sum = f64;

    fn add(sum: &mut f64, weight: u32, value: f32) {
        *sum += f64::from(weight) * f64::from(value);
    }

    fn wells(&self) -> WellRule {
        WellRule::Cumulative
    }

    fn needs_diversity(&self) -> bool {
        self.shape.diversity
    }

    #[inline]
    fn value(&self, features: &BoardFeatures, _after: impl FnOnce() -> Board) -> f32 {
        self.output(features)
    }
}

/// Creates the hidden neurons of a network with `weights`.
fn neurons(shape: NetworkShape, weights: &[f32]) -> Vec<HiddenNeuron> {
    let n_inputs = shape.n_inputs();
    let (hidden, output) = weights.split_at(shape.n_hidden * (n_inputs + 1));
    let neuron = |(neuron, &output): (&[f32], &f32)| {
        let mut weights = [0.0; N_FEATURES];
        for (input, weight) in weights[..n_inputs].iter_mut().enumerate() {
            *weight = neuron[input] / INPUT_SCALES[input];
        }
        HiddenNeuron { weights, bias: neuron[n_inputs], output }
    };
    hidden.chunks_exact(n_inputs + 1).zip(output).map(neuron).collect()
}

/// Returns the features in the order of the weights.
#[expect(clippy::cast_precision_loss, reason = "features are far below 2^24")]
fn inputs(features: &BoardFeatures) -> [f32; N_FEATURES] {
    features.in_order().map(|count| count as f32)
}

/// A hidden neuron.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct HiddenNeuron {
    /// The weights of unscaled features: divided by the inputs' scales, once for all boards. 0 for
    /// a feature that is no input.
    pub(crate) weights: [f32; N_FEATURES],
    pub(crate) bias: f32,
    /// The output's weight.
    pub(crate) output: f32,
}

impl HiddenNeuron {
    /// Returns the hyperbolic tangent by its Padé approximant x (27 + x^2) / (27 + 9 x^2), which
    /// reaches 1 at 3 with slope 0 and is 1 from there on; the error is at most 0.024. Uses only
    /// operations that IEEE 754 fixes.
    #[inline(always)]
    pub(crate) fn squash(x: f32) -> f32 {
        let x = x.clamp(-3.0, 3.0);
        let square = x * x;
        x * (27.0 + square) / (27.0 + 9.0 * square)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squash_is_close_to_tanh() {
        for step in -500..=500_i16 {
            let x = f32::from(step) / 100.0;
            assert!((HiddenNeuron::squash(x) - libm::tanhf(x)).abs() < 0.024, "at {x}");
        }
        let ends = [3.0, 1e30, -1e30].map(HiddenNeuron::squash).map(f32::to_bits);
        assert_eq!(ends, [1.0_f32, 1.0, -1.0].map(f32::to_bits));
    }

    fn shape(n_hidden: usize) -> NetworkShape {
        NetworkShape { n_hidden, diversity: false }
    }

    #[test]
    fn a_network_computed_by_hand() {
        // One neuron whose only input is holes: 2 holes / 40 x 10 + 0.5 = 1, then x 2 - 1.
        let mut weights = vec![0.0; shape(1).n_weights()];
        (weights[4], weights[8], weights[9], weights[10]) = (10.0, 0.5, 2.0, -1.0);
        let network = NeuralNetwork::new(shape(1), weights).unwrap();
        let features = BoardFeatures { holes: 2, landing_height_2: 9, ..BoardFeatures::default() };
        let expected = 2.0 * (28.0 / 36.0) - 1.0;
        assert!((network.output(&features) - expected).abs() < 1e-6);
    }

    #[test]
    fn diversity_is_the_ninth_input() {
        // A diversity of 3 / 5 x 2.5 - 0.5 = 1, then x 2 - 1.
        let shape = NetworkShape { n_hidden: 1, diversity: true };
        let mut weights = vec![0.0; shape.n_weights()];
        (weights[8], weights[9], weights[10], weights[11]) = (2.5, -0.5, 2.0, -1.0);
        let network = NeuralNetwork::new(shape, weights).unwrap();
        let features = BoardFeatures { pattern_diversity: 3, holes: 9, ..BoardFeatures::default() };
        let expected = 2.0 * (28.0 / 36.0) - 1.0;
        assert!((network.output(&features) - expected).abs() < 1e-6);
    }

    #[test]
    fn invalid_networks_are_refused() {
        let good = NetworkParams { hidden: 5, diversity: false, weights: vec![0.0; 51] };
        let check = |bad: NetworkParams, expected: &str| {
            let error = NeuralNetwork::decode(&bad.encode()).unwrap_err();
            assert_eq!(error.to_string(), expected);
        };
        assert!(NeuralNetwork::decode(&good.encode()).is_ok());
        check(NetworkParams { hidden: 0, ..good.clone() }, "hidden is 0, but must be from 1 to 64");
        let expected = "weights is 50 weights, but must be 51, for 5 hidden neurons with 8 inputs";
        check(NetworkParams { weights: vec![0.0; 50], ..good }, expected);
        let mut weights = vec![0.0; 51];
        weights[7] = f32::NAN;
        let expected = "weights.7 is NaN, but must be from -1000000 to 1000000";
        check(NetworkParams { weights, ..good }, expected);
    }
}
