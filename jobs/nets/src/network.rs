//! Networks of dense layers, forward and backward.

mod buffers;
mod first_layer;
mod noise;
#[cfg(test)]
mod tests;

use std::ops::Range;

use hatchery_core::{FastRng, StreamRng};

pub use self::buffers::{Activations, Gradients};
pub use self::first_layer::FirstLayerForm;
pub use self::noise::RowNoise;
use crate::batch::InputBatch;
use crate::dropout::Dropout;
use crate::kernel::Kernels;
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
    /// Returns the numbers of inputs and outputs by layer.
    pub fn layers(&self) -> impl Iterator<Item = (usize, usize)> {
        let inputs = [self.state_len + self.action_len].into_iter().chain(self.hidden.clone());
        inputs.zip(self.hidden.clone().into_iter().chain([self.n_outputs]))
    }
}

/// A network: dense layers, with ReLU after all but the last.
///
/// The weights and biases of the last layer may be noisy, for exploration (Fortunato et al. 2018,
/// "Noisy Networks for Exploration", section 3): they then have deviations beside their means. Each
/// row of a batch has noise of its own, so that a weight from input `i` to output `o` is
/// `mean + deviation * f(input noise i) * f(output noise o)`, where `f(x) = sign(x) sqrt(|x|)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    state_len: usize,
    layers: Vec<DenseLayer>,
    /// The deviations of the last layer; `None` without noise.
    deviation: Option<DenseLayer>,
}

/// The random numbers of a pass through a network.
#[derive(Debug, Default)]
pub struct PassOptions<'a> {
    /// The dropout of hidden values; `None` for none.
    pub dropout: Option<&'a mut Dropout>,
    /// The noise of the last layer; `None` for the means of its weights.
    pub noise: Option<&'a RowNoise>,
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
        Self { state_len: shape.state_len, layers: layers.collect(), deviation: None }
    }

    /// Returns the network with these layers; its first `state_len` inputs are the state's.
    ///
    /// # Panics
    /// If the layers do not fit together, or there are fewer than two.
    #[must_use]
    pub fn from_layers(state_len: usize, layers: Vec<DenseLayer>) -> Self {
        let fit = layers.windows(2).all(|pair| pair[0].n_outputs() == pair[1].n_inputs());
        let biased = layers.iter().all(|layer| layer.bias.len() == layer.n_outputs());
        assert!(fit && biased && 2 <= layers.len(), "the layers of a network fit together");
        assert!(state_len <= layers[0].n_inputs(), "the inputs begin with those of the state");
        Self { state_len, layers, deviation: None }
    }

    /// Returns the network with noise in its last layer: all deviations are `deviation` over the
    /// root of the number of its inputs, 0.5 in the paper.
    #[must_use]
    pub fn with_noise(self, deviation: f32) -> Self {
        let last = self.last_layer();
        let mut layer = DenseLayer::zeros(last.n_inputs(), last.n_outputs());
        #[expect(clippy::cast_precision_loss, reason = "fewer than 2^24 inputs")]
        let deviation = deviation / (last.n_inputs().max(1) as f32).sqrt();
        layer.weights.values_mut().fill(deviation);
        layer.bias.fill(deviation);
        self.with_deviation(Some(layer))
    }

    /// Returns the network with these deviations of its last layer.
    ///
    /// # Panics
    /// If they have another shape than the layer.
    pub(crate) fn with_deviation(mut self, deviation: Option<DenseLayer>) -> Self {
        let sizes = |layer: &DenseLayer| [layer.n_inputs(), layer.n_outputs(), layer.bias.len()];
        let fits = deviation.as_ref().is_none_or(|it| sizes(it) == sizes(self.last_layer()));
        assert!(fits, "the last layer has a deviation for each weight and bias");
        self.deviation = deviation;
        self
    }

    /// Returns the network without noise: the means of its weights.
    #[must_use]
    pub fn without_noise(self) -> Self {
        self.with_deviation(None)
    }

    /// Returns the deviations of the last layer's weights and biases; `None` without noise.
    #[must_use]
    pub const fn deviation(&self) -> Option<&DenseLayer> {
        self.deviation.as_ref()
    }

    fn last_layer(&self) -> &DenseLayer {
        self.layers.last().expect("a network has layers")
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

    /// Returns the layers in order.
    #[must_use]
    pub fn layers(&self) -> &[DenseLayer] {
        &self.layers
    }

    /// Returns all weights and biases: layer by layer the weights, then the bias; and then the
    /// deviations of the last layer, if it is noisy.
    pub fn parameters(&self) -> impl Iterator<Item = &[f32]> {
        let layers = self.layers.iter().chain(&self.deviation);
        layers.flat_map(|layer| [layer.weights.values(), &layer.bias])
    }

    /// Returns all weights and biases, in the same order.
    pub fn parameters_mut(&mut self) -> impl Iterator<Item = &mut [f32]> {
        self.layers
            .iter_mut()
            .chain(&mut self.deviation)
            .flat_map(|DenseLayer { weights, bias }| [weights.values_mut(), bias.as_mut_slice()])
    }

    /// Computes the outputs for each action of `batch`.
    ///
    /// # Panics
    /// If the rows of the batch have other lengths than the network's inputs.
    pub fn forward(&self, batch: &InputBatch, form: FirstLayerForm, to: &mut Activations) {
        self.forward_with(batch, form, PassOptions::default(), to);
    }

    /// Computes the outputs for each action of `batch`, like [`Self::forward`], with dropout or
    /// noise; [`Self::backward`] then gives the gradient with the same dropout and noise.
    ///
    /// # Panics
    /// If the rows of the batch have other lengths than the network's inputs, or the noise was
    /// drawn for another network or another number of rows.
    pub fn forward_with(
        &self,
        batch: &InputBatch,
        form: FirstLayerForm,
        PassOptions { mut dropout, noise }: PassOptions<'_>,
        to: &mut Activations,
    ) {
        let lens = [batch.states.n_cols(), batch.actions.n_cols()];
        assert_eq!(lens, [self.state_len, self.layers[0].n_inputs() - self.state_len]);
        to.dropout_scale = dropout.as_deref().map(Dropout::scale);
        let Activations { layers: outputs, states, noise: noisy_pass, kernels, .. } = to;
        outputs.resize_with(self.layers.len(), Matrix::default);
        first_layer::forward(&self.layers[0], batch, form, kernels, states, &mut outputs[0]);
        for (at, layer) in self.layers.iter().enumerate().skip(1) {
            let (before, after) = outputs.split_at_mut(at);
            kernels.relu(&mut before[at - 1]);
            if let Some(dropout) = dropout.as_deref_mut() {
                dropout.drop_some(&mut before[at - 1]);
            }
            layer.forward(&before[at - 1], kernels, &mut after[0]);
        }
        noisy_pass.pass(self.deviation.as_ref(), noise, outputs, kernels);
    }

    /// Adds the gradient of a loss to `gradients`, from its gradient in the outputs for `batch`,
    /// whose activations are `activations`.
    ///
    /// [`FirstLayerForm::Fastest`] adds the gradients of a state's actions before it multiplies
    /// them with the state, so that it differs from the other two in the last bits where a state
    /// has several actions. The other two are equal.
    ///
    /// # Panics
    /// If the activations do not belong to the batch.
    pub fn backward(
        &self,
        batch: &InputBatch,
        form: FirstLayerForm,
        activations: &Activations,
        of_outputs: &Matrix,
        gradients: &mut Gradients,
    ) {
        let Gradients { layers, deviation, touched, of_outputs: buffers, states, kernels } =
            gradients;
        let [of_layer, of_inputs, of_noisy @ ..] = buffers;
        of_layer.copy_from(of_outputs);
        for at in (1..self.layers.len()).rev() {
            let inputs = &activations.layers[at - 1];
            DenseLayer::add_gradient(inputs, of_layer, kernels, &mut layers[at]);
            self.layers[at].backward(of_layer, kernels, of_inputs);
            if let (Some(layer), Some(gradient)) = (&self.deviation, deviation.as_mut())
                && at + 1 == self.layers.len()
            {
                let noise = &activations.noise;
                noise.add_gradient(layer, of_layer, kernels, of_noisy, gradient, of_inputs);
            }
            kernels.mask(inputs, of_inputs);
            if let Some(scale) = activations.dropout_scale {
                of_inputs.values_mut().iter_mut().for_each(|gradient| *gradient *= scale);
            }
            std::mem::swap(of_layer, of_inputs);
        }
        first_layer::backward(batch, form, of_layer, kernels, states, &mut layers[0], touched);
    }

    /// Adds the gradient of a loss to `gradients`, as [`Self::backward`] does, and returns the
    /// gradient in the outputs of the first layer, before ReLU: a row for each action.
    ///
    /// # Panics
    /// If the activations do not belong to the batch.
    pub fn backward_to_first(
        &self,
        batch: &InputBatch,
        form: FirstLayerForm,
        activations: &Activations,
        of_outputs: &Matrix,
        gradients: &mut Gradients,
    ) -> Matrix {
        self.backward(batch, form, activations, of_outputs, gradients);
        gradients.of_outputs[0].clone()
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
        let rows = columns.flat_map(|column| first.weights.row(self.state_len + column));
        let weights = Matrix::from_values(n_columns, first.n_outputs(), rows.copied().collect());
        let mut gradient = Matrix::zeros(of_first.n_rows(), n_columns);
        Kernels::default().add_product_with_transposed(of_first, &weights, &mut gradient);
        gradient
    }
}

impl RowNoise {
    /// Draws the noise of `n_rows` rows for the last layer of `network`: row by row, the noise of
    /// inputs before the noise of outputs.
    pub fn draw(&mut self, network: &Network, n_rows: usize, rng: &mut FastRng) {
        let layer = network.last_layer();
        self.draw_sizes([layer.n_inputs(), layer.n_outputs()], n_rows, rng);
    }
}

impl Gradients {
    /// Returns gradients of 0 for a network.
    #[must_use]
    pub fn zeros(network: &Network) -> Self {
        Self::of_layers(&network.layers, network.deviation.as_ref())
    }
}
