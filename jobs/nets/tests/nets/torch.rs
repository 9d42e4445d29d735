//! Outputs, gradients, steps and losses of PyTorch 2.15 (benches/torch_fixtures.py).

use hatchery_nets::loss::{
    OutputRange, RowLoss, binary_cross_entropy, mean_loss, range_losses, softmax_cross_entropy,
};
use hatchery_nets::{
    Activations, Adam, AdamState, FirstLayerForm, Gradients, InputBatch, Matrix, Network,
    TensorFile,
};

const FIXTURES: &[u8] = include_bytes!("../fixtures/torch.safetensors");

/// The step size and the share of weight decay of the fixtures.
const RATE: f32 = 0.01;
const DECAY: f32 = 0.02;

/// The numbers of actions by state of the fixtures.
const N_ACTIONS: [usize; 5] = [3, 1, 2, 4, 2];

/// Writes the gradient of the mean loss and returns that mean.
type Loss = fn(&Matrix, &Matrix, &mut Matrix) -> f64;

/// A network of the fixtures with its input and PyTorch's output.
struct Fixture {
    file: TensorFile,
    name: &'static str,
    network: Network,
    batch: InputBatch,
    targets: Matrix,
    loss: Loss,
}

impl Fixture {
    fn new(name: &'static str, loss: Loss) -> Self {
        let file = TensorFile::decode(FIXTURES).expect("it is a fixture");
        let matrix = |part: &str| matrix(&file, &format!("{name}.{part}"));
        let (states, actions) = (matrix("states"), matrix("actions"));
        let network = Network::from_tensors(&format!("{name}."), &file, states.n_cols())
            .expect("it is a network");
        let mut batch = InputBatch::new(states.n_cols(), actions.n_cols());
        let mut rows = 0..actions.n_rows();
        for (state, n_actions) in N_ACTIONS.into_iter().enumerate() {
            batch.push_state(&entries(states.row(state)));
            for row in rows.by_ref().take(n_actions) {
                batch.push_action(&entries(actions.row(row)));
            }
        }
        let targets = matrix("targets");
        Self { file, name, network, batch, targets, loss }
    }

    fn matrix(&self, part: &str) -> Matrix {
        matrix(&self.file, &format!("{}.{part}", self.name))
    }

    /// Returns the weights and biases, or their gradients, under `part`.
    fn network(&self, part: &str) -> Network {
        let prefix = format!("{}.{part}.", self.name);
        Network::from_tensors(&prefix, &self.file, self.network.shape().state_len)
            .expect("it is a network")
    }

    /// Adds the gradients of `network` to `gradients`; returns the mean loss, and the gradient in
    /// the outputs of the first layer.
    fn add_gradients(
        &self,
        network: &Network,
        form: FirstLayerForm,
        gradients: &mut Gradients,
    ) -> (f64, Matrix) {
        let (mut activations, mut of_outputs) = (Activations::default(), Matrix::default());
        network.forward(&self.batch, form, &mut activations);
        let loss = (self.loss)(activations.outputs(), &self.targets, &mut of_outputs);
        let of_first =
            network.backward_to_first(&self.batch, form, &activations, &of_outputs, gradients);
        (loss, of_first)
    }

    /// Checks steps of Adam: the weights after the first, and the loss before each.
    fn check_steps(&self, kind: &str, weight_decay: f32) {
        let mut network = self.network.clone();
        let adam = Adam { weight_decay, ..Adam::with_rate(RATE) };
        let (mut state, mut gradients) = (AdamState::new(&network), Gradients::zeros(&network));
        let curve =
            &self.file.tensor(&format!("{}.{kind}.curve", self.name)).expect("it is there").values;
        assert_eq!(curve.len(), 100);
        for (step, &expected) in curve.iter().enumerate() {
            gradients.clear();
            let (loss, _) = self.add_gradients(&network, FirstLayerForm::Fastest, &mut gradients);
            let off = (loss - f64::from(expected)).abs();
            assert!(off <= 1e-4, "{} {kind}: {loss} in step {step}, not {expected}", self.name);
            state.step(&adam, &mut network, &gradients);
            if step == 0 {
                let stepped = self.network(kind);
                for (values, expected) in network.parameters().zip(stepped.parameters()) {
                    check_close("weights after a step", values, expected, 1e-5);
                }
            }
        }
        assert!(curve[99] < 0.9 * curve[0], "the network learns");
    }

    fn check(&self) {
        for form in
            [FirstLayerForm::Fastest, FirstLayerForm::CopiedSparse, FirstLayerForm::CopiedDense]
        {
            let mut activations = Activations::default();
            self.network.forward(&self.batch, form, &mut activations);
            let outputs = self.matrix("outputs");
            check_close("outputs", activations.outputs().values(), outputs.values(), 1e-6);
            let mut gradients = Gradients::zeros(&self.network);
            let (_, of_first) = self.add_gradients(&self.network, form, &mut gradients);
            let expected = self.network("gradient");
            for (values, expected) in gradients.parameters().zip(expected.parameters()) {
                check_close("gradients", values, expected, 1e-7);
            }
            let n_columns = self.batch.actions.n_cols();
            let of_actions = self.network.action_gradient(&of_first, 0..n_columns);
            let expected = self.matrix("action_gradient");
            check_close("action gradient", of_actions.values(), expected.values(), 1e-7);
            let some = self.network.action_gradient(&of_first, 1..3);
            for row in 0..some.n_rows() {
                assert_eq!(some.row(row), &of_actions.row(row)[1..3]);
            }
        }
        self.check_steps("plain", 0.0);
        self.check_steps("decay", DECAY);
    }
}

fn matrix(file: &TensorFile, name: &str) -> Matrix {
    let tensor = file.tensor(name).expect("it is there");
    let &[n_rows, n_cols] = tensor.shape.as_slice() else { panic!("{name} is no matrix") };
    Matrix::from_values(n_rows, n_cols, tensor.values.clone())
}

/// Returns the columns of a row that are not 0.
fn entries(row: &[f32]) -> Vec<(u32, f32)> {
    (0..).zip(row.iter().copied()).filter(|&(_, value)| value != 0.0).collect()
}

/// Checks values within a relative error of 1e-4 and an absolute one of `least`.
fn check_close(what: &str, values: &[f32], expected: &[f32], least: f32) {
    assert_eq!(values.len(), expected.len());
    for (at, (value, expected)) in values.iter().zip(expected).enumerate() {
        let off = (value - expected).abs();
        assert!(off <= 1e-4 * expected.abs() + least, "{what}: {value} at {at}, not {expected}");
    }
}

fn mean(sum: f64, outputs: &Matrix) -> f64 {
    mean_loss(sum, outputs.n_rows()).expect("the networks are tame")
}

#[test]
fn one_output_by_binary_cross_entropy_is_that_of_torch() {
    let loss: Loss = |outputs, targets, gradient| {
        mean(binary_cross_entropy(outputs, targets.values(), gradient), outputs)
    };
    Fixture::new("binary", loss).check();
}

#[test]
fn bins_by_cross_entropy_are_those_of_torch() {
    let loss: Loss = |outputs, targets, gradient| {
        let mut losses = Vec::new();
        mean(softmax_cross_entropy(outputs, targets, None, gradient, &mut losses), outputs)
    };
    Fixture::new("bins", loss).check();
}

#[test]
fn outputs_of_several_meanings_are_those_of_torch() {
    let loss: Loss = |outputs, targets, gradient| {
        let range = |outputs, loss, weight| OutputRange { outputs, loss, weight };
        let ranges = [
            range(0..2, RowLoss::SquaredError, 1.0),
            range(2..5, RowLoss::SoftmaxCrossEntropy, 0.5),
            range(5..7, RowLoss::BinaryCrossEntropy, 2.0),
        ];
        let sums = range_losses(&ranges, outputs, targets, gradient);
        mean(sums[0] + 0.5 * sums[1] + 2.0 * sums[2], outputs)
    };
    Fixture::new("mixed", loss).check();
}
