//! Gradients against central differences of the reference in 64 bits.

use hatchery_core::FastRng;
use hatchery_nets::loss::{
    OutputRange, RowLoss, binary_cross_entropy, range_losses, softmax_cross_entropy,
};
use hatchery_nets::{
    Activations, Dropout, FirstLayerForm, Gradients, InputBatch, Matrix, Network, PassOptions,
};

use crate::reference::{self, ReferenceNetwork, batch, dense_inputs, masks, shape, stream};

/// The step of central differences: their error is about its square, and far above that of 64 bits.
const STEP: f64 = 1e-5;
/// The hidden layers of the networks that are tried.
const HIDDEN: [&[usize]; 4] = [&[5], &[1], &[6, 4], &[3, 5, 4]];
/// The ways to compute the first layer.
const FORMS: [FirstLayerForm; 3] =
    [FirstLayerForm::Fastest, FirstLayerForm::CopiedSparse, FirstLayerForm::CopiedDense];

/// A loss of the crate, which writes the gradient of its mean, beside that of the reference, which
/// is a mean.
struct LossPair {
    n_outputs: usize,
    crate_loss: fn(&Matrix, &Matrix, &mut Matrix) -> f64,
    reference: fn(&[Vec<f64>], &Matrix) -> f64,
}

/// Returns the losses that are tried.
fn losses() -> [LossPair; 3] {
    let binary = LossPair {
        n_outputs: 1,
        crate_loss: |outputs, targets, gradient| {
            binary_cross_entropy(outputs, targets.values(), gradient)
        },
        reference: reference::binary_cross_entropy,
    };
    let bins = LossPair {
        n_outputs: 5,
        crate_loss: |outputs, targets, gradient| {
            softmax_cross_entropy(outputs, targets, None, gradient, &mut Vec::new())
        },
        reference: reference::softmax_cross_entropy,
    };
    let ranges = LossPair {
        n_outputs: 9,
        crate_loss: |outputs, targets, gradient| {
            let sums = range_losses(&ranges(), outputs, targets, gradient);
            ranges().iter().zip(sums).map(|(range, sum)| f64::from(range.weight) * sum).sum()
        },
        reference: |outputs, targets| {
            let columns = |from: usize, to: usize| {
                let values = (0..targets.n_rows()).flat_map(|row| &targets.row(row)[from..to]);
                let targets =
                    Matrix::from_values(targets.n_rows(), to - from, values.copied().collect());
                (outputs.iter().map(|row| row[from..to].to_vec()).collect::<Vec<_>>(), targets)
            };
            let [squares, events, odds] = [columns(0, 2), columns(3, 6), columns(6, 9)];
            reference::squared_error(&squares.0, &squares.1)
                + 0.5 * reference::softmax_cross_entropy(&events.0, &events.1)
                + 2.0 * reference::binary_cross_entropy(&odds.0, &odds.1)
        },
    };
    [binary, bins, ranges]
}

/// Ranges with each loss; output 2 is in none.
fn ranges() -> [OutputRange; 3] {
    [
        OutputRange { outputs: 0..2, loss: RowLoss::SquaredError, weight: 1.0 },
        OutputRange { outputs: 3..6, loss: RowLoss::SoftmaxCrossEntropy, weight: 0.5 },
        OutputRange { outputs: 6..9, loss: RowLoss::BinaryCrossEntropy, weight: 2.0 },
    ]
}

/// The crate's results for a batch: the mean loss, and its gradients.
struct Computed {
    loss: f64,
    gradients: Gradients,
    /// The gradient in the columns of actions.
    of_actions: Matrix,
}

fn compute(
    network: &Network,
    batch: &InputBatch,
    form: FirstLayerForm,
    dropout: Option<&mut Dropout>,
    (pair, targets): (&LossPair, &Matrix),
) -> Computed {
    let mut activations = Activations::default();
    network.forward_with(batch, form, PassOptions { dropout, noise: None }, &mut activations);
    let mut of_outputs = Matrix::default();
    let sum = (pair.crate_loss)(activations.outputs(), targets, &mut of_outputs);
    let mut gradients = Gradients::zeros(network);
    let of_first =
        network.backward_to_first(batch, form, &activations, &of_outputs, &mut gradients);
    let of_actions = network.action_gradient(&of_first, 0..network.shape().action_len);
    let loss = sum / f64::from(u32::try_from(batch.n_rows()).expect("a batch is small"));
    Computed { loss, gradients, of_actions }
}

/// Checks a value computed in 32 bits against one computed in 64.
fn check_close(what: &str, value: f64, expected: f64) {
    let off = (value - expected).abs();
    assert!(off <= 1e-4 * expected.abs() + 2e-6, "{what}: {value}, but must be {expected}");
}

/// Returns the slope of `f` at 0.
fn slope(mut f: impl FnMut(f64) -> f64) -> f64 {
    (f(STEP) - f(-STEP)) / (2.0 * STEP)
}

/// Checks the gradients of every weight, bias and input of actions, with or without dropout.
fn check_gradients(label: &str, rate: Option<f32>) {
    let mut rng = stream(label);
    for (pair, hidden) in losses().iter().flat_map(|pair| HIDDEN.map(|hidden| (pair, hidden))) {
        let shape = shape(hidden, pair.n_outputs);
        let (network, batch) = (Network::random(&shape, &mut rng), batch(&shape, &mut rng));
        let n_targets = batch.n_rows() * pair.n_outputs;
        let targets = (0..n_targets).map(|_| rng.unit_f32()).collect();
        let targets = Matrix::from_values(batch.n_rows(), pair.n_outputs, targets);
        let seed = FastRng::seeded_by(&mut rng);
        let masks = rate.map_or_else(Vec::new, |rate| {
            masks(f64::from(rate), &mut seed.clone(), hidden, batch.n_rows())
        });
        let (reference, inputs) = (ReferenceNetwork::new(&network), dense_inputs(&batch));
        let loss_of = |network: &ReferenceNetwork, inputs: &[Vec<f64>]| {
            (pair.reference)(&network.outputs(inputs, &masks), &targets)
        };
        for form in FORMS {
            let mut dropout = rate.map(|rate| Dropout::new(rate, seed.clone()));
            let computed = compute(&network, &batch, form, dropout.as_mut(), (pair, &targets));
            check_close("loss", computed.loss, loss_of(&reference, &inputs));
            for (at, gradients) in computed.gradients.parameters().enumerate() {
                for (index, &gradient) in gradients.iter().enumerate() {
                    let mut moved = reference.clone();
                    let expected = slope(|by| {
                        moved.parameters[at][index] = reference.parameters[at][index] + by;
                        loss_of(&moved, &inputs)
                    });
                    check_close(&format!("{form:?} {at} {index}"), f64::from(gradient), expected);
                }
            }
            for row in 0..batch.n_rows() {
                for (column, &gradient) in computed.of_actions.row(row).iter().enumerate() {
                    let (mut moved, column) = (inputs.clone(), shape.state_len + column);
                    let expected = slope(|by| {
                        moved[row][column] = inputs[row][column] + by;
                        loss_of(&reference, &moved)
                    });
                    check_close(
                        &format!("{form:?} input {row} {column}"),
                        f64::from(gradient),
                        expected,
                    );
                }
            }
        }
    }
}

#[test]
fn gradients_are_the_slopes_of_losses() {
    check_gradients("gradients", None);
}

#[test]
fn gradients_under_dropout_are_those_of_the_masked_network() {
    check_gradients("dropout", Some(0.3));
}
