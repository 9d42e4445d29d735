//! Files of models: what is written is read, and what is no model of this build is refused.

use hatchery_core::error_chain;
use hatchery_nets::Network;
use hatchery_nets::tensors::{Tensor, TensorFile};
use hatchery_othellonia::features::{Information, PieceVectors};
use hatchery_othellonia::players::model::{AgentModel, MAX_LAYERS, MAX_UNITS, ModelEncoding};
use hatchery_othellonia::rules::{Game, GameStart, Player};
use proptest::prelude::*;

use crate::models::samples::{decks, encodings, model, rng, shape, small_model};

#[test]
fn what_is_written_is_read() {
    for encoding in encodings() {
        for information in [Information::Perfect, Information::Own] {
            for n_outputs in [1, 51] {
                let model = model(information, encoding.clone(), (&[6, 5], n_outputs));
                let bytes = model.encode();
                let read = AgentModel::decode(&bytes).unwrap();
                assert_eq!((&read, read.encode()), (&model, bytes));
            }
        }
    }
}

/// Returns a small model with noise in its last layer.
fn noisy_model() -> AgentModel {
    let (information, encoding, network) = small_model().into_parts();
    AgentModel::new(information, encoding, network.with_noise(0.5)).unwrap()
}

#[test]
fn noise_is_written_and_read_and_changes_no_value() {
    let (noisy, plain) = (noisy_model(), small_model());
    let read = AgentModel::decode(&noisy.encode()).unwrap();
    assert_eq!((&read, read.encode()), (&noisy, noisy.encode()));
    assert_eq!(noisy.network().clone().without_noise(), *plain.network());
    let decks = decks();
    let game = Game::start([&decks[0], &decks[1]], GameStart { seed: 1, first: Player::A });
    assert_eq!(read.values(&game), plain.values(&game));
    // The deviations are 0.5 over the root of 4 inputs.
    let deviation = read.network().deviation().unwrap();
    assert_eq!((deviation.weights.values(), &deviation.bias[..]), (&[0.25; 4][..], &[0.25][..]));
}

#[test]
fn noise_that_does_not_fit_is_refused() {
    const WEIGHT: &str = "layers.1.weight_deviation";
    const BIAS: &str = "layers.1.bias_deviation";
    let noisy = TensorFile::decode(&noisy_model().encode()).unwrap();
    let check = |change: &dyn Fn(&mut TensorFile), name: &str| {
        let mut file = noisy.clone();
        change(&mut file);
        let error = error_chain(&AgentModel::decode(&file.encode()).unwrap_err());
        assert!(error.contains(name), "{error}");
    };
    check(&|file| drop(file.tensors.remove(BIAS)), BIAS);
    check(&|file| drop(file.tensors.remove(WEIGHT)), BIAS);
    check(&|file| file.insert(WEIGHT, &[1, 4], &[0.1; 4]), WEIGHT);
    check(&|file| file.insert(BIAS, &[2], &[0.1; 2]), BIAS);
    check(&|file| file.insert(BIAS, &[1], &[f32::NAN]), BIAS);
    check(&|file| file.insert("layers.0.bias_deviation", &[4], &[0.1; 4]), "layers.0");
}

/// Another program may write metadata of its own.
#[test]
fn other_metadata_are_passed_over() {
    let mut file = TensorFile::decode(&small_model().encode()).unwrap();
    file.metadata.insert("format".to_owned(), "pt".to_owned());
    assert_eq!(AgentModel::decode(&file.encode()).unwrap(), small_model());
}

/// Returns what is said of a small model's file after a change.
fn refusal(change: impl FnOnce(&mut TensorFile)) -> String {
    let mut file = TensorFile::decode(&small_model().encode()).unwrap();
    change(&mut file);
    error_chain(&AgentModel::decode(&file.encode()).unwrap_err())
}

#[test]
fn other_metadata_than_those_of_this_build_are_refused() {
    for (key, value, expected) in [
        ("feature_version", "3", "weights for features of version 3, but this build has version 1"),
        ("rules_version", "7", "weights for rules of version 7, but this build has version 1"),
        (
            "game",
            "chess",
            "weights with `game` = `chess` in their metadata, which should be `othellonia`",
        ),
        (
            "information",
            "all",
            "weights with `information` = `all` in their metadata, which should be `perfect` or \
             `own`",
        ),
        (
            "encoding",
            "words",
            "weights with `encoding` = `words` in their metadata, which should be `vectors`, \
             `pool` or `deck`",
        ),
    ] {
        let found = refusal(|file| drop(file.metadata.insert(key.to_owned(), value.to_owned())));
        assert_eq!(found, expected);
        let missing = refusal(|file| drop(file.metadata.remove(key)));
        assert!(missing.contains(&format!("weights without `{key}`")), "{missing}");
    }
    for kinds in ["0", "20001", "-1", "many", "99999999999999999999"] {
        let found = refusal(|file| {
            file.metadata.insert("encoding".to_owned(), "pool".to_owned());
            file.metadata.insert("kinds".to_owned(), kinds.to_owned());
        });
        assert!(found.ends_with("which should be a number from 1 to 20000"), "{found}");
    }
    let long = refusal(|file| drop(file.metadata.insert("game".to_owned(), "ä".repeat(9_000))));
    assert!(long.len() < 300, "{long}");
}

#[test]
fn other_tensors_than_those_of_the_encoding_are_refused() {
    let tensor = |shape: &[usize]| Tensor {
        shape: shape.to_vec(),
        values: vec![0.5; shape.iter().product()],
    };
    let add = |name: &str, tensor: Tensor| {
        let name = name.to_owned();
        refusal(|file| drop(file.tensors.insert(name, tensor)))
    };
    let expected = "weights with a tensor `notes`, which no agent with this encoding has";
    assert_eq!(add("notes", tensor(&[2])), expected);
    let expected = expected.replace("notes", "piece_vectors");
    assert_eq!(add("piece_vectors", tensor(&[5, 30])), expected);
    let with_vectors = |vectors: Option<Tensor>| {
        refusal(|file| {
            file.metadata.insert("encoding".to_owned(), "vectors".to_owned());
            file.tensors.extend(vectors.map(|tensor| ("piece_vectors".to_owned(), tensor)));
        })
    };
    for (vectors, expected) in [
        (
            None,
            "weights without the tensor `piece_vectors`, which should be a row of 30 numbers for \
             each kind of piece",
        ),
        (
            Some(tensor(&[5, 31])),
            "vectors of pieces in the shape [5, 31], but it should be [kinds, 30]",
        ),
        (
            Some(tensor(&[150])),
            "vectors of pieces in the shape [150], but it should be [kinds, 30]",
        ),
        (
            Some(tensor(&[0, 30])),
            "the encoding of pieces is invalid: 0 numbers, but a table has 30 for each of 1 to \
             20000 kinds",
        ),
    ] {
        assert_eq!(with_vectors(vectors), expected);
    }
    let missing = refusal(|file| drop(file.tensors.remove("layers.1.bias")));
    assert!(missing.contains("layers.1.bias is missing"), "{missing}");
}

#[test]
fn networks_that_do_not_fit_are_refused() {
    let encoding = ModelEncoding::DeckOneHot;
    let refused = |hidden: &[usize], n_outputs: usize| {
        let shape = shape(&encoding, hidden, n_outputs);
        let network = Network::random(&shape, &mut rng("refused"));
        AgentModel::new(Information::Own, encoding.clone(), network).unwrap_err().to_string()
    };
    let expected = format!("a layer of 1025 units, but from 1 to {MAX_UNITS} are allowed");
    assert_eq!(refused(&[2, MAX_UNITS + 1], 1), expected);
    assert_eq!(refused(&[2], MAX_UNITS + 1), expected);
    let expected = format!("a layer of 0 units, but from 1 to {MAX_UNITS} are allowed");
    assert_eq!([refused(&[2, 0], 1), refused(&[2], 0)], [expected.clone(), expected]);
    let expected = format!("a network of 7 layers, but at most {MAX_LAYERS} are allowed");
    assert_eq!(refused(&[2; MAX_LAYERS], 1), expected);

    let of_vectors = shape(&encodings()[0], &[2], 1);
    let network = Network::random(&of_vectors, &mut rng("refused"));
    let model = AgentModel::new(Information::Own, encoding, network);
    let expected = "a network for 5411 columns of a state and 238 of an action, but its encoding \
                    gives 4499 and 226";
    assert_eq!(model.unwrap_err().to_string(), expected);

    let (_, encoding, mut network) = small_model().into_parts();
    network.parameters_mut().last().unwrap()[0] = f32::NAN;
    let model = AgentModel::new(Information::Own, encoding, network);
    assert_eq!(model.unwrap_err().to_string(), "a weight that is NaN, but all must be finite");
}

#[test]
fn decks_with_unknown_pieces_are_refused() {
    let decks = decks();
    let kinds = 40;
    let vectors = PieceVectors::random(kinds, &mut rng("few")).unwrap();
    for encoding in [ModelEncoding::Vectors(vectors), ModelEncoding::PoolOneHot { kinds }] {
        let model = model(Information::Perfect, encoding, (&[2], 1));
        let error = model.check_decks([&decks[0], &decks[1]]).unwrap_err().to_string();
        assert!(
            error.starts_with("weights for 40 kinds of pieces, but a deck has piece "),
            "{error}"
        );
    }
    for encoding in encodings() {
        let model = model(Information::Perfect, encoding, (&[2], 1));
        model.check_decks([&decks[0], &decks[2]]).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Damage to the header, which says what the rest is, and to the first weights.
    #[test]
    fn damaged_files_are_refused_or_models(
        at in 0..1_200_usize, byte: u8, cut in prop::option::of(0..4_000_usize)
    ) {
        let mut bytes = small_model().encode();
        bytes[at] = byte;
        bytes.truncate(bytes.len() - cut.unwrap_or(0));
        if let Ok(model) = AgentModel::decode(&bytes) {
            prop_assert_eq!(AgentModel::decode(&model.encode()).unwrap(), model);
        }
    }

    #[test]
    fn random_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(AgentModel::decode(&bytes).is_err());
    }
}
