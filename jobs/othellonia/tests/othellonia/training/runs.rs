//! Runs of the experiments with made-up results, and what their reports show.

use hatchery_core::part::{LargeValue, Part};
use hatchery_core::spec::SpecDocument;
use hatchery_core::{Experiment, GenerationSeed, InitialParts, PartInput, RunSeed, Step};
use hatchery_othellonia::features::PieceVectors;
use hatchery_othellonia::learning::StoredLearner;
use hatchery_othellonia::learning::vector_file::encode_vectors;
use hatchery_othellonia::params::encoding_param::{EncodingParam, VectorFileParam};
use hatchery_othellonia::studies::specs::{ImitateSpec, ImitateState, RepresentSpec, VectorsParam};
use hatchery_othellonia::trial::results::{
    DeckMatchResults, LossPoint, RecordedGames, TrainingResult, TrialResults,
};
use hatchery_othellonia::trial::setup::TrialSetup;
use hatchery_othellonia::{OthelloniaImitate, OthelloniaRepresent};
use hatchery_stats::PairResult;

use crate::{CheckedSpec as _, checked};

fn seed() -> GenerationSeed {
    RunSeed::new("runs", 1).generation(0)
}

fn spec<S: serde::de::DeserializeOwned + schemars::JsonSchema>(text: &str) -> S {
    let document = SpecDocument::parse("smoke", text.as_bytes()).expect("it is valid");
    document.params(&schemars::schema_for!(S).to_value()).expect("it is valid")
}

fn imitate_spec() -> ImitateSpec {
    spec(include_str!("../../../specs/imitate-smoke.toml"))
}

/// Returns results as a trial with this setup has them; `task` has the results of training.
fn results(setup: &TrialSetup, n_trials: u32, task: &TrainingResult) -> TrialResults {
    let mut results = TrialResults::default();
    match setup {
        TrialSetup::Record(_) => {
            let file = Part::of(b"games");
            let recorded = RecordedGames { file, games: 2, placements: 50 };
            results.recorded = vec![recorded; n_trials as usize];
        }
        TrialSetup::Train(_) => results.trained.push(task.clone()),
        TrialSetup::Games(_) => {
            let won = PairResult::new(2, 1).expect("it is valid");
            let pairs = vec![won; n_trials as usize];
            results.games = DeckMatchResults { pairs, ..DeckMatchResults::default() };
        }
    }
    results
}

fn good_result() -> TrainingResult {
    let part = Part::of(b"model");
    TrainingResult {
        learner: Some(StoredLearner { model: part, memory: LargeValue::new(vec![part]) }),
        steps: 4,
        curve: vec![LossPoint { steps: 4, rows: 8, loss_sum: 4.0 }],
        ..TrainingResult::default()
    }
}

/// Runs a generation, and returns the kinds of its series too.
fn generation<E: Experiment<Simulation = hatchery_othellonia::OthelloniaGames, Spec: Clone>>(
    spec: &E::Spec,
    state: E::State,
    task: impl Fn(usize) -> TrainingResult,
) -> (String, Step<E::State>) {
    let plan = E::plan(&checked::<E>(spec), &state);
    let mut kinds = String::new();
    let tallies = plan.series.iter().enumerate().map(|(at, series)| {
        kinds.push(match &series.subject {
            TrialSetup::Record(_) => 'r',
            TrialSetup::Train(_) => 'l',
            TrialSetup::Games(_) => 'g',
        });
        results(&series.subject, series.n_trials, &task(at))
    });
    let tallies: Vec<_> = tallies.collect();
    (kinds, E::fold(&checked::<E>(spec), state, &tallies, &seed()))
}

fn begin<E: Experiment<Spec: Clone>>(spec: &E::Spec) -> E::State {
    E::begin(&checked::<E>(spec), &seed(), &mut InitialParts::default()).expect("the spec is valid")
}

/// Runs all generations of a spec, and returns the kinds of their series.
fn imitated(
    spec: &ImitateSpec,
    task: impl Fn(u32, usize) -> TrainingResult,
) -> (Vec<String>, ImitateState) {
    let mut state = begin::<OthelloniaImitate>(spec);
    let mut kinds = Vec::new();
    for number in 0.. {
        assert!(number < OthelloniaImitate::generations(&spec.checked()), "{kinds:?}");
        let (of, step) = generation::<OthelloniaImitate>(spec, state, |at| task(number, at));
        kinds.push(of);
        match step {
            Step::Continue(next) => state = next,
            Step::Done(last) => return (kinds, last),
        }
    }
    unreachable!("runs end")
}

fn exhibit(spec: &ImitateSpec, state: &ImitateState, name: &str) -> String {
    let exhibits = OthelloniaImitate::exhibits(&spec.checked(), state);
    let exhibit = exhibits.iter().find(|exhibit| exhibit.name == name).expect(name);
    String::from_utf8(exhibit.content.bytes().expect("no part").to_vec()).expect("it is valid")
}

/// Networks learn beside the games that show how well they played before.
#[test]
fn networks_are_judged_beside_their_next_period() {
    let spec = imitate_spec();
    let (kinds, state) = imitated(&spec, |_, _| good_result());
    assert_eq!(kinds, ["r", "l", "ll", "llgggg", "gggg"]);
    let looks: Vec<_> = state.networks[1].looks.iter().map(|look| look.steps).collect();
    assert_eq!(looks, [4, 8]);
    let measures = OthelloniaImitate::measures(&spec.checked(), &state);
    let names: Vec<_> = measures.iter().map(|measure| measure.name.as_str()).collect();
    let expected = ["vectors/win_rate_against_standard", "one_hot/win_rate_against_standard"];
    assert_eq!(names[..2], expected);
    // Of each pair one game was won and one drawn: 4 of 8 games.
    assert!((measures[0].value.point() - 0.5).abs() < 1e-12);
    let csv = exhibit(&spec, &state, "learning-curves.csv");
    assert_eq!(csv.lines().nth(1).unwrap(), "vectors,0,4,8,0,4,4,0.5000,0.2152,0.7848");
    assert_eq!(csv.lines().count(), 5);
    assert_eq!(exhibit(&spec, &state, "matchups.csv").lines().count(), 5);
}

/// A loss that is not finite ends its arm alone, and the run says so.
#[test]
fn an_arm_that_fails_keeps_its_last_weights() {
    let spec = imitate_spec();
    let (kinds, state) = imitated(&spec, |generation, at| match (generation, at) {
        (2, 1) => TrainingResult {
            failure: Some("the loss of step 5 is not finite".to_owned()),
            ..good_result()
        },
        _ => good_result(),
    });
    assert_eq!(kinds, ["r", "l", "ll", "lgggg", "gg"]);
    assert!(state.networks[1].learner.is_some() && state.networks[1].looks.len() == 1);
    let report = exhibit(&spec, &state, "report.md");
    let expected = "**one-hot ended early** and keeps its last good weights: the loss of step 5 is";
    assert!(report.contains(expected), "{report}");
}

/// A worker with a defect sends results of another kind: the run ends, and says why.
#[test]
fn results_of_another_kind_end_the_run() {
    let spec = imitate_spec();
    let state = begin::<OthelloniaImitate>(&spec);
    let trained = TrialResults { trained: vec![good_result()], ..TrialResults::default() };
    let Step::Done(state) =
        OthelloniaImitate::fold(&spec.checked(), state, std::slice::from_ref(&trained), &seed())
    else {
        panic!("there are no games to learn from");
    };
    assert_eq!(state.failure.as_deref(), Some("no games were recorded"));
    let spec: RepresentSpec = spec_of_vectors();
    let state = begin::<OthelloniaRepresent>(&spec);
    let Step::Done(state) = OthelloniaRepresent::fold(&spec.checked(), state, &[trained], &seed())
    else {
        panic!("there are no games to learn from");
    };
    assert_eq!(state.failure.as_deref(), Some("no games were recorded"));
    assert!(!OthelloniaRepresent::exhibits(&spec.checked(), &state).is_empty());
}

fn spec_of_vectors() -> RepresentSpec {
    spec(include_str!("../../../specs/represent-smoke.toml"))
}

#[test]
fn vectors_that_fail_end_their_run_with_a_reason() {
    let spec = spec_of_vectors();
    let state = begin::<OthelloniaRepresent>(&spec);
    let (kinds, step) = generation::<OthelloniaRepresent>(&spec, state, |_| good_result());
    let Step::Continue(state) = step else { panic!("it learns") };
    assert_eq!(kinds, "r");
    let failed = |_| TrainingResult { failure: Some("bad".to_owned()), ..good_result() };
    let (kinds, step) = generation::<OthelloniaRepresent>(&spec, state, failed);
    let Step::Done(state) = step else { panic!("it has failed") };
    assert_eq!(kinds, "l");
    let exhibits = OthelloniaRepresent::exhibits(&spec.checked(), &state);
    let report = exhibits.iter().find(|exhibit| exhibit.name == "report.md").unwrap();
    let report = String::from_utf8(report.content.bytes().unwrap().to_vec()).unwrap();
    assert!(report.contains("**Learning ended early**: bad"), "{report}");
    assert!(exhibits.iter().any(|exhibit| exhibit.name == "vectors.safetensors"));
}

/// A worker with a defect sends no result: what was learned before is good.
#[test]
fn vectors_without_a_result_end_early() {
    let mut spec = imitate_spec();
    let VectorsParam::Learned(learned) = &mut spec.vectors else { panic!("they are learned") };
    learned.learn.periods = 3;
    let mut state = begin::<OthelloniaImitate>(&spec);
    for kinds in ["r", "l"] {
        let (of, step) = generation::<OthelloniaImitate>(&spec, state, |_| good_result());
        assert_eq!(of, kinds);
        let Step::Continue(next) = step else { panic!("it learns") };
        state = next;
    }
    let step = OthelloniaImitate::fold(&spec.checked(), state, &[TrialResults::default()], &seed());
    let Step::Continue(state) = step else { panic!("networks learn with the vectors so far") };
    assert_eq!(state.learning.failure.as_deref(), Some("training has no result"));
    assert!(state.vectors.is_some() && state.failure.is_none());
    let (kinds, _) = generation::<OthelloniaImitate>(&spec, state, |_| good_result());
    assert_eq!(kinds, "ll");
}

/// The claim is about vectors and one-hot after as many steps, whatever else has run.
#[test]
fn the_claim_names_its_arms_and_its_steps() {
    let claim = |arms: &[EncodingParam], task: fn(u32, usize) -> TrainingResult| {
        let mut spec = imitate_spec();
        spec.arms = arms.to_vec();
        let (_, state) = imitated(&spec, task);
        let report = exhibit(&spec, &state, "report.md");
        let row = report.lines().find(|line| line.contains("win rate per step")).expect("a row");
        let cell = row.rsplit('|').nth(1).expect("a cell").trim();
        // The interval is that of few games.
        cell.split(" (").next().expect("a part").to_owned()
    };
    let good = |_, _| good_result();
    let all = [EncodingParam::DeckOneHot, EncodingParam::OneHot, EncodingParam::Vectors];
    assert_eq!(claim(&all, good), "after 8 steps, vectors less one-hot is 0.0 points");
    let short = |generation, at| match (generation, at) {
        (3, 1) => TrainingResult { failure: Some("bad".to_owned()), ..TrainingResult::default() },
        _ => good_result(),
    };
    assert_eq!(claim(&all, short), "after 4 steps, vectors less one-hot is 0.0 points");
    assert_eq!(claim(&all[..2], good), "not run: it needs the arms vectors and one-hot");
}

/// Vectors that no arm needs are no input. Vectors that an arm needs are checked as vectors.
#[test]
fn files_of_vectors_are_checked_as_vectors() {
    let file = encode_vectors(&PieceVectors::random(60, &mut seed().stream("file")).unwrap());
    let hash = Part::of(&file).hash();
    let mut spec = imitate_spec();
    spec.vectors = VectorsParam::File(VectorFileParam { file: PartInput { blake3: hash } });
    let inputs = OthelloniaImitate::inputs(&spec.checked());
    let keys: Vec<_> = inputs.iter().map(|input| input.key.as_str()).collect();
    assert_eq!(keys, ["vectors.file"]);
    assert_eq!(OthelloniaImitate::check_input(&spec.checked(), &inputs[0], &file), Ok(()));
    spec.arms.retain(|arm| *arm != EncodingParam::Vectors);
    assert!(OthelloniaImitate::inputs(&spec.checked()).is_empty());
}
