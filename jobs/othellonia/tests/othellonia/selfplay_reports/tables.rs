//! Tables and event files.

use hatchery_core::Experiment;
use hatchery_othellonia::OthelloniaSelfplay;
use hatchery_othellonia::studies::specs::{SelfplaySpec, SelfplayState};

use crate::CheckedSpec as _;
use crate::selfplay_reports::made_up::{PAPER, WIDE, one_period, paper, spec, wide};
use crate::selfplay_reports::shown::text;

#[test]
fn looks_are_a_table() {
    let spec = spec(WIDE);
    let table = text(&spec, &wide(&spec), "learning-curves.csv");
    let expected = "\
arm,seed,training_games,steps,opponent,games,losses,draws,wins,win_rate,low,high
vectors,1,4,8,random,16,8,0,8,0.5000,0.2800,0.7200
vectors,1,4,8,standard,16,16,0,0,0.0000,0.0000,0.1936
vectors,1,10,20,random,16,8,0,8,0.5000,0.2800,0.7200
vectors,1,10,20,standard,16,8,0,8,0.5000,0.2800,0.7200
vectors,1,16,32,random,16,0,0,16,1.0000,0.8064,1.0000
vectors,1,16,32,standard,16,0,0,16,1.0000,0.8064,1.0000
";
    assert_eq!(table, expected);
}

/// The last look has a row for each deck against each, and each opponent.
#[test]
fn matchups_are_a_table() {
    let spec = spec(WIDE);
    let mut state = wide(&spec);
    let look = state.networks[0].looks.last_mut().expect("there are some");
    look.opponents[1].matchups[1] = crate::selfplay_reports::made_up::pairs(1, 2);
    let table = text(&spec, &state, "matchups.csv");
    let rows: Vec<_> = table.lines().collect();
    assert_eq!(rows.len(), 1 + 2 * 4, "{table}");
    let expected = "vectors,1,16,standard,burst,tricky,6,4,0,2,0.3333,0.0968,0.7000";
    assert_eq!(rows[6], expected);
}

/// A last period without games of its own has no win rate.
#[test]
fn periods_are_a_table() {
    let spec = spec(WIDE);
    let table = text(&spec, &wide(&spec), "scalars.csv");
    let expected = "\
arm,seed,period,training_games,steps,loss,win_rate_in_training,replay_ratio,sample_age
vectors,1,1,4,8,3.008850,0.5000,4.0000,2.0000
vectors,1,2,10,20,3.003559,0.5000,4.0000,2.0000
vectors,1,3,16,32,3.002227,,4.0000,2.0000
";
    assert_eq!(table, expected);
}

/// Returns the event file of a made-up state of a spec.
fn event_file(text: &str, state: fn(&SelfplaySpec) -> SelfplayState) -> Vec<u8> {
    let spec = spec(text);
    let exhibits = OthelloniaSelfplay::exhibits(&spec.checked(), &state(&spec));
    let is_file = |name: &str| name == "events.out.tfevents.hatchery";
    let file = exhibits.into_iter().find(|exhibit| is_file(&exhibit.name)).expect("it is there");
    file.content.bytes().expect("no part").to_vec()
}

/// TensorBoard reads the file as the numbers of the tables: see the unit tests for the format.
#[test]
fn event_files_have_all_curves() {
    // A version; of a period 5 numbers.
    assert_eq!(n_records(&event_file(WIDE, one_period)), 1 + 5);
    // Of 3 periods 5 numbers but one, of 3 looks 2.
    assert_eq!(n_records(&event_file(WIDE, wide)), 1 + 14 + 6);
    // Of 7 periods 5, of 7 looks 4.
    assert_eq!(n_records(&event_file(PAPER, paper)), 1 + 35 + 28);
    let tag = b"deck_one_hot/seed-2/win_rate_against_rule_0_5";
    assert!(event_file(PAPER, paper).windows(tag.len()).any(|bytes| bytes == tag));
}

/// Returns the number of records of a file, whose lengths lead from one to the next.
fn n_records(mut file: &[u8]) -> usize {
    let mut n = 0;
    while let Some((length, rest)) = file.split_first_chunk::<8>() {
        let length = usize::try_from(u64::from_le_bytes(*length)).expect("it is small");
        file = &rest[4 + length + 4..];
        n += 1;
    }
    assert!(file.is_empty());
    n
}
