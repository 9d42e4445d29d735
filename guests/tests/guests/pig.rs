//! Pig as a module, and the same rules in Rust.

use hatchery_core::{GameFailure, StreamRng};

use crate::common::{game_text, module_with, streams, trials_of};

const ABOUT: &str = r#"{"abi":1,"name":"pig","version":1,
    "measures":[{"name":"turns","unit":"turns","goal":"least"}],
    "subject":{"kind":"real","length":1,"low":1,"high":100}}"#;

pub(crate) fn pig() -> Vec<u8> {
    wat::parse_str(game_text(ABOUT, include_str!("pig.wat"))).expect("the text is right")
}

/// Plays to 100 points, and holds at `hold_at`.
fn turns(hold_at: f32, mut stream: StreamRng) -> i64 {
    let hold_at = f64::from(hold_at.max(1.0)).floor();
    let (mut sum, mut turns) = (0, 0);
    while sum < 100 {
        turns += 1;
        let mut points = 0_u32;
        while f64::from(points) < hold_at {
            match u32::try_from(stream.next_u64() % 6 + 1).expect("a die") {
                1 => {
                    points = 0;
                    break;
                }
                pips => points += pips,
            }
        }
        sum += points;
    }
    turns
}

#[test]
fn a_native_twin_plays_the_same_turns() {
    let module = module_with(pig(), Vec::new());
    for hold_at in [1.0_f32, 19.5, 20.0, 100.0] {
        let trials = trials_of(&module, &hold_at.to_le_bytes(), 50).unwrap();
        let native: Vec<_> = streams(50).map(|stream| vec![(0, turns(hold_at, stream))]).collect();
        assert_eq!(trials, native);
    }
}

#[test]
fn a_subject_of_another_form_is_refused() {
    let module = module_with(pig(), Vec::new());
    let check = |subject: &[u8], expected: &str| {
        let failure = trials_of(&module, subject, 1).unwrap_err();
        let GameFailure::Subject(error) = failure else { panic!("{failure}") };
        assert_eq!(error.to_string(), expected);
    };
    check(&[0; 3], "the length of the subject in bytes is 3, but must be from 4 to 4");
    let nan = f32::NAN.to_le_bytes();
    check(&nan, "number 0 of the subject is NaN, but must be from 1 to 100");
}
