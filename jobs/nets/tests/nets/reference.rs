//! Networks and losses in 64 bits, written for clarity: what the crate is compared with.

use hatchery_core::{FastRng, RunSeed, StreamRng};
use hatchery_nets::{InputBatch, Matrix, Network, NetworkShape};

/// A stream of random numbers for a test.
pub(crate) fn stream(label: &str) -> StreamRng {
    RunSeed::new("nets", 22).generation(0).stream(label)
}

/// Returns a uniform number between -1 and 1.
fn signed(rng: &mut StreamRng) -> f32 {
    2.0 * rng.unit_f32() - 1.0
}

/// Returns the sizes of a network with 7 numbers of the state and 4 of the action.
pub(crate) fn shape(hidden: &[usize], n_outputs: usize) -> NetworkShape {
    NetworkShape { state_len: 7, action_len: 4, hidden: hidden.to_vec(), n_outputs }
}

/// Returns a batch with states of 0 to 4 actions, whose rows have zeros; one is empty.
pub(crate) fn batch(shape: &NetworkShape, rng: &mut StreamRng) -> InputBatch {
    let mut batch = InputBatch::new(shape.state_len, shape.action_len);
    let row = |len: usize, rng: &mut StreamRng| {
        let mut entries = Vec::new();
        for column in 0..u32::try_from(len).expect("rows are short") {
            if rng.below(2) == 0 {
                entries.push((column, signed(rng)));
            }
        }
        entries
    };
    for n_actions in [2, 0, 1, 4, 3] {
        batch.push_state(&row(shape.state_len, rng));
        (0..n_actions).for_each(|_| batch.push_action(&row(shape.action_len, rng)));
    }
    batch.push_state(&[]);
    batch.push_action(&[]);
    batch
}

/// Returns the inputs by action, zeros included.
pub(crate) fn dense_inputs(batch: &InputBatch) -> Vec<Vec<f64>> {
    let state_len = batch.states.n_cols();
    let rows = batch.state_of.iter().enumerate().map(|(at, &state)| {
        let mut row = vec![0.0; state_len + batch.actions.n_cols()];
        for &(column, value) in batch.states.row(state as usize) {
            row[column as usize] = f64::from(value);
        }
        for &(column, value) in batch.actions.row(at) {
            row[state_len + column as usize] = f64::from(value);
        }
        row
    });
    rows.collect()
}

/// A network in 64 bits.
#[derive(Clone, Debug)]
pub(crate) struct ReferenceNetwork {
    /// Layer by layer the weights, a row for each input, and the bias, in the order of parameters.
    pub(crate) parameters: Vec<Vec<f64>>,
}

impl ReferenceNetwork {
    pub(crate) fn new(network: &Network) -> Self {
        let in_64_bits = |values: &[f32]| values.iter().map(|&value| f64::from(value)).collect();
        Self { parameters: network.parameters().map(in_64_bits).collect() }
    }

    /// Returns the outputs for `inputs`; hidden value `j` of row `i` behind layer `l` is multiplied
    /// by `masks[l][i][j]`, where there are masks.
    pub(crate) fn outputs(&self, inputs: &[Vec<f64>], masks: &[Vec<Vec<f64>>]) -> Vec<Vec<f64>> {
        let mut rows = inputs.to_vec();
        let n_layers = self.parameters.len() / 2;
        for (at, layer) in self.parameters.chunks(2).enumerate() {
            let [weights, bias] = layer else { unreachable!("weights and bias") };
            for (number, row) in rows.iter_mut().enumerate() {
                let mut outputs = bias.clone();
                for (input, weights) in row.iter().zip(weights.chunks(bias.len())) {
                    outputs.iter_mut().zip(weights).for_each(|(to, weight)| *to += input * weight);
                }
                if at + 1 < n_layers {
                    outputs.iter_mut().for_each(|it| *it = it.max(0.0));
                    if let Some(masks) = masks.get(at) {
                        let masks = masks[number].iter();
                        outputs.iter_mut().zip(masks).for_each(|(it, mask)| *it *= mask);
                    }
                }
                *row = outputs;
            }
        }
        rows
    }
}

/// Returns the masks of dropout that the documentation of `Dropout` describes.
pub(crate) fn masks(
    rate: f64,
    rng: &mut FastRng,
    hidden: &[usize],
    n_rows: usize,
) -> Vec<Vec<Vec<f64>>> {
    let masks = hidden.iter().map(|&len| {
        let (mut numbers, mut bits) = (Vec::new(), 0);
        for at in 0..n_rows * len {
            if at % 2 == 0 {
                bits = rng.next_u64();
            }
            let number = if at % 2 == 0 { bits >> 32 } else { bits & 0xffff_ffff };
            let uniform =
                f64::from(u32::try_from(number).expect("it has 32 bits")) / 4_294_967_296.0;
            numbers.push(if uniform < rate { 0.0 } else { 1.0 / (1.0 - rate) });
        }
        numbers.chunks(len).map(<[f64]>::to_vec).collect()
    });
    masks.collect()
}

/// Returns the mean binary cross entropy of rows, summed over outputs.
pub(crate) fn binary_cross_entropy(outputs: &[Vec<f64>], targets: &Matrix) -> f64 {
    mean(outputs, targets, |output, target| {
        let pairs = output.iter().zip(target);
        pairs.map(|(&x, &t)| libm::log1p(libm::exp(-x.abs())) + x.max(0.0) - t * x).sum()
    })
}

/// Returns the mean cross entropy between rows of targets and the softmax of outputs.
pub(crate) fn softmax_cross_entropy(outputs: &[Vec<f64>], targets: &Matrix) -> f64 {
    mean(outputs, targets, |output, target| {
        let log_sum = libm::log(output.iter().map(|&x| libm::exp(x)).sum());
        output.iter().zip(target).map(|(x, t)| t * (log_sum - x)).sum()
    })
}

/// Returns the mean of the sums of squares of differences.
pub(crate) fn squared_error(outputs: &[Vec<f64>], targets: &Matrix) -> f64 {
    mean(outputs, targets, |output, target| {
        output.iter().zip(target).map(|(x, t)| (x - t) * (x - t)).sum()
    })
}

fn mean(outputs: &[Vec<f64>], targets: &Matrix, loss_of: impl Fn(&[f64], &[f64]) -> f64) -> f64 {
    let rows = outputs.iter().enumerate().map(|(row, output)| {
        let target: Vec<_> = targets.row(row).iter().map(|&value| f64::from(value)).collect();
        loss_of(output, &target)
    });
    rows.sum::<f64>() / f64::from(u32::try_from(outputs.len()).expect("a batch is small"))
}
