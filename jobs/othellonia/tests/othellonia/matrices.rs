//! Matrices of made-up results: which match-ups are played on, what the table and the report say,
//! and decks that beat each other in a circle.

use hatchery_core::{Experiment, Simulation, Step, TrialContext};
use hatchery_othellonia::params::deck_param::DeckParam;
use hatchery_othellonia::studies::specs::{MatrixSpec, MatrixState, MirrorMatches};
use hatchery_othellonia::trial::setup::MatchSetup;
use hatchery_othellonia::{OthelloniaGames, OthelloniaMatrix};
use hatchery_stats::PairResult;

use super::synthetic::{
    begin, exhibit, games, listed, look, measure, seed, spec, state_of, tenths,
};
use crate::CheckedSpec as _;

/// Decks of 16 of 24 pieces that have some pieces in common.
fn three_decks() -> Vec<DeckParam> {
    vec![listed("a", 1..17), listed("b", 3..19), listed("c", 5..21)]
}

/// Returns the numbers of the decks of the match-ups that the next look is at.
fn planned(spec: &MatrixSpec, state: &MatrixState) -> Vec<[u16; 2]> {
    let plan = OthelloniaMatrix::plan(&spec.checked(), state);
    plan.series.iter().map(|series| games(&series.subject).decks).collect()
}

/// Each deck beats the next one with 70 %.
fn circle(setup: &MatchSetup) -> u32 {
    match setup.decks {
        [0, 1] | [1, 2] => 7,
        [0, 2] => 3,
        _ => 5,
    }
}

fn circle_state(spec: &MatrixSpec) -> MatrixState {
    let pairs = spec.pairs;
    state_of(look(spec, begin(spec), |setup| tenths(circle(setup), pairs)))
}

#[test]
fn settled_match_ups_and_mirrors_are_not_played_again() {
    let spec = spec(three_decks(), 50, 3);
    let state = begin(&spec);
    assert_eq!(planned(&spec, &state), [[0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 2]]);
    // 80 % of 50 pairs are above one half.
    let won = |setup: &MatchSetup| if setup.decks == [0, 1] { 8 } else { 5 };
    let Step::Continue(state) = look(&spec, state, |setup| tenths(won(setup), 50)) else {
        panic!("two match-ups are open");
    };
    assert_eq!(planned(&spec, &state), [[0, 2], [1, 2]]);
    let won = |setup: &MatchSetup| if setup.decks == [1, 2] { 1 } else { 5 };
    let Step::Continue(state) = look(&spec, state, |setup| tenths(won(setup), 50)) else {
        panic!("a match-up is open");
    };
    assert_eq!(planned(&spec, &state), [[0, 2]]);
    let Step::Done(state) = look(&spec, state, |_| tenths(5, 50)) else {
        panic!("the last look has been");
    };
    let pairs: Vec<_> = state.matchups.iter().map(|matchup| matchup.counts.pairs()).collect();
    assert_eq!(pairs, [50, 50, 150, 50, 100, 50]);
    let settled: Vec<_> = state.matchups.iter().map(|matchup| matchup.is_settled).collect();
    assert_eq!(settled, [true, true, false, true, true, true]);
    assert_eq!(measure(&spec, &state, "games"), Some(900.0));
    assert_eq!(measure(&spec, &state, "b/c/score"), Some(0.3));
}

#[test]
fn runs_end_when_all_match_ups_are_settled() {
    let mut spec = spec(three_decks(), 50, 3);
    spec.mirrors = MirrorMatches::LeftOut;
    let state = begin(&spec);
    assert_eq!(planned(&spec, &state), [[0, 1], [0, 2], [1, 2]]);
    let step = look(&spec, state, |_| tenths(9, 50));
    assert!(matches!(step, Step::Done(MatrixState { looks: 1, .. })), "{step:?}");
}

/// With one look, no match-up is played on.
#[test]
fn one_look_is_the_end() {
    let spec = spec(three_decks(), 10, 1);
    assert!(matches!(look(&spec, begin(&spec), |_| tenths(5, 10)), Step::Done(_)));
}

/// Splits a table into its header and its rows; all have the same number of cells.
pub(crate) fn table(csv: &str) -> (Vec<&str>, Vec<Vec<&str>>) {
    let mut rows = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = rows.next().expect("a header");
    let rows: Vec<_> = rows.collect();
    for row in &rows {
        assert_eq!(row.len(), header.len(), "{row:?}");
    }
    assert!(csv.ends_with('\n') && !csv.contains('"'), "{csv}");
    (header, rows)
}

#[test]
fn rows_of_both_directions_add_up() {
    let spec = spec(three_decks(), 50, 2);
    let state = circle_state(&spec);
    let csv = exhibit(&spec, &state, "matrix.csv");
    let (header, rows) = table(&csv);
    let at = |name: &str| header.iter().position(|it| *it == name).expect(name);
    let number = |row: &[&str], name: &str| row[at(name)].parse::<f64>().expect(name);
    assert_eq!(rows.len(), 9, "each ordered pair of three decks");
    for row in &rows {
        let [first, second] = [row[at("first")], row[at("second")]];
        let other = rows.iter().find(|it| [it[at("second")], it[at("first")]] == [first, second]);
        let other = other.expect("the same match-up as the other deck sees it");
        let sum = |name: &str, of_other: &str| number(row, name) + number(other, of_other);
        let is_close = |found: f64, expected: f64| (found - expected).abs() < 1e-9;
        if first != second {
            assert!(is_close(sum("score", "score"), 1.0), "{csv}");
            assert!(is_close(sum("score_low", "score_high"), 1.0), "{csv}");
            assert_eq!(
                [row[at("losses")], row[at("wins")]],
                [other[at("wins")], other[at("losses")]]
            );
        }
        for same in ["pairs", "draws", "first_player_score", "placements", "settled", "trial"] {
            assert_eq!(row[at(same)], other[at(same)], "{same}");
        }
        let count = |names: &[&str]| names.iter().map(|name| number(row, name)).sum::<f64>();
        let games = 2.0 * number(row, "pairs");
        assert!(is_close(count(&["losses", "draws", "wins"]), games), "{csv}");
        assert!(
            is_close(count(&["hp_zero", "one_color", "deck_used_up", "no_moves"]), games),
            "{csv}"
        );
        if first == second {
            assert_eq!([row[at("score")], row[at("score_low")], row[at("score_high")]], [""; 3]);
            continue;
        }
        let score = (number(row, "wins") + number(row, "draws") / 2.0) / games;
        assert!(is_close(number(row, "score"), score), "{csv}");
        assert!(number(row, "score_low") <= score && score <= number(row, "score_high"), "{csv}");
    }
}

#[test]
fn circles_have_even_shares_and_no_dominant_pieces() {
    let spec = spec(three_decks(), 200, 1);
    let state = circle_state(&spec);
    assert_eq!(measure(&spec, &state, "dominant_pieces"), None);
    let report = exhibit(&spec, &state, "report.md");
    for deck in ["a", "b", "c"] {
        assert!(share(&report, deck).starts_with("33.3 % ("), "{report}");
    }
    let reason = "3 decks with 8 different pieces, where a regression needs 5 decks more than \
                  pieces: decks that share pieces, such as those that are drawn at random";
    for part in [
        &format!(" Dominant pieces were not tested: {reason}.\n"),
        &format!("## Dominant pieces\n\nNot tested: {reason}.\n"),
        "Decks played in most samples of the equilibrium, with their shares: a 33 % (",
        "**3 of 3 match-ups** are shown to be uneven. Most of all, ",
        "Match-ups shown to be uneven: 3 of 3, where about 0.2 would be by chance",
    ] {
        assert!(report.contains(part), "{part:?} is not in {report}");
    }
}

/// A deck that beats all others is played alone.
#[test]
fn the_best_deck_has_the_whole_share() {
    let spec = spec(three_decks(), 50, 1);
    let won = |setup: &MatchSetup| match setup.decks {
        [0, 1] => 2,
        [1, 2] => 10,
        _ => 5,
    };
    let state = state_of(look(&spec, begin(&spec), |setup| tenths(won(setup), 50)));
    let report = exhibit(&spec, &state, "report.md");
    assert!(share(&report, "b").starts_with("100.0 % ("), "{report}");
    assert!(report.contains("\n2 more decks are played in no sample.\n"), "{report}");
}

/// Returns the share of a deck in the report's table of the equilibrium.
fn share<'a>(report: &'a str, deck: &str) -> &'a str {
    let table = report.split("\n## Equilibrium\n").nth(1).expect("a section");
    let row = table.lines().find(|line| line.starts_with(&format!("| {deck} | ")));
    row.expect("a row").split(" | ").nth(1).expect("a cell")
}

/// The deck that places first wins always, or each game is a draw: both are even.
#[test]
fn the_advantage_of_the_first_player_is_apart_from_scores() {
    let spec = spec(three_decks(), 20, 1);
    for (half_points, first, games) in [
        ([2, 0], "1.0000", ["20", "0", "20"]),
        ([0, 2], "0.0000", ["20", "0", "20"]),
        ([1, 1], "0.5000", ["0", "40", "0"]),
    ] {
        let pair = PairResult::new(half_points[0], half_points[1]).expect("2 are a win");
        let state = state_of(look(&spec, begin(&spec), |_| vec![pair; 20]));
        let csv = exhibit(&spec, &state, "matrix.csv");
        let (header, rows) = table(&csv);
        let at = |name: &str| header.iter().position(|it| *it == name).expect(name);
        for row in rows {
            let score = if row[at("first")] == row[at("second")] { "" } else { "0.5000" };
            assert_eq!((row[at("score")], row[at("first_player_score")]), (score, first));
            assert_eq!(["losses", "draws", "wins"].map(|name| row[at(name)]), games);
        }
        let measured = measure(&spec, &state, "first_player/score");
        assert_eq!(measured, first.parse().ok());
    }
}

#[test]
fn decks_of_the_same_pieces_say_so() {
    let decks = [listed("a", 1..17), listed("b", (1..17).rev())];
    let spec = spec(decks.to_vec(), 20, 1);
    let report = exhibit(&spec, &circle_state(&spec), "report.md");
    let reason = " Dominant pieces were not tested: all decks have the same pieces.\n";
    assert!(report.contains(reason), "{report}");
}

#[test]
fn reports_have_their_sections() {
    let spec = spec(three_decks(), 20, 2);
    let report = exhibit(&spec, &begin(&spec), "report.md");
    assert!(report.contains("\n\nNo game has been played yet.\n\n"), "{report}");
    let report = exhibit(&spec, &circle_state(&spec), "report.md");
    let sections: Vec<_> = report.lines().filter(|line| line.starts_with('#')).collect();
    assert_eq!(
        sections,
        [
            "# Which of 3 decks beats which, played by the agent random",
            "## Deck against deck",
            "## Match-ups",
            "## Equilibrium",
            "## Dominant pieces",
            "## Games",
            "## Decks",
            "## What was done",
        ]
    );
    for line in report.lines() {
        assert!(!line.contains("NaN") && !line.contains("inf "), "{line}");
    }
    check_tables(&report);
}

/// Checks that each row of a Markdown table has as many cells as the rows above.
pub(crate) fn check_tables(report: &str) {
    let mut above: Option<usize> = None;
    for line in report.lines() {
        let cells = line.starts_with('|').then(|| line.matches('|').count());
        if let (Some(above), Some(cells)) = (above, cells) {
            assert_eq!(cells, above, "{line}");
        }
        above = cells;
    }
}

/// One pair a look, a thousand looks and an error rate of a millionth: intervals are as wide as
/// they can be, and still numbers.
#[test]
fn few_games_and_strict_rates_show_numbers() {
    let mut spec = spec(three_decks(), 1, 1_000);
    spec.error_rate = 1e-6;
    let mut state = begin(&spec);
    for half_points in [[2, 2], [0, 1], [2, 2], [2, 0]] {
        let pair = PairResult::new(half_points[0], half_points[1]).expect("2 are a win");
        state = state_of(look(&spec, state, |_| vec![pair]));
        let measures = OthelloniaMatrix::measures(&spec.checked(), &state);
        assert!(measures.iter().all(|measure| measure.value.is_finite()), "{measures:?}");
        let csv = exhibit(&spec, &state, "matrix.csv");
        let (header, rows) = table(&csv);
        for row in rows {
            // A deck against itself has no score.
            let cells = header.iter().zip(row).filter(|(_, cell)| !cell.is_empty());
            for (name, cell) in cells.filter(|(name, _)| name.contains("score")) {
                let score: f64 = cell.parse().expect(name);
                assert!((0.0..=1.0).contains(&score), "{name} {score}");
            }
        }
        let report = exhibit(&spec, &state, "report.md");
        assert!(!report.contains("NaN") && !report.contains("inf "), "{report}");
        check_tables(&report);
    }
}

/// Returns the trials `0/SUBJECT/TRIAL` that a text names after `before`.
fn trials<'a>(text: &'a str, before: &str, after: char) -> Vec<[u32; 3]> {
    // Other cells are code as well.
    let names = text.split(before).skip(1).filter_map(|rest| rest.split(after).next());
    let names = names.filter(|name| name.contains('/'));
    let numbers = |name: &'a str| {
        let numbers: Vec<u32> = name.split('/').map(|it| it.parse().expect(name)).collect();
        numbers.try_into().expect("three numbers")
    };
    names.map(numbers).collect()
}

/// All match-ups are played in generation 0, so that each has a trial 0 there.
#[test]
fn replays_that_reports_name_exist() {
    let spec = spec(three_decks(), 20, 4);
    let plan = OthelloniaMatrix::plan(&spec.checked(), &begin(&spec));
    let mut state = circle_state(&spec);
    state = state_of(look(&spec, state, |setup| tenths(circle(setup), 20)));
    let report = exhibit(&spec, &state, "report.md");
    let csv = exhibit(&spec, &state, "matrix.csv");
    let names = ["a", "b", "c"];
    for [generation, subject, trial] in trials(&report, "| `", '`') {
        assert!(generation == 0 && trial < plan.series[subject as usize].n_trials);
    }
    let section = report.split("\n## Match-ups\n").nth(1).and_then(|it| it.split("\n## ").next());
    let named = trials(section.expect("a section"), "| `", '`');
    assert_eq!(named.len(), plan.series.len());
    for [generation, subject, trial] in named {
        let series = &plan.series[subject as usize];
        assert!(generation == 0 && trial < series.n_trials);
        let [a, b] = games(&series.subject).decks.map(|deck| names[usize::from(deck)]);
        let (row, replay) = (format!("\n| {a} | {b} | "), format!("| `0/{subject}/0` |"));
        let line = report.split(&row).nth(1).and_then(|rest| rest.lines().next());
        assert!(line.is_some_and(|line| line.ends_with(&replay)), "{report}");
        assert!(csv.contains(&format!("\n{a},{b},")), "{csv}");
    }
    let (_, rows) = table(&csv);
    for row in rows {
        let [generation, subject, trial] =
            trials(&format!(" {}\n", row[row.len() - 1]), " ", '\n')[0];
        let series = &plan.series[subject as usize];
        let [a, b] = games(&series.subject).decks.map(|deck| names[usize::from(deck)]);
        assert!(generation == 0 && trial < series.n_trials);
        assert!([[a, b], [b, a]].contains(&[row[0], row[1]]), "{row:?}");
    }
    // The shuffles of a match-up are its own, as its number says.
    assert_ne!(
        seed().trial(plan.draws, 0, 0).next_u64(),
        seed().trial(plan.draws, 1, 0).next_u64()
    );
}

/// The first pairs in results are the first pairs of their series, however the series is cut.
#[test]
fn first_pairs_are_the_first_ones() {
    let spec = spec(three_decks(), 20, 1);
    let plan = OthelloniaMatrix::plan(&spec.checked(), &begin(&spec));
    let setup = &plan.series[1].subject;
    let streams = || (0..20).map(|trial| seed().trial(plan.draws, 1, trial));
    let trial = |rng| OthelloniaGames::trial(&plan.shared, setup, rng, &TrialContext::ALONE);
    let (shared, context) = (&plan.shared, &TrialContext::ALONE);
    let all = OthelloniaGames::trials_of(shared, setup, &mut streams(), context).games;
    for (cause, first) in all.first_pairs.causes.iter().enumerate() {
        let has = |rng| trial(rng).games.sums.causes[cause] != 0;
        let expected = streams().position(has).map(|at| u32::try_from(at).expect("20 pairs"));
        assert_eq!(*first, expected, "{cause}");
    }
    assert!(all.first_pairs.causes.iter().any(Option::is_some));
}
