//! The specs of the README.

use hatchery_core::conformance;
use hatchery_othellonia::OthelloniaMatrix;

#[test]
fn the_spec_of_the_readme_is_valid() {
    let readme = include_str!("../../README.md");
    let specs: Vec<_> = readme.split("```toml\n").skip(1).collect();
    assert_eq!(specs.len(), 1);
    let spec = specs[0].split("```").next().expect("a block ends");
    let few = spec.replace("pairs = 200", "pairs = 2");
    assert_ne!(few, spec);
    conformance::Recording::<OthelloniaMatrix>::with_inputs(&few, Default::default()).unwrap();
}
