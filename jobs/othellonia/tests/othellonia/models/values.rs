//! The values of actions, and the games that are played by them.

use hatchery_nets::{DenseLayer, Matrix, Network};
use hatchery_othellonia::features::Information;
use hatchery_othellonia::players::model::{AgentModel, ModelEncoding, ModelValue};
use hatchery_othellonia::rules::{Action, Game, GameEvent, GameStart, HpChange, Player};

use crate::models::samples::{decks, encodings, model};

/// Plays a game by a model against itself, and calls `look` before each placement.
fn play(model: &AgentModel, seed: u64, mut look: impl FnMut(&Game<'_>, Action)) {
    let decks = decks();
    let start = GameStart { seed, first: Player::B };
    let mut game = Game::start([&decks[0], &decks[1]], start);
    let mut buffers = model.buffers();
    while game.outcome().is_none() {
        let action = model.choose(&game, &mut buffers).unwrap();
        look(&game, action);
        game.play(action, &mut ()).unwrap();
    }
    assert_eq!(model.choose(&game, &mut buffers), None);
    assert!(model.values(&game).is_empty());
}

#[test]
fn networks_play_whole_games_of_legal_actions() {
    for encoding in encodings() {
        for (information, n_outputs) in [(Information::Perfect, 1), (Information::Own, 11)] {
            let model = model(information, encoding.clone(), (&[8, 4], n_outputs));
            let mut n_placements = 0;
            play(&model, 5, |game, action| {
                assert!(game.actions().any(|legal| legal == action));
                n_placements += 1;
            });
            assert!((8..=32).contains(&n_placements), "{n_placements}");
        }
    }
}

/// Computes the outputs of a network for a row, in 64 bits and the plainest way.
fn plain_outputs(network: &Network, row: &[f32]) -> Vec<f64> {
    let mut values: Vec<f64> = row.iter().copied().map(f64::from).collect();
    for (at, layer) in network.layers().iter().enumerate() {
        let rectified = |value: f64| if at == 0 { value } else { value.max(0.0) };
        values = (0..layer.n_outputs())
            .map(|output| {
                let terms = values.iter().enumerate().map(|(input, value)| {
                    rectified(*value) * f64::from(layer.weights.row(input)[output])
                });
                f64::from(layer.bias[output]) + terms.sum::<f64>()
            })
            .collect();
    }
    values
}

#[test]
fn values_are_those_of_the_rows() {
    for encoding in encodings() {
        for (n_outputs, kind) in [(1, ModelValue::LogOdds), (7, ModelValue::Score)] {
            let model = model(Information::Own, encoding.clone(), (&[16, 8], n_outputs));
            assert_eq!(model.value_kind(), kind);
            let mut row = vec![0.0; model.layout().row_len()];
            let mut at = 0;
            play(&model, 8, |game, chosen| {
                at += 1;
                if at % 5 != 0 {
                    return;
                }
                let values = model.values(game);
                assert!(values.iter().map(|(action, _)| *action).eq(game.actions()));
                for &(action, value) in &values {
                    model.layout().write_row(game, Information::Own, action, &mut row).unwrap();
                    let outputs = plain_outputs(model.network(), &row);
                    let expected = match outputs.as_slice() {
                        [output] => *output,
                        bins => mean_of_bins(bins),
                    };
                    assert!((f64::from(value) - expected).abs() < 1e-5, "{value}, not {expected}");
                    assert!((0.0..=1.0).contains(&kind.share(value)));
                }
                let most = values.iter().map(|(_, value)| *value).fold(f32::MIN, f32::max);
                let first = values.iter().find(|(_, value)| (value - most).abs() == 0.0);
                assert_eq!(first.map(|(action, _)| *action), Some(chosen));
            });
        }
    }
}

fn mean_of_bins(logits: &[f64]) -> f64 {
    let weights: Vec<_> = logits.iter().map(|logit| libm::exp(*logit)).collect();
    let most = f64::from(u32::try_from(logits.len() - 1).unwrap());
    let places = (0..).map(|bin: u32| f64::from(bin) / most);
    weights.iter().zip(places).map(|(weight, place)| weight * place).sum::<f64>()
        / weights.iter().sum::<f64>()
}

/// A network that passes one column on plays by that column.
#[test]
fn a_network_of_the_damage_column_takes_the_most_damage() {
    let encoding = ModelEncoding::DeckOneHot;
    let layout = encoding.layout().unwrap();
    let name = |column| layout.describe(column).unwrap();
    let damage = (0..layout.row_len()).find(|column| name(*column) == "action: damage").unwrap();
    let mut first = DenseLayer::zeros(layout.row_len(), 1);
    first.weights.row_mut(damage)[0] = 1.0;
    let second = DenseLayer { weights: Matrix::from_values(1, 1, vec![1.0]), bias: vec![0.0] };
    let network = Network::from_layers(layout.state_len(), vec![first, second]);
    let model = AgentModel::new(Information::Perfect, encoding, network).unwrap();
    play(&model, 3, |game, chosen| {
        let most = game.actions().map(|action| attack(game, action)).max();
        let first = game.actions().find(|action| Some(attack(game, *action)) == most);
        assert_eq!(first, Some(chosen));
    });
}

/// Returns the damage of the attack of an action.
fn attack(game: &Game<'_>, action: Action) -> u32 {
    let enemy = game.state().to_move.enemy();
    let mut events: Vec<GameEvent> = Vec::new();
    game.preview(action, &mut events).unwrap();
    let lost = events.iter().filter_map(|event| match *event {
        GameEvent::Lost { player, amount, cause: HpChange::Attack } if player == enemy => {
            Some(amount)
        }
        _ => None,
    });
    lost.sum()
}

/// Weights are finite, but sums of weights need not be.
#[test]
fn values_are_finite_with_huge_weights() {
    for n_outputs in [1, 5] {
        let small = model(Information::Perfect, ModelEncoding::DeckOneHot, (&[4, 4], n_outputs));
        let (information, encoding, mut network) = small.into_parts();
        for parameters in network.parameters_mut() {
            parameters.iter_mut().for_each(|value| *value = value.signum() * 3e38);
        }
        let model = AgentModel::new(information, encoding, network).unwrap();
        play(&model, 2, |game, _| {
            assert!(model.values(game).iter().all(|(_, value)| value.is_finite()));
        });
    }
}
