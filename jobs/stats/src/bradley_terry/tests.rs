//! Tests of ratings: published examples, one-sided and impossible tables.

use super::*;
use crate::count::to_f64;

const RATE: ErrorRate = ErrorRate::FIVE_PERCENT;

/// Returns the table of records (first, second, wins, draws, losses).
fn table(players: usize, records: &[(usize, usize, u64, u64, u64)]) -> ResultTable {
    let record =
        |&(first, second, wins, draws, losses)| PairRecord { first, second, wins, draws, losses };
    let records: Vec<PairRecord> = records.iter().map(record).collect();
    ResultTable::new(players, &records).unwrap()
}

fn fit(table: &ResultTable) -> RatingFit {
    RatingFit::new(table, RatingPrior::None).unwrap()
}

fn elo(fit: &RatingFit, player: usize) -> f64 {
    match fit.rating(player).unwrap() {
        PlayerRating::Rated { elo, .. } => elo,
        unrated => panic!("player {player} is {unrated:?}"),
    }
}

fn standard_error(fit: &RatingFit, player: usize) -> f64 {
    match fit.rating(player).unwrap() {
        PlayerRating::Rated { standard_error, .. } => standard_error,
        unrated => panic!("player {player} is {unrated:?}"),
    }
}

fn check(fit: &RatingFit, expected: &[f64], allowed: f64) {
    assert_eq!(fit.players(), expected.len());
    for (player, expected) in expected.iter().enumerate() {
        let got = elo(fit, player);
        assert!((got - expected).abs() < allowed, "{got} instead of {expected} for {player}");
    }
}

/// An example discussed on talkchess.com (topic 44180): 30 games per pair, 75, 75 and 90 %.
/// 90 % is 3 : 1 twice, so that the model holds exactly: 400 log10(3) = 190.85.
#[test]
fn three_players_of_the_forum() {
    let table = table(3, &[(0, 1, 22, 1, 7), (1, 2, 22, 1, 7), (0, 2, 24, 6, 0)]);
    check(&fit(&table), &[190.848_502, 0.0, -190.848_502], 1e-6);
}

fn ladder_of_five() -> ResultTable {
    table(
        5,
        &[
            (0, 1, 15, 2, 33),
            (0, 2, 11, 1, 38),
            (0, 3, 8, 2, 40),
            (0, 4, 7, 1, 42),
            (1, 2, 20, 2, 28),
            (1, 3, 16, 3, 31),
            (1, 4, 14, 2, 34),
            (2, 3, 21, 3, 26),
            (2, 4, 19, 2, 29),
            (3, 4, 23, 3, 24),
        ],
    )
}

/// Ratings that the Python package choix 0.4.1 finds for the same table.
#[test]
fn five_players_as_choix_rates_them() {
    let fit = fit(&ladder_of_five());
    check(&fit, &[-179.489, -35.568, 32.281, 79.597, 103.179], 5.1e-4);
    let interval = fit.interval(0, RATE).unwrap();
    assert!((interval.mean + 179.489).abs() < 5.1e-4 && interval.n == 200, "{interval:?}");
    let difference = fit.difference(4, 0, RATE).unwrap();
    assert!((difference.mean - 282.668).abs() < 1.1e-3 && difference.n == 350);
    assert!(0.7 < fit.superiority(4, 3).unwrap() && fit.superiority(0, 4).unwrap() < 1e-6);
}

/// Two players: the variance of the log-odds is 1 / (n p (1 - p)), and each has half of the
/// difference.
#[test]
fn two_players_by_hand() {
    let fit = fit(&table(2, &[(0, 1, 30, 0, 10)]));
    check(&fit, &[95.424_251, -95.424_251], 1e-6);
    let points = 400.0 / core::f64::consts::LN_10 / libm::sqrt(40.0 * 0.75 * 0.25);
    assert!((standard_error(&fit, 0) - points / 2.0).abs() < 1e-9);
    let difference = fit.difference(0, 1, RATE).unwrap();
    assert!(((difference.high - difference.low) / 2.0 - 1.959_963_985 * points).abs() < 1e-5);
    assert!((difference.mean - 190.848_502).abs() < 1e-6 && difference.n == 40);
    // Half a draw: 30.25 to 10.25.
    let half = RatingFit::new(&table(2, &[(0, 1, 30, 0, 10)]), RatingPrior::DrawsPerPairing(0.5));
    check(&half.unwrap(), &[94.000_303, -94.000_303], 1e-5);
}

/// Equal players in a round robin: the pseudo-inverse of m (k I - J) / 4, with m games per pair,
/// has (k - 1) / k^2 x 4 / m on the diagonal.
#[test]
fn equal_players_have_the_exact_error() {
    let pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
    let records = pairs.map(|(first, second)| (first, second, 50, 0, 50));
    let fit = fit(&table(4, &records));
    check(&fit, &[0.0; 4], 1e-9);
    let expected = 400.0 / core::f64::consts::LN_10 * libm::sqrt(3.0 / 16.0 * 4.0 / 100.0);
    for player in 0..4 {
        assert!((standard_error(&fit, player) - expected).abs() < 1e-9);
    }
}

#[test]
fn one_sided_results_are_unbounded() {
    use PlayerRating::{Rated, UnboundedAbove, UnboundedBelow, Undetermined};
    let ratings = |table: &ResultTable| -> Vec<PlayerRating> {
        let fit = fit(table);
        (0..fit.players()).map(|player| fit.rating(player).unwrap()).collect()
    };
    assert_eq!(ratings(&table(2, &[(0, 1, 5, 0, 0)])), [UnboundedAbove, UnboundedBelow]);
    let order = table(3, &[(0, 1, 5, 0, 0), (1, 2, 5, 0, 0)]);
    assert_eq!(ratings(&order), [UnboundedAbove, Undetermined, UnboundedBelow]);
    // Player 3 won all, and player 0 lost all; the others are rated as if alone.
    let middle = table(4, &[(1, 2, 7, 0, 3), (3, 1, 2, 0, 0), (3, 2, 2, 0, 0), (2, 0, 1, 0, 0)]);
    let got = ratings(&middle);
    assert_eq!((got[3], got[0]), (UnboundedAbove, UnboundedBelow));
    let alone = fit(&table(2, &[(0, 1, 7, 0, 3)]));
    assert_eq!(got[1..3], [alone.rating(0).unwrap(), alone.rating(1).unwrap()]);
    // A group of two that beat the group of three, and one that only the two lost to.
    let cycle = [(0, 1, 1, 0, 0), (1, 2, 1, 0, 0), (2, 0, 1, 0, 0)];
    let groups = [&cycle[..], &[(3, 4, 0, 2, 0), (3, 0, 1, 0, 0), (5, 3, 4, 0, 0)]].concat();
    let got = ratings(&table(6, &groups));
    assert!(got[..3].iter().all(|rating| matches!(rating, Rated { elo, .. } if elo.abs() < 1e-9)));
    assert_eq!(got[3..], [UnboundedAbove; 3]);
    let beside = [&cycle[..], &[(3, 0, 1, 0, 0), (3, 4, 1, 0, 0)]].concat();
    assert_eq!(ratings(&table(5, &beside))[3..], [UnboundedAbove, Undetermined]);
    let fit = fit(&middle);
    assert_eq!(fit.interval(3, RATE), Err(StatsError::UnratedPlayer { player: 3 }));
    assert_eq!(fit.difference(1, 0, RATE), Err(StatsError::UnratedPlayer { player: 0 }));
}

#[test]
fn a_prior_makes_all_ratings_finite() {
    let order = table(3, &[(0, 1, 5, 0, 0), (1, 2, 1 << 40, 0, 0)]);
    for draws in [1e-3, 0.5, 1e3] {
        let fit = RatingFit::new(&order, RatingPrior::DrawsPerPairing(draws)).unwrap();
        // Each pairing on its own: (5 + d / 2) to d / 2.
        let expected = 400.0 * libm::log10((5.0 + draws / 2.0) / (draws / 2.0));
        let difference = fit.difference(0, 1, RATE).unwrap();
        assert!((difference.mean - expected).abs() < 1e-6, "{difference:?}, not {expected}");
        assert!((0..3).all(|player| standard_error(&fit, player).is_finite()));
    }
    for draws in [0.0, -1.0, 1e4, f64::NAN, f64::INFINITY] {
        let error = RatingFit::new(&order, RatingPrior::DrawsPerPairing(draws)).unwrap_err();
        assert!(matches!(error, StatsError::OutOfRange { .. }), "{error}");
    }
}

/// A long chain of narrow wins and a long chain of wide wins: each link is on its own, 400 log10 of
/// its odds.
#[test]
fn long_chains_settle() {
    for (wins, losses) in [(501, 499), (1_000_000_000, 1)] {
        let records: Vec<_> = (0..99).map(|player| (player, player + 1, wins, 0, losses)).collect();
        let fit = fit(&table(100, &records));
        let odds = to_f64(wins) / to_f64(losses);
        let expected = 99.0 * 400.0 * libm::log10(odds);
        let whole = fit.difference(0, 99, RATE).unwrap();
        assert!((whole.mean / expected - 1.0).abs() < 1e-7, "{whole:?} instead of {expected}");
        let variance = 99.0 * (odds + 1.0) * (odds + 1.0) / odds / to_f64(wins + losses);
        let half = 1.959_963_985 * ELO_PER_NAT * libm::sqrt(variance);
        assert!(((whole.high - whole.low) / 2.0 / half - 1.0).abs() < 1e-7, "{whole:?}");
    }
}

#[test]
fn impossible_tables_are_refused() {
    let apart = table(4, &[(0, 1, 1, 0, 1), (2, 3, 1, 0, 1)]);
    for prior in [RatingPrior::None, RatingPrior::DrawsPerPairing(0.5)] {
        let error = RatingFit::new(&apart, prior).unwrap_err();
        assert_eq!(error, StatsError::DisconnectedPlayer { player: 2 });
        assert_eq!(error.to_string(), "no chain of games connects player 2 to player 0");
        let idle = RatingFit::new(&table(2, &[(0, 1, 0, 0, 0)]), prior);
        assert_eq!(idle, Err(StatsError::DisconnectedPlayer { player: 1 }));
    }
    let record = |first, second, wins| PairRecord { first, second, wins, draws: 0, losses: 0 };
    let new = |players, record| ResultTable::new(players, &[record]).unwrap_err();
    assert_eq!(new(2, record(0, 2, 1)), StatsError::UnknownPlayer { player: 2, players: 2 });
    assert_eq!(new(2, record(1, 1, 1)), StatsError::SamePlayer { player: 1 });
    let n = u128::from(u64::MAX);
    assert_eq!(new(2, record(0, 1, u64::MAX)), StatsError::TooManyTrials { n });
    for players in [0, 1, 301] {
        let error = new(players, record(0, 1, 1));
        assert!(matches!(error, StatsError::OutOfRange { .. }), "{error}");
    }
    let fit = fit(&ladder_of_five());
    assert_eq!(fit.rating(5), Err(StatsError::UnknownPlayer { player: 5, players: 5 }));
    assert_eq!(fit.superiority(2, 2), Err(StatsError::SamePlayer { player: 2 }));
}
