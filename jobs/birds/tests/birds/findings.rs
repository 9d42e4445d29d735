//! Findings of whole runs: what they say before, during and after the trials.

use hatchery_birds::{BirdsAdapt, BirdsEvaluate, BirdsGenerate};
use hatchery_core::spec::SpecDocument;
use hatchery_core::{AnyExperiment, Findings, RunHistory, RunSeed, erased, reference};

/// Runs a spec, and returns the findings for every state.
fn findings(experiment: &'static dyn AnyExperiment, spec: &str) -> Vec<Findings> {
    let document = SpecDocument::parse("test", spec.as_bytes()).expect("it is TOML");
    let configured = experiment.configure(&document).expect("it is valid");
    let run = reference::run(experiment, configured.as_ref(), 1).expect("it runs");
    let seed = RunSeed::new("birds", 1);
    let history = RunHistory { seed: &seed, generations: &[] };
    let of_state = |state| configured.findings(state, &history).expect("it is a state");
    run.states.iter().map(|state| of_state(state).expect("there are findings")).collect()
}

#[track_caller]
fn check(findings: &Findings, parts: &[&str]) {
    let text = findings.to_markdown();
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
    assert!(!text.contains("NaN") && !text.contains("-0.0 "), "{text}");
}

#[test]
fn adaptation_says_how_far_it_is() {
    let all = findings(erased::<BirdsAdapt>(), include_str!("../../specs/adapt-smoke.toml"));
    let [before, during, .., after] = &all[..] else { panic!("{} states", all.len()) };
    check(before, &["No rounds have been played yet."]);
    assert!(before.sections.is_empty(), "{before:?}");
    check(
        during,
        &[
            "levels are compared after the last one. With alpha ",
            "](fitness.svg)",
            "](p-by-round.svg)",
        ],
    );
    check(
        after,
        &[
            "Conventional levels are cleared in ",
            " **With alpha ",
            "](pigs.svg)",
            "](clear-rates.svg)",
            "- Adapted levels cleared: **",
        ],
    );
}

#[test]
fn evaluation_shows_each_level() {
    let all = findings(erased::<BirdsEvaluate>(), include_str!("../../specs/evaluate-smoke.toml"));
    let [before, after] = &all[..] else { panic!("{} states", all.len()) };
    check(before, &["No level has been played yet."]);
    check(after, &["of 1 level fit", "](clear-rates.svg)", " clears "]);
}

#[test]
fn generation_shows_levels_of_each_kind() {
    let all = findings(erased::<BirdsGenerate>(), include_str!("../../specs/generate-smoke.toml"));
    let [before, after] = &all[..] else { panic!("{} states", all.len()) };
    check(before, &["No levels have been made yet."]);
    check(after, &["](expressive-range.svg)", "mean speed as they settle is ", "`level-01.xml`"]);
}
