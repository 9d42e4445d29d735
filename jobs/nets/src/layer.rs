//! Dense layers.

use hatchery_core::StreamRng;

use crate::kernel::Kernels;
use crate::matrix::Matrix;

/// A dense layer: an output is its bias and the sum of the inputs times their weights.
#[derive(Clone, Debug, PartialEq)]
pub struct DenseLayer {
    /// A row of weights for each input, with a column for each output.
    pub weights: Matrix,
    /// A number for each output.
    pub bias: Vec<f32>,
}

impl DenseLayer {
    /// Returns a layer of zeros.
    #[must_use]
    pub fn zeros(n_inputs: usize, n_outputs: usize) -> Self {
        Self { weights: Matrix::zeros(n_inputs, n_outputs), bias: vec![0.0; n_outputs] }
    }

    /// Returns a layer whose weights and biases are uniform between plus and minus one over the
    /// root of the number of inputs, like in PyTorch's `Linear`.
    pub fn random(n_inputs: usize, n_outputs: usize, rng: &mut StreamRng) -> Self {
        let mut layer = Self::zeros(n_inputs, n_outputs);
        #[expect(clippy::cast_precision_loss, reason = "fewer than 2^24 inputs")]
        let bound = 1.0 / (n_inputs.max(1) as f32).sqrt();
        for value in layer.weights.values_mut().iter_mut().chain(&mut layer.bias) {
            *value = bound * (2.0 * rng.unit_f32() - 1.0);
        }
        layer
    }

    /// Returns the number of inputs.
    #[must_use]
    pub const fn n_inputs(&self) -> usize {
        self.weights.n_rows()
    }

    /// Returns the number of outputs.
    #[must_use]
    pub const fn n_outputs(&self) -> usize {
        self.weights.n_cols()
    }

    /// Writes the outputs for each row of `inputs`.
    pub(crate) fn forward(&self, inputs: &Matrix, kernels: &mut Kernels, outputs: &mut Matrix) {
        self.fill_bias(inputs.n_rows(), outputs);
        kernels.add_product(inputs, &self.weights, outputs);
    }

    /// Sets each of `n_rows` rows to the bias.
    pub(crate) fn fill_bias(&self, n_rows: usize, outputs: &mut Matrix) {
        outputs.reset(n_rows, self.n_outputs());
        for row in 0..n_rows {
            outputs.row_mut(row).copy_from_slice(&self.bias);
        }
    }

    /// Adds the gradients of weights and bias to `gradient`, from the gradient of the outputs.
    pub(crate) fn add_gradient(
        inputs: &Matrix,
        of_outputs: &Matrix,
        kernels: &mut Kernels,
        gradient: &mut Self,
    ) {
        kernels.add_transposed_product(inputs, of_outputs, &mut gradient.weights);
        kernels.add_rows(of_outputs, &mut gradient.bias);
    }

    /// Writes the gradient of the inputs, from the gradient of the outputs.
    pub(crate) fn backward(
        &self,
        of_outputs: &Matrix,
        kernels: &mut Kernels,
        of_inputs: &mut Matrix,
    ) {
        of_inputs.reset(of_outputs.n_rows(), self.n_inputs());
        kernels.add_product_with_transposed(of_outputs, &self.weights, of_inputs);
    }
}
