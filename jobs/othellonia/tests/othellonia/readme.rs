//! The specs of this study's README.

use hatchery_core::conformance;
use hatchery_othellonia::{OthelloniaImpact, OthelloniaMatrix};

#[test]
fn the_specs_of_the_readme_are_valid() {
    let readme = include_str!("../../README.md");
    let specs = readme.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let specs: Vec<_> = specs.collect();
    let [impact, matrix] = specs[..] else { panic!("{} specs", specs.len()) };
    let few = |spec: &str, pairs: &str| {
        let few = spec.replace(pairs, "pairs = 2");
        assert_ne!(few, spec);
        few
    };
    let impact = few(impact, "pairs = 400");
    conformance::Recording::<OthelloniaImpact>::with_inputs(&impact, Default::default()).unwrap();
    let matrix = few(matrix, "pairs = 200");
    conformance::Recording::<OthelloniaMatrix>::with_inputs(&matrix, Default::default()).unwrap();
}
