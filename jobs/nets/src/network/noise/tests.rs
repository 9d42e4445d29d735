//! Noisy networks against weights that are made for each row.

use hatchery_core::{RunSeed, StreamRng};

use super::*;
use crate::batch::InputBatch;
use crate::network::Network;
use crate::network::{Activations, FirstLayerForm, Gradients, NetworkShape, PassOptions};

const N_ROWS: usize = 4;
const N_HIDDEN: usize = 5;
const N_OUTPUTS: usize = 3;

fn stream(label: &str) -> StreamRng {
    RunSeed::new("noisy", 1).generation(0).stream(label)
}

/// A network, a batch and its noise.
fn example() -> (Network, InputBatch, RowNoise) {
    let mut rng = stream("example");
    let (state_len, action_len) = (3, 2);
    let hidden = vec![N_HIDDEN];
    let shape = NetworkShape { state_len, action_len, hidden, n_outputs: N_OUTPUTS };
    let mut network = Network::random(&shape, &mut rng).with_noise(0.5);
    for value in network.deviation.as_mut().unwrap().weights.values_mut() {
        *value += 0.2 * rng.unit_f32();
    }
    let mut batch = InputBatch::new(state_len, action_len);
    for _ in 0..2 {
        batch.push_state(&[(0, rng.unit_f32()), (1, -rng.unit_f32()), (2, 1.0)]);
        (0..2).for_each(|_| batch.push_action(&[(0, rng.unit_f32()), (1, rng.unit_f32())]));
    }
    let mut noise = RowNoise::default();
    noise.draw(&network, N_ROWS, &mut FastRng::seeded_by(&mut rng));
    (network, batch, noise)
}

/// Returns the outputs by weights that are made for each row, in 64 bits.
fn naive(network: &Network, batch: &InputBatch, noise: &RowNoise) -> Vec<f64> {
    let [first, last] = [0, 1].map(|at| &network.layers()[at]);
    let deviation = network.deviation().unwrap();
    let mut outputs = Vec::new();
    for row in 0..N_ROWS {
        let state = batch.states.row(batch.state_of[row] as usize).iter();
        let action = batch.actions.row(row).iter().map(|(column, value)| (column + 3, *value));
        let inputs: Vec<_> = state.copied().chain(action).collect();
        let hidden: Vec<f64> = (0..N_HIDDEN)
            .map(|unit| {
                let products = inputs.iter().map(|&(column, value)| {
                    f64::from(first.weights.row(column as usize)[unit]) * f64::from(value)
                });
                (f64::from(first.bias[unit]) + products.sum::<f64>()).max(0.0)
            })
            .collect();
        for output in 0..N_OUTPUTS {
            let of_output = f64::from(noise.outputs.row(row)[output]);
            let bias = f64::from(deviation.bias[output]) * of_output;
            let mut sum = f64::from(last.bias[output]) + bias;
            for (input, hidden) in hidden.iter().enumerate() {
                let of_input = f64::from(noise.inputs.row(row)[input]);
                let weight = |of: &DenseLayer| f64::from(of.weights.row(input)[output]);
                sum += hidden * (weight(last) + weight(deviation) * of_input * of_output);
            }
            outputs.push(sum);
        }
    }
    outputs
}

fn passed(network: &Network, batch: &InputBatch, noise: Option<&RowNoise>) -> Activations {
    let mut activations = Activations::default();
    let options = PassOptions { dropout: None, noise };
    network.forward_with(batch, FirstLayerForm::Fastest, options, &mut activations);
    activations
}

#[test]
fn outputs_are_those_of_weights_for_each_row() {
    let (network, batch, noise) = example();
    let noisy = passed(&network, &batch, Some(&noise));
    let expected = naive(&network, &batch, &noise);
    for (output, expected) in noisy.outputs().values().iter().zip(&expected) {
        assert!((f64::from(*output) - expected).abs() < 2e-6, "{output}, not {expected}");
    }
    let plain = passed(&network, &batch, None);
    assert_ne!(plain.outputs(), noisy.outputs());
    let without = passed(&network.without_noise(), &batch, Some(&noise));
    assert_eq!(plain.outputs(), without.outputs());
}

#[test]
fn gradients_are_the_slopes_of_outputs() {
    // The loss is the sum of outputs times fixed factors: linear in each weight of the last layer.
    let (network, batch, noise) = example();
    let factors: Vec<_> = (0_u8..12).map(|at| f32::from(at) / 6.0 - 0.9).collect();
    let loss = |network: &Network| -> f64 {
        let outputs = naive(network, &batch, &noise);
        outputs.iter().zip(&factors).map(|(output, &factor)| output * f64::from(factor)).sum()
    };
    let activations = passed(&network, &batch, Some(&noise));
    let mut gradients = Gradients::zeros(&network);
    let of_outputs = Matrix::from_values(N_ROWS, N_OUTPUTS, factors.clone());
    let form = FirstLayerForm::Fastest;
    network.backward(&batch, form, &activations, &of_outputs, &mut gradients);
    let lists: Vec<Vec<f32>> = gradients.parameters().map(<[f32]>::to_vec).collect();
    assert_eq!(lists.len(), 6, "two layers and the deviations of the last");
    for (list, of_list) in lists.iter().enumerate() {
        for (at, gradient) in of_list.iter().enumerate() {
            // Small, so that no hidden value of the first layer changes its sign.
            let ends = [-1e-3, 1e-3].map(|by: f32| {
                let mut network = network.clone();
                network.parameters_mut().nth(list).unwrap()[at] += by;
                loss(&network)
            });
            let slope = (ends[1] - ends[0]) / 2e-3;
            let off = (f64::from(*gradient) - slope).abs();
            assert!(off < 2e-3, "parameters {list}, {at}: {gradient}, not {slope}");
        }
    }
}

#[test]
fn rows_have_noise_of_their_own() {
    let (network, _, noise) = example();
    assert_ne!(noise.inputs.row(0), noise.inputs.row(1));
    let mut again = RowNoise::default();
    let mut rng = FastRng::seeded_by(&mut stream("again"));
    again.draw(&network, 2, &mut rng);
    let mut one_by_one = RowNoise::default();
    let mut rng = FastRng::seeded_by(&mut stream("again"));
    for row in 0..2 {
        one_by_one.draw(&network, 1, &mut rng);
        assert_eq!(one_by_one.inputs.row(0), again.inputs.row(row));
        assert_eq!(one_by_one.outputs.row(0), again.outputs.row(row));
    }
}

/// The next actions of several states in one long batch have the outputs that they have state by
/// state, with the same noise.
#[test]
fn long_batches_give_the_bits_of_single_states() {
    let shape = NetworkShape { state_len: 40, action_len: 9, hidden: vec![33, 18], n_outputs: 51 };
    let mut rng = stream("long");
    let network = Network::random(&shape, &mut rng).with_noise(0.5);
    let row = |len: u32, rng: &mut StreamRng| -> Vec<(u32, f32)> {
        (0..len).map(|column| (column, rng.unit_f32() - 0.5)).filter(|it| 0.1 < it.1).collect()
    };
    let mut long = InputBatch::new(40, 9);
    let mut single = Vec::new();
    for n_actions in [3, 0, 1, 17, 60, 8] {
        let mut batch = InputBatch::new(40, 9);
        let state = row(40, &mut rng);
        batch.push_state(&state);
        long.push_state(&state);
        for _ in 0..n_actions {
            let action = row(9, &mut rng);
            batch.push_action(&action);
            long.push_action(&action);
        }
        single.push(batch);
    }
    let mut draws = FastRng::seeded_by(&mut rng);
    let outputs = |batch: &InputBatch, draws: &mut FastRng| -> Vec<u32> {
        let mut noise = RowNoise::default();
        noise.draw(&network, batch.n_rows(), draws);
        let activations = passed(&network, batch, Some(&noise));
        activations.outputs().values().iter().map(|value| value.to_bits()).collect()
    };
    let mut one_by_one = draws.clone();
    let single: Vec<_> = single.iter().flat_map(|it| outputs(it, &mut one_by_one)).collect();
    assert_eq!(outputs(&long, &mut draws), single);
    assert_eq!(single.len(), 89 * 51);
}
