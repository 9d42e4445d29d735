//! Networks on all instruction sets and in all forms of the first layer.

use hatchery_core::{RunSeed, StreamRng};

use super::{Activations, FirstLayerForm, Gradients, Network, NetworkShape};
use crate::adam::{Adam, AdamState};
use crate::batch::InputBatch;
use crate::kernel::InstructionSet;
use crate::loss::binary_cross_entropy;
use crate::matrix::Matrix;

use FirstLayerForm::{CopiedDense, CopiedSparse, Fastest};

fn rng(name: &str) -> StreamRng {
    RunSeed::new("nets", 1).generation(0).stream(name)
}

fn network(hidden: &[usize], n_outputs: usize) -> Network {
    let shape = NetworkShape { state_len: 90, action_len: 21, hidden: hidden.to_vec(), n_outputs };
    Network::random(&shape, &mut rng("network"))
}

/// Returns states with 0 to 6 actions each; one in `sparsity` numbers is not 0.
fn batch(n_states: u32, sparsity: u32, seed: &str) -> InputBatch {
    let mut rng = rng(seed);
    let mut batch = InputBatch::new(90, 21);
    for state in 0..n_states {
        let mut entries = |n_columns: u32| -> Vec<(u32, f32)> {
            let drawn = (0..n_columns).map(|column| (column, rng.next_u32(), rng.unit_f32()));
            let drawn = drawn.filter(|drawn| drawn.1.is_multiple_of(sparsity));
            drawn.map(|(column, _, value)| (column, 2.0 * value - 1.0)).collect()
        };
        batch.push_state(&entries(90));
        (0..state % 7).for_each(|_| batch.push_action(&entries(21)));
    }
    batch
}

fn targets(batch: &InputBatch) -> Vec<f32> {
    (0..batch.n_rows()).map(|row| if row % 3 == 0 { 1.0 } else { 0.0 }).collect()
}

fn bits<'v>(values: impl IntoIterator<Item = &'v [f32]>) -> Vec<u32> {
    values.into_iter().flatten().map(|value| value.to_bits()).collect()
}

/// Returns the network after ten steps.
fn train(
    mut network: Network,
    form: FirstLayerForm,
    instructions: InstructionSet,
    sparsity: u32,
) -> Network {
    let mut activations = Activations::with_instructions(instructions);
    let mut gradients = Gradients::zeros(&network).with_instructions(instructions);
    let mut of_outputs = Matrix::default();
    let mut state = AdamState::new(&network);
    for step in 0..10 {
        let batch = batch(12 + step, sparsity, &step.to_string());
        network.forward(&batch, form, &mut activations);
        binary_cross_entropy(activations.outputs(), &targets(&batch), &mut of_outputs);
        gradients.clear();
        network.backward(&batch, form, &activations, &of_outputs, &mut gradients);
        state.step_with(instructions, &Adam::with_rate(0.01), &mut network, &gradients);
    }
    network
}

#[test]
fn training_gives_the_same_weights_with_all_instructions() {
    for (form, sparsity) in [(Fastest, 2), (Fastest, 20), (CopiedSparse, 3), (CopiedDense, 3)] {
        let start = network(&[37, 16], 1);
        let plain = train(start.clone(), form, InstructionSet::Plain, sparsity);
        assert_ne!(start, plain);
        for instructions in InstructionSet::available() {
            let trained = train(start.clone(), form, instructions, sparsity);
            let [plain, trained] = [&plain, &trained].map(|network| bits(network.parameters()));
            assert_eq!(plain, trained, "{form:?}, {sparsity}, {instructions:?}");
        }
    }
}

#[test]
fn forms_give_the_same_outputs() {
    for (n_states, sparsity) in [(0, 2), (1, 2), (2, 1), (30, 1), (30, 3), (30, 50)] {
        let (network, batch) = (network(&[37], 5), batch(n_states, sparsity, "forms"));
        let outputs = [Fastest, CopiedSparse, CopiedDense].map(|form| {
            let mut activations = Activations::default();
            network.forward(&batch, form, &mut activations);
            bits([activations.outputs().values()])
        });
        assert_eq!(outputs[0].len(), 5 * batch.n_rows());
        assert!(outputs.iter().all(|it| *it == outputs[0]), "{n_states} states, 1 in {sparsity}");
    }
}

/// The copied forms give the same gradients, and the shared one the same but for rounding.
#[test]
fn forms_give_the_same_gradients() {
    for sparsity in [1, 3, 50] {
        let (network, batch) = (network(&[37], 1), batch(30, sparsity, "forms"));
        let [shared, sparse, dense] = [Fastest, CopiedSparse, CopiedDense].map(|form| {
            let mut activations = Activations::default();
            network.forward(&batch, form, &mut activations);
            let mut of_outputs = Matrix::default();
            binary_cross_entropy(activations.outputs(), &targets(&batch), &mut of_outputs);
            let mut gradients = Gradients::zeros(&network);
            network.backward(&batch, form, &activations, &of_outputs, &mut gradients);
            gradients
        });
        assert_eq!(bits(sparse.parameters()), bits(dense.parameters()));
        let pairs = shared.parameters().flatten().zip(sparse.parameters().flatten());
        pairs.for_each(|(a, b)| assert!((a - b).abs() <= 1e-6 * (1.0 + a.abs()), "{a} and {b}"));
    }
}

/// Memory that served another batch and another form changes nothing.
#[test]
fn memory_is_reused_without_a_trace() {
    let network = network(&[37], 1);
    let mut activations = Activations::default();
    let mut gradients = Gradients::zeros(&network);
    let mut of_outputs = Matrix::default();
    let mut gradient_of = |seed, sparsity, form, gradients: &mut Gradients| {
        let batch = batch(20, sparsity, seed);
        network.forward(&batch, form, &mut activations);
        binary_cross_entropy(activations.outputs(), &targets(&batch), &mut of_outputs);
        network.backward(&batch, form, &activations, &of_outputs, gradients);
    };
    for (seed, sparsity, form) in
        [("a", 20, Fastest), ("b", 30, CopiedSparse), ("c", 2, Fastest), ("d", 25, Fastest)]
    {
        gradients.clear();
        assert!(gradients.parameters().flatten().all(|value| value.to_bits() == 0));
        gradient_of(seed, sparsity, form, &mut gradients);
        let mut fresh = Gradients::zeros(&network);
        gradient_of(seed, sparsity, form, &mut fresh);
        assert_eq!(bits(fresh.parameters()), bits(gradients.parameters()), "{seed}");
    }
}

/// Steps that skip rows without gradients give the bits of plain steps for all parameters.
#[test]
fn adam_skips_what_stays() {
    let mut network = network(&[37], 1);
    let mut plain = network.clone();
    let [mut state, mut plain_state] = [&network, &plain].map(AdamState::new);
    let mut activations = Activations::default();
    let mut gradients = Gradients::zeros(&network);
    let mut of_outputs = Matrix::default();
    for step in 0..6 {
        let batch = batch(4, 40, &step.to_string());
        network.forward(&batch, Fastest, &mut activations);
        binary_cross_entropy(activations.outputs(), &targets(&batch), &mut of_outputs);
        gradients.clear();
        network.backward(&batch, Fastest, &activations, &of_outputs, &mut gradients);
        let adam = Adam::with_rate(0.01);
        let n_untouched = (0..90).filter(|&row| !gradients.touched_rows().is_marked(row)).count();
        assert!(40 < n_untouched, "{n_untouched}");
        state.step(&adam, &mut network, &gradients);
        let mut all_touched = gradients.clone();
        all_touched.touched.mark_range(0..111);
        plain_state.step(&adam, &mut plain, &all_touched);
        assert_eq!(bits(plain.parameters()), bits(network.parameters()), "step {step}");
        assert_eq!(plain_state, state);
        if step == 3 {
            // As after reading.
            state.active = Default::default();
        }
    }
}
