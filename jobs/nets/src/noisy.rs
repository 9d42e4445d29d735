//! Layers whose weights are noisy, for exploration (Fortunato et al. 2018, "Noisy Networks for
//! Exploration", section 3), with noise of its own for each row of a batch.

use std::f64::consts::TAU;

use hatchery_core::{FastRng, StreamRng};

use crate::kernel::Kernels;
use crate::layer::DenseLayer;
use crate::matrix::Matrix;

/// A dense layer whose weights and biases have means and deviations.
///
/// Noise is factorized: the weight from input `i` to output `o` is
/// `mean + deviation * f(input noise i) * f(output noise o)`, where `f(x) = sign(x) sqrt(|x|)`.
#[derive(Clone, Debug, PartialEq)]
pub struct NoisyLayer {
    /// The means of weights and biases.
    pub mean: DenseLayer,
    /// Their deviations.
    pub deviation: DenseLayer,
}

/// The noise of the rows of a batch, after `f`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RowNoise {
    /// A number for each input, row by row.
    pub inputs: Matrix,
    /// A number for each output, row by row.
    pub outputs: Matrix,
}

impl RowNoise {
    /// Draws the noise of `n_rows` rows for `layer`: row by row, that of inputs before that of
    /// outputs.
    pub fn draw(&mut self, layer: &NoisyLayer, n_rows: usize, rng: &mut FastRng) {
        self.inputs.reset(n_rows, layer.mean.n_inputs());
        self.outputs.reset(n_rows, layer.mean.n_outputs());
        for row in 0..n_rows {
            fill_noise(self.inputs.row_mut(row), rng);
            fill_noise(self.outputs.row_mut(row), rng);
        }
    }
}

impl NoisyLayer {
    /// Returns a layer with random means and equal deviations: `deviation` over the root of the
    /// number of inputs, 0.5 in the paper.
    pub fn random(n_inputs: usize, n_outputs: usize, deviation: f32, rng: &mut StreamRng) -> Self {
        let mean = DenseLayer::random(n_inputs, n_outputs, rng);
        let mut layer = DenseLayer::zeros(n_inputs, n_outputs);
        #[expect(clippy::cast_precision_loss, reason = "fewer than 2^24 inputs")]
        let deviation = deviation / (n_inputs.max(1) as f32).sqrt();
        layer.weights.values_mut().fill(deviation);
        layer.bias.fill(deviation);
        Self { mean, deviation: layer }
    }

    /// Writes the outputs for each row of `inputs`, with its noise; without noise, those of the
    /// means.
    ///
    /// The noise of a row needs no weights of its own, as it can be drawn out of the sums:
    /// `y = mean(x) + f(output noise) * deviation(f(input noise) * x)`.
    ///
    /// # Panics
    /// If the noise is that of a batch of another size.
    pub fn forward(&self, inputs: &Matrix, noise: Option<&RowNoise>, outputs: &mut Matrix) {
        let mut kernels = Kernels::default();
        self.mean.forward(inputs, &mut kernels, outputs);
        let Some(noise) = noise else { return };
        let mut noisy = Matrix::default();
        self.deviation.forward(&products(inputs, &noise.inputs), &mut kernels, &mut noisy);
        add(&products(&noisy, &noise.outputs), outputs);
    }

    /// Adds the gradients of means and deviations to `gradient` and writes that of the inputs, from
    /// the gradient of the outputs.
    ///
    /// # Panics
    /// If inputs, noise and gradient are not those of one batch.
    pub fn backward(
        &self,
        inputs: &Matrix,
        noise: Option<&RowNoise>,
        of_outputs: &Matrix,
        gradient: &mut Self,
        of_inputs: &mut Matrix,
    ) {
        let mut kernels = Kernels::default();
        DenseLayer::add_gradient(inputs, of_outputs, &mut kernels, &mut gradient.mean);
        self.mean.backward(of_outputs, &mut kernels, of_inputs);
        let Some(noise) = noise else { return };
        let of_noisy = products(of_outputs, &noise.outputs);
        let noisy_inputs = products(inputs, &noise.inputs);
        DenseLayer::add_gradient(&noisy_inputs, &of_noisy, &mut kernels, &mut gradient.deviation);
        let mut of_noisy_inputs = Matrix::default();
        self.deviation.backward(&of_noisy, &mut kernels, &mut of_noisy_inputs);
        add(&products(&of_noisy_inputs, &noise.inputs), of_inputs);
    }
}

/// Returns the products of values at the same places.
fn products(a: &Matrix, b: &Matrix) -> Matrix {
    let mut products = a.clone();
    assert_eq!([a.n_rows(), a.n_cols()], [b.n_rows(), b.n_cols()], "noise for each value");
    for (product, factor) in products.values_mut().iter_mut().zip(b.values()) {
        *product *= factor;
    }
    products
}

/// Adds `a` to `to`.
fn add(a: &Matrix, to: &mut Matrix) {
    for (to, value) in to.values_mut().iter_mut().zip(a.values()) {
        *to += value;
    }
}

/// Fills a row with `f` of normal numbers, drawn in pairs (Box & Muller 1958).
fn fill_noise(row: &mut [f32], rng: &mut FastRng) {
    for pair in row.chunks_mut(2) {
        // 1 - u lies in (0, 1], so that the logarithm is finite.
        let radius = (-2.0 * libm::log(1.0 - rng.unit_f64())).sqrt();
        let angle = TAU * rng.unit_f64();
        let numbers = [radius * libm::cos(angle), radius * libm::sin(angle)];
        for (value, number) in pair.iter_mut().zip(numbers) {
            #[expect(clippy::cast_possible_truncation, reason = "rounded to that of weights")]
            let noise = number.abs().sqrt().copysign(number) as f32;
            *value = noise;
        }
    }
}

#[cfg(test)]
mod tests {
    use hatchery_core::RunSeed;

    use super::*;

    const N_ROWS: usize = 4;
    const N_INPUTS: usize = 5;
    const N_OUTPUTS: usize = 3;

    fn stream(label: &str) -> StreamRng {
        RunSeed::new("noisy", 1).generation(0).stream(label)
    }

    /// A layer, with inputs and their noise.
    fn example() -> (NoisyLayer, Matrix, RowNoise) {
        let mut rng = stream("example");
        let mut layer = NoisyLayer::random(N_INPUTS, N_OUTPUTS, 0.5, &mut rng);
        for value in layer.deviation.weights.values_mut().iter_mut() {
            *value += 0.2 * rng.unit_f32();
        }
        let values = (0..N_ROWS * N_INPUTS).map(|_| 2.0 * rng.unit_f32() - 1.0).collect();
        let inputs = Matrix::from_values(N_ROWS, N_INPUTS, values);
        let mut noise = RowNoise::default();
        noise.draw(&layer, N_ROWS, &mut FastRng::seeded_by(&mut rng));
        (layer, inputs, noise)
    }

    /// Returns the outputs by weights that are made for each row, in 64 bits.
    fn naive(layer: &NoisyLayer, inputs: &Matrix, noise: &RowNoise) -> Vec<f64> {
        let mut outputs = Vec::new();
        for row in 0..N_ROWS {
            for output in 0..N_OUTPUTS {
                let of_output = f64::from(noise.outputs.row(row)[output]);
                let noisy = |mean: f32, deviation: f32, noise: f64| {
                    f64::from(mean) + f64::from(deviation) * noise
                };
                let bias = [layer.mean.bias[output], layer.deviation.bias[output]];
                let mut sum = noisy(bias[0], bias[1], of_output);
                for input in 0..N_INPUTS {
                    let of_input = f64::from(noise.inputs.row(row)[input]);
                    let weight = |of: &DenseLayer| of.weights.row(input)[output];
                    let weight =
                        noisy(weight(&layer.mean), weight(&layer.deviation), of_input * of_output);
                    sum += f64::from(inputs.row(row)[input]) * weight;
                }
                outputs.push(sum);
            }
        }
        outputs
    }

    #[test]
    fn outputs_are_those_of_weights_for_each_row() {
        let (layer, inputs, noise) = example();
        let (mut outputs, mut plain) = (Matrix::default(), Matrix::default());
        layer.forward(&inputs, Some(&noise), &mut outputs);
        for (output, expected) in outputs.values().iter().zip(naive(&layer, &inputs, &noise)) {
            assert!((f64::from(*output) - expected).abs() < 2e-6, "{output}, not {expected}");
        }
        layer.forward(&inputs, None, &mut plain);
        let mut mean = Matrix::default();
        layer.mean.forward(&inputs, &mut Kernels::default(), &mut mean);
        assert_eq!(plain, mean);
        assert_ne!(plain, outputs);
    }

    #[test]
    fn gradients_are_the_slopes_of_outputs() {
        // The loss is the sum of outputs times fixed factors.
        let (layer, inputs, noise) = example();
        let factors: Vec<_> = (0_u8..12).map(|at| f32::from(at) / 6.0 - 0.9).collect();
        let loss = |layer: &NoisyLayer, inputs: &Matrix| -> f64 {
            let outputs = naive(layer, inputs, &noise);
            outputs.iter().zip(&factors).map(|(output, &factor)| output * f64::from(factor)).sum()
        };
        let zeros = DenseLayer::zeros(N_INPUTS, N_OUTPUTS);
        let mut gradient = NoisyLayer { mean: zeros.clone(), deviation: zeros };
        let mut of_inputs = Matrix::default();
        let of_outputs = Matrix::from_values(N_ROWS, N_OUTPUTS, factors.clone());
        layer.backward(&inputs, Some(&noise), &of_outputs, &mut gradient, &mut of_inputs);
        // The loss is linear in each number, so that a large step has no error of its own.
        let check = |gradient: f32, change: &dyn Fn(&mut NoisyLayer, &mut Matrix, f32)| {
            let ends = [-0.5, 0.5].map(|by| {
                let (mut layer, mut inputs) = (layer.clone(), inputs.clone());
                change(&mut layer, &mut inputs, by);
                loss(&layer, &inputs)
            });
            let slope = ends[1] - ends[0];
            assert!((f64::from(gradient) - slope).abs() < 1e-5, "{gradient}, not {slope}");
        };
        for at in 0..N_INPUTS * N_OUTPUTS {
            let values = |layer: &DenseLayer| layer.weights.values()[at];
            check(values(&gradient.mean), &|to, _, by| to.mean.weights.values_mut()[at] += by);
            check(values(&gradient.deviation), &|to, _, by| {
                to.deviation.weights.values_mut()[at] += by;
            });
        }
        for at in 0..N_OUTPUTS {
            check(gradient.mean.bias[at], &|to, _, by| to.mean.bias[at] += by);
            check(gradient.deviation.bias[at], &|to, _, by| to.deviation.bias[at] += by);
        }
        for at in 0..N_ROWS * N_INPUTS {
            check(of_inputs.values()[at], &|_, inputs, by| inputs.values_mut()[at] += by);
        }
    }

    #[test]
    fn noise_has_the_moments_of_rooted_normal_numbers() {
        // E f = 0, E f^2 = E|x| = sqrt(2 / pi), E f^4 = E x^2 = 1. With 40,000 numbers, within 5
        // standard deviations (0.893, 0.603 and 1.414 of one): passed by chance once in a million.
        let mut row = vec![0.0; 40_000];
        fill_noise(&mut row, &mut FastRng::seeded_by(&mut stream("moments")));
        let moment = |power: usize| {
            let of_one = |&noise: &f32| vec![f64::from(noise); power].iter().product::<f64>();
            row.iter().map(of_one).sum::<f64>() / 40_000.0
        };
        let five = 5.0 / 200.0;
        for (power, expected, deviation) in
            [(1, 0.0, 0.893), (2, 0.797_884_6, 0.603), (4, 1.0, 1.414)]
        {
            let off = (moment(power) - expected).abs();
            assert!(off < five * deviation, "moment {power} is {}", moment(power));
        }
    }
}
