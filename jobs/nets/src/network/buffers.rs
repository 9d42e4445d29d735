//! What passes forward and backward leave behind, with the memory that they need.

use crate::kernel::{InstructionSet, Kernels};
use crate::layer::DenseLayer;
use crate::matrix::Matrix;

/// What a network computed for a batch: the outputs of each layer, after ReLU and dropout.
///
/// Its memory serves the next batch.
#[derive(Clone, Debug, Default)]
pub struct Activations {
    pub(super) layers: Vec<Matrix>,
    /// The outputs of the first layer for each state, before actions are added.
    pub(super) states: Matrix,
    /// The factor of hidden values that were not dropped; `None` without dropout.
    pub(super) dropout_scale: Option<f32>,
    pub(super) kernels: Kernels,
}

/// The gradient of a loss in every weight and bias of a network.
///
/// Its memory serves the next batch. Gradients are equal if their numbers are.
#[derive(Clone, Debug)]
pub struct Gradients {
    pub(super) layers: Vec<DenseLayer>,
    /// The gradients of the outputs of two layers in turn.
    pub(super) of_outputs: [Matrix; 2],
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
    pub(super) fn of_layers(layers: &[DenseLayer]) -> Self {
        let layers = layers.iter();
        let layers = layers.map(|layer| DenseLayer::zeros(layer.n_inputs(), layer.n_outputs()));
        Self {
            layers: layers.collect(),
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
        for layer in &mut self.layers {
            layer.weights.values_mut().fill(0.0);
            layer.bias.fill(0.0);
        }
    }

    /// Returns the gradients in the order of [`Network::parameters`](super::Network::parameters).
    pub fn parameters(&self) -> impl Iterator<Item = &[f32]> {
        self.layers.iter().flat_map(|layer| [layer.weights.values(), &layer.bias])
    }
}

impl PartialEq for Gradients {
    fn eq(&self, other: &Self) -> bool {
        self.layers == other.layers
    }
}
