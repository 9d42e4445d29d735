//! Reinforcement learning from recorded games.

mod files;
mod tiny_games;

use std::ops::ControlFlow;

use hatchery_core::FastRng;
use hatchery_othellonia::features::Information;
use hatchery_othellonia::learning::reinforcement::{
    LearnedMoves, NextActions, PriorityLoss, ReinforcementLearner, ReinforcementSettings, Returns,
};
use hatchery_othellonia::learning::samples::TrainingGames;
use hatchery_othellonia::learning::{LearnError, LearnFailure, LearnSummary};
use hatchery_othellonia::players::GameAgent;
use hatchery_othellonia::players::model::{AgentModel, ModelEncoding};
use hatchery_othellonia::record::GameRecord;
use hatchery_othellonia::rules::{Game, GameStart, Player};

use crate::learning::games::{DECKS, go_on, stream};

/// Returns `n` random games. A larger `n` adds games at the end.
fn random_records(n: usize) -> Vec<GameRecord> {
    let mut rng = FastRng::seeded_by(&mut stream("random games"));
    let one = |_| {
        let decks = [(); 2].map(|()| u16::try_from(rng.below(6)).unwrap());
        let first = Player::ALL[rng.below(2) as usize];
        let start = GameStart { seed: rng.next_u64(), first };
        let mut game = Game::start(decks.map(|deck| &DECKS[usize::from(deck)]), start);
        let mut actions = Vec::new();
        while game.outcome().is_none() {
            let action = GameAgent::Random.choose(&game, &mut rng);
            game.play(action, &mut ()).unwrap();
            actions.push(action);
        }
        GameRecord { decks, start, actions }
    };
    (0..n).map(one).collect()
}

fn games(records: &[GameRecord]) -> TrainingGames<'static> {
    TrainingGames::new(&*DECKS, records.to_vec()).unwrap()
}

/// Settings for which a step takes little time.
fn small() -> ReinforcementSettings {
    ReinforcementSettings {
        batch: 8,
        bins: 11,
        target_steps: 3,
        capacity: 500,
        moves: LearnedMoves::Both,
        ..ReinforcementSettings::default()
    }
}

fn learner(settings: &ReinforcementSettings) -> ReinforcementLearner {
    let (encoding, mut rng) = (ModelEncoding::DeckOneHot, stream("network"));
    ReinforcementLearner::new(encoding, Information::Perfect, &[12], settings, &mut rng).unwrap()
}

fn learn(
    learner: &mut ReinforcementLearner,
    games: &TrainingGames<'_>,
    steps: u64,
) -> LearnSummary {
    learner.absorb(games);
    learner.learn(games, steps, &stream("steps"), &mut go_on).unwrap()
}

/// Returns the bytes of a learner's model and memory.
fn bytes(learner: &ReinforcementLearner) -> [Vec<u8>; 2] {
    [learner.model().encode(), learner.encode_memory()]
}

#[test]
fn a_long_batch_and_single_decisions_give_the_same_bytes() {
    let games = games(&random_records(30));
    for (returns, noise) in [(Returns::Steps(1), 0.5), (Returns::Steps(3), 0.0)] {
        let of = |next_actions| {
            let settings = ReinforcementSettings { next_actions, returns, noise, ..small() };
            let mut learner = learner(&settings);
            let summary = learn(&mut learner, &games, 10);
            assert_eq!([summary.steps, summary.rows], [10, 80]);
            (bytes(&learner), summary)
        };
        let long = of(NextActions::LongBatch);
        assert_eq!(long, of(NextActions::OneByOne));
        assert_eq!(long, of(NextActions::LongBatch), "a repeated run");
    }
}

/// Learns in periods, each after some more games, and continues from bytes each time. Games without
/// items in the memory are dropped. Compares with learning at once.
fn check_periods(settings: &ReinforcementSettings) -> u32 {
    let (records, stream) = (random_records(80), stream("steps"));
    let mut whole = learner(settings);
    let mut parts = learner(settings);
    let (mut kept, mut first_item, mut n_dropped) = (Vec::<&[GameRecord]>::new(), 0, 0);
    let (mut drawn, mut age_sum) = (0, 0);
    for (period, file) in records.chunks(10).enumerate() {
        let all = games(&records[..10 * (period + 1)]);
        learn(&mut whole, &all, 4);
        kept.push(file);
        let own = games(&kept.concat());
        parts = {
            let model = AgentModel::decode(&parts.model().encode()).unwrap();
            let memory = parts.encode_memory();
            ReinforcementLearner::decode(model, &memory, &own, first_item, settings).unwrap()
        };
        parts.absorb(&own);
        for steps in [1, 3] {
            parts.learn(&own, steps, &stream, &mut go_on).unwrap();
        }
        assert!(bytes(&whole) == bytes(&parts), "period {period}");
        (drawn, age_sum) = (drawn + parts.drawn(), age_sum + parts.age_sum());
        let sizes: Vec<_> = kept.iter().map(|file| file.len()).collect();
        let (n_files, next_item) = parts.dropped(&own, &sizes);
        kept.drain(..n_files as usize);
        (first_item, n_dropped) = (next_item, n_dropped + n_files);
    }
    assert_eq!([drawn, age_sum], [whole.drawn(), whole.age_sum()]);
    assert_eq!([whole.steps(), whole.drawn()], [32, 32 * 8]);
    n_dropped
}

#[test]
fn learning_in_periods_is_learning_at_once() {
    for moves in [LearnedMoves::Both, LearnedMoves::Own] {
        // A file of ten games has some 250 decisions, or half as many own ones.
        let n_dropped = check_periods(&ReinforcementSettings { moves, ..small() });
        assert!(3 <= n_dropped, "{n_dropped} files were dropped");
        let all = ReinforcementSettings { moves, capacity: 10_000, ..small() };
        assert_eq!(check_periods(&all), 0);
    }
    let other = ReinforcementSettings {
        returns: Returns::Steps(3),
        priority_loss: PriorityLoss::CrossEntropy,
        noise: 0.0,
        ..small()
    };
    check_periods(&other);
    check_periods(&ReinforcementSettings { returns: Returns::End, ..small() });
}

#[test]
fn items_are_the_decisions_of_the_players_that_are_learned_from() {
    let records = random_records(20);
    let (games, n_plies) = (games(&records), records.iter().map(|it| it.actions.len()).sum());
    let mut own = 0;
    for record in &records {
        let decks = record.decks.map(|deck| &DECKS[usize::from(deck)]);
        let mut game = Game::start(decks, record.start);
        for &action in &record.actions {
            own += usize::from(game.state().to_move == Player::A);
            game.play(action, &mut ()).unwrap();
        }
    }
    for (moves, expected) in [(LearnedMoves::Both, n_plies), (LearnedMoves::Own, own)] {
        let mut learner = learner(&ReinforcementSettings { moves, ..small() });
        learner.absorb(&games);
        learner.absorb(&games);
        assert_eq!(learner.n_items(), expected as u64);
    }
}

#[test]
fn a_new_learner_needs_no_games_but_its_steps_do() {
    let none = games(&[]);
    let mut learner = learner(&small());
    assert_eq!(learn(&mut learner, &none, 0), LearnSummary::default());
    assert_eq!(learner.dropped(&none, &[]), (0, 0));
    let (model, memory) = (learner.model().clone(), learner.encode_memory());
    let again = ReinforcementLearner::decode(model, &memory, &none, 0, &small()).unwrap();
    assert_eq!(bytes(&again), bytes(&learner));
    let failure = learner.learn(&none, 1, &stream("steps"), &mut go_on).unwrap_err();
    assert_eq!(failure.error, LearnError::NoDecisions);
}

#[test]
fn learning_ends_where_the_pulse_breaks() {
    let (games, mut learner) = (games(&random_records(5)), learner(&small()));
    learner.absorb(&games);
    let mut pulse =
        |step| if step == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    let summary = learner.learn(&games, 10, &stream("steps"), &mut pulse).unwrap();
    assert_eq!([summary.steps, learner.steps()], [3, 3]);
}

#[test]
fn a_step_that_is_not_finite_leaves_the_learner_as_it_was() {
    let games = games(&random_records(5));
    let (information, encoding, mut network) = learner(&small()).model().clone().into_parts();
    network.parameters_mut().for_each(|values| values.fill(1e30));
    let model = AgentModel::new(information, encoding, network).unwrap();
    let mut learner = ReinforcementLearner::from_model(model, &small()).unwrap();
    learner.absorb(&games);
    let before = bytes(&learner);
    let failure = learner.learn(&games, 3, &stream("steps"), &mut go_on).unwrap_err();
    let LearnFailure { summary, error } = failure;
    assert_eq!(summary, LearnSummary::default());
    assert!(matches!(error, LearnError::NotFinite { step: 1, .. }), "{error}");
    assert_eq!(bytes(&learner), before);
    assert_eq!([learner.drawn(), learner.age_sum()], [0, 0]);
}

#[test]
fn models_of_other_sizes_are_refused() {
    let other = ReinforcementSettings { bins: 51, ..small() };
    let error = ReinforcementLearner::from_model(learner(&small()).model().clone(), &other);
    let expected = LearnError::Shape { side: "outputs", found: 11, expected: 51 };
    assert_eq!(error.unwrap_err(), expected);
}

#[test]
fn models_get_noise_or_lose_it_as_settings_say() {
    let [quiet, noisy] = [0.0, 0.25].map(|noise| ReinforcementSettings { noise, ..small() });
    let deviation = |learner: &ReinforcementLearner| {
        let deviation = learner.model().network().deviation();
        deviation.map(|layer| layer.bias[0])
    };
    let plain = learner(&quiet);
    assert_eq!(deviation(&plain), None);
    let from = |model: &AgentModel, settings| {
        ReinforcementLearner::from_model(model.clone(), settings).unwrap()
    };
    let with_noise = from(plain.model(), &noisy);
    let expected = 0.25 / 12.0_f32.sqrt();
    assert!((deviation(&with_noise).unwrap() - expected).abs() < 1e-7);
    let more = ReinforcementSettings { noise: 0.5, ..small() };
    assert_eq!(deviation(&from(with_noise.model(), &more)), deviation(&with_noise));
    let without = from(with_noise.model(), &quiet);
    assert_eq!(without.model(), plain.model());
}
