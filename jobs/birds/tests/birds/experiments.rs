//! The experiments keep the contract of experiments.

use hatchery_birds::{BirdsAdapt, BirdsEvaluate, BirdsGenerate};
use hatchery_core::spec::SpecDocument;
use hatchery_core::{AnyExperiment, conformance, erased};

#[test]
fn generation_conforms() {
    conformance::check::<BirdsGenerate>(include_str!("../../specs/generate-smoke.toml")).unwrap();
    conformance::presets::<BirdsGenerate>().unwrap();
}

#[test]
fn evaluation_conforms() {
    conformance::check::<BirdsEvaluate>(include_str!("../../specs/evaluate-smoke.toml")).unwrap();
    conformance::presets::<BirdsEvaluate>().unwrap();
}

#[test]
fn adaptation_conforms() {
    conformance::check::<BirdsAdapt>(include_str!("../../specs/adapt-smoke.toml")).unwrap();
    conformance::presets::<BirdsAdapt>().unwrap();
}

/// The schema refuses what no function of the experiments checks again.
#[test]
fn parameters_out_of_range_are_refused() {
    let check = |experiment: &dyn AnyExperiment, smoke: &str, assignment: &str| {
        let document = SpecDocument::parse("test", smoke.as_bytes()).unwrap();
        assert!(experiment.configure(&document).is_ok());
        let document = document.set(assignment).unwrap();
        let error = experiment.configure(&document).err().map(|error| error.to_string());
        assert!(error.is_some_and(|it| it.contains("must be")), "{assignment} is accepted");
    };
    let novice = "aim_sigma = 0, power_sigma = 0, target = 'random-pig'";
    let skill = format!("{{ {novice}, high_arc_probability = 0.5, candidates = 0 }}");
    let wrong = format!("{{ name = 'own', skill = {skill} }}");
    let evaluate = include_str!("../../specs/evaluate-smoke.toml");
    for assignment in [
        format!("params.players = [{wrong}]"),
        "params.target = [-0.1, 0.5]".to_owned(),
        "params.target = [0.5, 0.5]".to_owned(),
    ] {
        check(erased::<BirdsEvaluate>(), evaluate, &assignment);
    }
    let adapt = include_str!("../../specs/adapt-smoke.toml");
    for assignment in [
        format!("params.subjects = [{{ player = {wrong}, count = 1 }}]"),
        "params.adaptation.alphas = [0.5, 1.1]".to_owned(),
        "params.adaptation.alphas = []".to_owned(),
        "params.adaptation.beta = -1".to_owned(),
        "params.adaptation.kill_cap = -1".to_owned(),
        "params.shown_pigs = nan".to_owned(),
    ] {
        check(erased::<BirdsAdapt>(), adapt, &assignment);
    }
}
