//! Trials that record games, and trials that learn from them.

use hatchery_core::part::{Part, PartSet};
use hatchery_core::trial_context::PartMemory;
use hatchery_core::{Simulation, TrialContext, catch_panic};
use hatchery_othellonia::OthelloniaGames;
use hatchery_othellonia::features::{Information, PieceVectors};
use hatchery_othellonia::learning::imitation::ImitationSettings;
use hatchery_othellonia::learning::representation::{Representation, RepresentationSettings};
use hatchery_othellonia::learning::samples::TrainingGames;
use hatchery_othellonia::learning::vector_file::{decode_vectors, encode_vectors};
use hatchery_othellonia::players::model::AgentModel;
use hatchery_othellonia::record::decode_records;
use hatchery_othellonia::trial::setup::{
    ImitationTask, RepresentationTask, TrainingEncoding, TrainingSetup, TrainingTask, TrialSetup,
};
use prost::bytes::Bytes;

use crate::training::samples::{check_breaks, decks, games, record, run, stream, task};

fn imitation(games: Part, encoding: TrainingEncoding) -> TrainingSetup {
    let settings = ImitationSettings { decisions: 4, stretch: 2, ..ImitationSettings::default() };
    let information = Information::Perfect;
    let task = ImitationTask { encoding, information, settings };
    TrainingSetup {
        task: TrainingTask::Imitation(task),
        hidden: vec![8],
        games: vec![games],
        before: None,
        steps: 5,
    }
}

fn representation(games: Part, kinds: u32, decisions: u32, neighbors: u32) -> TrainingSetup {
    let settings =
        RepresentationSettings { decisions, stretch: 2, ..RepresentationSettings::default() };
    let task = RepresentationTask { kinds, settings, neighbors, fixed: None };
    TrainingSetup {
        task: TrainingTask::Representation(task),
        ..imitation(games, TrainingEncoding::DeckOneHot)
    }
}

#[test]
fn recorded_games_replay_with_the_decks_that_are_drawn_from() {
    let mut parts = PartSet::default();
    for (n_decks, label) in [(1, "one"), (3, "three")] {
        let results = run(&record(n_decks), label, &mut parts);
        let recorded = results.recorded[0];
        let records = decode_records(&parts.get(&recorded.file).unwrap()).unwrap();
        assert_eq!((records.len(), recorded.games), (8, 8));
        let placements: usize = records.iter().map(|record| record.actions.len()).sum();
        assert_eq!(placements as u64, recorded.placements);
        let table = decks();
        for record in &records {
            assert!(record.decks.iter().all(|deck| *deck < n_decks));
            record.replay(table.pair(record.decks), &mut ()).unwrap();
        }
        let work: Vec<_> = OthelloniaGames::work(&results).iter().map(|it| it.count).collect();
        assert_eq!(work, [8, recorded.placements, 0]);
    }
}

#[test]
fn training_goes_on_from_the_learner_before() {
    let mut parts = PartSet::default();
    let file = games(&mut parts);
    let mut setup = imitation(file, TrainingEncoding::DeckOneHot);
    let first = task(setup.clone(), "first", &mut parts);
    assert_eq!((first.steps, first.failure.as_deref()), (5, None));
    let stretches: Vec<_> = first.curve.iter().map(|point| point.steps).collect();
    assert_eq!(stretches, [2, 2, 1]);
    let learner = first.learner.unwrap();
    let model = AgentModel::decode(&parts.get(&learner.model).unwrap()).unwrap();
    assert_eq!(model.information(), Information::Perfect);
    setup.before = Some(learner.clone());
    let second = task(setup, "second", &mut parts);
    assert_ne!(second.learner.unwrap().model, learner.model);
}

#[test]
fn vectors_are_shown_with_their_neighbors() {
    let mut parts = PartSet::default();
    let file = games(&mut parts);
    let setup = representation(file, 925, 4, 2);
    let result = task(setup, "vectors", &mut parts);
    let vectors = decode_vectors(&parts.get(&result.learner.unwrap().model).unwrap()).unwrap();
    assert_eq!(vectors.kinds(), 925);
    // Three decks have no piece in common.
    assert_eq!(result.neighbors.len(), 48);
    assert!(result.neighbors.iter().all(|it| it.nearest.len() == 2));
    let placed: u64 = result.neighbors.iter().map(|it| u64::from(it.placed)).sum();
    let records = decode_records(&parts.get(&file).unwrap()).unwrap();
    let placements: usize = records.iter().map(|record| record.actions.len()).sum();
    assert_eq!(placed, placements as u64);
    let table = decks();
    let counts = TrainingGames::new(table.decks(), records).unwrap().placements(925);
    let of_piece = |piece: u16| counts[usize::from(piece)];
    assert!(result.neighbors.iter().all(|it| of_piece(it.piece) == u64::from(it.placed)));
}

/// A learner that ends within a stretch is that of the steps that its result has.
#[test]
fn the_steps_before_a_failure_count() {
    let mut parts = PartSet::default();
    let file = games(&mut parts);
    let table = decks();
    let pieces = table.decks().iter().flat_map(|deck| deck.pieces());
    let last = pieces.map(|piece| u32::from(piece.id.0)).max().unwrap();
    let mut setup = representation(file, last, 1, 0);
    setup.steps = 1_000;
    if let TrainingTask::Representation(task) = &mut setup.task {
        task.settings.stretch = 1_000;
    }
    // Some trainings meet that piece in their first step.
    let mut results = (0..30).map(|n| task(setup.clone(), &format!("failure {n}"), &mut parts));
    let result = results.find(|result| result.steps != 0).expect("one of 30 takes a step");
    let failure = result.failure.expect("a deck has a piece beyond the kinds");
    assert!(failure.starts_with("a deck cannot be seen"), "{failure}");
    let host = PartMemory::new(parts);
    let memory = TrialContext::new(&host).read_large(&result.learner.unwrap().memory);
    let steps = Representation::decode(&memory).unwrap().steps();
    assert_eq!((result.steps, result.curve.len()), (steps, 1));
}

/// Parts come from other machines: what they hold is a reason to end, and no panic.
#[test]
fn malformed_parts_end_training() {
    let mut parts = PartSet::default();
    let malformed = parts.add(vec![255; 9]);
    let check = |setup: TrainingSetup, expected: &str, parts: &mut PartSet| {
        let result = task(setup, "malformed", parts);
        let failure = result.failure.unwrap();
        assert!(failure.starts_with(expected), "{failure}");
        assert_eq!((result.steps, result.learner), (0, None));
    };
    let setup = imitation(malformed, TrainingEncoding::DeckOneHot);
    check(setup, "recorded games cannot be read: malformed RecordFile", &mut parts);
    let empty = parts.add(Bytes::new());
    let setup = imitation(empty, TrainingEncoding::DeckOneHot);
    let result = task(setup, "empty", &mut parts);
    assert_eq!(result.failure.as_deref(), Some("no decisions to learn from"));
}

/// Nobody may have had the bytes of vectors before the run began.
#[test]
fn a_trial_refuses_vectors_that_do_not_fit() {
    let mut parts = PartSet::default();
    let file = games(&mut parts);
    let few = PieceVectors::random(3, &mut stream("few")).unwrap();
    for (bytes, what) in [
        (vec![255; 9], "no file of vectors of pieces: "),
        (encode_vectors(&few), "it is for 3 kinds of pieces, but a deck has piece "),
    ] {
        let vectors = parts.add(bytes);
        let setup = imitation(file, TrainingEncoding::Vectors(vectors));
        let refusal = catch_panic(|| task(setup, "unfit", &mut parts.clone()));
        let message = refusal.unwrap_err().to_string();
        let hash = vectors.hash();
        let expected = format!("the file {hash} cannot be used as vectors: {what}");
        assert!(message.starts_with(&expected), "{message}");
    }
}

#[test]
fn trials_end_where_their_pulse_breaks() {
    let mut parts = PartSet::default();
    let file = games(&mut parts);
    let learn = imitation(file, TrainingEncoding::DeckOneHot);
    for setup in [record(3), TrialSetup::Train(Box::new(learn))] {
        check_breaks(&setup, 4, &parts);
    }
}
