//! Setups and results of learning on the wire: every value comes back, and other bytes are refused
//! or are the one encoding of a value.

use hatchery_core::part::{LargeValue, Part};
use hatchery_core::{Digest, Tally, WireValue};
use hatchery_nets::FirstLayerForm;
use hatchery_othellonia::features::Information;
use hatchery_othellonia::learning::StoredLearner;
use hatchery_othellonia::learning::imitation::ImitationSettings;
use hatchery_othellonia::learning::representation::RepresentationSettings;
use hatchery_othellonia::players::{GameAgent, RuleAgent};
use hatchery_othellonia::trial::results::{
    LossPoint, PieceNeighbors, RecordedGames, TrainingResult, TrialResults,
};
use hatchery_othellonia::trial::setup::{
    ImitationTask, RecordPlayers, RecordSetup, RepresentationTask, SelfPlayers, TrainingEncoding,
    TrainingSetup, TrainingTask, TrialSetup, WeightedAgent,
};
use proptest::prelude::{Just, Strategy, any, prop};
use proptest::test_runner::TestCaseError;
use proptest::{prop_assert_eq, prop_oneof, proptest};

use crate::training::reinforcement_wire::{
    any_encoding, any_model, any_opponents, any_reinforcement, any_replay,
};

fn refused_or_canonical<T: WireValue>(bytes: &[u8]) -> Result<(), TestCaseError> {
    if let Ok(value) = T::decode(bytes) {
        prop_assert_eq!(&value.encode(), bytes);
    }
    Ok(())
}

/// Changes a byte, or cuts the message.
fn damaged(mut bytes: Vec<u8>, changes: &[(usize, Option<u8>)]) -> Vec<u8> {
    for &(at, change) in changes {
        let at = at % bytes.len().max(1);
        match change {
            _ if bytes.is_empty() => {}
            Some(byte) => bytes[at] = byte,
            None => bytes.truncate(at),
        }
    }
    bytes
}

fn changes() -> impl Strategy<Value = Vec<(usize, Option<u8>)>> {
    let change = (any::<usize>(), prop::option::weighted(0.9, any::<u8>()));
    prop::collection::vec(change, 1..4)
}

pub(crate) fn any_part() -> impl Strategy<Value = Part> {
    (any::<u64>(), 0..1_u64 << 26).prop_map(|(seed, n_bytes)| {
        Part::new(Digest::of(&seed.to_le_bytes()), n_bytes).expect("at most 64 MiB")
    })
}

pub(crate) fn any_learner() -> impl Strategy<Value = StoredLearner> {
    (any_part(), prop::collection::vec(any_part(), 1..4))
        .prop_map(|(model, memory)| StoredLearner { model, memory: LargeValue::new(memory) })
}

fn any_record() -> impl Strategy<Value = RecordSetup> {
    let agent = prop_oneof![
        Just(GameAgent::Random),
        Just(GameAgent::Rule(RuleAgent::HARD)),
        Just(GameAgent::Lookahead),
    ];
    let agent = (agent, 1..=1_000_u32).prop_map(|(agent, weight)| WeightedAgent { agent, weight });
    let agents = prop::collection::vec(agent, 1..=8);
    let self_play = (any_model(), any_opponents()).prop_map(|(learner, opponents)| {
        RecordPlayers::SelfPlay(SelfPlayers { learner, opponents })
    });
    let players = prop_oneof![agents.prop_map(RecordPlayers::Drawn), self_play];
    (1..=10_000_u32, 1..=1_024_u16, players).prop_map(|(pairs, n_decks, players)| RecordSetup {
        pairs,
        n_decks,
        players,
    })
}

fn any_task() -> impl Strategy<Value = TrainingTask> {
    let settings = (1..=4_096_u32, 1e-6..1.0_f32, 0.0..1.0_f32, 0.0..0.99_f32, 100..1_000_u64);
    let of_vectors = (1..=20_000_u32, 0.0..=1.0_f64, 0..=10_u32, prop::option::of(any_part()));
    let representation = (settings.clone(), of_vectors).prop_map(
        |((decisions, rate, weight_decay, dropout, stretch), of_vectors)| {
            let (kinds, explored, neighbors, fixed) = of_vectors;
            let settings = RepresentationSettings {
                decisions,
                explored,
                rate,
                weight_decay,
                dropout,
                stretch,
            };
            TrainingTask::Representation(RepresentationTask { kinds, settings, neighbors, fixed })
        },
    );
    let form = prop_oneof![
        Just(FirstLayerForm::Fastest),
        Just(FirstLayerForm::CopiedSparse),
        Just(FirstLayerForm::CopiedDense),
    ];
    let information = prop_oneof![Just(Information::Perfect), Just(Information::Own)];
    let imitation = (settings, any_encoding(), form, information, 1..=143_u32).prop_map(
        |((decisions, rate, weight_decay, dropout, stretch), encoding, form, information, n)| {
            let settings = ImitationSettings {
                decisions,
                negatives: n.min(32_768 / decisions - 1),
                rate,
                weight_decay,
                dropout,
                form,
                stretch,
            };
            TrainingTask::Imitation(ImitationTask { encoding, information, settings })
        },
    );
    prop_oneof![representation, imitation]
}

fn any_learn() -> impl Strategy<Value = TrainingSetup> {
    let hidden = prop::collection::vec(1..=128_u32, 1..=4);
    let games = prop::collection::vec(any_part(), 1..6);
    (any_task(), hidden, games, prop::option::of(any_learner()), 1..=100_000_u32).prop_map(
        |(task, hidden, games, before, steps)| TrainingSetup { task, hidden, games, before, steps },
    )
}

fn any_setup() -> impl Strategy<Value = TrialSetup> {
    prop_oneof![
        any_record().prop_map(TrialSetup::Record),
        any_learn().prop_map(|setup| TrialSetup::Train(Box::new(setup))),
        any_reinforcement().prop_map(|setup| TrialSetup::Train(Box::new(setup))),
    ]
}

fn any_result() -> impl Strategy<Value = TrainingResult> {
    let point = (1..=1_000_u64, 1..=1_000_u64, -1e6..1e6_f64)
        .prop_map(|(steps, rows, loss_sum)| LossPoint { steps, rows, loss_sum });
    let nearest = prop::collection::vec((any::<u16>(), -1.0..=1.0_f32), 0..=10);
    let listed = prop::collection::btree_map(any::<u16>(), (any::<u32>(), nearest), 0..4);
    let failure = prop::option::of("[a-z ä]{0,40}");
    let curve = prop::collection::vec(point, 0..8);
    (any_learner(), curve, listed, failure, prop::option::of(any_replay())).prop_map(
        |(learner, curve, listed, failure, replay)| TrainingResult {
            learner: Some(learner),
            steps: curve.iter().map(|point| point.steps).sum(),
            curve,
            neighbors: listed
                .into_iter()
                .map(|(piece, (placed, nearest))| PieceNeighbors { piece, placed, nearest })
                .collect(),
            failure,
            replay,
        },
    )
}

fn any_results() -> impl Strategy<Value = TrialResults> {
    let recorded = (any_part(), 1..=100_u64, 1..=32_u64).prop_map(|(file, pairs, plies)| {
        RecordedGames { file, games: 2 * pairs, placements: 2 * pairs * plies }
    });
    let recorded = prop::collection::vec(recorded, 1..4);
    (recorded, prop::collection::vec(any_result(), 0..3)).prop_map(|(recorded, trained)| {
        TrialResults { recorded, trained, ..TrialResults::default() }
    })
}

proptest! {
    #[test]
    fn setups_come_back(setup in any_setup()) {
        let bytes = setup.encode();
        prop_assert_eq!(TrialSetup::decode(&bytes).unwrap(), setup);
    }

    #[test]
    fn results_come_back_and_add_up(results in any_results(), later in any_results()) {
        let bytes = results.encode();
        prop_assert_eq!(&TrialResults::decode(&bytes).unwrap(), &results);
        let (n_trials, n_parts) = (results.n_trials(), results.parts().len());
        let mut all = results;
        all.absorb(later.clone());
        prop_assert_eq!(all.n_trials(), n_trials + later.n_trials());
        prop_assert_eq!(all.parts().len(), n_parts + later.parts().len());
        prop_assert_eq!(TrialResults::decode(&all.encode()).unwrap(), all);
    }

    #[test]
    fn changed_setups_are_refused_or_canonical(setup in any_setup(), changes in changes()) {
        refused_or_canonical::<TrialSetup>(&damaged(setup.encode(), &changes))?;
    }

    #[test]
    fn changed_results_are_refused_or_canonical(results in any_results(), changes in changes()) {
        refused_or_canonical::<TrialResults>(&damaged(results.encode(), &changes))?;
    }
}

/// Checks the message of a result of learning with a change.
#[track_caller]
pub(crate) fn check(change: impl FnOnce(&mut TrainingResult), expected: &str) {
    let part = Part::of(b"part");
    let learner = StoredLearner { model: part, memory: LargeValue::new(vec![part]) };
    let point = LossPoint { steps: 5, rows: 10, loss_sum: 2.5 };
    let mut result = TrainingResult {
        learner: Some(learner),
        steps: 5,
        curve: vec![point],
        neighbors: vec![PieceNeighbors { piece: 3, placed: 1, nearest: vec![(4, 0.5)] }],
        failure: None,
        replay: None,
    };
    change(&mut result);
    let results = TrialResults { trained: vec![result], ..TrialResults::default() };
    let error = TrialResults::decode(&results.encode()).expect_err(expected);
    assert_eq!(error.to_string(), expected);
}

#[test]
fn results_of_training_are_possible() {
    check(|bad| bad.steps = 1_000_001, "trained.0.steps is 1000001, but must be at most 1000000");
    check(|bad| bad.steps = 6, "trained.0.steps is 6, but must be 5, as many as the curve has");
    check(
        |bad| bad.learner = None,
        "trained.0.learner is missing, but must be a learner, unless there is a failure",
    );
    check(
        |bad| bad.curve[0].loss_sum = f64::NAN,
        "trained.0.curve.0.loss_sum is NaN, but must be a finite number",
    );
    check(
        |bad| bad.curve[0].steps = 0,
        "trained.0.curve.0.steps is 0, but must be from 1 to 1000000",
    );
    check(
        |bad| bad.neighbors[0].nearest[0].1 = 2.0,
        "trained.0.neighbors.0.cosines.0 is 2, but must be from -1.01 to 1.01",
    );
    check(
        |bad| bad.neighbors.push(bad.neighbors[0].clone()),
        "trained.0.neighbors is a list in another order, but must be in ascending order of pieces",
    );
    check(
        |bad| bad.failure = Some("x".repeat(401)),
        "trained.0.failure is 401 long, but must be at most 400 long",
    );
}

/// Checks the message of a setup of imitation with a change to its settings.
#[track_caller]
fn check_imitation(change: impl FnOnce(&mut ImitationSettings), expected: &str) {
    let mut settings = ImitationSettings::default();
    change(&mut settings);
    let (encoding, information) = (TrainingEncoding::DeckOneHot, Information::Own);
    let setup = TrialSetup::Train(Box::new(TrainingSetup {
        task: TrainingTask::Imitation(ImitationTask { encoding, information, settings }),
        hidden: vec![8],
        games: vec![Part::of(b"games")],
        before: None,
        steps: 10,
    }));
    let error = TrialSetup::decode(&setup.encode()).expect_err(expected);
    assert_eq!(error.to_string(), format!("train.imitation.{expected}"));
}

#[test]
fn settings_of_imitation_are_in_range() {
    check_imitation(|bad| bad.negatives = 144, "negatives is 144, but must be from 1 to 143");
    check_imitation(|bad| bad.rate = f32::NAN, "rate is NaN, but must be at most 1");
    check_imitation(|bad| bad.rate = 0.0, "rate is 0, but must be above 0");
    check_imitation(|bad| bad.dropout = 1.0, "dropout is 1, but must be below 1");
    check_imitation(|bad| bad.stretch = 0, "stretch is 0, but must be at least 1");
}
