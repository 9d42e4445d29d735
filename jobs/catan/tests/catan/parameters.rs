//! Wrong values are refused under the key of their parameter, whichever it is.

use hatchery_catan::{CatanBalance, CatanDesign, Map};
use hatchery_core::conformance::parameters_are_checked;
use hatchery_core::spec::FileReference;
use hatchery_core::{PartSet, erased};

#[test]
fn parameters_of_balance_are_checked() {
    let samples = [
        include_str!("samples/balance-obrien-fleming.toml"),
        include_str!("samples/balance-pocock.toml"),
    ];
    let (maps, inputs) = maps_in_files();
    let anytime = include_str!("samples/balance-anytime.toml");
    let anytime = anytime.replacen("[params]", &format!("[params]\n{maps}"), 1);
    let samples = samples.map(|sample| (sample, PartSet::default()));
    let samples = [&samples[..], &[(&anytime, inputs)]].concat();
    parameters_are_checked(erased::<CatanBalance>(), &samples).unwrap();
}

#[test]
fn parameters_of_design_are_checked() {
    let samples =
        [include_str!("samples/design-posterior.toml"), include_str!("samples/design-strict.toml")];
    let (maps, inputs) = maps_in_files();
    let clusters = include_str!("samples/design-clusters.toml");
    let named = "{ name = 'mine', map = 'rulebook' }";
    let maps = maps.replacen("maps = [", &format!("maps = [{named}, "), 1);
    let clusters = clusters.replacen("[params.start]", &format!("[params.start]\n{maps}"), 1);
    let samples = samples.map(|sample| (sample, PartSet::default()));
    let samples = [&samples[..], &[(&clusters, inputs)]].concat();
    parameters_are_checked(erased::<CatanDesign>(), &samples).unwrap();
}

/// Returns maps in a file and in several, as a parameter, and the files.
fn maps_in_files() -> (String, PartSet) {
    let mut inputs = PartSet::default();
    let mut pack = |names: &[&str]| {
        let file = |name: &&str| ((*name).to_owned(), Map::RULEBOOK.to_string().into());
        let files: Vec<_> = names.iter().map(file).collect();
        let (reference, bytes) = FileReference::pack(&files).expect("two names differ");
        inputs.add(bytes);
        reference.hash()
    };
    let (one, two) = (pack(&["a"]), pack(&["b", "c"]));
    let one = format!("{{ file = 'a', blake3 = '{one}' }}");
    let two = format!("{{ files = ['b', 'c'], blake3 = '{two}' }}");
    (format!("maps = [{one}, {two}]\n"), inputs)
}
