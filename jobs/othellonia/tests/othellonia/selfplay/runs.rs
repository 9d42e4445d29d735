//! Runs whose trials all go well.

use std::collections::BTreeSet;

use hatchery_core::Experiment;
use hatchery_core::part::LargeValue;
use hatchery_othellonia::OthelloniaSelfplay;
use hatchery_othellonia::studies::specs::{SelfplaySpec, SelfplayState};
use hatchery_othellonia::trial::setup::{
    MatchAgent, RecordPlayers, SelfPlayOpponents, TrainingEncoding, TrainingSetup, TrainingTask,
    TrialSetup,
};

use super::made_up::{kinds, part, plan, run, spec_of};
use crate::CheckedSpec as _;

const WIDE: &str = "{ kind = 'wide', games = 16, first = 4, growth = 1.5, most = 6, \
                    pairs_per_trial = 1, steps_per_pair = 3 }";
const PAPER: &str = "{ kind = 'paper', games = 12, steps_per_pair = 2, period_steps = 4 }";
const ONE_ARM: &str = "\
arms = ['vectors']
random_games = 4
snapshot_games = 4
opponents = 2
evaluation = { pairs = 3, every = 2 }
";

fn one_arm(mode: &str) -> SelfplaySpec {
    spec_of(mode, ONE_ARM)
}

fn all_kinds(spec: &SelfplaySpec, states: &[SelfplayState]) -> Vec<String> {
    states[..states.len() - 1].iter().map(|state| kinds(&plan(spec, state))).collect()
}

fn training(spec: &SelfplaySpec, state: &SelfplayState) -> TrainingSetup {
    let plan = plan(spec, state);
    let mut setups = plan.series.into_iter().filter_map(|series| match series.subject {
        TrialSetup::Train(setup) => Some(*setup),
        _ => None,
    });
    setups.next().expect("the generation learns")
}

fn opponents(spec: &SelfplaySpec, state: &SelfplayState) -> SelfPlayOpponents {
    for series in plan(spec, state).series {
        match series.subject {
            TrialSetup::Record(setup) => match setup.players {
                RecordPlayers::SelfPlay(players) => return players.opponents,
                RecordPlayers::Drawn(_) => panic!("the learner plays"),
            },
            TrialSetup::Train(setup) => match setup.task {
                TrainingTask::Reinforcement(task) if task.rounds.is_some() => {
                    return task.rounds.expect("there are").opponents;
                }
                _ => {}
            },
            TrialSetup::Games(_) => {}
        }
    }
    panic!("the generation has no games")
}

/// Runs have as many generations as was said, and their trials fall into the phases.
#[track_caller]
fn check_forecast(spec: &SelfplaySpec) {
    let states = run(spec, |_, _, results| results);
    let planned = states[..states.len() - 1].iter().map(|state| {
        let series = plan(spec, state).series;
        series.iter().map(|series| u64::from(series.n_trials)).sum::<u64>()
    });
    let planned: Vec<_> = planned.collect();
    assert_eq!(planned.len(), OthelloniaSelfplay::generations(&spec.checked()) as usize);
    let phases = OthelloniaSelfplay::phases(&spec.checked());
    let forecast = phases.iter().flat_map(|phase| {
        assert_eq!(phase.n_trials.start(), phase.n_trials.end());
        std::iter::repeat_n(*phase.n_trials.end(), phase.n_generations as usize)
    });
    assert_eq!(forecast.collect::<Vec<_>>(), planned);
}

#[test]
fn generations_and_trials_are_foretold() {
    for mode in [WIDE, PAPER] {
        for every in 1..6 {
            for (pairs, seeds) in [(0, 1), (2, 1), (1, 3)] {
                check_forecast(&spec_of(
                    mode,
                    &format!(
                        "arms = ['deck_one_hot', 'vectors']\nseeds = {seeds}\n\
                         evaluation = {{ pairs = {pairs}, every = {every} }}\n"
                    ),
                ));
            }
        }
    }
}

/// A generation plays while it learns from the games of the one before.
#[test]
fn wide_plays_and_learns_side_by_side() {
    let spec = one_arm(WIDE);
    let states = run(&spec, |_, _, results| results);
    let look = "g".repeat(9 * 2);
    // 2, 3, 3 trials of two games fit into 4, 6 and 6 games; none is left after 8.
    let expected = ["n", "r", "rl", "rl", &format!("l{look}"), &look];
    assert_eq!(all_kinds(&spec, &states), expected);
    let steps = [2, 3, 4].map(|generation| training(&spec, &states[generation]).steps);
    // 3 steps for each pair of the games of the generation before.
    assert_eq!(steps, [6, 9, 9]);
    let files = [2, 3, 4].map(|generation| training(&spec, &states[generation]).games.len());
    assert_eq!(files, [2, 5, 8]);
    let network = &states.last().expect("there are").networks[0];
    assert_eq!((network.games, network.files.len(), network.steps()), (16, 8, 24));
    let periods: Vec<_> = network.periods.iter().map(|it| (it.games, it.own_steps)).collect();
    assert_eq!(periods, [(10, 6), (16, 9), (16, 9)]);
    let looks: Vec<_> = network.looks.iter().map(|it| (it.games, it.steps)).collect();
    assert_eq!(looks, [(16, 15), (16, 24)]);
}

/// The games of a generation are played by the model that it begins with.
#[test]
fn wide_plays_with_the_model_of_the_generation() {
    let spec = one_arm(WIDE);
    let states = run(&spec, |_, _, results| results);
    for (generation, model) in [(1, "model 0 0"), (2, "model 0 0"), (3, "model 2 1")] {
        let plan = plan(&spec, &states[generation]);
        let TrialSetup::Record(setup) = &plan.series[0].subject else { panic!("{generation}") };
        let RecordPlayers::SelfPlay(players) = &setup.players else { panic!() };
        assert_eq!(players.learner, LargeValue::new(vec![part(model)]), "{generation}");
        assert_eq!((setup.pairs, setup.n_decks), (1, 3));
    }
}

#[test]
fn paper_plays_inside_of_training() {
    let spec = one_arm(PAPER);
    let states = run(&spec, |_, _, results| results);
    let look = "g".repeat(9 * 2);
    let expected = ["l", "l", &format!("l{look}"), &look];
    assert_eq!(all_kinds(&spec, &states), expected);
    for (generation, n_files) in [(0, 0), (1, 1), (2, 2)] {
        let setup = training(&spec, &states[generation]);
        assert_eq!((setup.steps, setup.games.len()), (4, n_files));
        assert_eq!(setup.before.is_some(), generation != 0);
        let TrainingTask::Reinforcement(task) = setup.task else { panic!("another task") };
        let rounds = task.rounds.expect("it plays");
        assert_eq!((rounds.n_decks, rounds.steps), (3, 2));
    }
    let network = &states.last().expect("there are").networks[0];
    let periods: Vec<_> = network.periods.iter().map(|it| (it.games, it.steps)).collect();
    assert_eq!(periods, [(4, 4), (8, 8), (12, 12)]);
    assert!(network.periods.iter().all(|it| (it.mean_loss - 0.125).abs() < 1e-12));
    assert_eq!(network.files, ["played 0 0", "played 1 0", "played 2 0"].map(part));
}

/// The first games are against the random agent, the next ones against the models after every
/// fourth game.
#[test]
fn opponents_are_random_and_then_snapshots() {
    let spec = one_arm(PAPER);
    let states = run(&spec, |_, _, results| results);
    let random = opponents(&spec, &states[0]).agents;
    assert!(matches!(random[..], [MatchAgent::Rule(_)]), "{random:?}");
    let model = |name| MatchAgent::Network(LargeValue::new(vec![part(name)]));
    assert_eq!(opponents(&spec, &states[1]).agents, [model("model 0 0")]);
    assert_eq!(opponents(&spec, &states[2]).agents, [model("model 0 0"), model("model 1 0")]);
    let last = states.last().expect("there are");
    let kept: Vec<_> = last.networks[0].snapshots.iter().map(|it| it.games).collect();
    assert_eq!(kept, [4, 8, 12]);
    // Each of the first two stretches of three snapshots, which has one, and of the others.
    assert_eq!(last.networks[0].opponents.len(), 2);
    assert_eq!(last.networks[0].opponents[0], 0);
}

/// Snapshots that are not there yet are no opponents.
#[test]
fn opponents_are_random_until_there_is_a_snapshot() {
    let spec = spec_of(
        PAPER,
        "arms = ['vectors']\nrandom_games = 0\nsnapshot_games = 8\nevaluation = { pairs = 0 }",
    );
    let states = run(&spec, |_, _, results| results);
    for state in &states[..2] {
        assert!(matches!(opponents(&spec, state).agents[..], [MatchAgent::Rule(_)]));
    }
    assert!(matches!(opponents(&spec, &states[2]).agents[..], [MatchAgent::Network(_)]));
}

/// A network meets its own snapshots, and no other network's snapshots.
#[test]
fn networks_have_their_own_games_and_snapshots() {
    let arms = "arms = ['vectors', 'deck_one_hot']\nseeds = 2\nrandom_games = 4\n\
                snapshot_games = 4\nevaluation = { pairs = 0 }";
    for mode in [WIDE, PAPER] {
        let spec = spec_of(mode, arms);
        let states = run(&spec, |_, _, results| results);
        let last = states.last().expect("there are");
        let models: BTreeSet<_> =
            last.networks.iter().flat_map(|it| &it.snapshots).map(|it| it.model).collect();
        let files: BTreeSet<_> = last.networks.iter().flat_map(|it| &it.files).collect();
        let n_snapshots: usize = last.networks.iter().map(|it| it.snapshots.len()).sum();
        let n_files: usize = last.networks.iter().map(|it| it.files.len()).sum();
        assert_eq!((models.len(), files.len()), (n_snapshots, n_files));
    }
}

/// Arms differ by their encoding alone.
#[test]
fn arms_have_their_encodings() {
    let arms = "arms = ['one_hot', 'vectors', 'deck_one_hot']\npool = { kinds = 60 }\n\
                cost_cap = 400\ndecks = [{ kind = 'generated', name = 'a', archetype = 'burst', \
                seed = 1 }]\nevaluation = { pairs = 0 }";
    let spec = spec_of(PAPER, arms);
    let state = super::made_up::begin(&spec);
    let encodings = plan(&spec, &state).series.into_iter().map(|series| {
        let TrialSetup::Train(setup) = series.subject else { panic!("it learns") };
        let TrainingTask::Reinforcement(task) = setup.task else { panic!("another task") };
        task.encoding
    });
    let vectors = state.vectors.expect("an arm has vectors");
    let expected = [
        TrainingEncoding::PoolOneHot { kinds: 60 },
        TrainingEncoding::Vectors(vectors),
        TrainingEncoding::DeckOneHot,
    ];
    assert_eq!(encodings.collect::<Vec<_>>(), expected);
}

/// Files whose decisions the memory holds no more are not sent again.
#[test]
fn dropped_files_are_forgotten() {
    for (mode, at, learning) in [(WIDE, 3, 1), (PAPER, 2, 0)] {
        let spec = one_arm(mode);
        let states = run(&spec, |generation, series, mut results| {
            if (generation, series) == (at, learning) {
                let replay = results.trained[0].replay.as_mut().expect("it learns");
                replay.n_dropped_files = 2;
                replay.first_item = 77;
            }
            results
        });
        let at = at as usize;
        let (before, after) = (&states[at].networks[0], &states[at + 1].networks[0]);
        assert_eq!(after.files[..before.files.len() - 2], before.files[2..]);
        assert_eq!(after.first_item, 77);
        assert_eq!(after.failure, None);
        let parts = OthelloniaSelfplay::parts(&states[at + 1]);
        assert!(before.files[..2].iter().all(|file| !parts.contains(file)));
        assert!(after.files.iter().all(|file| parts.contains(file)));
    }
}

/// A network plays each deck against each, and sees the results as its own.
#[test]
fn looks_have_all_match_ups() {
    let spec = one_arm(PAPER);
    let states = run(&spec, |_, _, results| results);
    let plan = plan(&spec, &states[2]);
    let decks = plan.series[1..].iter().map(|series| match &series.subject {
        TrialSetup::Games(setup) => setup.decks,
        _ => panic!("a look has games"),
    });
    let of_opponent: Vec<_> = (0..9).map(|at| [at / 3, at % 3]).collect();
    assert_eq!(decks.collect::<Vec<_>>(), [&of_opponent[..], &of_opponent[..]].concat());
    let look = &states.last().expect("there are").networks[0].looks[0];
    assert_eq!(look.opponents.len(), 2);
    for opponent in &look.opponents {
        assert_eq!(opponent.matchups.len(), 9);
        // 3 pairs in each of 9 match-ups: in each pair a win and a draw.
        assert_eq!(opponent.games(), [0, 27, 27]);
    }
}

/// The games that the report names are the games in the last look at the first network.
#[test]
fn replays_that_reports_name_exist() {
    for mode in [WIDE, PAPER] {
        let spec = one_arm(mode);
        let states = run(&spec, |_, _, results| results);
        let last = states.last().expect("there are states");
        let exhibits = OthelloniaSelfplay::exhibits(&spec.checked(), last);
        let report = exhibits.iter().find(|exhibit| exhibit.name == "report.md").expect("it is");
        let report = std::str::from_utf8(report.content.bytes().expect("no part")).expect("text");
        let named = report.split("`hatchery replay RUN ").skip(1);
        let named: Vec<Vec<usize>> = named
            .map(|rest| rest.split('`').next().expect("a trial").split('/'))
            .map(|numbers| numbers.map(|it| it.parse().expect("a number")).collect())
            .collect();
        assert_eq!(named.len(), spec.evaluation.opponents.len(), "{report}");
        let model = last.networks[0].learner.as_ref().expect("it has learned").model;
        for numbers in named {
            let series = &plan(&spec, &states[numbers[0]]).series[numbers[1]];
            let TrialSetup::Games(setup) = &series.subject else { panic!("{:?}", series.subject) };
            assert_eq!(setup.decks, [0, 2]);
            assert_eq!(setup.agents[0], MatchAgent::Network(LargeValue::new(vec![model])));
            assert_eq!(numbers[2], 0);
        }
    }
}
