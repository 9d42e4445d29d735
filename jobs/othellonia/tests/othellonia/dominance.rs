//! The test for dominant pieces: a planted one is named, and noise is not.

use hatchery_core::{Experiment, FastRng, RunSeed};
use hatchery_othellonia::OthelloniaMatrix;
use hatchery_othellonia::params::deck_param::RandomDecksParam;
use hatchery_othellonia::rules::GameDeck;
use hatchery_othellonia::studies::specs::{MatrixSpec, MatrixState, MirrorMatches};

use super::matrices::{check_tables, table};
use super::synthetic::{begin, exhibit, listed, look, measure, random_pairs, spec, state_of};
use crate::CheckedSpec as _;

/// The number of pairs of games per match-up.
const PAIRS: u32 = 12;

/// The planted piece: the last one.
const PLANTED: u32 = 24;

fn rng(label: &str, number: u64) -> FastRng {
    let seed = RunSeed::new("dominance tests", number).generation(0);
    FastRng::seeded_by(&mut seed.stream(label))
}

/// Returns a spec of 48 random decks of 24 pieces.
fn random_decks() -> MatrixSpec {
    let mut spec = spec(Vec::new(), PAIRS, 1);
    spec.mirrors = MirrorMatches::LeftOut;
    let pieces = (1..=PLANTED).collect();
    spec.random_decks = Some(RandomDecksParam { count: 48, pieces, seed: 1 });
    spec
}

/// Returns the state after a look. In it, a deck scores one half, plus the sum of its pieces'
/// worths, minus the sum for the enemy's pieces.
fn played(spec: &MatrixSpec, worth: impl Fn(u32) -> f64, rng: &mut FastRng) -> MatrixState {
    let sum = |pieces: &[u32]| pieces.iter().map(|piece| worth(*piece)).sum();
    played_decks(spec, sum, rng)
}

/// Returns the state after a look. In it, a deck scores one half, plus its worth, minus the enemy's
/// worth.
fn played_decks(
    spec: &MatrixSpec,
    worth: impl Fn(&[u32]) -> f64,
    rng: &mut FastRng,
) -> MatrixState {
    let of = |deck: &GameDeck| {
        let pieces: Vec<u32> = deck.pieces().iter().map(|piece| piece.id.0.into()).collect();
        worth(&pieces)
    };
    let state = begin(spec);
    let decks = OthelloniaMatrix::plan(&spec.checked(), &state).shared;
    state_of(look(spec, state, |setup| {
        let [a, b] = decks.pair(setup.decks).map(of);
        random_pairs((0.5 + a - b).clamp(0.0, 1.0), spec.pairs, rng)
    }))
}

/// Other pieces are worth up to 3 points more or less, below the margin of 5.
#[test]
fn a_planted_piece_is_named_and_no_other() {
    let mut spec = random_decks();
    let mut pieces = spec.pieces.to_vec();
    pieces[PLANTED as usize - 1].name = "planted".to_owned();
    spec.pieces = pieces.into();
    let mut rng = rng("planted", 1);
    let others: Vec<f64> = (0..PLANTED).map(|_| 0.06 * rng.unit_f64() - 0.03).collect();
    let worth = |piece: u32| if piece == PLANTED { 0.2 } else { others[piece as usize] };
    let state = played(&spec, worth, &mut rng);
    assert_eq!(measure(&spec, &state, "dominant_pieces"), Some(1.0));
    let report = exhibit(&spec, &state, "report.md");
    assert!(report.contains(" One piece is dominant: **planted (24)**.\n"), "{report}");
    assert_eq!(report.matches("**yes**").count(), 1, "{report}");
    // Worths are those in place of an average other piece, within the noise.
    let mean = others[1..].iter().sum::<f64>() / 23.0;
    let row = report.lines().find(|line| line.starts_with("| planted (24) | ")).expect("a row");
    let cell =
        |at: usize| row.split(" | ").nth(at).expect("a cell").parse::<f64>().expect("a number");
    let (found, error) = (cell(4), cell(5));
    assert!((found - 100.0 * (0.2 - mean)).abs() < 3.0 && error < 2.0, "{row}");
    check_tables(&report);
    // 48 x 47 / 2 match-ups, of which the report shows 60.
    assert!(report.contains("\n1,068 more are in `matrix.csv`.\n"), "{report}");
    let csv = exhibit(&spec, &state, "matrix.csv");
    let (_, rows) = table(&csv);
    assert_eq!(rows.len(), 48 * 47);
}

/// Without any worth, and a margin of 0, every named piece is a false alarm. The test names some
/// pieces in at most 5 % of all runs (the false discovery rate is then the rate of runs with
/// alarms). In 200 runs, 10 runs with alarms are expected; more than 22 come in 1 of 5,000 such
/// tests (binomial). The seeds are fixed, so that this test passes always or never.
#[test]
fn noise_raises_alarms_no_more_often_than_stated() {
    let mut spec = random_decks();
    let mut alarms = [0, 0];
    for number in 0..200 {
        let state = played(&spec, |_| 0.0, &mut rng("noise", number));
        for (n, margin) in alarms.iter_mut().zip([0.0, 0.05]) {
            spec.dominance_margin = margin;
            let n_dominant = measure(&spec, &state, "dominant_pieces").expect("it is tested");
            *n += u32::from(0.0 < n_dominant);
        }
    }
    let [without, with_margin] = alarms;
    assert!(without <= 22, "{without} of 200 runs");
    // A worth of 5 points is some ten standard errors away.
    assert_eq!(with_margin, 0);
}

/// Four pieces cost twice as much, and are worth 15 points more: so they should. Among them, a
/// single piece is worth 20 points beyond that.
#[test]
fn expensive_pieces_are_compared_with_each_other() {
    let mut spec = random_decks();
    spec.cost_cap = 16_000;
    let mut pieces = spec.pieces.to_vec();
    (20..24).for_each(|at: usize| pieces[at].cost = 20);
    spec.pieces = pieces.into();
    let by_cost = |piece: u32| if piece <= 20 { 0.0 } else { 0.15 };
    let state = played(&spec, by_cost, &mut rng("costs", 1));
    assert_eq!(measure(&spec, &state, "dominant_pieces"), Some(0.0));
    let with_one = |piece: u32| by_cost(piece) + if piece == 22 { 0.2 } else { 0.0 };
    let state = played(&spec, with_one, &mut rng("costs", 2));
    let report = exhibit(&spec, &state, "report.md");
    assert!(report.contains(" One piece is dominant: **own-22 (22)**.\n"), "{report}");
}

/// Returns a spec of random decks of pieces that cost 5 or 10 in turn, but for the last one, which
/// costs 20.
fn one_expensive_piece(n_decks: u32) -> MatrixSpec {
    let mut spec = random_decks();
    spec.random_decks = spec.random_decks.map(|it| RandomDecksParam { count: n_decks, ..it });
    spec.cost_cap = 16_000;
    let mut pieces = spec.pieces.to_vec();
    (0..23).for_each(|at: usize| pieces[at].cost = if at.is_multiple_of(2) { 5 } else { 10 });
    pieces[PLANTED as usize - 1].cost = 20;
    spec.pieces = pieces.into();
    spec
}

/// A piece is worth a point for each cost, and up to 3 more or less: the one of cost 20 is worth 13
/// more than the mean of the others, as it should. Comparing it with these named it.
#[test]
fn a_lone_expensive_piece_is_compared_with_the_line_of_costs() {
    let spec = one_expensive_piece(48);
    let costs: Vec<f64> = spec.pieces.iter().map(|piece| piece.cost.into()).collect();
    let mut alarms = 0;
    for number in 0..20 {
        let mut rng = rng("lone", number);
        let own: Vec<f64> = (0..PLANTED).map(|_| 0.06 * rng.unit_f64() - 0.03).collect();
        let worth = |piece: u32| 0.01 * costs[piece as usize - 1] + own[piece as usize - 1];
        let state = played(&spec, worth, &mut rng);
        alarms += u32::from(measure(&spec, &state, "dominant_pieces") != Some(0.0));
    }
    // A line through costs of 5 and 10 says little at 20; a worth of 40 points is off it.
    assert_eq!(alarms, 0);
    let worth = |piece: u32| if piece == PLANTED { 0.6 } else { 0.01 * costs[piece as usize - 1] };
    let state = played(&spec, worth, &mut rng("lone", 20));
    let report = exhibit(&spec, &state, "report.md");
    assert!(report.contains(" One piece is dominant: **own-24 (24)**.\n"), "{report}");
    let row = report.lines().find(|line| line.starts_with("| own-24 (24) | "));
    assert!(row.is_some_and(|row| row.contains(" | 20 | 0 | ")), "{row:?}");
}

/// All others cost the same, so that nothing says what the one of cost 20 should be worth.
#[test]
fn the_only_piece_of_another_cost_is_not_tested() {
    let mut spec = random_decks();
    let mut pieces = spec.pieces.to_vec();
    pieces[PLANTED as usize - 1].cost = 20;
    (spec.pieces, spec.cost_cap) = (pieces.into(), 16_000);
    let worth = |piece: u32| if piece == PLANTED { 0.3 } else { 0.0 };
    let state = played(&spec, worth, &mut rng("alone", 1));
    let report = exhibit(&spec, &state, "report.md");
    let reason = "\nNot tested, because it alone has its cost and all others have the same: own-24 \
                  (24).\n";
    assert!(report.contains(reason) && !report.contains("| own-24 (24) |"), "{report}");
    assert_eq!(measure(&spec, &state, "dominant_pieces"), Some(0.0));
}

/// 80 runs of 34 decks with a piece worth 15 points: it is named as often as they say on average,
/// but for three standard deviations. A report of such a run says that it is too small, and 60
/// decks are not.
#[test]
fn power_is_that_of_runs() {
    /// The power below which a run is too small.
    const WANTED: f64 = 0.8;
    let sized = |count| {
        let mut spec = MatrixSpec { pairs: 2, ..random_decks() };
        spec.random_decks = spec.random_decks.map(|it| RandomDecksParam { count, ..it });
        spec
    };
    let worth = |piece: u32| if piece == PLANTED { 0.15 } else { 0.0 };
    let run = |spec: &MatrixSpec, number| {
        let state = played(spec, worth, &mut rng("power", number));
        let found = |name: &str| measure(spec, &state, name).expect("it is tested");
        ([found("dominant_pieces"), found("dominance_power")], state)
    };
    let (small, large) = (sized(34), sized(60));
    let (mut n_named, mut expected, mut variance) = (0.0, 0.0, 0.0);
    let mut too_small = None;
    for number in 0..80 {
        let ([n, power], state) = run(&small, number);
        too_small = too_small.or_else(|| (power < WANTED).then_some(state));
        n_named += n.min(1.0);
        expected += power;
        variance += power * (1.0 - power);
    }
    assert!((0.3..0.8).contains(&(expected / 80.0)), "{expected} of 80");
    assert!((n_named - expected).abs() < 3.0 * variance.sqrt(), "{n_named} of {expected}");
    let words = " **The run is too small** to find a piece worth +15.0 points in 80 of 100: ";
    let text = exhibit(&small, &too_small.expect("some are"), "report.md");
    assert!(text.contains(words) && text.contains(" decks of these pieces would do"), "{text}");
    let ([_, power], state) = run(&large, 80);
    let text = exhibit(&large, &state, "report.md");
    assert!(WANTED < power && !text.contains(words), "{text}");
    assert!(text.contains("`othellonia-impact`"), "{text}");
}

/// Two pieces are worth 20 points together, and nothing alone. Some two thirds of the decks with
/// either piece have the other piece too, so that each piece is worth some 13 points on average.
#[test]
fn pieces_that_are_strong_together_are_both_named() {
    let spec = random_decks();
    let both = |pieces: &[u32]| if [3, 7].iter().all(|it| pieces.contains(it)) { 0.2 } else { 0.0 };
    let state = played_decks(&spec, both, &mut rng("together", 2));
    let report = exhibit(&spec, &state, "report.md");
    let orders = ["own-3 (3) and own-7 (7)", "own-7 (7) and own-3 (3)"];
    let orders = orders.map(|names| format!(" 2 pieces are dominant: **{names}**.\n"));
    assert!(orders.iter().any(|it| report.contains(it)), "{report}");
}

/// Of 24 pieces, the first two are in the same decks.
#[test]
fn pieces_that_always_come_together_are_not_tested() {
    let mut rng = rng("together", 1);
    let mut deck = || loop {
        let mut pieces: Vec<u32> = (1..=24).collect();
        for place in 0..16_u32 {
            pieces.swap(place as usize, (place + rng.below(24 - place)) as usize);
        }
        pieces.truncate(16);
        if pieces.contains(&1) == pieces.contains(&2) {
            return pieces;
        }
    };
    let decks = (0..40).map(|number| listed(&format!("d{number}"), deck())).collect();
    let spec = MatrixSpec { decks, random_decks: None, ..random_decks() };
    let state = played(&spec, |_| 0.0, &mut self::rng("noise", 1));
    let report = exhibit(&spec, &state, "report.md");
    let reason = " Dominant pieces were not tested: some pieces are always in the same decks, so \
                  that their worths cannot be told apart.\n";
    assert!(report.contains(reason), "{report}");
    assert_eq!(measure(&spec, &state, "dominant_pieces"), None);
}

/// 48 decks in three groups of equal size, each with a piece that three in four of its decks have
/// beside 15 of 21 others; without some that lack it, it could not be told apart. The groups beat
/// each other 70 to 30 in a circle: counter-decks are no fault of balance, and no piece is named.
#[test]
fn circles_of_groups_raise_no_alarm() {
    let mut rng = rng("circle", 1);
    let decks = (0..48_u32).map(|number| {
        let mut pieces: Vec<u32> = (1..=21).collect();
        for place in 0..16_u32 {
            pieces.swap(place as usize, (place + rng.below(21 - place)) as usize);
        }
        pieces.truncate(16);
        if number % 4 != 0 {
            pieces[15] = 22 + number % 3;
        }
        listed(&format!("d{number}"), pieces)
    });
    let mut spec = spec(decks.collect(), PAIRS, 1);
    spec.mirrors = MirrorMatches::LeftOut;
    let state = state_of(look(&spec, begin(&spec), |setup| {
        let [a, b] = setup.decks.map(|number| number % 3);
        let score = match (3 + b - a) % 3 {
            0 => 0.5,
            1 => 0.7,
            _ => 0.3,
        };
        random_pairs(score, PAIRS, &mut rng)
    }));
    assert_eq!(measure(&spec, &state, "dominant_pieces"), Some(0.0));
    let report = exhibit(&spec, &state, "report.md");
    assert!(report.contains(" No piece is shown to be dominant.\n"), "{report}");
}
