//! The experiments keep the contract of experiments.

use hatchery_birds::{BirdsAdapt, BirdsEvaluate, BirdsGenerate};
use hatchery_core::spec::SpecDocument;
use hatchery_core::{conformance, erased};

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

#[test]
fn shares_of_a_target_are_in_order() {
    let smoke = include_bytes!("../../specs/evaluate-smoke.toml");
    let document = SpecDocument::parse("test", smoke).unwrap();
    let document = document.set("params.target = [0.5, 0.5]").unwrap();
    let error = erased::<BirdsEvaluate>().configure(&document).err().unwrap().to_string();
    let expected = "target is [0.5, 0.5], but must be two shares, the smaller first";
    assert!(error.ends_with(expected), "{error}");
}
