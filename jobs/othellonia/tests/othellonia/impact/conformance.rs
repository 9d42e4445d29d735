//! The checks that all experiments pass.

use hatchery_core::conformance;
use hatchery_othellonia::OthelloniaImpact;

use crate::impact::runs::{agent, spec_with_tuning, spec_with_vector};

#[test]
fn impacts_conform() {
    let smoke = include_str!("../../../specs/impact-smoke.toml");
    conformance::check::<OthelloniaImpact>(smoke).unwrap();
    conformance::presets::<OthelloniaImpact>().unwrap();
}

/// A learned agent gets a vector for the new piece.
#[test]
fn impacts_with_vectors_conform() {
    let (_, part, inputs) = agent(60);
    let spec = spec_with_vector(&part);
    conformance::check_with_inputs::<OthelloniaImpact>(&spec, inputs).unwrap();
}

#[test]
fn impacts_with_tuning_conform() {
    let (_, part, inputs) = agent(60);
    let spec = spec_with_tuning(&part);
    conformance::check_with_inputs::<OthelloniaImpact>(&spec, inputs).unwrap();
}
