use proptest::prelude::*;

use super::*;

/// Makes the game of the payoffs above the diagonal, row by row.
fn game(upper: &[&[f64]]) -> ZeroSumGame {
    let n = upper.len() + 1;
    let mut payoffs = vec![vec![0.0; n]; n];
    for (row, values) in upper.iter().enumerate() {
        for (column, value) in (row + 1..).zip(*values) {
            (payoffs[row][column], payoffs[column][row]) = (*value, -value);
        }
    }
    ZeroSumGame::new(&payoffs).unwrap()
}

fn check(upper: &[&[f64]], expected: &[f64]) {
    let found = game(upper).solve().unwrap();
    let equal = found.weights.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12);
    assert!(equal && found.weights.len() == expected.len(), "{found:?} instead of {expected:?}");
    assert!((0.0..1e-11).contains(&found.gap), "{found:?}");
}

#[test]
fn rock_paper_scissors() {
    check(&[&[-1.0, 1.0], &[-1.0]], &[1.0 / 3.0; 3]);
    // The payoffs between two others, over the sum: 2 between paper and scissors for rock.
    check(&[&[-3.0, 4.0], &[-2.0]], &[2.0 / 9.0, 4.0 / 9.0, 3.0 / 9.0]);
    check(&[&[-3e-200, 4e-200], &[-2e-200]], &[2.0 / 9.0, 4.0 / 9.0, 3.0 / 9.0]);
}

#[test]
fn a_strategy_that_beats_all_others_is_played_alone() {
    check(&[&[-0.1, 0.5], &[0.02]], &[0.0, 1.0, 0.0]);
    check(&[], &[1.0]);
}

#[test]
fn of_several_equilibria_the_most_even_one_is_found() {
    check(&[&[0.0; 3], &[0.0; 2], &[0.0]], &[0.25; 4]);
    // Rock twice.
    check(
        &[&[-1.0, 1.0, 0.0], &[-1.0, 1.0], &[-1.0]],
        &[1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0],
    );
    // Each beats the next of a circle: any (p, q, p, q).
    check(&[&[1.0, 0.0, -1.0], &[1.0, 0.0], &[1.0]], &[0.25; 4]);
    // (p, 1 - p, 0) for all p from 2/3 on, where the third wins 2 from the second and loses 1 to
    // the first; and from 1/3 on, where the two payoffs change places.
    check(&[&[0.0, 1.0], &[-2.0]], &[2.0 / 3.0, 1.0 / 3.0, 0.0]);
    check(&[&[0.0, 2.0], &[-1.0]], &[0.5, 0.5, 0.0]);
}

/// A game of eight strategies; the equilibrium comes from scipy.optimize.linprog (HiGHS), in
/// fractions, and is the only equilibrium: least and largest probabilities are equal.
#[test]
fn the_equilibrium_of_win_rates_is_that_of_a_linear_program() {
    check(
        &[
            &[0.18, -0.3, 0.2, -0.02, 0.0, 0.08, -0.14],
            &[-0.14, -0.08, 0.04, -0.06, -0.22, -0.28],
            &[0.3, -0.2, 0.1, 0.16, -0.16],
            &[-0.2, 0.24, 0.18, 0.22],
            &[0.1, 0.1, -0.28],
            &[-0.2, -0.28],
            &[0.24],
        ],
        &[0.0, 0.0, 61.0, 48.0, 20.0, 0.0, 20.0, 85.0].map(|part| part / 234.0),
    );
}

#[test]
fn invalid_payoffs_are_refused() {
    let of = |rows: &[&[f64]]| {
        let rows: Vec<Vec<f64>> = rows.iter().map(|row| row.to_vec()).collect();
        ZeroSumGame::new(&rows).map(|_| ())
    };
    assert_eq!(of(&[]), Err(StatsError::StrategyCount { n: 0, most: 500 }));
    let rows = vec![vec![0.0; 501]; 501];
    assert!(matches!(ZeroSumGame::new(&rows), Err(StatsError::StrategyCount { n: 501, .. })));
    let not_square = StatsError::NotSquare { row: 1, columns: 1, rows: 2 };
    assert_eq!(of(&[&[0.0, 1.0], &[-1.0]]), Err(not_square));
    assert_eq!(
        of(&[&[0.0, 1.0], &[-0.9, 0.0]]),
        Err(StatsError::NotAntisymmetric { row: 1, column: 0 })
    );
    assert_eq!(of(&[&[0.1]]), Err(StatsError::NotAntisymmetric { row: 0, column: 0 }));
    for value in [f64::NAN, f64::INFINITY] {
        assert!(matches!(of(&[&[0.0, value], &[0.0, 0.0]]), Err(StatsError::OutOfRange { .. })));
    }
    assert_eq!(of(&[&[0.0, 0.5 + 5e-10], &[-0.5, 0.0]]), Ok(()));
}

/// Payoffs of up to 40 strategies: any numbers; win rates of 10 games, with many ties; strategies
/// that are points in a plane, whose payoffs have rank 2; each case with copies and with a ladder
/// of strength below.
fn payoffs() -> impl Strategy<Value = Vec<Vec<f64>>> {
    let point = (-1.0..1.0_f64, -1.0..1.0_f64, 0..40_usize);
    let points = prop::collection::vec(point, 1..=40);
    let cells = prop::collection::vec(-1.0..1.0_f64, 1600);
    (points, cells, 0..4_u8, 0..3_u8).prop_map(|(points, cells, kind, shape)| {
        let payoff = |i: usize, j: usize| {
            let (a, b) = (points[i], points[j]);
            match kind {
                0 => cells[40 * i + j],
                1 => libm::round(5.0 * cells[40 * i + j]) / 5.0,
                2 => libm::round(cells[40 * i + j]),
                _ => f64::midpoint(a.0 * b.1, -a.1 * b.0),
            }
        };
        let of = |i: usize, j: usize| match (i < j, i == j) {
            (_, true) => 0.0,
            (true, _) => payoff(i, j),
            (false, _) => -payoff(j, i),
        };
        let n = points.len();
        let place = |i: usize| if shape == 1 { points[i].2 % n } else { i };
        let ladder = |i: usize| if shape == 2 { points[i].0 } else { 0.0 };
        let cell = |i: usize, j: usize| of(place(i), place(j)) + ladder(i) - ladder(j);
        (0..n).map(|i| (0..n).map(|j| cell(i, j)).collect()).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn nothing_gains_against_a_solution(payoffs in payoffs()) {
        let found = ZeroSumGame::new(&payoffs).unwrap().solve().unwrap();
        let sum: f64 = found.weights.iter().sum();
        prop_assert!((sum - 1.0).abs() < 1e-12 && found.weights.iter().all(|it| 0.0 <= *it));
        let gap = payoffs.iter().map(|row| dot(row, &found.weights)).fold(0.0, f64::max);
        prop_assert!(gap <= 1e-9 && (gap - found.gap).abs() <= 1e-12, "{gap} and {found:?}");
    }

    #[test]
    fn the_order_of_strategies_does_not_matter(payoffs in payoffs()) {
        let weights = |payoffs: &[Vec<f64>]| ZeroSumGame::new(payoffs).unwrap().solve().unwrap();
        let reversed = |row: &Vec<f64>| row.iter().rev().copied().collect();
        let backwards: Vec<Vec<f64>> = payoffs.iter().rev().map(reversed).collect();
        let (found, backwards) = (weights(&payoffs), weights(&backwards));
        for (a, b) in found.weights.iter().zip(backwards.weights.iter().rev()) {
            prop_assert!((a - b).abs() < 1e-7, "{found:?} and {backwards:?}");
        }
    }
}
