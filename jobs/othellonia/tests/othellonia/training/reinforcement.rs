//! Trials of reinforcement learning.

use std::ops::ControlFlow;

use hatchery_core::part::{LargeValue, Part, PartSet};
use hatchery_core::scene::SceneFrame;
use hatchery_core::{
    PartMemory, SceneBase, SceneSink, Simulation as _, TrialContext, WireValue as _, catch_panic,
};
use hatchery_othellonia::OthelloniaGames;
use hatchery_othellonia::features::Information;
use hatchery_othellonia::learning::StoredLearner;
use hatchery_othellonia::learning::reinforcement::{
    LearnedMoves, ReinforcementLearner, ReinforcementSettings, Returns,
};
use hatchery_othellonia::learning::samples::TrainingGames;
use hatchery_othellonia::players::GameAgent;
use hatchery_othellonia::players::model::{AgentModel, ModelEncoding};
use hatchery_othellonia::record::decode_records;
use hatchery_othellonia::rules::Player;
use hatchery_othellonia::trial::results::{TrainingResult, TrialResults};
use hatchery_othellonia::trial::setup::{
    DeckTable, RecordPlayers, RecordSetup, ReinforcementTask, SelfPlayOpponents, SelfPlayRounds,
    SelfPlayers, TrainingEncoding, TrainingSetup, TrainingTask, TrialSetup,
};

use crate::training::samples::{check_breaks, decks, games, record, run, stream, task};

fn settings() -> ReinforcementSettings {
    ReinforcementSettings {
        batch: 4,
        bins: 11,
        returns: Returns::Steps(1),
        moves: LearnedMoves::Both,
        target_steps: 3,
        capacity: 400,
        stretch: 2,
        ..ReinforcementSettings::default()
    }
}

fn reinforcement(games: Vec<Part>, steps: u32) -> TrainingSetup {
    let task = ReinforcementTask {
        encoding: TrainingEncoding::DeckOneHot,
        information: Information::Perfect,
        settings: settings(),
        initial: None,
        first_item: 0,
        rounds: None,
    };
    let task = TrainingTask::Reinforcement(Box::new(task));
    TrainingSetup { task, hidden: vec![8], games, before: None, steps }
}

/// Returns the setup with a change of its task.
fn changed(mut setup: TrainingSetup, change: impl FnOnce(&mut ReinforcementTask)) -> TrainingSetup {
    if let TrainingTask::Reinforcement(task) = &mut setup.task {
        change(task);
    }
    setup
}

/// Returns a setup of rounds of 3 steps, after games against the random agent.
fn rounds(games: Vec<Part>, steps: u32) -> TrainingSetup {
    changed(reinforcement(games, steps), |task| {
        let agents = vec![GameAgent::Random.into()];
        let opponents = SelfPlayOpponents { agents, epsilon: 50_000 };
        task.rounds = Some(SelfPlayRounds { n_decks: 2, opponents, steps: 3 });
    })
}

fn model(result: &TrainingResult, parts: &PartSet) -> AgentModel {
    let file = result.learner.as_ref().expect("it has a learner").model;
    AgentModel::decode(&parts.get(&file).unwrap()).unwrap()
}

fn training_games<'a>(table: &'a DeckTable, files: &[Part], parts: &PartSet) -> TrainingGames<'a> {
    let records = files.iter().flat_map(|file| decode_records(&parts.get(file).unwrap()).unwrap());
    TrainingGames::new(table.decks(), records).unwrap()
}

#[test]
fn no_steps_and_no_games_make_a_new_learner() {
    let mut parts = PartSet::default();
    let result = task(reinforcement(Vec::new(), 0), "new", &mut parts);
    assert_eq!((result.steps, result.curve.len(), result.failure.as_deref()), (0, 0, None));
    let replay = result.replay.as_ref().unwrap();
    assert_eq!((replay.items, replay.drawn, replay.played), (0, 0, None));
    let model = model(&result, &parts);
    assert_eq!(model.network().shape().n_outputs, 11);
    assert!(model.network().deviation().is_some());
    let quiet = changed(reinforcement(Vec::new(), 0), |task| task.settings.noise = 0.0);
    let quiet = task(quiet, "new", &mut parts);
    assert!(self::model(&quiet, &parts).network().deviation().is_none());
}

#[test]
fn steps_without_decisions_fail() {
    let mut parts = PartSet::default();
    let result = task(reinforcement(Vec::new(), 5), "none", &mut parts);
    assert_eq!(result.failure.as_deref(), Some("no decisions to learn from"));
    assert_eq!((result.steps, result.learner.is_some()), (0, true));
}

/// Two trials take the steps that a learner takes in one go, with the same streams.
#[test]
fn training_in_two_trials_is_learning_at_once() {
    let mut parts = PartSet::default();
    let first = games(&mut parts);
    let later = run(&record(2), "later", &mut parts).recorded[0].file;
    let one = task(reinforcement(vec![first], 7), "steps", &mut parts);
    let mut setup = reinforcement(vec![first, later], 5);
    setup.before.clone_from(&one.learner);
    let two = task(setup, "steps", &mut parts);
    assert_eq!((one.steps, two.steps, two.failure.as_deref()), (7, 5, None));

    let table = decks();
    let [few, all] =
        [&[first][..], &[first, later]].map(|files| training_games(&table, files, &parts));
    let (encoding, information) = (ModelEncoding::DeckOneHot, Information::Perfect);
    let mut rng = stream("steps").part(0);
    let mut learner =
        ReinforcementLearner::new(encoding, information, &[8], &settings(), &mut rng).unwrap();
    let steps = stream("steps").part(1);
    learner.absorb(&few);
    let pulse = &mut |_| ControlFlow::Continue(());
    learner.learn(&few, 7, &steps, pulse).unwrap();
    assert_eq!(learner.model(), &model(&one, &parts));
    learner.absorb(&all);
    learner.learn(&all, 5, &steps, pulse).unwrap();
    assert_eq!(learner.model(), &model(&two, &parts));
    let replay = two.replay.unwrap();
    assert_eq!(replay.items, u64::from(all.n_decisions()));
    assert_eq!((replay.items, replay.drawn), (learner.n_items(), 4 * 5));
}

/// A replay memory with 40 decisions holds nothing from the first of two files. Learning continues
/// from the second file alone exactly as from both files.
#[test]
fn files_that_the_memory_holds_nothing_of_are_named() {
    let mut parts = PartSet::default();
    let first = games(&mut parts);
    let later = run(&record(2), "later", &mut parts).recorded[0].file;
    let small =
        |files, steps| changed(reinforcement(files, steps), |task| task.settings.capacity = 40);
    let result = task(small(vec![first, later], 4), "small", &mut parts);
    let replay = result.replay.unwrap();
    let in_first = training_games(&decks(), &[first], &parts).n_decisions();
    assert_eq!((replay.n_dropped_files, replay.first_item), (1, u64::from(in_first)));
    let go_on = |files: Vec<Part>, first_item: u64, parts: &mut PartSet| {
        let mut setup = changed(small(files, 4), |task| task.first_item = first_item);
        setup.before.clone_from(&result.learner);
        task(setup, "on", parts)
    };
    let from_both = go_on(vec![first, later], 0, &mut parts);
    let from_later = go_on(vec![later], replay.first_item, &mut parts);
    assert_eq!(from_both.learner, from_later.learner);
    assert_eq!(from_later.replay.unwrap().n_dropped_files, 0);
}

#[test]
fn rounds_play_a_pair_of_games_before_their_steps() {
    let mut parts = PartSet::default();
    let before = games(&mut parts);
    for (files, n_before) in [(Vec::new(), 0), (vec![before], 8)] {
        let result = task(rounds(files.clone(), 12), "rounds", &mut parts);
        assert_eq!((result.steps, result.failure.as_deref()), (12, None));
        // The stretches of 2 steps go on over the rounds of 3.
        let stretches: Vec<_> = result.curve.iter().map(|point| point.steps).collect();
        assert_eq!(stretches, [2; 6]);
        let replay = result.replay.as_ref().unwrap();
        let played = replay.played.unwrap();
        let table = decks();
        let games = training_games(&table, &[played.file], &parts);
        assert_eq!((games.n_games(), played.games), (8, 8));
        assert_eq!(u64::from(games.n_decisions()), played.placements);
        let records = decode_records(&parts.get(&played.file).unwrap()).unwrap();
        let mut results = [0; 3];
        for record in &records {
            assert!(record.decks.iter().all(|deck| *deck < 2));
            let end = record.replay(table.pair(record.decks), &mut ()).unwrap();
            let result = end.outcome().unwrap().winner.map(|winner| winner == Player::A);
            results[result.map_or(1, |wins| 2 * usize::from(wins))] += 1;
        }
        assert_eq!(replay.results, results);
        let all = training_games(&table, &[&files[..], &[played.file]].concat(), &parts);
        assert_eq!(replay.items, u64::from(all.n_decisions()));
        assert_eq!(all.n_games(), n_before + 8);
        assert_eq!(task(rounds(files, 12), "rounds", &mut parts.clone()), result);
        let results = TrialResults { trained: vec![result], ..TrialResults::default() };
        assert_eq!(TrialResults::decode(&results.encode()).unwrap(), results);
        assert!(results.parts().contains(&played.file));
        let work: Vec<_> = OthelloniaGames::work(&results).iter().map(|it| it.count).collect();
        assert_eq!(work, [8, played.placements, 12]);
    }
}

/// The first games equal the games that the learner plays in a trial that records games, before it
/// learns.
#[test]
fn rounds_play_with_the_network_that_learns() {
    let mut parts = PartSet::default();
    let result = task(rounds(Vec::new(), 0), "new", &mut parts);
    let learner = result.learner.unwrap();
    let mut setup = rounds(Vec::new(), 6);
    setup.before = Some(learner.clone());
    let result = task(setup, "play", &mut parts);
    let played = result.replay.unwrap().played.unwrap();
    let records = decode_records(&parts.get(&played.file).unwrap()).unwrap();

    let opponents = SelfPlayOpponents { agents: vec![GameAgent::Random.into()], epsilon: 50_000 };
    let learner = LargeValue::new(vec![learner.model]);
    let players = RecordPlayers::SelfPlay(SelfPlayers { learner, opponents });
    let setup = TrialSetup::Record(RecordSetup { pairs: 2, n_decks: 2, players });
    let host = PartMemory::new(parts.clone());
    let context = TrialContext::new(&host);
    let rng = stream("play").part(2);
    let file = OthelloniaGames::trial(&decks(), &setup, rng, &context).recorded[0].file;
    let recorded = decode_records(&host.into_written().get(&file).unwrap()).unwrap();
    assert_eq!(records[..2], recorded[..2]);
    // By then, it has learned something.
    assert_eq!(records[2].start, recorded[2].start);
    assert_ne!(records[2..], recorded[2..]);
}

#[test]
fn rounds_end_where_their_pulse_breaks() {
    let mut parts = PartSet::default();
    let file = games(&mut parts);
    for setup in [rounds(vec![file], 6), reinforcement(vec![file], 6)] {
        // Six steps, and four games or the beginning.
        check_breaks(&TrialSetup::Train(Box::new(setup)), 7, &parts);
    }
}

/// What a run made is a reason to end, and no panic, if a machine has sent something else.
#[test]
fn malformed_learners_end_training() {
    let mut parts = PartSet::default();
    let file = games(&mut parts);
    let good = task(reinforcement(vec![file], 2), "good", &mut parts).learner.unwrap();
    let malformed = parts.add(vec![255; 9]);
    let other = changed(reinforcement(vec![file], 2), |task| task.settings.bins = 12);
    let other = task(other, "good", &mut parts).learner.unwrap();
    let check = |before: StoredLearner, files: Vec<Part>, expected: &str| {
        let mut setup = reinforcement(files, 2);
        setup.before = Some(before.clone());
        let result = task(setup, "malformed", &mut parts.clone());
        let failure = result.failure.unwrap();
        assert!(failure.starts_with(expected), "{failure}");
        assert_eq!((result.steps, result.learner), (0, Some(before)));
    };
    let StoredLearner { model, memory } = good.clone();
    let before = StoredLearner { model: malformed, memory: memory.clone() };
    check(before, vec![file], "the model before cannot be read: ");
    let before = StoredLearner { model, memory: LargeValue::new(vec![malformed]) };
    check(before, vec![file], "the memory of the learner cannot be read: ");
    // The memory is that of games which are not there.
    check(good.clone(), Vec::new(), "the memory of the learner cannot be read: ");
    let before = StoredLearner { model: other.model, memory };
    check(before, vec![file], "the memory of the learner cannot be read: ");
    check(good, vec![malformed], "recorded games cannot be read: malformed RecordFile");
}

#[test]
fn a_new_learner_begins_with_a_model() {
    let mut parts = PartSet::default();
    let first = task(reinforcement(Vec::new(), 0), "first", &mut parts);
    let file = first.learner.as_ref().unwrap().model;
    let begun = changed(reinforcement(Vec::new(), 0), |task| task.initial = Some(file));
    let result = task(begun, "second", &mut parts);
    assert_eq!(model(&result, &parts), model(&first, &parts));
    for (bytes, expected) in [
        (vec![255; 9], "it has weights that are no network"),
        (parts.get(&file).unwrap().to_vec(), "it has a network of 11 outputs, but must be of 12"),
    ] {
        let file = parts.add(bytes);
        let setup = changed(reinforcement(Vec::new(), 0), |task| {
            task.initial = Some(file);
            task.settings.bins = 12;
        });
        let refusal = catch_panic(|| task(setup, "unfit", &mut parts.clone()));
        let message = refusal.unwrap_err().to_string();
        let start = format!("the file {} cannot be used to learn on: ", file.hash());
        assert!(message.starts_with(&start) && message.contains(expected), "{message}");
    }
}

/// The captions of a scene.
#[derive(Default)]
struct Captions(Vec<String>);

impl SceneSink for Captions {
    fn begin(&mut self, _base: &SceneBase) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn frame(&mut self, frame: SceneFrame) -> ControlFlow<()> {
        self.0.push(frame.caption);
        ControlFlow::Continue(())
    }
}

#[test]
fn replays_tell_of_the_games_and_the_memory() {
    let setup = TrialSetup::Train(Box::new(rounds(Vec::new(), 6)));
    let host = PartMemory::new(PartSet::default());
    let mut captions = Captions::default();
    let context = TrialContext::new(&host);
    let flow = OthelloniaGames::replay(&decks(), &setup, stream("replay"), &context, &mut captions);
    assert_eq!(flow, ControlFlow::Continue(()));
    let Captions(captions) = captions;
    let [.., games, memory, end] = captions.as_slice() else { panic!("{captions:?}") };
    assert!(games.starts_with("4 games between its steps: "), "{games}");
    assert!(memory.starts_with("24 of ") && memory.ends_with(" decisions old"), "{memory}");
    assert_eq!(end, "6 steps");
}
