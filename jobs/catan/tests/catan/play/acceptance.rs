//! Checks games of random players against figures of other engines.

use hatchery_catan::players::RandomPlayer;
use hatchery_catan::rules::Seat;
use hatchery_catan::trial::game::{GameRecord, play};

use super::{TURN_CAP, deal};

/// Enough for a test of seconds. With 100,000 games: seats 25.16, 24.77, 25.12, 24.95 %, 327.6
/// turns.
const GAMES: u32 = 10_000;

#[test]
fn random_games_are_fair_and_of_known_length() {
    let games = f64::from(GAMES);
    let records: Vec<GameRecord> = (0..GAMES)
        .map(|game| {
            let (island, mut streams) = deal("acceptance", u64::from(game));
            play(&island, &mut [RandomPlayer; 4], &mut streams, TURN_CAP)
        })
        .collect();
    let share = |count: &dyn Fn(&GameRecord) -> bool| {
        let n = records.iter().filter(|record| count(record)).count();
        f64::from(u32::try_from(n).expect("at most as many as games")) / games
    };
    let mean = |of: &dyn Fn(&GameRecord) -> f64| records.iter().map(of).sum::<f64>() / games;

    let seats = Seat::ALL.map(|seat| share(&|record| record.winner == Some(seat)));
    let undecided = share(&|record| record.winner.is_none());
    let turns = mean(&|record| f64::from(record.turns));
    let actions = mean(&|record| f64::from(record.actions));
    let awards = [
        share(&|record| record.winner.is_some() && record.longest_road == record.winner),
        share(&|record| record.winner.is_some() && record.largest_army == record.winner),
    ];
    println!("{GAMES} games: seats {seats:.4?}, undecided {undecided:.5}");
    println!("{turns:.2} turns, {actions:.1} actions, winner's road and army {awards:.3?}");

    // 3.3 standard errors: a fair seat is outside once in 1,000 seeds.
    let margin = 3.3 * (0.1875 / games).sqrt();
    assert!(seats.iter().all(|seat| (seat - 0.25).abs() < margin), "{seats:?}");
    // Mean 335 of 1,500 games of Catanatron 3.3.0, whose standard error is 3.4. The standard
    // deviation is about 130 turns: here the standard error is 1.3.
    assert!((turns - 331.0).abs() < 9.0, "{turns}");
    assert!(undecided < 0.001, "{undecided}");
}

#[test]
fn undecided_games_have_no_winner_and_are_counted() {
    let mut n_undecided = 0;
    for game in 0..100 {
        let (island, mut streams) = deal("cap", game);
        let mut whole_streams = streams.clone();
        let whole = play(&island, &mut [RandomPlayer; 4], &mut whole_streams, TURN_CAP);
        let record = play(&island, &mut [RandomPlayer; 4], &mut streams, 300);
        if record.winner.is_none() {
            n_undecided += 1;
            assert_eq!(record.turns, 300);
            assert!(300 < whole.turns || whole.winner.is_none());
        } else {
            assert_eq!(record, whole);
        }
    }
    assert!((20..=80).contains(&n_undecided), "{n_undecided}: the median is near 300");
}
