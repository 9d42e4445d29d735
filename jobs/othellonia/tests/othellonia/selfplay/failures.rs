//! Runs with failures: an arm ends, keeps its last good weights, and the other arms continue.

use hatchery_core::Step;
use hatchery_core::part::Part;
use hatchery_othellonia::studies::specs::{LearnerState, SelfplaySpec};
use hatchery_othellonia::trial::results::{TrainingResult, TrialResults};

use super::made_up::{begin, fold, kinds, part, plan, run, spec_of};

const PAPER: &str = "{ kind = 'paper', games = 12, steps_per_pair = 2, period_steps = 4 }";
const WIDE: &str = "{ kind = 'wide', games = 12, first = 4, most = 4, pairs_per_trial = 1 }";
const TWO_ARMS: &str = "\
arms = ['vectors', 'deck_one_hot']
evaluation = { pairs = 1, every = 9, opponents = [{ kind = 'random' }] }
";

fn paper() -> SelfplaySpec {
    spec_of(PAPER, TWO_ARMS)
}

/// Runs a spec with a change to the result of the first network's training in a generation.
fn changed(
    spec: &SelfplaySpec,
    (generation, series): (u32, usize),
    change: impl Fn(&mut TrialResults),
) -> (Vec<String>, LearnerState, LearnerState) {
    let states = run(spec, |of, at, mut results| {
        if (of, at) == (generation, series) {
            change(&mut results);
        }
        results
    });
    let (last, before) = states.split_last().expect("there are");
    let kinds = before.iter().map(|state| kinds(&plan(spec, state))).collect();
    let [first, second] = &last.networks[..] else { panic!("there are two arms") };
    (kinds, first.clone(), second.clone())
}

fn model(network: &LearnerState) -> Option<Part> {
    network.learner.as_ref().map(|learner| learner.model)
}

/// The failed arm is looked at once more, at the weights before the step that failed.
#[test]
fn a_loss_that_is_not_finite_ends_its_arm() {
    let (kinds, failed, other) = changed(&paper(), (1, 0), |results| {
        let result = &mut results.trained[0];
        result.failure = Some("the loss of step 6 is not finite".to_owned());
        result.steps = 2;
    });
    let look = "g".repeat(9);
    assert_eq!(kinds, ["ll", "ll", &format!("l{look}"), &look]);
    assert_eq!(failed.failure.as_deref(), Some("the loss of step 6 is not finite"));
    assert_eq!(model(&failed), Some(part("model 1 0")));
    assert_eq!((failed.steps(), failed.looks.len(), failed.looks[0].steps), (6, 1, 6));
    assert_eq!((other.steps(), other.looks[0].steps, other.failure), (12, 12, None));
}

/// Checks that a bad result of the second period ends an arm for a reason, with the weights before.
#[track_caller]
fn check(change: impl Fn(&mut TrialResults), reason: &str) {
    let (_, failed, other) = changed(&paper(), (1, 0), change);
    assert_eq!(failed.failure.as_deref(), Some(reason));
    assert_eq!((failed.steps(), failed.looks.len()), (4, 1));
    assert!(model(&failed).is_some());
    assert_eq!((other.failure, other.looks.len()), (None, 1));
}

/// Results come from workers, which may have a defect.
#[test]
fn results_that_lack_something_end_their_arm() {
    check(|results| results.trained.clear(), "training has no result");
    check(
        |results| *results = TrialResults { games: results.games.clone(), ..Default::default() },
        "training has no result",
    );
    check(|results| results.trained[0].learner = None, "training has no learner");
    check(|results| results.trained[0].replay = None, "training has no replay memory");
    check(
        |results| results.trained[0] = TrainingResult::default(),
        "training has no replay memory",
    );
    check(
        |results| {
            let replay = results.trained[0].replay.as_mut().expect("there is");
            replay.n_dropped_files = 2;
        },
        "the replay memory dropped more files of games than it had",
    );
}

/// A network that cannot be made has nothing to play with.
#[test]
fn networks_that_are_not_made_end_their_arm() {
    let spec = spec_of(WIDE, TWO_ARMS);
    let (kinds, failed, other) = changed(&spec, (0, 0), |results| results.trained.clear());
    let look = "g".repeat(9);
    assert_eq!(kinds, ["nn", "r", "rl", "rl", "l", &look]);
    assert_eq!(failed.failure.as_deref(), Some("training has no result"));
    assert!(failed.learner.is_none() && failed.looks.is_empty());
    assert_eq!((other.failure, other.games), (None, 12));
}

#[test]
fn a_run_ends_if_all_arms_have_failed() {
    let spec = spec_of(WIDE, TWO_ARMS);
    let step = fold(&spec, begin(&spec), |_, _| TrialResults::default());
    let Step::Done(last) = step else { panic!("no network is there") };
    assert!(last.networks.iter().all(|network| network.failure.is_some()));
}

#[test]
fn missing_games_end_their_arm() {
    let spec = spec_of(WIDE, TWO_ARMS);
    let (kinds, failed, other) = changed(&spec, (2, 0), |results| results.recorded.clear());
    let look = "g".repeat(9);
    assert_eq!(kinds, ["nn", "rr", "rrll", &format!("rl{look}"), "l", &look]);
    assert_eq!(failed.failure.as_deref(), Some("no games were recorded"));
    assert_eq!((failed.periods.len(), failed.looks.len()), (1, 1));
    assert_eq!((other.failure, other.periods.len()), (None, 3));
}

/// More files than trials were planned would make later trials larger than was checked.
#[test]
fn surplus_files_are_left_out() {
    let spec = spec_of(WIDE, TWO_ARMS);
    let (_, first, other) = changed(&spec, (1, 0), |results| {
        let file = results.recorded[0];
        results.recorded.extend([file; 7]);
    });
    assert_eq!((first.files.len(), first.games), (other.files.len(), other.games));
    assert_eq!(first.files.len(), 6);
}
