//! Games that a run keeps one by one.

use hatchery_catan::CatanBalance;
use hatchery_catan::trial::results::GameResults;
use hatchery_core::conformance::{self, Recording};
use hatchery_core::spec::SpecDocument;
use hatchery_core::{erased, reference};

use super::run;

const SMOKE: &str = include_str!("../../../specs/balance-smoke.toml");

/// Screening and looks, on drawn maps.
const PARAMS: &str = "maps = ['rulebook', 'tournament']\n\
                      random = [{ policy = 'free', count = 3 }]\n\
                      games = 12\n\
                      margin = 5\n\
                      method = { kind = 'group-sequential', most_games = 30 }\n\
                      halving = { budget = 120, one_of = 2, keep = 2 }\n";

/// Returns the preset `smoke`. Its agents are of two kinds and take all seats.
fn smoke(keep_trials: bool) -> String {
    SMOKE.replacen("[params]\n", &format!("[params]\nkeep_trials = {keep_trials}\n"), 1)
}

#[test]
fn runs_that_keep_their_trials_conform() {
    conformance::check::<CatanBalance>(&smoke(true)).unwrap();
}

#[test]
fn each_row_is_the_game_that_its_address_replays() {
    let recording = Recording::<CatanBalance>::new(&smoke(true)).unwrap();
    let numbers = |tally: &hatchery_catan::trial::results::GameTally| {
        let outcome = tally.outcomes[0];
        let seat = outcome.winner.map(|seat| f64::from(seat as u8 + 1));
        (seat, Some(outcome.turns.into()))
    };
    let n_rows = conformance::listed_trials_replay(&recording, numbers).unwrap();
    let recording = Recording::<CatanBalance>::new(&smoke(false)).unwrap();
    assert_eq!(conformance::listed_trials_replay(&recording, numbers).unwrap(), 0);
    assert!(100 < n_rows, "{n_rows}");
}

/// Returns the canonical parameters and the digest of a spec.
fn identity(spec: &str) -> (String, String) {
    let document = SpecDocument::parse("test", spec.as_bytes()).unwrap();
    let experiment = erased::<CatanBalance>();
    let procedure = experiment.configure(&document).unwrap();
    let outcome = reference::run(experiment, procedure.as_ref(), 1).unwrap();
    (procedure.canonical_params(), outcome.digest.to_string())
}

#[test]
fn a_run_that_keeps_no_trials_is_the_run_without_the_parameter() {
    let unset = identity(SMOKE);
    assert!(!unset.0.contains("keep_trials"), "{}", unset.0);
    // As `tests/golden/signatures.txt` has it.
    assert!(unset.1.starts_with("9df684a48c39cb5f"), "{}", unset.1);
    assert_eq!(identity(&smoke(false)), unset);
    let kept = identity(&smoke(true));
    assert!(kept.0.contains("\"keep_trials\":true") && kept.1 != unset.1, "{kept:?}");
}

#[test]
fn kept_trials_add_up_to_the_sums() {
    let sums = run(PARAMS);
    let kept = run(&format!("{PARAMS}keep_trials = true\n"));
    assert_eq!(kept.measures, sums.measures);
    assert_eq!(kept.last().candidates, sums.last().candidates);
    assert!(sums.exhibits.iter().all(|exhibit| exhibit.name != "trials.csv"));
    for (idx, candidate) in kept.last().candidates.iter().enumerate() {
        let all = kept.last().trials.iter().flatten().filter(|series| series.candidate == idx);
        let outcomes = all.flat_map(|series| &series.outcomes);
        let mut played = GameResults::default();
        outcomes.for_each(|outcome| played.absorb(&GameResults::from(*outcome)));
        let known = GameResults::together([&candidate.screened, &candidate.judged]);
        assert_eq!(played, known, "{}", candidate.name);
        let name = format!(",{},", candidate.name);
        let rows = kept.exhibit("trials.csv").lines().filter(|row| row.contains(&name)).count();
        assert_eq!(rows as u64, known.games, "{}", candidate.name);
    }
}

/// Before the first game, the table has no rows.
#[test]
fn rows_have_the_seat_that_won_and_the_turns() {
    let output = run("maps = ['rulebook']\ngames = 6\nkeep_trials = true");
    let table = output.exhibit("trials.csv");
    let mut rows = table.lines();
    assert_eq!(rows.next(), Some("trial,subject,score,length"));
    for (row, trial) in rows.zip(0..) {
        let cells: Vec<&str> = row.split(',').collect();
        assert_eq!(cells[..2], [format!("0/0/{trial}").as_str(), "rulebook"], "{table}");
        let (seat, turns): (f64, u32) = (cells[2].parse().unwrap(), cells[3].parse().unwrap());
        assert!([1.0, 2.0, 3.0, 4.0].contains(&seat) && 0 < turns, "{table}");
    }
    assert_eq!(table.lines().count(), 7);
}
