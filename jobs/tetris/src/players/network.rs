//! The controller of Miyazaki & Arakawa: a neural network of the first eight features.
//!
//! 32-bit floats, multiplied and then added in a fixed order, without fused operations and without
//! the platform's mathematical functions: every machine plays the same games.

use super::Evaluate;
use crate::features::{Features, Wells};

/// The number of inputs: the features of Table 1.
const N_INPUTS: usize = 8;

/// What the inputs are divided by, to be of the order of 1 on a 10x20 board. Ours: the paper does
/// not say how inputs are scaled. The first input is given doubled.
const INPUT_SCALES: [f32; N_INPUTS] = [2.0 * 20.0, 16.0, 100.0, 100.0, 40.0, 60.0, 40.0, 20.0];

/// The most hidden neurons.
pub(crate) const MAX_HIDDEN: usize = 64;

/// The largest magnitude of a weight: far from where 32-bit floats end.
pub const MAX_NETWORK_WEIGHT: f32 = 1e6;

/// A network with one hidden layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    n_hidden: usize,
    weights: Vec<f32>,
    /// The hidden neurons, for features that are not scaled.
    neurons: Vec<Neuron>,
}

/// Weights that are no network.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NetworkError {
    /// A number of hidden neurons out of range.
    #[error("{n_hidden} hidden neurons, but must be 1 to {MAX_HIDDEN}")]
    Hidden {
        /// The number.
        n_hidden: usize,
    },
    /// A number of weights that does not fit the number of neurons.
    #[error("{n_weights} weights, but {n_hidden} hidden neurons have {expected}")]
    Length {
        /// The number of weights.
        n_weights: usize,
        /// The number of hidden neurons.
        n_hidden: usize,
        /// The number of weights that would be right.
        expected: usize,
    },
    /// A weight that is no number or too large.
    #[error(
        "weight {idx} is {value}, but must be from -{MAX_NETWORK_WEIGHT} to {MAX_NETWORK_WEIGHT}"
    )]
    Weight {
        /// Its index.
        idx: usize,
        /// The weight.
        value: f32,
    },
}

/// The number of weights of a network with `n_hidden` hidden neurons: for each its inputs' and its
/// bias, then the output's and its bias. 51 for 5.
#[must_use]
pub fn network_len(n_hidden: usize) -> usize {
    n_hidden * (N_INPUTS + 1) + n_hidden + 1
}

impl Network {
    /// The network with `weights`: for each hidden neuron the weights of the eight features and the
    /// bias, then the output's weights of the hidden neurons and its bias.
    ///
    /// # Errors
    /// If the number of weights does not fit, or one is no number or too large.
    pub fn new(n_hidden: usize, weights: Vec<f32>) -> Result<Self, NetworkError> {
        if !(1..=MAX_HIDDEN).contains(&n_hidden) {
            return Err(NetworkError::Hidden { n_hidden });
        }
        let (n_weights, expected) = (weights.len(), network_len(n_hidden));
        if n_weights != expected {
            return Err(NetworkError::Length { n_weights, n_hidden, expected });
        }
        let range = -MAX_NETWORK_WEIGHT..=MAX_NETWORK_WEIGHT;
        let wrong = weights.iter().position(|weight| !range.contains(weight));
        match wrong {
            Some(idx) => Err(NetworkError::Weight { idx, value: weights[idx] }),
            None => {
                let neurons = neurons(n_hidden, &weights);
                Ok(Self { n_hidden, weights, neurons })
            }
        }
    }

    /// The number of hidden neurons.
    #[must_use]
    pub fn n_hidden(&self) -> usize {
        self.n_hidden
    }

    /// The weights, as [`Network::new`] takes them.
    #[must_use]
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    pub(crate) fn neurons(&self) -> &[Neuron] {
        &self.neurons
    }

    pub(crate) fn output_bias(&self) -> f32 {
        self.weights[self.weights.len() - 1]
    }
}

impl Evaluate for Network {
    type Value = f32;
    type Sum = f64;

    fn add(sum: &mut f64, weight: u32, value: f32) {
        *sum += f64::from(weight) * f64::from(value);
    }

    fn wells(&self) -> Wells {
        Wells::Cumulative
    }

    fn value(&self, features: &Features) -> f32 {
        let inputs = inputs(features);
        let mut value = self.output_bias();
        for neuron in &self.neurons {
            let mut sum = neuron.bias;
            for (input, weight) in inputs.iter().zip(neuron.weights) {
                sum += input * weight;
            }
            value += neuron.output * Neuron::squash(sum);
        }
        value
    }
}

/// The hidden neurons of a network with `weights`.
fn neurons(n_hidden: usize, weights: &[f32]) -> Vec<Neuron> {
    let (hidden, output) = weights.split_at(n_hidden * (N_INPUTS + 1));
    let neuron = |(neuron, &output): (&[f32], &f32)| Neuron {
        weights: std::array::from_fn(|input| neuron[input] / INPUT_SCALES[input]),
        bias: neuron[N_INPUTS],
        output,
    };
    hidden.chunks_exact(N_INPUTS + 1).zip(output).map(neuron).collect()
}

/// The features in the order of the weights; the last one, pattern diversity, is no input.
#[expect(clippy::cast_precision_loss, reason = "features are far below 2^24")]
fn inputs(features: &Features) -> [f32; N_INPUTS] {
    let counts = features.in_order();
    std::array::from_fn(|idx| counts[idx] as f32)
}

/// A hidden neuron.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Neuron {
    /// The weights of the features as they are: divided by the inputs' scales, once for all boards.
    pub(crate) weights: [f32; N_INPUTS],
    pub(crate) bias: f32,
    /// The output's weight.
    pub(crate) output: f32,
}

impl Neuron {
    /// The hyperbolic tangent by its Padé approximant x (27 + x^2) / (27 + 9 x^2), which reaches 1
    /// at 3 with slope 0 and is 1 from there on; off by at most 0.024. Only operations that IEEE
    /// 754 fixes.
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
            assert!((Neuron::squash(x) - libm::tanhf(x)).abs() < 0.024, "at {x}");
        }
        let ends = [3.0, 1e30, -1e30].map(Neuron::squash).map(f32::to_bits);
        assert_eq!(ends, [1.0_f32, 1.0, -1.0].map(f32::to_bits));
    }

    #[test]
    fn a_network_computed_by_hand() {
        // One neuron that sees holes only: 2 holes / 40 x 10 + 0.5 = 1, then x 2 - 1.
        let mut weights = vec![0.0; network_len(1)];
        (weights[4], weights[8], weights[9], weights[10]) = (10.0, 0.5, 2.0, -1.0);
        let network = Network::new(1, weights).unwrap();
        let features = Features { holes: 2, landing_height_2: 9, ..Features::default() };
        let expected = 2.0 * (28.0 / 36.0) - 1.0;
        assert!((network.value(&features) - expected).abs() < 1e-6);
    }

    #[test]
    fn what_is_no_network_is_refused() {
        assert!(Network::new(0, vec![0.0]).is_err());
        assert!(Network::new(65, vec![0.0; network_len(65)]).is_err());
        let short = Network::new(5, vec![0.0; 50]).unwrap_err();
        assert_eq!(short.to_string(), "50 weights, but 5 hidden neurons have 51");
        let mut weights = vec![0.0; 51];
        weights[7] = f32::NAN;
        assert!(matches!(Network::new(5, weights), Err(NetworkError::Weight { idx: 7, .. })));
    }
}
