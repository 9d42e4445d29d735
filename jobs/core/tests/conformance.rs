//! Tests of the checks of experiments: a sound experiment passes all checks, and each flaw is found
//! by the check for this flaw.

#[path = "conformance/bridge.rs"]
mod bridge;
#[path = "conformance/study.rs"]
mod study;
#[path = "conformance/wire.rs"]
mod wire;

use hatchery_core::conformance::{self, Recording, Violation};
use hatchery_core::{PartSet, Preset, erased};

use study::{Flaw, Presets, SPEC, Study, flawed};

pub(crate) type Sound = Study<Usual>;
type Check = fn(&Recording<Sound>) -> Result<(), Violation>;

/// Checks that `check` finds `flaw`, as a violation with a text that begins with `text`.
#[track_caller]
fn check_finds(flaw: Flaw, check: Check, text: &str) {
    flawed(flaw);
    assert!(conformance::check::<Sound>(SPEC).is_err());
    let recording = Recording::new(SPEC).expect("the flaw leaves a run possible");
    let violation = check(&recording).expect_err("there is a flaw").to_string();
    assert!(violation.starts_with(text), "{violation}");
}

/// The text of a violation's cause, or its own if it has none.
fn cause(violation: &Violation) -> String {
    let source = std::error::Error::source(violation);
    source.map_or_else(|| violation.to_string(), ToString::to_string)
}

#[test]
fn a_sound_experiment_passes() {
    conformance::check::<Sound>(SPEC).unwrap();
    conformance::presets::<Sound>().unwrap();
}

/// Only the sample has a page and a note: without the sample, nothing shows that a wrong page and a
/// wrong note are refused.
#[test]
fn parameters_that_no_sample_has_are_named() {
    let check = |samples: &[(&str, PartSet)]| {
        conformance::parameters_are_checked(erased::<Sound>(), samples)
    };
    let (spec, inputs) = with_input();
    check(&[(&format!("{spec}note = 'short'\n"), inputs)]).unwrap();
    let expected = "parameters is .note\n.page\n.page.blake3, but must be in a preset or a sample";
    let found = check(&[]).unwrap_err().to_string();
    assert!(found.starts_with(expected), "{found}");
}

#[test]
fn specs_of_others_are_no_samples() {
    let error = |spec: &str| Recording::<Sound>::new(spec).unwrap_err().to_string();
    let expected = "the spec's experiment is pig, but must be study";
    assert_eq!(error(&SPEC.replace("\"study\"", "\"pig\"")), expected);
    assert_eq!(error("experiment = 7"), "the spec is not valid");
}

#[test]
fn trials_that_see_more_than_their_arguments() {
    check_finds(
        Flaw::TrialCounts,
        conformance::trials_are_repeatable,
        "called again, the tally of trial 0 of series 0 of generation 0 from byte ",
    );
}

#[test]
fn trials_that_leave_something_behind() {
    check_finds(
        Flaw::TrialRemembers,
        conformance::trials_ignore_their_order,
        "in another order, the tally of trial 0 of series 0 of generation 0 from byte ",
    );
}

#[test]
fn trials_that_go_on_when_they_should_end() {
    check_finds(
        Flaw::IgnoresPulse,
        conformance::trials_heed_their_pulse,
        "the beats of trial 0 of series 0 of generation 0 that must end is 2, but must be at most 1",
    );
}

#[test]
fn parts_that_are_not_named() {
    check_finds(
        Flaw::TallyHidesPart,
        conformance::parts_are_named,
        "a part in the tally of series ",
    );
    check_finds(
        Flaw::WritesForNobody,
        conformance::parts_are_named,
        "a part that trials of generation 0 write is ",
    );
    flawed(Flaw::StateHidesPart);
    let refused = cause(&conformance::check::<Sound>(SPEC).unwrap_err());
    assert!(refused.starts_with("series 0 needs part "), "{refused}");
}

#[test]
fn blocks_that_are_not_their_trials() {
    check_finds(
        Flaw::BlockLosesTrial,
        conformance::blocks_equal_single_trials,
        "as a block, the tally of the first 5 trials of series 0 of generation 0 is ",
    );
    check_finds(
        Flaw::BatchMixesSubjects,
        conformance::blocks_equal_single_trials,
        "as a block, the tally of series 0 of generation 0 with other subjects from byte ",
    );
}

#[test]
fn tallies_that_depend_on_how_they_are_absorbed() {
    check_finds(
        Flaw::AbsorbsMean,
        conformance::absorbing_is_associative,
        "with a + (b + c) for (a + b) + c, the tally of trials ",
    );
    check_finds(
        Flaw::AbsorbsMean,
        conformance::chunks_equal_the_whole,
        "cut into jobs of [4, 4] trials, the tally of series ",
    );
    check_finds(
        Flaw::HidesCount,
        conformance::chunks_equal_the_whole,
        "cut into jobs of [4, 4] trials, the tally of series 0 of generation 0 in bytes",
    );
}

#[test]
fn work_that_does_not_add_up() {
    check_finds(
        Flaw::WorkOfOne,
        conformance::work_adds_up,
        "absorbed, the work of trials 0 and 1 of series 0 of generation 0 is ",
    );
    check_finds(
        Flaw::UnitChanges,
        conformance::work_adds_up,
        "units of work of trials 0 and 1 of series 0 of generation 0 is roll, but must be rolls",
    );
}

#[test]
fn states_that_see_more_than_their_arguments() {
    check_finds(
        Flaw::BeginCounts,
        conformance::states_are_repeatable,
        "called again, the state that a run begins with is ",
    );
    check_finds(
        Flaw::PlanCounts,
        conformance::states_are_repeatable,
        "called again, series 0 of generation 0 is ",
    );
    check_finds(
        Flaw::FoldCounts,
        conformance::states_are_repeatable,
        "called again, the state after generation 0 from byte ",
    );
}

#[test]
fn phases_that_do_not_hold() {
    check_finds(
        Flaw::TooFewPhases,
        conformance::phases_hold,
        "the number of generations of all phases is 2, but must be 3",
    );
    check_finds(
        Flaw::TooFewTrials,
        conformance::phases_hold,
        "the number of trials of generation 0 is 30, but must be in 0..=29",
    );
}

#[test]
fn checkpoints_that_are_not_all() {
    check_finds(
        Flaw::ForgetsPlan,
        conformance::checkpoints_are_complete,
        "resumed from its checkpoint, series 0 of generation 1 is 10 trials of ",
    );
    check_finds(
        Flaw::ForgetsMeasure,
        conformance::checkpoints_are_complete,
        "resumed from its checkpoint, a measure from byte ",
    );
}

#[test]
fn values_that_lose_something_on_the_way() {
    check_finds(
        Flaw::DecodesLess,
        conformance::decoded_values_encode_the_same,
        "decoded and encoded, the subject of series ",
    );
}

#[test]
fn bytes_that_are_decoded_although_they_are_damaged() {
    check_finds(
        Flaw::DecodesPrefix,
        conformance::damaged_bytes_are_refused,
        "the subject of series 0 of generation 0 of 39 bytes is decoded from 0 of them, but must be refused",
    );
    check_finds(
        Flaw::DecodesMore,
        conformance::damaged_bytes_are_refused,
        "the subject of series 0 of generation 0 of 39 bytes is decoded from 40 of them, but must be refused",
    );
    check_finds(
        Flaw::DecodePanics,
        conformance::damaged_bytes_are_refused,
        "decoding the subject of series ",
    );
}

#[test]
fn counts_that_a_hostile_worker_can_make_overflow() {
    check_finds(
        Flaw::AddsBests,
        conformance::large_counts_are_refused,
        "the tally of a trial of series 0 of generation 0 is decoded from ",
    );
    check_finds(
        Flaw::CountsOneTrial,
        conformance::large_counts_are_refused,
        "the number of trials in the tally of series 0 of generation 0 is 1, but must be ",
    );
}

#[test]
fn measures_that_are_no_numbers_or_have_no_name() {
    check_finds(
        Flaw::NanMeasure,
        conformance::measures_are_numbers,
        "measure \"player-1/best\" of the state before generation 0 is Number(NaN), but must be finite",
    );
    check_finds(
        Flaw::CapitalMeasure,
        conformance::measures_are_numbers,
        "measure \"Best\" of the state before generation 0 is named \"Best\", but must be named like",
    );
    check_finds(
        Flaw::SameMeasures,
        conformance::measures_are_numbers,
        "measure \"rounds\" of the state before generation 0 is there twice, but must be there once",
    );
    check_finds(
        Flaw::WideEstimate,
        conformance::measures_are_numbers,
        "measure \"mean\" of the state before generation 0 is Estimate(",
    );
}

#[test]
fn tables_of_trials_that_name_no_trials() {
    check_finds(
        Flaw::ListsLaterTrial,
        conformance::listed_trials_exist,
        "a row of trials.csv of the state before generation 1 is 1/0/0,first,,, but must be of a \
         trial in the plan of an earlier generation",
    );
    check_finds(
        Flaw::ListsTrialTwice,
        conformance::listed_trials_exist,
        "a row of trials.csv of the state before generation 2 is 0/0/0,first,,, but must be of a \
         trial that has no other row",
    );
    check_finds(
        Flaw::ScattersTrials,
        conformance::listed_trials_exist,
        "a row of trials.csv of the state before generation 2 is 0/1/0,first,,, but must be next \
         to those of the same subject",
    );
}

#[test]
fn exhibits_that_are_no_files() {
    check_finds(
        Flaw::ParentExhibit,
        conformance::exhibits_are_files,
        "exhibit \"../bests.txt\" of the state before generation 0 is named",
    );
    check_finds(
        Flaw::HiddenExhibit,
        conformance::exhibits_are_files,
        "exhibit \".bests.txt\" of the state before generation 0 is named",
    );
    check_finds(
        Flaw::SameExhibits,
        conformance::exhibits_are_files,
        "exhibit \"ROUNDS.txt\" of the state before generation 0 is there twice",
    );
    check_finds(
        Flaw::UntypedExhibit,
        conformance::exhibits_are_files,
        "exhibit \"bests.txt\" of the state before generation 0 is of type \"text\", but must be",
    );
    check_finds(
        Flaw::LostExhibit,
        conformance::exhibits_are_files,
        "exhibit \"page.bin\" of the state before generation 0 is part ",
    );
}

#[test]
fn tables_without_columns() {
    check_finds(
        Flaw::UntypedTable,
        conformance::tables_declare_columns,
        "exhibit \"bests.csv\" of the state before generation 0 is without declared columns, but \
         must be a table with columns",
    );
    check_finds(
        Flaw::MisnamedTable,
        conformance::tables_declare_columns,
        "exhibit \"rounds.txt\" of the state before generation 0 is a table, but must be called \
         like steps.csv",
    );
    check_finds(
        Flaw::OtherTable,
        conformance::tables_declare_columns,
        "exhibit \"trials.csv\" of the state before generation 0 is another text than its columns \
         have, but must be the text of its columns",
    );
}

/// A spec that names an input, and the input.
fn with_input() -> (String, PartSet) {
    let mut inputs = PartSet::default();
    let page = inputs.add(vec![7]);
    (format!("{SPEC}page = {{ blake3 = \"{}\" }}\n", page.hash()), inputs)
}

#[test]
fn inputs_are_parts_that_the_state_names() {
    let (spec, inputs) = with_input();
    conformance::check_with_inputs::<Sound>(&spec, inputs.clone()).unwrap();
    let refused = cause(&conformance::check::<Sound>(&spec).unwrap_err());
    let hash = inputs.names()[0].hash();
    let expected = format!(
        "page is {{ blake3 = \"{hash}\" }}, but must be the hash of an input that is given"
    );
    assert_eq!(refused, expected);
    for (flaw, found) in [
        (Flaw::UnlistedInput, "the input is page = { blake3 = "),
        (Flaw::MisnamedInput, "the input is page = { blake3 = "),
    ] {
        flawed(flaw);
        let recording = Recording::<Sound>::with_inputs(&spec, inputs.clone()).unwrap();
        let violation = conformance::inputs_are_listed(&recording).unwrap_err().to_string();
        assert!(violation.starts_with(found), "{violation}");
    }
    flawed(Flaw::ManyInputs);
    let refused = conformance::check_with_inputs::<Sound>(&spec, inputs).unwrap_err();
    let refused = cause(&refused);
    assert!(refused.ends_with("must be left out: a run has at most 64 inputs"), "{refused}");
}

#[test]
fn replays_that_say_nothing_or_do_not_stop() {
    check_finds(
        Flaw::NoFrames,
        conformance::replays_can_be_stopped,
        "the replay of series 0 of generation 0 is of 0 frames, then Continue(())",
    );
    check_finds(
        Flaw::Unstoppable,
        conformance::replays_can_be_stopped,
        "the replay of series 0 of generation 0 is of 2 frames, then Break(())",
    );
}

#[test]
fn exports_that_are_not_repeatable() {
    check_finds(
        Flaw::ExportRemembers,
        conformance::exports_are_repeatable,
        "called again, the export of the replay of series 0 of generation 0",
    );
}

#[test]
fn replays_that_are_no_scenes() {
    let check = |flaw, expected: &str| {
        let expected = format!("{expected} of the replay of series 0 of generation 0 is ");
        check_finds(flaw, conformance::replays_are_scenes, &expected);
    };
    check(Flaw::NoScene, "the scene");
    check(Flaw::FlatSpace, "the space");
    check(Flaw::SameSymbols, "a symbol");
    check(Flaw::UnseenGlyph, "a glyph");
    check(Flaw::UnknownSymbol, "thing 0 in frame 2");
    check(Flaw::OutsideScene, "thing 0 in frame 2");
    check(Flaw::MisnumberedFrame, "frame 3");
    check(Flaw::NeedlessChange, "a change in frame 3");
}

/// Such a run can't be recorded, so no other check can be made of it.
#[test]
fn runs_without_trials_or_an_end() {
    for (flaw, expected) in [
        (Flaw::Endless, "the run is not done after 3 generations, the most that it announced"),
        (Flaw::NoTrials, "the plan has no trials for subject 0 of 3"),
        (Flaw::NoSeries, "the plan has no trials for subject 0 of 0"),
    ] {
        flawed(flaw);
        assert_eq!(cause(&Recording::<Sound>::new(SPEC).unwrap_err()), expected);
    }
}

/// Names a type whose presets are `$presets`.
macro_rules! shipping {
    ($name:ident: $presets:expr) => {
        struct $name;
        impl Presets for $name {
            const PRESETS: &'static [Preset] = $presets;
        }
    };
}

const SMOKE: Preset = Preset { name: "smoke", text: SPEC };
const QUICK: Preset = Preset { name: "quick", text: SPEC };

shipping!(Usual: &[QUICK, SMOKE]);
shipping!(NoSmoke: &[QUICK]);
shipping!(TheSame: &[SMOKE, SMOKE]);
shipping!(Foreign: &[Preset { text: "experiment = \"pig\"\nseed = 1", ..SMOKE }]);
shipping!(Unexplained: &[Preset { text: "experiment = \"study\"\nseed = 1", ..SMOKE }]);
shipping!(Unparsable: &[Preset { text: "experiment = 7", ..SMOKE }]);

#[test]
fn presets_that_can_not_be_used() {
    fn check_refused<P: Presets>(expected: &str) {
        assert_eq!(cause(&conformance::presets::<Study<P>>().unwrap_err()), expected);
    }
    check_refused::<NoSmoke>("preset smoke is missing, but must be there, and take no time");
    check_refused::<TheSame>(
        "a preset's name is \"smoke\", but must be in kebab-case, and unlike the others",
    );
    check_refused::<Foreign>("the experiment of preset smoke is pig, but must be study");
    check_refused::<Unexplained>("`about` of study/smoke is empty, but must be in words");
    check_refused::<Unparsable>(
        "study/smoke:1:14: experiment is 7, but must be a string\n  |\n1 | experiment = 7\n  |              ^",
    );
}

#[test]
fn tables_that_take_any_key() {
    flawed(Flaw::OpenTable);
    let violation = conformance::presets::<Sound>().unwrap_err().to_string();
    let expected = "the table of parameters at \"\" is open, but must be closed by";
    assert!(violation.starts_with(expected), "{violation}");
}

#[test]
fn signatures_are_lines() {
    let study = erased::<Sound>();
    let line = conformance::signature(study, "smoke").unwrap();
    let digest = line.strip_prefix("study v3 smoke ").unwrap();
    assert!(digest.len() == 64 && digest.chars().all(|c| c.is_ascii_hexdigit()), "{digest}");
    assert_eq!(conformance::signature(study, "smoke").unwrap(), line);
    let unknown = conformance::signature(study, "large").unwrap_err().to_string();
    assert_eq!(unknown, "preset is large, but must be one of quick, smoke");
}
