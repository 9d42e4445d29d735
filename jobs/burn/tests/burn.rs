//! Burn against another implementation, and against the farm's checks.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use hatchery_burn::{Burn, burn};
use hatchery_core::erased::AnyPlan;
use hatchery_core::spec::SpecDocument;
use hatchery_core::{
    ExhibitContent, GenerationSeed, Part, PartSet, RunSeed, TrialContext, conformance, erased,
    reference,
};

/// The number of trials that read an input in the tests below: half of the trials read each byte.
const N: u32 = 100;

/// Values of any size, and long trials.
const LARGE: &str = "generations = 4
state_bytes = 900
parts = 5
part_bytes = 700
new_parts = 2
tally_bytes = 50
long_trials = 2
long_rounds = 600_000
";

#[test]
fn burn_conforms() {
    conformance::check::<Burn>(include_str!("../specs/smoke.toml")).unwrap();
    conformance::check::<Burn>(&spec(0)).unwrap();
    conformance::check::<Burn>(&(spec(16) + LARGE)).unwrap();
    conformance::presets::<Burn>().unwrap();
}

#[test]
fn burn_with_an_input_conforms() {
    let (spec, inputs) = with_input();
    conformance::check_with_inputs::<Burn>(&spec, inputs.clone()).unwrap();
    conformance::check_with_inputs::<Burn>(&(spec.clone() + LARGE), inputs.clone()).unwrap();
    let sample = (spec.as_str(), inputs);
    conformance::parameters_are_checked(erased::<Burn>(), &[sample]).unwrap();
}

/// Each trial reads the input, which exists to the end of the run; a wrong byte changes the digest.
#[test]
fn each_trial_reads_the_input() {
    let (spec, inputs) = with_input();
    let document = SpecDocument::parse("test", (spec + LARGE).as_bytes()).unwrap();
    let configured = erased::<Burn>().configure(&document).unwrap();
    let run = |inputs: &PartSet| {
        reference::run_with_inputs(erased::<Burn>(), configured.as_ref(), 1, inputs).unwrap()
    };
    let right = run(&inputs);
    let part = inputs.names()[0];
    for state in &right.states {
        let plan = configured.parts(state).unwrap();
        assert_eq!((plan.len(), plan[0]), (6, part), "the input and five parts");
    }
    let plan = configured.plan(&right.states[0]).unwrap();
    assert!(plan.series.iter().all(|series| series.parts[0] == part));
    let exhibits = configured.exhibits(right.states.last().unwrap()).unwrap();
    let newest = *configured.parts(right.states.last().unwrap()).unwrap().last().unwrap();
    assert_eq!((exhibits.len(), &exhibits[0].content), (1, &ExhibitContent::Part(newest)));

    let mut wrong = PartSet::default();
    wrong.insert(part, vec![8; 16].into());
    assert_ne!(run(&wrong).digest, right.digest);
}

/// A spec that names an input of 16 bytes, and the input.
fn with_input() -> (String, PartSet) {
    let mut inputs = PartSet::default();
    let part = inputs.add(vec![7; 16]);
    (spec(0) + &format!("input = {{ blake3 = \"{}\" }}\n", part.hash()), inputs)
}

/// Marsaglia's formula with the shifts 13, 7 and 17, worked out by Python's integers.
#[test]
fn rounds_are_those_of_xorshift64() {
    let expected = [1, 0x4082_2041, 0x1000_4106_0c01_1441, 0x9b1e_842f_6e86_2629];
    for (rounds, expected) in (0..).zip(expected) {
        assert_eq!(burn(rounds, 1), expected, "{rounds}");
    }
    assert_eq!(burn(1000, 0), burn(1000, 1), "it cannot get stuck at 0");
}

#[test]
fn the_shared_input_has_the_size_that_the_spec_sets() {
    let seed = generation(1);
    for n_bytes in [1, 7, 8, 1000, 200_000] {
        let shared = plan(n_bytes, &seed).shared;
        // The length of the message, the field's tag, the length of the field.
        let n_around = shared.len() - n_bytes as usize;
        assert!((3..=9).contains(&n_around), "{n_bytes} bytes are sent as {}", shared.len());
    }
    assert_eq!(plan(0, &seed).shared, [0], "an empty message");
    assert_eq!(plan(1000, &seed), plan(1000, &seed));
    assert_ne!(plan(1000, &seed).shared, plan(1000, &generation(2)).shared);
}

#[test]
fn a_generation_replaces_the_oldest_parts() {
    let document = SpecDocument::parse("test", (spec(0) + LARGE).as_bytes()).unwrap();
    let configured = erased::<Burn>().configure(&document).unwrap();
    let run = reference::run(erased::<Burn>(), configured.as_ref(), 1).unwrap();
    let parts: Vec<_> = run.states.iter().map(|state| configured.parts(state).unwrap()).collect();
    assert_eq!(parts.len(), 5, "before each generation and at the end");
    for (before, after) in parts.iter().zip(&parts[1..]) {
        assert_eq!((before.len(), &before[2..]), (5, &after[..3]));
    }
    assert_eq!(run.parts.n_bytes(), 5 * 700);
    let few = spec(0) + "new_parts = 1\n";
    let document = SpecDocument::parse("test", few.as_bytes()).unwrap();
    let refused = erased::<Burn>().configure(&document).err().unwrap().to_string();
    let expected = "new_parts is 1, but must be at most parts = 0";
    assert!(refused.contains(expected), "{refused}");
}

/// Specs that no farm can send to a worker, or no coordinator can fold, are refused.
#[test]
fn generations_that_are_too_large_are_refused() {
    let input = Part::of(b"input");
    let begin = |more: &str| {
        let document = SpecDocument::parse("test", (spec(0) + more).as_bytes()).unwrap();
        let configured = erased::<Burn>().configure(&document);
        let configured = configured.map_err(|error| error.to_string())?;
        let begun = configured.begin(&generation(1), &[input]);
        begun.map(drop).map_err(|error| error.to_string())
    };
    let input = format!("input = {{ blake3 = \"{}\" }}\n", input.hash());
    begin("parts = 4096\npart_bytes = 10\n").unwrap();
    for (more, refusal) in [
        ("parts = 4097\n", "parts is 4097, but must be"),
        ("parts = 3000\npart_bytes = 178957\n", "= 536871000 bytes, and at most 536870912 are"),
        ("tally_bytes = 10737419\n", "= 1073741900 bytes of tallies, and at most 1073741824 are"),
        (&format!("parts = 4096\n{input}"), "parts is 4096, but must be at most 4095 beside the"),
    ] {
        let refused = begin(more).unwrap_err();
        assert!(refused.contains(refusal), "{refused}");
    }
}

#[test]
fn a_wrong_byte_of_the_shared_input_shows_in_the_tally() {
    let seed = generation(1);
    let AnyPlan { shared, series, draws, .. } = plan(16, &seed);
    let tally = |shared: &[u8]| {
        let prepared = erased::<Burn>().simulation().prepare(shared).unwrap();
        let subject = prepared.subject(&series[0].subject).unwrap();
        let mut streams = (0..N).map(|trial| seed.trial(draws, 0, trial));
        subject.trials(&mut streams, &TrialContext::ALONE)
    };
    let right = tally(&shared);
    assert_eq!(tally(&shared), right);
    let first = shared.len() - 16;
    for idx in first..shared.len() {
        let mut wrong = shared.clone();
        wrong[idx] ^= 1;
        assert_ne!(tally(&wrong), right, "byte {}", idx - first);
    }
}

fn spec(shared_bytes: u32) -> String {
    format!(
        "experiment = \"burn\"\nseed = 1\n\n[params]\ntrials = {N}\nrounds = 3\n\
         shared_bytes = {shared_bytes}\n"
    )
}

fn generation(seed: u64) -> GenerationSeed {
    RunSeed::new("burn", seed).generation(0)
}

/// The plan of a run whose shared input has `shared_bytes` bytes.
fn plan(shared_bytes: u32, seed: &GenerationSeed) -> AnyPlan {
    let document = SpecDocument::parse("test", spec(shared_bytes).as_bytes()).unwrap();
    let configured = erased::<Burn>().configure(&document).unwrap();
    configured.plan(&configured.begin(seed, &[]).unwrap().state).unwrap()
}
