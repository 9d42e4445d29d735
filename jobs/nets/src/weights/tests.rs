use hatchery_core::RunSeed;

use super::*;
use crate::adam::Adam;
use crate::batch::InputBatch;
use crate::network::{Activations, FirstLayerForm, NetworkShape};

pub(super) fn network(hidden: &[usize]) -> Network {
    let shape = NetworkShape { state_len: 3, action_len: 2, hidden: hidden.to_vec(), n_outputs: 2 };
    Network::random(&shape, &mut RunSeed::new("weights", 1).generation(0).stream("network"))
}

fn file(network: &Network) -> TensorFile {
    let mut file = TensorFile::default();
    network.to_tensors("agent.", &mut file);
    file
}

#[test]
fn networks_return_from_their_tensors() {
    for hidden in [&[4][..], &[4, 1, 7], &[2; 12]] {
        let network = network(hidden);
        let bytes = file(&network).encode();
        let read = TensorFile::decode(&bytes).expect("it was just written");
        assert_eq!(Network::from_tensors("agent.", &read, 3), Ok(network.clone()));
        assert_eq!(file(&network).encode(), bytes);
    }
}

#[test]
fn what_is_not_finite_is_found() {
    let mut network = network(&[4]);
    assert!(network.is_finite() && Gradients::zeros(&network).are_finite());
    let last = network.parameters_mut().last().expect("a network has layers");
    *last.last_mut().expect("it has an output") = f32::NAN;
    assert!(!network.is_finite());
    let bytes = file(&network).encode();
    let error = TensorFile::decode(&bytes).expect_err("it holds NaN");
    assert_eq!(error.to_string(), "value 1 of tensor agent.layers.1.bias is not finite");
}

/// Takes a step of Adam towards outputs of 1 and 0 for one state with two actions.
fn learn(network: &mut Network, state: &mut AdamState) {
    let mut batch = InputBatch::new(3, 2);
    batch.push_state(&[(0, 0.5), (2, -1.0)]);
    batch.push_action(&[(0, 1.0)]);
    batch.push_action(&[(1, 1.0)]);
    let (mut activations, mut gradients) = (Activations::default(), Gradients::zeros(network));
    network.forward(&batch, FirstLayerForm::Fastest, &mut activations);
    let mut of_outputs = activations.outputs().clone();
    of_outputs.values_mut()[0] -= 1.0;
    let form = FirstLayerForm::Fastest;
    network.backward(&batch, form, &activations, &of_outputs, &mut gradients);
    state.step(&Adam::with_rate(0.01), network, &gradients);
}

#[test]
fn optimizers_go_on_where_they_stopped() {
    let mut network = network(&[4]);
    let mut state = AdamState::new(&network);
    for step in 0..4 {
        let mut file = TensorFile::default();
        state.to_tensors("adam.", &mut file);
        let read = TensorFile::decode(&file.encode()).expect("it was just written");
        let mut read = AdamState::from_tensors("adam.", &read, &network).expect("it fits");
        assert_eq!(read, state, "before step {step}");
        let mut same = network.clone();
        learn(&mut network, &mut state);
        learn(&mut same, &mut read);
        assert_eq!((&read, &same), (&state, &network), "after step {step}");
    }
    assert_eq!(state.steps(), 4);
}

/// Checks that a network is refused with `message` after `change`.
fn check_network(message: &str, change: impl FnOnce(&mut TensorFile)) {
    let mut file = file(&network(&[4]));
    change(&mut file);
    let error = Network::from_tensors("agent.", &file, 3).expect_err("it was changed");
    assert_eq!(error.to_string(), message);
}

#[test]
fn networks_that_do_not_fit_together_are_refused() {
    check_network("tensor agent.layers.1.weight is missing", |file| {
        file.tensors.remove("agent.layers.1.weight");
    });
    check_network("tensor agent.layers.0.bias is missing", |file| {
        file.tensors.remove("agent.layers.0.bias");
    });
    check_network("tensor agent.layers.0.bias has shape [3], but must have [4]", |file| {
        file.insert("agent.layers.0.bias", &[3], &[0.0; 3]);
    });
    let message = "tensor agent.layers.1.weight has shape [5, 1], but must have 4 rows and a \
                   column";
    check_network(message, |file| {
        file.insert("agent.layers.1.weight", &[5, 1], &[0.0; 5]);
    });
    let message = "tensor agent.layers.0.weight has shape [], but must have two dimensions";
    check_network(message, |file| file.insert("agent.layers.0.weight", &[], &[1.0]));
    let message = "tensor agent.layers.0.weight has shape [2, 4], but must have at least 3 rows";
    check_network(message, |file| file.insert("agent.layers.0.weight", &[2, 4], &[0.0; 8]));
    let message = "tensor agent.layers.0.weight has shape [0, 4], but must have a row and a \
                   column";
    check_network(message, |file| file.insert("agent.layers.0.weight", &[0, 4], &[]));
    check_network("tensor agent.layers.3.bias is not part of the network", |file| {
        file.insert("agent.layers.3.bias", &[1], &[0.0]);
    });
}

/// Checks that an optimizer is refused with `message` after `change`.
fn check_optimizer(message: &str, change: impl FnOnce(&mut TensorFile)) {
    let mut network = network(&[4]);
    let (mut file, mut state) = (TensorFile::default(), AdamState::new(&network));
    let gradients = Gradients::zeros(&network);
    state.step(&Adam::with_rate(0.01), &mut network, &gradients);
    state.to_tensors("", &mut file);
    change(&mut file);
    let error = AdamState::from_tensors("", &file, &network).expect_err("it was changed");
    assert_eq!(error.to_string(), message);
}

#[test]
fn optimizers_that_make_no_sense_are_refused() {
    check_optimizer("tensor squares.1 has a value below 0 at 2", |file| {
        file.insert("squares.1", &[4], &[0.0, 1.0, -1.0, 0.0]);
    });
    check_optimizer("tensor means.0 has shape [4], but must have [20]", |file| {
        file.insert("means.0", &[4], &[0.0; 4]);
    });
    let message = "metadata steps is 9007199254740993, but must be a number of steps";
    check_optimizer(message, |file| {
        file.metadata.insert("steps".to_owned(), ((1_u64 << 53) + 1).to_string());
    });
    for powers in ["1e0 9e-1", "NaN 9e-1", "9e-1", "-1e0 9e-1", "inf 9e-1"] {
        let message = format!("metadata powers is {powers}, but must be {POWERS}");
        check_optimizer(&message, |file| {
            file.metadata.insert("powers".to_owned(), powers.to_owned());
        });
    }
}
