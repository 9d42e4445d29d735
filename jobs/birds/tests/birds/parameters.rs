//! Wrong values are refused under the key of their parameter, whichever it is.

use hatchery_birds::{BirdsAdapt, BirdsEvaluate, BirdsGenerate};
use hatchery_core::conformance::parameters_are_checked;
use hatchery_core::spec::FileReference;
use hatchery_core::{PartSet, erased};

use super::levels::samples::{ODD_FILE, odd_level};

#[test]
fn parameters_of_generation_are_checked() {
    let sample = (include_str!("samples/generate.toml"), PartSet::default());
    parameters_are_checked(erased::<BirdsGenerate>(), &[sample]).unwrap();
}

#[test]
fn parameters_of_evaluation_are_checked() {
    let mut inputs = PartSet::default();
    let mut pack = |names: &[&str]| {
        let file = |name: &&str| ((*name).to_owned(), ODD_FILE.as_bytes().into());
        let (reference, bytes) =
            FileReference::pack(&names.iter().map(file).collect::<Vec<_>>()).unwrap();
        inputs.add(bytes);
        reference.hash()
    };
    let (one, two) = (pack(&["a.xml"]), pack(&["b.xml", "c.xml"]));
    let levels = format!(
        "[[params.levels]]\nfile = 'a.xml'\nblake3 = '{one}'\n\
         [[params.levels]]\nfiles = ['b.xml', 'c.xml']\nblake3 = '{two}'\n\
         [[params.levels]]\nname = 'own'\njson = '''{}'''\n",
        odd_level().to_json()
    );
    let sample = format!("{}{levels}", include_str!("samples/evaluate.toml"));
    parameters_are_checked(erased::<BirdsEvaluate>(), &[(&sample, inputs)]).unwrap();
}

#[test]
fn parameters_of_adaptation_are_checked() {
    let sample = (include_str!("samples/adapt.toml"), PartSet::default());
    parameters_are_checked(erased::<BirdsAdapt>(), &[sample]).unwrap();
}
