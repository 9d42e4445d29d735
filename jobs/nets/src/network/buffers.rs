//! The results of passes forward and backward, with the memory that they need.

use crate::kernel::{InstructionSet, Kernels};
use crate::layer::DenseLayer;
use crate::matrix::{Matrix, RowFlags};
use crate::network::noise::NoisyPass;

/// The outputs of a network's layers for a batch, after ReLU and dropout.
///
/// Its memory serves the next batch.
#[derive(Clone, Debug, Default)]
pub struct Activations {
    pub(super) layers: Vec<Matrix>,
    /// The outputs of the first layer for each state, before actions are added.
    pub(super) states: Matrix,
    /// The factor of hidden values that were not dropped; `None` without dropout.
    pub(super) dropout_scale: Option<f32>,
    pub(super) noise: NoisyPass,
    pub(super) kernels: Kernels,
}

/// The gradient of a loss in every weight and bias of a network.
///
/// Its memory serves the next batch. Gradients are equal if their numbers are.
#[derive(Clone, Debug)]
pub struct Gradients {
    pub(super) layers: Vec<DenseLayer>,
    /// The gradients of the last layer's deviations; `None` without noise.
    pub(super) deviation: Option<DenseLayer>,
    /// The rows of the first layer's weights that may have gradients other than 0.
    pub(super) touched: RowFlags,
    /// The gradients of the outputs of two layers in turn, of what noise adds to outputs, and of
    /// the noisy inputs.
    pub(super) of_outputs: [Matrix; 4],
    /// The gradients of the outputs of the first layer, summed for each state.
    pub(super) states: Matrix,
    pub(super) kernels: Kernels,
}

impl Activations {
    /// Returns none yet, to be computed with `instructions` rather than the fastest.
    #[must_use]
    pub fn with_instructions(instructions: InstructionSet) -> Self {
        Self { kernels: Kernels::new(instructions), ..Self::default() }
    }

    /// Returns the outputs of the network: a row for each action.
    ///
    /// # Panics
    /// If nothing was computed yet.
    #[must_use]
    pub fn outputs(&self) -> &Matrix {
        self.layers.last().expect("a network has layers")
    }
}

impl Gradients {
    /// Returns gradients of 0 for layers of these sizes.
    pub(super) fn of_layers(layers: &[DenseLayer], deviation: Option<&DenseLayer>) -> Self {
        let zeros = |layer: &DenseLayer| DenseLayer::zeros(layer.n_inputs(), layer.n_outputs());
        let layers: Vec<_> = layers.iter().map(zeros).collect();
        Self {
            touched: RowFlags::new(layers[0].n_inputs()),
            layers,
            deviation: deviation.map(zeros),
            of_outputs: Default::default(),
            states: Matrix::default(),
            kernels: Kernels::default(),
        }
    }

    /// Returns the same gradients, to be computed with `instructions` rather than the fastest.
    #[must_use]
    pub fn with_instructions(self, instructions: InstructionSet) -> Self {
        Self { kernels: Kernels::new(instructions), ..self }
    }

    /// Makes all gradients 0.
    pub fn clear(&mut self) {
        let Some((first, others)) = self.layers.split_first_mut() else { return };
        let mut start = 0;
        while start < self.touched.n_rows() {
            let rows = self.touched.run_from(start);
            start = rows.end;
            if self.touched.is_marked(rows.start) {
                first.weights.rows_mut(rows).fill(0.0);
            }
        }
        self.touched.clear();
        first.bias.fill(0.0);
        for layer in others.iter_mut().chain(&mut self.deviation) {
            layer.weights.values_mut().fill(0.0);
            layer.bias.fill(0.0);
        }
    }

    /// Returns which rows of the first layer's weights may have gradients other than 0.
    pub(crate) const fn touched_rows(&self) -> &RowFlags {
        &self.touched
    }

    /// Returns the gradients in the order of [`Network::parameters`](super::Network::parameters).
    pub fn parameters(&self) -> impl Iterator<Item = &[f32]> {
        let layers = self.layers.iter().chain(&self.deviation);
        layers.flat_map(|layer| [layer.weights.values(), &layer.bias])
    }
}

impl PartialEq for Gradients {
    fn eq(&self, other: &Self) -> bool {
        (&self.layers, &self.deviation) == (&other.layers, &other.deviation)
    }
}
