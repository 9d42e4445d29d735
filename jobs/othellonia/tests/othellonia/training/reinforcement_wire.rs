//! Setups and results of reinforcement learning on the wire.

use hatchery_core::WireValue;
use hatchery_core::part::{LargeValue, Part};
use hatchery_othellonia::features::Information;
use hatchery_othellonia::learning::reinforcement::{
    LearnedMoves, NextActions, PriorityLoss, ReinforcementSettings, Returns,
};
use hatchery_othellonia::players::GameAgent;
use hatchery_othellonia::trial::results::{RecordedGames, ReplayUse};
use hatchery_othellonia::trial::setup::{
    MatchAgent, RecordPlayers, RecordSetup, ReinforcementTask, SelfPlayOpponents, SelfPlayRounds,
    SelfPlayers, TrainingEncoding, TrainingSetup, TrainingTask, TrialSetup,
};
use proptest::prelude::{Just, Strategy, any, prop};
use proptest::prop_oneof;

use crate::training::wire::{any_learner, any_part, check};

pub(crate) fn any_model() -> impl Strategy<Value = LargeValue> {
    prop::collection::vec(any_part(), 1..=8).prop_map(LargeValue::new)
}

pub(crate) fn any_opponents() -> impl Strategy<Value = SelfPlayOpponents> {
    let agent = prop_oneof![
        Just(MatchAgent::Rule(GameAgent::Random)),
        Just(MatchAgent::Rule(GameAgent::Lookahead)),
        any_model().prop_map(MatchAgent::Network),
    ];
    (prop::collection::vec(agent, 1..=32), 0..=1_000_000_u32)
        .prop_map(|(agents, epsilon)| SelfPlayOpponents { agents, epsilon })
}

pub(crate) fn any_reinforcement_settings() -> impl Strategy<Value = ReinforcementSettings> {
    let returns = prop_oneof![(1..=32_u8).prop_map(Returns::Steps), Just(Returns::End)];
    let choices = (returns, any::<bool>(), any::<bool>(), any::<bool>());
    let counts = (1..=225_u32, 2..=255_u16, 1..=u32::MAX, 4_096..=2_000_000_u32, 100..1_000_u64);
    let units = (0.0..=1.0_f64, 0.0..=1.0_f64, 0.0..=1.0_f64, 1e-12..=1.0_f64);
    (choices, counts, units, 1e-6..1.0_f32, 0.0..=10.0_f32).prop_map(
        |((returns, both, divergence, one_by_one), counts, units, rate, noise)| {
            let (batch, bins, target_steps, capacity, stretch) = counts;
            let (discount, alpha, beta, priority_floor) = units;
            let loss = [PriorityLoss::CrossEntropy, PriorityLoss::Divergence];
            ReinforcementSettings {
                batch,
                rate,
                bins,
                discount,
                returns,
                moves: [LearnedMoves::Own, LearnedMoves::Both][usize::from(both)],
                target_steps,
                capacity,
                alpha,
                beta,
                priority_loss: loss[usize::from(divergence)],
                priority_floor,
                noise,
                next_actions: [NextActions::LongBatch, NextActions::OneByOne]
                    [usize::from(one_by_one)],
                stretch,
            }
        },
    )
}

pub(crate) fn any_encoding() -> impl Strategy<Value = TrainingEncoding> {
    prop_oneof![
        any_part().prop_map(TrainingEncoding::Vectors),
        (1..=1_000_u32).prop_map(|kinds| TrainingEncoding::PoolOneHot { kinds }),
        Just(TrainingEncoding::DeckOneHot),
    ]
}

/// Setups of reinforcement learning: their steps are whole rounds.
pub(crate) fn any_reinforcement() -> impl Strategy<Value = TrainingSetup> {
    let rounds = (1..=1_024_u16, any_opponents(), 1..=500_u32)
        .prop_map(|(n_decks, opponents, steps)| SelfPlayRounds { n_decks, opponents, steps });
    let rounds = prop::option::of(rounds);
    let initial = prop::option::of(any_part());
    let task = (any_encoding(), any_reinforcement_settings(), initial, rounds, any::<bool>());
    let hidden = prop::collection::vec(1..=128_u32, 1..=4);
    let games = prop::collection::vec(any_part(), 0..6);
    let before = prop::option::of((any_learner(), 0..=1_u64 << 48));
    (task, hidden, games, before, 0..=100_u32).prop_map(|(task, hidden, games, before, n)| {
        let (encoding, settings, initial, rounds, is_own) = task;
        let (before, first_item) = before.unzip();
        let steps = n * rounds.as_ref().map_or(1, |rounds: &SelfPlayRounds| rounds.steps);
        let task = ReinforcementTask {
            encoding,
            information: if is_own { Information::Own } else { Information::Perfect },
            settings,
            initial,
            first_item: first_item.unwrap_or(0),
            rounds,
        };
        let task = TrainingTask::Reinforcement(Box::new(task));
        TrainingSetup { task, hidden, games, before, steps }
    })
}

pub(crate) fn any_replay() -> impl Strategy<Value = ReplayUse> {
    let outcomes = prop::array::uniform3(0..1_000_u64).prop_map(|[a, b, c]| [a, b, c + 2]);
    let played = prop::option::of((any_part(), outcomes, 1..=32_u64));
    let items = (0..=1_u64 << 48, 0..=8_u64, 0..=4_096_000_000_u64, 0..=2_000_000_u64);
    (played, items, 0..=1_000_u32).prop_map(|(played, items, n_dropped_files)| {
        let (items, share, drawn, mean_age) = items;
        let results = played.as_ref().map_or([0; 3], |(_, results, _)| *results);
        let games = results.iter().sum();
        let recorded = |(file, _, plies)| RecordedGames { file, games, placements: plies * games };
        ReplayUse {
            played: played.map(recorded),
            results,
            n_dropped_files,
            first_item: items / 8 * share,
            items,
            drawn,
            age_sum: drawn * mean_age,
        }
    })
}

/// Returns the use of games by a learner that played two games.
fn replay() -> ReplayUse {
    let played = RecordedGames { file: Part::of(b"games"), games: 2, placements: 40 };
    ReplayUse {
        played: Some(played),
        results: [1, 0, 1],
        n_dropped_files: 1,
        first_item: 20,
        items: 60,
        drawn: 5,
        age_sum: 100,
    }
}

#[test]
fn the_use_of_games_is_possible() {
    let check = |change: fn(&mut ReplayUse), expected: &str| {
        let mut bad = replay();
        change(&mut bad);
        check(|result| result.replay = Some(bad), expected);
    };
    check(|bad| bad.results = [1, 1, 1], "trained.0.replay.results is 3, but must be 2 together");
    check(
        |bad| bad.results[0] = u64::MAX,
        "trained.0.replay.results is 18446744073709551615, but must be 2 together",
    );
    check(|bad| bad.first_item = 61, "trained.0.replay.first_item is 61, but must be from 0 to 60");
    check(
        |bad| bad.items = 1 << 49,
        "trained.0.replay.items is 562949953421312, but must be at most 281474976710656",
    );
    check(
        |bad| bad.n_dropped_files = 1_001,
        "trained.0.replay.n_dropped_files is 1001, but must be at most 1000",
    );
    check(
        |bad| bad.age_sum = 10_000_001,
        "trained.0.replay.age_sum is 10000001, but must be from 0 to 10000000",
    );
    check(
        |bad| bad.drawn = u64::MAX,
        "trained.0.replay.drawn is 18446744073709551615, but must be at most 4096000000",
    );
}

/// Checks the message of a setup of reinforcement learning with a change.
#[track_caller]
fn check_task(change: impl FnOnce(&mut TrainingSetup, &mut ReinforcementTask), expected: &str) {
    let opponents = SelfPlayOpponents { agents: vec![GameAgent::Random.into()], epsilon: 10_000 };
    let mut task = ReinforcementTask {
        encoding: TrainingEncoding::DeckOneHot,
        information: Information::Perfect,
        settings: ReinforcementSettings::default(),
        initial: None,
        first_item: 0,
        rounds: Some(SelfPlayRounds { n_decks: 3, opponents, steps: 32 }),
    };
    let mut setup = TrainingSetup {
        task: TrainingTask::Reinforcement(Box::new(task.clone())),
        hidden: vec![64, 32],
        games: Vec::new(),
        before: None,
        steps: 4_000,
    };
    change(&mut setup, &mut task);
    setup.task = TrainingTask::Reinforcement(Box::new(task));
    let found = TrialSetup::decode(&TrialSetup::Train(Box::new(setup)).encode());
    let found = found.map_or_else(|error| error.to_string(), |_| "fine".to_owned());
    assert_eq!(found, expected);
}

#[test]
fn setups_of_reinforcement_learning_are_possible() {
    check_task(|_, _| (), "fine");
    check_task(
        |setup, _| setup.steps = 4_001,
        "train.steps is 4001, but must be a multiple of 32, the steps of a round",
    );
    check_task(
        |setup, task| {
            setup.steps = 10_001;
            task.rounds.as_mut().unwrap().steps = 1;
        },
        "train.rounds is 10001, but must be from 0 to 10000",
    );
    check_task(
        |_, task| task.rounds.as_mut().unwrap().steps = 0,
        "train.reinforcement.rounds.steps is 0, but must be from 1 to 1000000",
    );
    check_task(
        |_, task| task.rounds.as_mut().unwrap().n_decks = 0,
        "train.reinforcement.rounds.n_decks is 0, but must be from 1 to 1024",
    );
    check_task(
        |_, task| task.rounds.as_mut().unwrap().opponents.agents.clear(),
        "train.reinforcement.rounds.opponents.agents is 0 long, but must be from 1 to 32 long",
    );
    check_task(
        |_, task| task.rounds.as_mut().unwrap().opponents.epsilon = 1_000_001,
        "train.reinforcement.rounds.opponents.epsilon is 1000001, but must be at most 1000000",
    );
    check_task(
        |_, task| task.first_item = 1,
        "train.first_item is 1, but must be 0 without a learner before",
    );
    check_task(
        |_, task| task.first_item = 1 << 49,
        "train.reinforcement.first_item is 562949953421312, but must be at most 281474976710656",
    );
    check_task(
        |setup, task| {
            (setup.steps, task.rounds) = (0, None);
        },
        "fine",
    );
    check_task(
        |setup, task| {
            setup.hidden = vec![1_024, 1_024];
            task.encoding = TrainingEncoding::PoolOneHot { kinds: 1_000 };
        },
        "train.weights is 83422310, but must be from 1 to 16000000",
    );
    check_task(
        |_, task| task.settings.batch = 226,
        "train.rows is 32770, but must be from 1 to 32768",
    );
}

#[test]
fn settings_of_reinforcement_learning_are_in_range() {
    let check = |change: fn(&mut ReinforcementSettings), expected: &str| {
        let expected = format!("train.reinforcement.settings.{expected}");
        check_task(|_, task| change(&mut task.settings), &expected);
    };
    check(|bad| bad.rate = f32::NAN, "rate is NaN, but must be at most 1");
    check(|bad| bad.rate = 0.0, "rate is 0, but must be above 0");
    check(|bad| bad.bins = 1, "bins is 1, but must be from 2 to 255");
    check(|bad| bad.returns = Returns::Steps(33), "returns is 33, but must be from 0 to 32");
    check(|bad| bad.capacity = 31, "capacity is 31, but must be at least `batch`");
    check(|bad| bad.capacity += 1, "capacity is 2000001, but must be at most 2000000");
    check(
        |bad| bad.priority_floor = 0.0,
        "priority_floor is 0, but must be from 0.000000000001 to 1",
    );
    check(|bad| bad.noise = f32::INFINITY, "noise is inf, but must be from 0 to 10");
}

/// Workers fetch the parts that a setup names, and no others.
#[test]
fn setups_name_each_part_once() {
    let [a, b, c, d] = [b"a", b"b", b"c", b"d"].map(|bytes| Part::of(bytes));
    let sorted = |mut parts: Vec<Part>| {
        parts.sort_unstable();
        parts
    };
    let network = |part| MatchAgent::Network(LargeValue::new(vec![part]));
    let agents = vec![network(a), GameAgent::Random.into(), network(b), network(b)];
    let opponents = SelfPlayOpponents { agents, epsilon: 0 };
    let learner = LargeValue::new(vec![a, c]);
    let players = RecordPlayers::SelfPlay(SelfPlayers { learner, opponents: opponents.clone() });
    let setup = TrialSetup::Record(RecordSetup { pairs: 1, n_decks: 1, players });
    assert_eq!(sorted(setup.parts()), sorted(vec![a, b, c]));
    let task = ReinforcementTask {
        encoding: TrainingEncoding::Vectors(c),
        information: Information::Perfect,
        settings: ReinforcementSettings::default(),
        initial: Some(d),
        first_item: 0,
        rounds: Some(SelfPlayRounds { n_decks: 3, opponents, steps: 32 }),
    };
    let setup = TrialSetup::Train(Box::new(TrainingSetup {
        task: TrainingTask::Reinforcement(Box::new(task)),
        hidden: vec![8],
        games: vec![a, Part::of(b"e")],
        before: None,
        steps: 32,
    }));
    assert_eq!(sorted(setup.parts()), sorted(vec![a, b, c, d, Part::of(b"e")]));
}
