//! Runs whose results are made up.

use hatchery_core::part::{LargeValue, Part};
use hatchery_core::spec::SpecDocument;
use hatchery_core::{Experiment, GenerationSeed, InitialParts, Plan, RunSeed, Step};
use hatchery_othellonia::learning::StoredLearner;
use hatchery_othellonia::studies::specs::{SelfplaySpec, SelfplayState};
use hatchery_othellonia::trial::results::{
    DeckMatchResults, LossPoint, RecordedGames, ReplayUse, TrainingResult, TrialResults,
};
use hatchery_othellonia::trial::setup::{TrainingSetup, TrainingTask, TrialSetup};
use hatchery_othellonia::{OthelloniaGames, OthelloniaSelfplay};
use hatchery_stats::PairResult;

use crate::CheckedSpec as _;

/// Returns the spec of a text.
pub(crate) fn spec(text: &str) -> SelfplaySpec {
    let document = SpecDocument::parse("test", text.as_bytes()).expect("it is valid");
    document.params(&schemars::schema_for!(SelfplaySpec).to_value()).expect("it is valid")
}

/// Returns the spec of a mode and more parameters.
pub(crate) fn spec_of(mode: &str, more: &str) -> SelfplaySpec {
    spec(&format!(
        "experiment = 'othellonia-selfplay'\nseed = 1\n[params]\nmode = {mode}\nhidden = [8]\n\
         {more}\n"
    ))
}

/// Returns the seed of a generation.
pub(crate) fn seed(generation: u32) -> GenerationSeed {
    RunSeed::new("made up", 1).generation(generation)
}

/// Returns the state before generation 0.
pub(crate) fn begin(spec: &SelfplaySpec) -> SelfplayState {
    OthelloniaSelfplay::begin(&spec.checked(), &seed(0), &mut InitialParts::default())
        .expect("it is valid")
}

/// Returns the plan of a state.
pub(crate) fn plan(spec: &SelfplaySpec, state: &SelfplayState) -> Plan<OthelloniaGames> {
    OthelloniaSelfplay::plan(&spec.checked(), state)
}

/// Returns a part with a name of its own.
pub(crate) fn part(name: &str) -> Part {
    Part::of(name.as_bytes())
}

/// Returns games recorded in a file of this name.
pub(crate) fn recorded(name: &str, games: u64) -> RecordedGames {
    RecordedGames { file: part(name), games, placements: 24 * games }
}

/// Returns a good result of training in a generation: its model is `model GENERATION SERIES`, and
/// a learner that plays itself has played `played GENERATION SERIES`.
pub(crate) fn trained(setup: &TrainingSetup, name: &str) -> TrainingResult {
    let TrainingTask::Reinforcement(task) = &setup.task else { panic!("another task") };
    let rounds = task.rounds.as_ref().map(|rounds| u64::from(setup.steps / rounds.steps));
    let played = rounds.map(|pairs| recorded(&format!("played {name}"), 2 * pairs));
    let steps = u64::from(setup.steps);
    let curve = match steps {
        0 => Vec::new(),
        _ => vec![LossPoint { steps, rows: 4 * steps, loss_sum: 2.0 }],
    };
    TrainingResult {
        learner: Some(StoredLearner {
            model: part(&format!("model {name}")),
            memory: LargeValue::new(vec![part(&format!("memory {name}"))]),
        }),
        steps,
        curve,
        replay: Some(ReplayUse { played, drawn: 4 * steps, ..ReplayUse::default() }),
        ..TrainingResult::default()
    }
}

/// Returns the results of a series without failures: in every pair of games against an opponent,
/// the learner won one game and drew the other.
pub(crate) fn results(setup: &TrialSetup, n_trials: u32, name: &str) -> TrialResults {
    let mut results = TrialResults::default();
    match setup {
        TrialSetup::Record(setup) => {
            let games = u64::from(2 * setup.pairs);
            let file = |trial| recorded(&format!("games {name} {trial}"), games);
            results.recorded = (0..n_trials).map(file).collect();
        }
        TrialSetup::Train(setup) => results.trained.push(trained(setup, name)),
        TrialSetup::Games(_) => {
            let won = PairResult::new(2, 1).expect("it is valid");
            let pairs = vec![won; n_trials as usize];
            results.games = DeckMatchResults { pairs, ..DeckMatchResults::default() };
        }
    }
    results
}

/// Folds a generation whose results `change` gets by the index of their series.
pub(crate) fn fold(
    spec: &SelfplaySpec,
    state: SelfplayState,
    change: impl Fn(usize, TrialResults) -> TrialResults,
) -> Step<SelfplayState> {
    let generation = state.generation;
    let plan = plan(spec, &state);
    let tallies = plan.series.iter().enumerate().map(|(at, series)| {
        let name = format!("{generation} {at}");
        change(at, results(&series.subject, series.n_trials, &name))
    });
    let tallies: Vec<_> = tallies.collect();
    OthelloniaSelfplay::fold(&spec.checked(), state, &tallies, &seed(generation))
}

/// Describes the series of a plan in a letter each, and how often: `r` records, `l` learns (`n` if
/// it takes no steps), `g` plays.
pub(crate) fn kinds(plan: &Plan<OthelloniaGames>) -> String {
    let mut kinds = String::new();
    for series in &plan.series {
        kinds.push(match &series.subject {
            TrialSetup::Record(_) => 'r',
            TrialSetup::Train(setup) if setup.steps == 0 => 'n',
            TrialSetup::Train(_) => 'l',
            TrialSetup::Games(_) => 'g',
        });
    }
    kinds
}

/// Runs all generations, and returns the state before every generation and the last state.
pub(crate) fn run(
    spec: &SelfplaySpec,
    change: impl Fn(u32, usize, TrialResults) -> TrialResults,
) -> Vec<SelfplayState> {
    let mut states = vec![begin(spec)];
    for generation in 0..OthelloniaSelfplay::generations(&spec.checked()) {
        let state = states.last().expect("one began").clone();
        match fold(spec, state, |at, results| change(generation, at, results)) {
            Step::Continue(next) => states.push(next),
            Step::Done(last) => {
                states.push(last);
                return states;
            }
        }
    }
    panic!("the run goes on after its last generation")
}
