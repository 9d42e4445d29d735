//! The experiments keep the contract of experiments.

use hatchery_birds::{BirdsAdapt, BirdsEvaluate, BirdsGenerate};
use hatchery_core::conformance;

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
