//! Trials that record the games of a learner.

use hatchery_core::part::{LargeValue, PartSet};
use hatchery_core::{FastRng, catch_panic};
use hatchery_nets::{Network, NetworkShape};
use hatchery_othellonia::features::Information;
use hatchery_othellonia::players::GameAgent;
use hatchery_othellonia::players::model::{AgentModel, ModelEncoding};
use hatchery_othellonia::record::{GameRecord, decode_records};
use hatchery_othellonia::rules::{Game, Player};
use hatchery_othellonia::trial::setup::{
    MatchAgent, RecordPlayers, RecordSetup, SelfPlayOpponents, SelfPlayers, TrialSetup,
};

use crate::training::samples::{check_breaks, decks, run, stream};

/// Returns a network with random weights, and with noise if `noise` is not 0.
fn network(encoding: ModelEncoding, noise: f32) -> AgentModel {
    let layout = encoding.layout().unwrap();
    let shape = NetworkShape {
        state_len: layout.state_len(),
        action_len: layout.action_len(),
        hidden: vec![8],
        n_outputs: 11,
    };
    let network = Network::random(&shape, &mut stream("network"));
    let network = if noise == 0.0 { network } else { network.with_noise(noise) };
    AgentModel::new(Information::Perfect, encoding, network).unwrap()
}

fn weights(model: &AgentModel, parts: &mut PartSet) -> LargeValue {
    LargeValue::new(vec![parts.add(model.encode())])
}

fn self_play(learner: LargeValue, agents: Vec<MatchAgent>, epsilon: u32) -> TrialSetup {
    let opponents = SelfPlayOpponents { agents, epsilon };
    let players = RecordPlayers::SelfPlay(SelfPlayers { learner, opponents });
    TrialSetup::Record(RecordSetup { pairs: 6, n_decks: 3, players })
}

/// Returns the games of a learner against the random agent.
fn games(model: &AgentModel, epsilon: u32) -> Vec<GameRecord> {
    let mut parts = PartSet::default();
    let learner = weights(model, &mut parts);
    let setup = self_play(learner, vec![GameAgent::Random.into()], epsilon);
    records(&setup, &mut parts)
}

fn records(setup: &TrialSetup, parts: &mut PartSet) -> Vec<GameRecord> {
    let recorded = run(setup, "self-play", parts).recorded[0];
    let records = decode_records(&parts.get(&recorded.file).unwrap()).unwrap();
    assert_eq!((records.len(), recorded.games), (12, 12));
    let placements: usize = records.iter().map(|record| record.actions.len()).sum();
    assert_eq!(placements as u64, recorded.placements);
    records
}

/// Returns the number of a player's decisions, and the number of decisions for the action that
/// `model` values most.
fn greedy_decisions(records: &[GameRecord], player: Player, model: &AgentModel) -> [usize; 2] {
    let table = decks();
    let mut buffers = model.buffers();
    let mut counts = [0; 2];
    for record in records {
        let mut game = Game::start(table.pair(record.decks), record.start);
        for &action in &record.actions {
            // A decision between one action says nothing.
            if game.state().to_move == player && 1 < game.actions().count() {
                counts[0] += 1;
                counts[1] += usize::from(model.choose(&game, &mut buffers) == Some(action));
            }
            game.play(action, &mut ()).unwrap();
        }
        assert!(game.outcome().is_some());
    }
    counts
}

#[test]
fn pairs_of_games_have_the_same_shuffles_and_each_player_places_first() {
    let records = games(&network(ModelEncoding::DeckOneHot, 0.0), 0);
    for pair in records.chunks(2) {
        assert_eq!(pair[0].decks, pair[1].decks);
        assert_eq!(pair[0].start.seed, pair[1].start.seed);
        assert_eq!([pair[0].start.first, pair[1].start.first], Player::ALL);
    }
    // Of 6 pairs of 9 match-ups, all are the same in one of 9^5 seeds.
    assert!(records.iter().any(|record| record.decks != records[0].decks));
}

#[test]
fn a_learner_without_noise_plays_its_best_actions_as_player_a() {
    let model = network(ModelEncoding::DeckOneHot, 0.0);
    let records = games(&model, 0);
    let [decisions, greedy] = greedy_decisions(&records, Player::A, &model);
    assert!(decisions == greedy && 100 < decisions, "{greedy} of {decisions}");
    let [decisions, greedy] = greedy_decisions(&records, Player::B, &model);
    assert!(greedy < decisions / 2, "{greedy} of {decisions} of a random agent");
}

/// With noise, some decisions differ; with a probability of 1 to explore, most do.
#[test]
fn learners_explore() {
    for (noise, epsilon, range) in
        [(0.01, 0, 20..95), (0.0, 300_000, 50..90), (0.0, 1_000_000, 0..30)]
    {
        let model = network(ModelEncoding::DeckOneHot, noise);
        let records = games(&model, epsilon);
        let [decisions, greedy] = greedy_decisions(&records, Player::A, &model);
        let percent = 100 * greedy / decisions;
        assert!(range.contains(&percent), "noise {noise}, epsilon {epsilon}: {percent} % greedy");
        assert_eq!(records, games(&model, epsilon));
    }
}

/// Each action has its own noise. With the same noise for all actions, as without noise, deviations
/// that are equal for all weights of an output would leave the order of equal actions.
#[test]
fn the_noise_of_actions_is_independent() {
    let model = network(ModelEncoding::DeckOneHot, 0.5);
    let table = decks();
    let game = Game::start(table.pair([0, 1]), games(&model, 0)[0].start);
    let mut rng = FastRng::seeded_by(&mut stream("noise"));
    let mut buffers = model.buffers();
    let mut chosen: Vec<_> =
        (0..200).filter_map(|_| model.explore(&game, &mut buffers, &mut rng, 0)).collect();
    assert_eq!(chosen.len(), 200);
    chosen.sort_unstable();
    chosen.dedup();
    assert!(3 < chosen.len(), "{} actions", chosen.len());
    // Its greedy values are those without noise.
    let plain = network(ModelEncoding::DeckOneHot, 0.0);
    assert_eq!(model.values(&game), plain.values(&game));
}

/// Opponents with the same probability: of 20 pairs, 10 of the second are passed by more than 8 in
/// one of 5,000 seeds.
#[test]
fn opponents_are_drawn_and_networks_among_them_explore() {
    let mut parts = PartSet::default();
    let model = network(ModelEncoding::DeckOneHot, 0.0);
    let learner = weights(&model, &mut parts);
    let opponents = vec![GameAgent::Random.into(), MatchAgent::Network(learner.clone())];
    let of_pairs = |epsilon: u32, parts: &mut PartSet| -> Vec<bool> {
        let setup = self_play(learner.clone(), opponents.clone(), epsilon);
        let records = records(&setup, parts);
        let is_greedy = |pair: &[GameRecord]| {
            let [decisions, greedy] = greedy_decisions(pair, Player::B, &model);
            decisions == greedy
        };
        records.chunks(2).map(is_greedy).collect()
    };
    let greedy = of_pairs(0, &mut parts);
    assert!(greedy.contains(&true) && greedy.contains(&false), "{greedy:?}");
    assert!(!of_pairs(500_000, &mut parts).contains(&true));
}

/// Nobody may have had the bytes of a model before the run began.
#[test]
fn a_trial_refuses_models_that_do_not_fit() {
    let fitting = network(ModelEncoding::DeckOneHot, 0.5).encode();
    let small = network(ModelEncoding::PoolOneHot { kinds: 3 }, 0.5).encode();
    let broken = fitting[..fitting.len() - 1].to_vec();
    for (learner, opponent, expected) in [
        (small.clone(), fitting.clone(), "weights for 3 kinds of pieces, but a deck has piece "),
        (fitting.clone(), small, "weights for 3 kinds of pieces, but a deck has piece "),
        (fitting, broken, "weights that are no network"),
    ] {
        let mut parts = PartSet::default();
        let [learner, opponent] =
            [learner, opponent].map(|bytes| LargeValue::new(vec![parts.add(bytes)]));
        let setup = self_play(learner, vec![MatchAgent::Network(opponent)], 0);
        let refusal = catch_panic(|| run(&setup, "unfit", &mut parts.clone()));
        let message = refusal.unwrap_err().to_string();
        assert!(message.starts_with("a learned agent cannot play: the file "), "{message}");
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn recording_ends_where_its_pulse_breaks() {
    let mut parts = PartSet::default();
    let learner = weights(&network(ModelEncoding::DeckOneHot, 0.5), &mut parts);
    let setup = self_play(learner, vec![GameAgent::Random.into()], 0);
    check_breaks(&setup, 12, &parts);
}
