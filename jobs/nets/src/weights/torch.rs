//! Layers in the layout of PyTorch: a `state_dict` of a model with layers of `torch.nn.Linear`.
//!
//! `NAME.weight` has a row for each output and a column for each input, `NAME.bias` a number for
//! each output. `NAME` depends on the model: `0`, `fc1`, `net.2`, `layers.0`.

use crate::tensors::{Tensor, TensorError, TensorFile};

use super::{layer_names, wrong_shape};

/// The numbers of inputs and outputs of a layer.
type LayerSize = [usize; 2];

impl TensorFile {
    /// Returns the file with layers as [`Network::to_tensors`](crate::Network::to_tensors) writes
    /// them without a prefix: layers in PyTorch's layout are transposed and renamed.
    ///
    /// The first layer is the first one by name that has `n_inputs` inputs. The others follow in
    /// the order of their names, numbers in names by size. A file whose layers have the names of
    /// this crate is only changed if their shapes are PyTorch's.
    ///
    /// # Errors
    /// If the layers are in neither layout. The error names the first tensor that does not fit.
    pub fn with_own_layout(mut self, n_inputs: usize) -> Result<Self, TensorError> {
        let names = self.layers_by_name();
        let has_own_names =
            names.iter().enumerate().all(|(at, name)| layer_names("", at)[0] == weight_of(name));
        let first = names.first().and_then(|name| self.tensors.get(&weight_of(name)));
        let is_transposed = first.is_some_and(|it| matches!(it.shape[..], [_, n] if n == n_inputs));
        let has_own_shape = first.is_some_and(|it| it.shape.first() == Some(&n_inputs));
        if has_own_names && (has_own_shape || !is_transposed) {
            return Ok(self);
        }
        let order = self.torch_order(names, n_inputs)?;
        let layers = order.into_iter().map(|name| self.take_layer(&name));
        for (at, layer) in layers.collect::<Result<Vec<_>, _>>()?.into_iter().enumerate() {
            for (name, tensor) in layer_names("", at).into_iter().zip(layer) {
                self.tensors.insert(name, tensor);
            }
        }
        Ok(self)
    }

    /// Returns the names of all layers, which have a tensor `NAME.weight`.
    fn layers_by_name(&self) -> Vec<String> {
        let names = self.tensors.keys().filter_map(|name| name.strip_suffix(".weight"));
        let mut names: Vec<_> = names.map(str::to_owned).collect();
        names.sort_by_key(|name| with_padded_numbers(name));
        names
    }

    /// Returns the names of layers in the order in which they follow on each other.
    fn torch_order(
        &self,
        mut names: Vec<String>,
        n_inputs: usize,
    ) -> Result<Vec<String>, TensorError> {
        let sizes = names.iter().map(|name| self.torch_size(name));
        let sizes = sizes.collect::<Result<Vec<_>, _>>()?;
        if let Some(first) = sizes.iter().position(|[inputs, _]| *inputs == n_inputs) {
            names[..=first].rotate_right(1);
        }
        let mut expected = n_inputs;
        for name in &names {
            let [inputs, outputs] = self.torch_size(name)?;
            if inputs != expected {
                let weight = weight_of(name);
                let expected = format!("{expected} columns, like the weight of a torch.nn.Linear");
                return Err(wrong_shape(&weight, &self.tensors[&weight], expected));
            }
            expected = outputs;
        }
        Ok(names)
    }

    /// Returns the size of the layer `name` in PyTorch's layout.
    fn torch_size(&self, name: &str) -> Result<LayerSize, TensorError> {
        let weight = weight_of(name);
        let tensor = self.tensor(&weight)?;
        match tensor.shape[..] {
            [n_outputs, n_inputs] => Ok([n_inputs, n_outputs]),
            _ => {
                let expected = "two dimensions, like the weight of a torch.nn.Linear".to_owned();
                Err(wrong_shape(&weight, tensor, expected))
            }
        }
    }

    /// Takes weight and bias of a layer out of the file, the weight transposed.
    fn take_layer(&mut self, name: &str) -> Result<[Tensor; 2], TensorError> {
        let [n_inputs, n_outputs] = self.torch_size(name)?;
        let mut take =
            |name: String| self.tensors.remove(&name).ok_or(TensorError::Missing { name });
        let weight = take(weight_of(name))?;
        let bias_name = format!("{name}.bias");
        let bias = take(bias_name.clone())?;
        if bias.shape != [n_outputs] {
            return Err(wrong_shape(&bias_name, &bias, format!("[{n_outputs}]")));
        }
        let columns = 0..n_inputs;
        let values = columns.flat_map(|at| weight.values.iter().skip(at).step_by(n_inputs));
        let values = values.copied().collect();
        Ok([Tensor { shape: vec![n_inputs, n_outputs], values }, bias])
    }
}

fn weight_of(name: &str) -> String {
    format!("{name}.weight")
}

/// Returns a name whose numbers all have the same length, so that texts sort like numbers.
fn with_padded_numbers(name: &str) -> String {
    const DIGITS: usize = 20;
    let (mut padded, mut number) = (String::new(), String::new());
    for letter in name.chars().chain(['\0']) {
        if letter.is_ascii_digit() {
            number.push(letter);
            continue;
        }
        if !number.is_empty() {
            padded += &"0".repeat(DIGITS.saturating_sub(number.len()));
            padded.push_str(&number);
            number.clear();
        }
        padded.push(letter);
    }
    padded
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Network;
    use crate::weights::tests::network;

    /// The file of a network with 5 inputs, hidden layers of 4, 4 and 2 outputs, as PyTorch writes
    /// it with these names.
    fn torch_file(names: [&str; 3]) -> (Network, TensorFile) {
        let network = network(&[4, 4]);
        let mut torch = TensorFile::default();
        for (name, layer) in names.iter().zip(network.layers()) {
            let (n, m) = (layer.n_inputs(), layer.n_outputs());
            let of_output = |output| (0..n).map(move |input| input * m + output);
            let values = (0..m).flat_map(of_output).map(|at| layer.weights.values()[at]);
            torch.insert(&format!("{name}.weight"), &[m, n], &values.collect::<Vec<_>>());
            torch.insert(&format!("{name}.bias"), &[m], &layer.bias);
        }
        (network, torch)
    }

    fn own_file(network: &Network) -> TensorFile {
        let mut own = TensorFile::default();
        network.to_tensors("", &mut own);
        own
    }

    #[test]
    fn layers_of_torch_are_transposed_and_renamed() {
        for names in [
            ["0", "2", "4"],
            ["net.9", "net.10", "net.11"],
            ["fc1", "fc2", "fc3"],
            ["layers.0", "layers.1", "layers.2"],
            ["layers.0", "layers.2", "layers.4"],
            // The shape of the first layer comes before its name.
            ["input", "hidden", "output"],
        ] {
            let (network, torch) = torch_file(names);
            let own = own_file(&network);
            assert_eq!(torch.with_own_layout(5).unwrap(), own, "{names:?}");
            assert_eq!(own.clone().with_own_layout(5).unwrap(), own);
        }
    }

    /// Layers with as many inputs as outputs fit both layouts: the names of this crate decide.
    #[test]
    fn a_file_of_this_crate_is_never_transposed() {
        let mut own = TensorFile::default();
        for at in 0..2 {
            let [weight, bias] = layer_names("", at);
            own.insert(&weight, &[2, 2], &[1.0, 2.0, 3.0, 4.0]);
            own.insert(&bias, &[2], &[0.0; 2]);
        }
        assert_eq!(own.clone().with_own_layout(2).unwrap(), own);
    }

    #[track_caller]
    fn check_refused(message: &str, change: impl FnOnce(&mut TensorFile)) {
        let (_, mut torch) = torch_file(["0", "2", "4"]);
        change(&mut torch);
        let error = torch.with_own_layout(5).expect_err("it was changed");
        assert_eq!(error.to_string(), message);
    }

    #[test]
    fn the_tensor_that_does_not_fit_is_named() {
        let message = "tensor 2.weight has shape [4, 3], but must have 4 columns, like the weight \
                       of a torch.nn.Linear";
        check_refused(message, |file| file.insert("2.weight", &[4, 3], &[0.0; 12]));
        check_refused("tensor 4.bias has shape [3], but must have [2]", |file| {
            file.insert("4.bias", &[3], &[0.0; 3]);
        });
        check_refused("tensor 2.bias is missing", |file| {
            file.tensors.remove("2.bias");
        });
        let message = "tensor norm.weight has shape [4], but must have two dimensions, like the \
                       weight of a torch.nn.Linear";
        check_refused(message, |file| file.insert("norm.weight", &[4], &[1.0; 4]));
    }

    #[test]
    fn a_file_without_layers_stays_as_it_is() {
        assert_eq!(TensorFile::default().with_own_layout(5), Ok(TensorFile::default()));
    }
}
