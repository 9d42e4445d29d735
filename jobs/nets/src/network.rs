//! Networks of dense layers, forward and backward.

use std::ops::Range;

use hatchery_core::StreamRng;

use crate::batch::{InputBatch, SparseRows};
use crate::dropout::Dropout;
use crate::kernel::{
    add_product, add_sparse_product, add_transposed_product, add_transposed_sparse_product,
};
use crate::layer::DenseLayer;
use crate::matrix::Matrix;

/// The sizes of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkShape {
    /// The length of the row of a state.
    pub state_len: usize,
    /// The length of the row of an action.
    pub action_len: usize,
    /// The sizes of the hidden layers; at least one.
    pub hidden: Vec<usize>,
    /// The number of outputs.
    pub n_outputs: usize,
}

impl NetworkShape {
    /// Returns the numbers of inputs and outputs of each layer.
    pub fn layers(&self) -> impl Iterator<Item = (usize, usize)> {
        let inputs = [self.state_len + self.action_len].into_iter().chain(self.hidden.clone());
        inputs.zip(self.hidden.clone().into_iter().chain([self.n_outputs]))
    }
}

/// The way in which the first layer is computed. It never changes an output to the bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FirstLayerForm {
    /// The part of a state once, and zeros skipped where that is faster.
    #[default]
    Fastest,
    /// The row of a state copied before each of its actions, and zeros skipped.
    CopiedSparse,
    /// The row of a state copied before each of its actions, and zeros multiplied.
    CopiedDense,
}

/// A network: dense layers, with ReLU after all but the last.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    state_len: usize,
    layers: Vec<DenseLayer>,
}

/// The gradient of a loss in every weight and bias of a network.
#[derive(Clone, Debug, PartialEq)]
pub struct Gradients(Network);

/// What a network computed for a batch: the outputs of each layer, after ReLU and dropout.
#[derive(Clone, Debug, Default)]
pub struct Activations {
    layers: Vec<Matrix>,
    /// The factor of hidden values that were not dropped; `None` without dropout.
    dropout_scale: Option<f32>,
}

impl Activations {
    /// Returns the outputs of the network: a row for each action.
    ///
    /// # Panics
    /// If nothing was computed yet.
    #[must_use]
    pub fn outputs(&self) -> &Matrix {
        self.layers.last().expect("a network has layers")
    }
}

impl Network {
    /// Returns a network with random weights: see [`DenseLayer::random`].
    ///
    /// # Panics
    /// If there is no hidden layer.
    pub fn random(shape: &NetworkShape, rng: &mut StreamRng) -> Self {
        assert!(!shape.hidden.is_empty(), "a network has a hidden layer");
        let layers =
            shape.layers().map(|(inputs, outputs)| DenseLayer::random(inputs, outputs, rng));
        Self { state_len: shape.state_len, layers: layers.collect() }
    }

    /// Returns the network with these layers; its first `state_len` inputs are those of the state.
    ///
    /// # Panics
    /// If the layers do not fit together, or there are fewer than two.
    #[must_use]
    pub fn from_layers(state_len: usize, layers: Vec<DenseLayer>) -> Self {
        let fit = layers.windows(2).all(|pair| pair[0].n_outputs() == pair[1].n_inputs());
        let biased = layers.iter().all(|layer| layer.bias.len() == layer.n_outputs());
        assert!(fit && biased && 2 <= layers.len(), "the layers of a network fit together");
        assert!(state_len <= layers[0].n_inputs(), "the inputs begin with those of the state");
        Self { state_len, layers }
    }

    /// Returns the sizes.
    #[must_use]
    pub fn shape(&self) -> NetworkShape {
        let sizes = self.layers.iter().map(DenseLayer::n_outputs);
        let mut hidden: Vec<_> = sizes.collect();
        NetworkShape {
            state_len: self.state_len,
            action_len: self.layers[0].n_inputs() - self.state_len,
            n_outputs: hidden.pop().unwrap_or_default(),
            hidden,
        }
    }

    /// Returns the layers, the first one first.
    #[must_use]
    pub fn layers(&self) -> &[DenseLayer] {
        &self.layers
    }

    /// Returns all weights and biases: of each layer the weights, then the bias.
    pub fn parameters(&self) -> impl Iterator<Item = &[f32]> {
        self.layers.iter().flat_map(|layer| [layer.weights.values(), &layer.bias])
    }

    /// Returns all weights and biases, in the same order.
    pub fn parameters_mut(&mut self) -> impl Iterator<Item = &mut [f32]> {
        self.layers
            .iter_mut()
            .flat_map(|DenseLayer { weights, bias }| [weights.values_mut(), bias.as_mut_slice()])
    }

    /// Computes the outputs for each action of `batch`.
    ///
    /// # Panics
    /// If the rows of the batch have other lengths than the network's inputs.
    pub fn forward(&self, batch: &InputBatch, form: FirstLayerForm, to: &mut Activations) {
        self.forward_with(batch, form, None, to);
    }

    /// Computes the outputs for each action of `batch`, as [`Self::forward`] does, and drops hidden
    /// values with `dropout`; [`Self::backward`] then gives the gradient of what was not dropped.
    ///
    /// # Panics
    /// If the rows of the batch have other lengths than the network's inputs.
    pub fn forward_with(
        &self,
        batch: &InputBatch,
        form: FirstLayerForm,
        mut dropout: Option<&mut Dropout>,
        to: &mut Activations,
    ) {
        to.dropout_scale = dropout.as_deref().map(Dropout::scale);
        let lens = [batch.states.n_cols(), batch.actions.n_cols()];
        assert_eq!(lens, [self.state_len, self.layers[0].n_inputs() - self.state_len]);
        to.layers.resize_with(self.layers.len(), Matrix::default);
        self.forward_first(batch, form, &mut to.layers[0]);
        for (at, layer) in self.layers.iter().enumerate().skip(1) {
            let (before, after) = to.layers.split_at_mut(at);
            relu(&mut before[at - 1]);
            if let Some(dropout) = dropout.as_deref_mut() {
                dropout.drop_some(&mut before[at - 1]);
            }
            layer.forward(&before[at - 1], &mut after[0]);
        }
    }

    /// Adds the gradient of a loss to `gradients`, from its gradient in the outputs for `batch`,
    /// whose activations are `activations`.
    ///
    /// [`FirstLayerForm::Fastest`] adds the gradients of a state's actions before it multiplies them
    /// with the state, so that it differs from the other two in the last bits where a state has
    /// several actions. The other two are equal.
    ///
    /// # Panics
    /// If the activations are not those of the batch.
    pub fn backward(
        &self,
        batch: &InputBatch,
        form: FirstLayerForm,
        activations: &Activations,
        of_outputs: &Matrix,
        gradients: &mut Gradients,
    ) {
        self.backward_to_first(batch, form, activations, of_outputs, gradients);
    }

    /// Adds the gradient of a loss to `gradients`, as [`Self::backward`] does, and returns the
    /// gradient in the outputs of the first layer, before ReLU: a row for each action.
    ///
    /// # Panics
    /// If the activations are not those of the batch.
    pub fn backward_to_first(
        &self,
        batch: &InputBatch,
        form: FirstLayerForm,
        activations: &Activations,
        of_outputs: &Matrix,
        gradients: &mut Gradients,
    ) -> Matrix {
        let mut of_layer = of_outputs.clone();
        for at in (1..self.layers.len()).rev() {
            let inputs = &activations.layers[at - 1];
            DenseLayer::add_gradient(inputs, &of_layer, &mut gradients.0.layers[at]);
            let mut of_inputs = Matrix::default();
            self.layers[at].backward(&of_layer, &mut of_inputs);
            for (gradient, &input) in of_inputs.values_mut().iter_mut().zip(inputs.values()) {
                if input <= 0.0 {
                    *gradient = 0.0;
                } else if let Some(scale) = activations.dropout_scale {
                    *gradient *= scale;
                }
            }
            of_layer = of_inputs;
        }
        self.backward_first(batch, form, &of_layer, &mut gradients.0.layers[0]);
        of_layer
    }

    /// Returns the gradient of a loss in some columns of the rows of actions, from its gradient in
    /// the outputs of the first layer ([`Self::backward_to_first`]): a row for each action, with a
    /// column for each of `columns`.
    ///
    /// # Panics
    /// If the rows of actions do not have these columns.
    #[must_use]
    pub fn action_gradient(&self, of_first: &Matrix, columns: Range<usize>) -> Matrix {
        let (first, n_columns) = (&self.layers[0], columns.len());
        let mut transposed = Matrix::zeros(first.n_outputs(), n_columns);
        for (at, column) in columns.enumerate() {
            for (output, &weight) in first.weights.row(self.state_len + column).iter().enumerate() {
                transposed.row_mut(output)[at] = weight;
            }
        }
        let mut gradient = Matrix::zeros(of_first.n_rows(), n_columns);
        add_product(of_first, &transposed, &mut gradient);
        gradient
    }

    fn forward_first(&self, batch: &InputBatch, form: FirstLayerForm, to: &mut Matrix) {
        let first = &self.layers[0];
        match form {
            FirstLayerForm::Fastest => {
                let mut states = Matrix::default();
                first.fill_bias(batch.states.n_rows(), &mut states);
                add_sparse_product(&batch.states, &first.weights, 0, &mut states);
                to.reset(batch.n_rows(), first.n_outputs());
                for (row, &state) in batch.state_of.iter().enumerate() {
                    to.row_mut(row).copy_from_slice(states.row(state as usize));
                }
                add_sparse_product(&batch.actions, &first.weights, self.state_len, to);
            }
            FirstLayerForm::CopiedSparse => {
                first.fill_bias(batch.n_rows(), to);
                add_sparse_product(&copied_states(batch), &first.weights, 0, to);
                add_sparse_product(&batch.actions, &first.weights, self.state_len, to);
            }
            FirstLayerForm::CopiedDense => {
                first.fill_bias(batch.n_rows(), to);
                add_product(&dense_rows(batch), &first.weights, to);
            }
        }
    }

    fn backward_first(
        &self,
        batch: &InputBatch,
        form: FirstLayerForm,
        of_outputs: &Matrix,
        gradient: &mut DenseLayer,
    ) {
        DenseLayer::add_bias_gradient(of_outputs, &mut gradient.bias);
        let weights = &mut gradient.weights;
        match form {
            FirstLayerForm::Fastest => {
                let mut sums = Matrix::zeros(batch.states.n_rows(), of_outputs.n_cols());
                for (row, &state) in batch.state_of.iter().enumerate() {
                    let sums = sums.row_mut(state as usize).iter_mut();
                    sums.zip(of_outputs.row(row)).for_each(|(sum, &value)| *sum += value);
                }
                add_transposed_sparse_product(&batch.states, &sums, 0, weights);
                add_transposed_sparse_product(&batch.actions, of_outputs, self.state_len, weights);
            }
            FirstLayerForm::CopiedSparse => {
                add_transposed_sparse_product(&copied_states(batch), of_outputs, 0, weights);
                add_transposed_sparse_product(&batch.actions, of_outputs, self.state_len, weights);
            }
            FirstLayerForm::CopiedDense => {
                add_transposed_product(&dense_rows(batch), of_outputs, weights);
            }
        }
    }
}

impl Gradients {
    /// Returns gradients of 0 for a network.
    #[must_use]
    pub fn zeros(network: &Network) -> Self {
        let layers = network.layers.iter();
        let layers = layers.map(|layer| DenseLayer::zeros(layer.n_inputs(), layer.n_outputs()));
        Self(Network { state_len: network.state_len, layers: layers.collect() })
    }

    /// Makes all gradients 0.
    pub fn clear(&mut self) {
        self.0.parameters_mut().for_each(|parameters| parameters.fill(0.0));
    }

    /// Returns the gradients in the order of [`Network::parameters`].
    pub fn parameters(&self) -> impl Iterator<Item = &[f32]> {
        self.0.parameters()
    }
}

/// Makes negative values 0.
fn relu(values: &mut Matrix) {
    for value in values.values_mut() {
        if *value <= 0.0 {
            *value = 0.0;
        }
    }
}

/// Returns the row of its state for each action.
fn copied_states(batch: &InputBatch) -> SparseRows {
    let mut rows = SparseRows::new(batch.states.n_cols());
    batch.state_of.iter().for_each(|&state| rows.push(batch.states.row(state as usize)));
    rows
}

/// Returns the whole input of each action, zeros included.
fn dense_rows(batch: &InputBatch) -> Matrix {
    let state_len = batch.states.n_cols();
    let mut rows = Matrix::zeros(batch.n_rows(), state_len + batch.actions.n_cols());
    for (at, &state) in batch.state_of.iter().enumerate() {
        let row = rows.row_mut(at);
        for &(column, value) in batch.states.row(state as usize) {
            row[column as usize] = value;
        }
        for &(column, value) in batch.actions.row(at) {
            row[state_len + column as usize] = value;
        }
    }
    rows
}
