//! The experiment as the farm sees it: in bytes.

use hatchery_core::erased::{ConfiguredExperiment, ExperimentError};
use hatchery_core::spec::SpecDocument;
use hatchery_core::{Catalog, PartSet, RunSeed, SeriesClass, Step, WireValue, erased, error_chain};

use crate::Sound;
use crate::study::SPEC;
use crate::wire::{Player, Rolls};

const CATALOG: Catalog = Catalog(&[&[erased::<Sound>()]]);

fn open() -> Box<dyn ConfiguredExperiment> {
    let document = SpecDocument::parse("study/smoke", SPEC.as_bytes()).expect("it is TOML");
    erased::<Sound>().configure(&document).expect("it is a spec of this experiment")
}

fn tally(rolls: &[u32]) -> Vec<u8> {
    let best = rolls.iter().copied().max().unwrap_or(0);
    Rolls { rolls: rolls.to_vec(), best, pages: vec![], n_absorbed: 0 }.encode()
}

#[test]
fn experiments_and_presets_are_found_by_name() {
    assert_eq!(CATALOG.preset_paths().collect::<Vec<_>>(), ["study/quick", "study/smoke"]);
    assert_eq!(CATALOG.preset("study/smoke").unwrap().text, SPEC);
    for path in ["study", "study/", "study/large", "pig/smoke", "/smoke", "study/smoke/"] {
        assert!(CATALOG.preset(path).is_none(), "{path}");
    }
    assert!(CATALOG.find("pig").is_none());
}

#[test]
fn parameters_are_stored_as_text() {
    let study = CATALOG.find("study").unwrap();
    let params = open().canonical_params();
    assert_eq!(params, r#"{"rolls":10,"rounds":3}"#);
    assert_eq!(study.reopen(&params, &PartSet::default()).unwrap().canonical_params(), params);
    for params in ["", "{}", r#"{"rolls":10}"#, r#"{"rolls":10,"rounds":3,"x":1}"#] {
        let error = study.reopen(params, &PartSet::default()).err().unwrap();
        assert!(matches!(error, ExperimentError::Params(_)), "{error:?}");
    }
    let error = study.reopen(r#"{"rolls":1001,"rounds":3}"#, &PartSet::default()).err().unwrap();
    let expected = "parameters refused: rolls is 1001, but must be an integer from 1 to 1000";
    assert_eq!(error_chain(&error), expected);
}

#[test]
fn tallies_are_accumulated_in_plan_order() {
    let mut accumulator = CATALOG.find("study").unwrap().simulation().accumulator(3);
    for (series, rolls) in [(2, &[5][..]), (0, &[1, 2]), (2, &[7, 6]), (0, &[3])] {
        accumulator.absorb(series, &tally(rolls)).unwrap();
    }
    let expected = [Some(tally(&[1, 2, 3])), None, Some(tally(&[5, 7, 6]))];
    assert_eq!(accumulator.tallies(), expected);

    let error = accumulator.absorb(3, &tally(&[1])).unwrap_err().to_string();
    assert_eq!(error, "series is 3, but must be below 3");
    let error = accumulator.absorb(1, &[1]).unwrap_err().to_string();
    assert_eq!(error, "malformed Rolls");
    assert_eq!(accumulator.tallies(), expected, "what is refused changes nothing");
}

#[test]
fn what_comes_from_elsewhere_is_checked() {
    let (study, configured) = (CATALOG.find("study").unwrap(), open());
    let seed = RunSeed::new("study", 1).generation(0);
    let state = configured.begin(&seed, &[]).unwrap().state;
    let plan = configured.plan(&state).unwrap();
    let simulation = study.simulation();
    let prepared = simulation.prepare(&plan.shared).unwrap();

    let text = |error: ExperimentError| error.to_string();
    let cut = &state[..state.len() - 1];
    assert_eq!(text(configured.plan(cut).unwrap_err()), "malformed State");
    assert_eq!(text(configured.measures(cut).unwrap_err()), "malformed State");
    assert_eq!(text(configured.exhibits(cut).unwrap_err()), "malformed State");
    let longer = [&state[..], &[0]].concat();
    assert_eq!(text(configured.plan(&longer).unwrap_err()), "1 bytes too many after State");
    assert_eq!(
        simulation.prepare(&[0]).err().unwrap().to_string(),
        "sides is 0, but must be at least 1"
    );
    let subject = Player { bonus: 3, page: None }.encode();
    let error = prepared.subject(&subject).err().unwrap().to_string();
    assert_eq!(error, "bonus is 3, but must be from 0 to 2");
    simulation.check_tally(&tally(&[1, 2]), 2).unwrap();
    let error = simulation.check_tally(&tally(&[1, 2]), 3).unwrap_err().to_string();
    assert_eq!(error, "trials is 2, but must be 3");

    let classes = [SeriesClass::Pooled; 3];
    let tallies = [tally(&[1]), tally(&[2]), tally(&[3])];
    let error = text(configured.close(&state, &classes, &tallies[1..], &seed).unwrap_err());
    assert_eq!(error, "a fold got 2 tallies for 3 series");
    let malformed = [tally(&[1]), tally(&[2]), vec![1]];
    let error = configured.close(&state, &classes, &malformed, &seed).unwrap_err();
    assert_eq!(text(error), "malformed Rolls");
    let closed = configured.close(&state, &classes, &tallies, &seed).unwrap();
    assert!(matches!(closed.step, Step::Continue(next) if next != state));
}
