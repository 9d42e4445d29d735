//! Networks and the memory of their optimizer as tensors.

use std::collections::BTreeSet;

use crate::adam::AdamState;
use crate::layer::DenseLayer;
use crate::matrix::{Matrix, RowFlags};
use crate::network::{Gradients, Network};
use crate::tensors::{Tensor, TensorError, TensorFile};

mod torch;

/// The most steps of an optimizer that is read: far from an overflow.
const MAX_STEPS: u64 = 1 << 53;

impl Network {
    /// Returns true if no weight or bias is NaN or infinite, as [`TensorFile::decode`] asks for.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.parameters().all(are_finite)
    }

    /// Adds the weights and biases to `file`.
    ///
    /// Layer `i` has the tensors `{prefix}layers.{i}.weight`, with a row for each input and a
    /// column for each output (the transpose of PyTorch's `Linear`), and `{prefix}layers.{i}.bias`;
    /// a noisy one also `{prefix}layers.{i}.weight_deviation` and `.bias_deviation`.
    pub fn to_tensors(&self, prefix: &str, file: &mut TensorFile) {
        for (at, layer) in self.layers().iter().enumerate() {
            let [weight, bias] = layer_names(prefix, at);
            let shape = [layer.n_inputs(), layer.n_outputs()];
            file.insert(&weight, &shape, layer.weights.values());
            file.insert(&bias, &shape[1..], &layer.bias);
        }
        if let Some(deviation) = self.deviation() {
            let [weight, bias] = deviation_names(prefix, self.layers().len() - 1);
            let shape = [deviation.n_inputs(), deviation.n_outputs()];
            file.insert(&weight, &shape, deviation.weights.values());
            file.insert(&bias, &shape[1..], &deviation.bias);
        }
    }

    /// Reads the network that [`Self::to_tensors`] wrote with this prefix; its first `state_len`
    /// inputs are the state's.
    ///
    /// # Errors
    /// If there are fewer than two layers, their shapes do not fit together, the first layer has
    /// fewer inputs than `state_len`, or another tensor begins with `{prefix}layers.`.
    pub fn from_tensors(
        prefix: &str,
        file: &TensorFile,
        state_len: usize,
    ) -> Result<Self, TensorError> {
        let (mut layers, mut known) = (Vec::new(), BTreeSet::new());
        loop {
            let names = layer_names(prefix, layers.len());
            if 2 <= layers.len() && !file.tensors.contains_key(&names[0]) {
                break;
            }
            layers.push(read_layer(file, &names, layers.last())?);
            known.extend(names);
        }
        if layers[0].n_inputs() < state_len {
            let [name, _] = layer_names(prefix, 0);
            let expected = format!("at least {state_len} rows");
            return Err(wrong_shape(&name, &file.tensors[&name], expected));
        }
        let names = deviation_names(prefix, layers.len() - 1);
        let deviation = match file.tensors.contains_key(&names[0]) {
            true => Some(read_deviation(file, &names, &layers)?),
            false => None,
        };
        if deviation.is_some() {
            known.extend(names);
        }
        let start = format!("{prefix}layers.");
        let names = file.tensors.range(start.clone()..).map(|(name, _)| name);
        let mut names = names.take_while(|name| name.starts_with(&start));
        match names.find(|&name| !known.contains(name)) {
            Some(name) => Err(TensorError::Unknown { name: name.clone() }),
            None => Ok(Self::from_layers(state_len, layers).with_deviation(deviation)),
        }
    }
}

impl Gradients {
    /// Returns true if no gradient is NaN or infinite; a step along others would spoil the network.
    #[must_use]
    pub fn are_finite(&self) -> bool {
        self.parameters().all(are_finite)
    }
}

impl AdamState {
    /// Adds the memory to `file`.
    ///
    /// Parameters `i`, in the order of [`Network::parameters`], have the tensors
    /// `{prefix}means.{i}` and `{prefix}squares.{i}`, each a plain row of numbers; the metadata has
    /// `{prefix}steps` and `{prefix}powers`, the powers of the two decays.
    pub fn to_tensors(&self, prefix: &str, file: &mut TensorFile) {
        for (at, memory) in self.means.iter().enumerate() {
            for (name, values) in memory_names(prefix, at).iter().zip(memory) {
                file.insert(name, &[values.len()], values);
            }
        }
        file.metadata.insert(format!("{prefix}steps"), self.steps.to_string());
        let [mean, square] = self.powers;
        file.metadata.insert(format!("{prefix}powers"), format!("{mean:e} {square:e}"));
    }

    /// Reads the memory for `network` that [`Self::to_tensors`] wrote with this prefix.
    ///
    /// # Errors
    /// If a tensor is missing or has another length than the parameters, a mean of squares is
    /// negative, or the metadata has no number of steps with its powers.
    pub fn from_tensors(
        prefix: &str,
        file: &TensorFile,
        network: &Network,
    ) -> Result<Self, TensorError> {
        let means = network.parameters().enumerate().map(|(at, parameters)| {
            let [means, squares] = memory_names(prefix, at);
            let squares_of = |name: &str| match read_row(file, name, parameters.len())? {
                row if row.iter().all(|&square| 0.0 <= square) => Ok(row),
                row => {
                    let index = row.iter().position(|&square| square < 0.0).unwrap_or_default();
                    Err(TensorError::Negative { name: name.to_owned(), index })
                }
            };
            Ok([read_row(file, &means, parameters.len())?, squares_of(&squares)?])
        });
        let means = means.collect::<Result<_, _>>()?;
        let steps = file.read_metadata(format!("{prefix}steps"), "a number of steps", |text| {
            text.parse().ok().filter(|&steps| steps <= MAX_STEPS)
        })?;
        let powers = file.read_metadata(format!("{prefix}powers"), POWERS, |text| {
            let (mean, square) = text.split_once(' ')?;
            let powers: [f64; 2] = [mean.parse().ok()?, square.parse().ok()?];
            let are_powers = powers.iter().all(|power| match steps {
                0 => power.to_bits() == 1.0_f64.to_bits(),
                _ => (0.0..1.0).contains(power),
            });
            are_powers.then_some(powers)
        })?;
        Ok(Self { steps, means, powers, active: RowFlags::default() })
    }
}

/// The form of the text of the powers.
const POWERS: &str = "two powers below 1, or 1 before the first step";

fn are_finite(values: &[f32]) -> bool {
    values.iter().all(|value| value.is_finite())
}

/// Returns the names of a layer's weights and bias.
fn layer_names(prefix: &str, at: usize) -> [String; 2] {
    ["weight", "bias"].map(|part| format!("{prefix}layers.{at}.{part}"))
}

/// Returns the names of the deviations of a layer's weights and biases.
fn deviation_names(prefix: &str, at: usize) -> [String; 2] {
    ["weight", "bias"].map(|part| format!("{prefix}layers.{at}.{part}_deviation"))
}

/// Returns the names of an optimizer's two means for the parameters number `at`.
fn memory_names(prefix: &str, at: usize) -> [String; 2] {
    ["means", "squares"].map(|part| format!("{prefix}{part}.{at}"))
}

/// Reads the layer that follows on `before`.
fn read_layer(
    file: &TensorFile,
    [weight, bias]: &[String; 2],
    before: Option<&DenseLayer>,
) -> Result<DenseLayer, TensorError> {
    let tensor = file.tensor(weight)?;
    let &[n_inputs, n_outputs] = tensor.shape.as_slice() else {
        return Err(wrong_shape(weight, tensor, "two dimensions".to_owned()));
    };
    let n_outputs_before = before.map_or(n_inputs, DenseLayer::n_outputs);
    if n_inputs != n_outputs_before || n_inputs == 0 || n_outputs == 0 {
        let expected = match before {
            Some(_) => format!("{n_outputs_before} rows and a column"),
            None => "a row and a column".to_owned(),
        };
        return Err(wrong_shape(weight, tensor, expected));
    }
    let weights = Matrix::from_values(n_inputs, n_outputs, tensor.values.clone());
    Ok(DenseLayer { weights, bias: read_row(file, bias, n_outputs)? })
}

/// Reads the deviations of the last of these layers.
fn read_deviation(
    file: &TensorFile,
    [weight, bias]: &[String; 2],
    layers: &[DenseLayer],
) -> Result<DenseLayer, TensorError> {
    let last = layers.last().expect("there are two layers or more");
    let (tensor, shape) = (file.tensor(weight)?, [last.n_inputs(), last.n_outputs()]);
    if tensor.shape != shape {
        return Err(wrong_shape(weight, tensor, format!("{shape:?}")));
    }
    let weights = Matrix::from_values(shape[0], shape[1], tensor.values.clone());
    Ok(DenseLayer { weights, bias: read_row(file, bias, shape[1])? })
}

/// Reads a one-dimensional tensor with `len` values.
fn read_row(file: &TensorFile, name: &str, len: usize) -> Result<Vec<f32>, TensorError> {
    let tensor = file.tensor(name)?;
    match tensor.shape == [len] {
        true => Ok(tensor.values.clone()),
        false => Err(wrong_shape(name, tensor, format!("[{len}]"))),
    }
}

fn wrong_shape(name: &str, tensor: &Tensor, expected: String) -> TensorError {
    TensorError::Shape { name: name.to_owned(), shape: format!("{:?}", tensor.shape), expected }
}

#[cfg(test)]
mod tests;
