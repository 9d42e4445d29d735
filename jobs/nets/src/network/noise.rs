//! The noise of the last layer, with numbers of its own for each row of a batch.

mod table;

use hatchery_core::FastRng;

use self::table::NoiseTable;
use crate::kernel::Kernels;
use crate::layer::DenseLayer;
use crate::matrix::Matrix;

/// The noise of the rows of a batch, already transformed by `f(x) = sign(x) sqrt(|x|)` (Fortunato
/// et al. 2018, section 3).
///
/// Its numbers are drawn from 4,096 equally likely values, the quantiles of `f` of a normal number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RowNoise {
    /// A number for each input of the last layer, row by row.
    inputs: Matrix,
    /// A number for each output, row by row.
    outputs: Matrix,
}

impl RowNoise {
    /// Draws the noise of `n_rows` rows of a layer with these numbers of inputs and outputs.
    pub(super) fn draw_sizes(
        &mut self,
        [n_inputs, n_outputs]: [usize; 2],
        n_rows: usize,
        rng: &mut FastRng,
    ) {
        let table = NoiseTable::shared();
        self.inputs.reset(n_rows, n_inputs);
        self.outputs.reset(n_rows, n_outputs);
        for row in 0..n_rows {
            table.fill(self.inputs.row_mut(row), rng);
            table.fill(self.outputs.row_mut(row), rng);
        }
    }
}

/// The results of a noisy pass that the pass backward needs.
#[derive(Clone, Debug, Default)]
pub(super) struct NoisyPass {
    /// True if the last pass had noise.
    is_noisy: bool,
    noise: RowNoise,
    /// The inputs of the last layer times their noise.
    inputs: Matrix,
    /// The outputs that the deviations have for these inputs.
    added: Matrix,
}

impl NoisyPass {
    /// Adds the effect of noise to the outputs of the last layer, whose inputs are the outputs of
    /// the previous layer.
    ///
    /// The noise of a row needs no weights of its own, as it factors out of the sums:
    /// `y = mean(x) + f(output noise) * deviation(f(input noise) * x)`.
    pub(super) fn pass(
        &mut self,
        deviation: Option<&DenseLayer>,
        noise: Option<&RowNoise>,
        layers: &mut [Matrix],
        kernels: &mut Kernels,
    ) {
        self.is_noisy = deviation.is_some() && noise.is_some();
        let (Some(deviation), Some(noise)) = (deviation, noise) else { return };
        let [.., inputs, outputs] = layers else {
            unreachable!("a network has two layers or more")
        };
        self.noise.inputs.copy_from(&noise.inputs);
        self.noise.outputs.copy_from(&noise.outputs);
        write_products(inputs, &noise.inputs, &mut self.inputs);
        deviation.forward(&self.inputs, kernels, &mut self.added);
        add_products(&self.added, &noise.outputs, outputs);
    }

    /// Adds the gradient of the deviations to `gradient`, and the noise's part of the gradient of
    /// the last layer's inputs to `of_inputs`, from the gradient of the layer's outputs; `memory`
    /// serves the next call.
    pub(super) fn add_gradient(
        &self,
        deviation: &DenseLayer,
        of_outputs: &Matrix,
        kernels: &mut Kernels,
        memory: &mut [Matrix; 2],
        gradient: &mut DenseLayer,
        of_inputs: &mut Matrix,
    ) {
        if !self.is_noisy {
            return;
        }
        let [of_added, of_noisy_inputs] = memory;
        write_products(of_outputs, &self.noise.outputs, of_added);
        DenseLayer::add_gradient(&self.inputs, of_added, kernels, gradient);
        deviation.backward(of_added, kernels, of_noisy_inputs);
        add_products(of_noisy_inputs, &self.noise.inputs, of_inputs);
    }
}

/// Writes the products of values at the same places.
fn write_products(a: &Matrix, b: &Matrix, products: &mut Matrix) {
    assert_same_size(a, b);
    products.copy_from(a);
    for (product, factor) in products.values_mut().iter_mut().zip(b.values()) {
        *product *= factor;
    }
}

/// Adds the products of values at the same places to `to`.
fn add_products(a: &Matrix, b: &Matrix, to: &mut Matrix) {
    assert_same_size(a, b);
    assert_same_size(a, to);
    let products = a.values().iter().zip(b.values()).map(|(a, b)| a * b);
    for (to, product) in to.values_mut().iter_mut().zip(products) {
        *to += product;
    }
}

fn assert_same_size(a: &Matrix, b: &Matrix) {
    assert_eq!([a.n_rows(), a.n_cols()], [b.n_rows(), b.n_cols()], "noise for each value");
}

#[cfg(test)]
mod tests;
