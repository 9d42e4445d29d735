//! Pig against what others computed, and against the farm's checks.

use hatchery_core::spec::SpecDocument;
use hatchery_core::{RunHistory, RunSeed, StreamRng, WireValue, conformance, erased, reference};
use hatchery_pig::Pig;
use hatchery_pig::rules::{GOAL, game, turn};
use hatchery_pig::wire::{PigPlayer, PigTally};

/// How many turns or games are simulated where the law of large numbers is relied on.
const N: u32 = 100_000;

#[test]
fn pig_conforms() {
    conformance::check::<Pig>(include_str!("../specs/smoke.toml")).unwrap();
    conformance::presets::<Pig>().unwrap();
    conformance::parameters_are_checked(erased::<Pig>(), &[]).unwrap();
}

#[test]
fn findings_name_the_best_player() {
    let document = SpecDocument::parse("smoke", include_bytes!("../specs/smoke.toml")).unwrap();
    let experiment = erased::<Pig>();
    let configured = experiment.configure(&document).unwrap();
    let run = reference::run(experiment, configured.as_ref(), 1).unwrap();
    let history = RunHistory { seed: &RunSeed::new("pig", 1), generations: &[] };
    let found = run.states.iter().map(|state| {
        configured.findings(state, &history).unwrap().map(|it| it.to_markdown()).unwrap()
    });
    let found: Vec<_> = found.collect();
    let [before, during, after] = &found[..] else { panic!("{} states", found.len()) };
    assert!(before.contains("No games have been played yet."), "{before}");
    assert!(during.contains("fewest turns so far") && during.contains(" | 300 | "), "{during}");
    assert!(after.contains(" points took the fewest turns**:"), "{after}");
}

#[test]
fn what_is_no_player_and_no_tally_is_refused() {
    // Field 1 with the values 0 (left out), 101, 1 and 100, each behind its length.
    for bytes in [&[0][..], &[2, 0x08, 101]] {
        assert!(PigPlayer::decode(bytes).is_err(), "{bytes:?}");
    }
    for bytes in [&[2, 0x08, 1], &[2, 0x08, 100]] {
        assert!(PigPlayer::decode(bytes).is_ok(), "{bytes:?}");
    }
    // No games, fewer turns than games, and one turn each for two games.
    for bytes in [&[2, 0x10, 5][..], &[4, 0x08, 2, 0x10, 1]] {
        assert!(PigTally::decode(bytes).is_err(), "{bytes:?}");
    }
    assert!(PigTally::decode(&[4, 0x08, 2, 0x10, 2]).is_ok());
}

/// Neller & Presser 2004: a turn that holds at 20 brings nothing with probability 0.6245, and 8.14
/// points on average.
#[test]
fn exact_turns_are_as_published() {
    let outcomes = exact_turn(20);
    let mean: f64 = (0..).zip(&outcomes).map(|(points, p)| f64::from(points) * p).sum();
    assert!((outcomes[0] - 0.6245).abs() < 0.000_05, "{}", outcomes[0]);
    assert!((mean - 8.14).abs() < 0.005, "{mean}");
}

/// Chi-square with 6 degrees of freedom; 22.46 is passed by chance once in 1,000 seeds.
#[test]
fn turns_bring_what_exact_calculation_says() {
    let mut rng = stream("turn");
    let outcomes = exact_turn(20);
    let mut counts = vec![0_u32; outcomes.len()];
    (0..N).for_each(|_| counts[turn(20, &mut rng) as usize] += 1);
    let mut chi_square = 0.0;
    for (points, (&count, p)) in counts.iter().zip(outcomes).enumerate() {
        let expected = p * f64::from(N);
        match points {
            0 | 20..=25 => {
                let off = f64::from(count) - expected;
                chi_square += off * off / expected;
            }
            _ => assert_eq!(count, 0, "{points} points are neither a hold nor a 1"),
        }
    }
    assert!(chi_square < 22.46, "{counts:?} gives {chi_square}");
}

/// The tolerance is 4 standard errors: each mean is off by chance once in 16,000 seeds.
#[test]
fn games_take_as_many_turns_as_exact_calculation_says() {
    for hold_at in [1, 10, 20, 25, 60, 100] {
        let mut rng = stream(&format!("game/{hold_at}"));
        let turns: usize = (0..N).map(|_| game(hold_at, &mut rng).count()).sum();
        let mean = f64::from(u32::try_from(turns).unwrap()) / f64::from(N);
        let (expected, variance) = exact_turns_to_goal(hold_at);
        let error = (variance / f64::from(N)).sqrt();
        assert!(
            (mean - expected).abs() < 4.0 * error,
            "{mean} instead of {expected} +- {error} at {hold_at}"
        );
    }
}

#[test]
fn a_game_ends_as_soon_as_the_goal_is_reached() {
    let mut rng = stream("end");
    for hold_at in 1..=GOAL {
        let banked: Vec<_> = game(hold_at, &mut rng).collect();
        let (last, before) = banked.split_last().unwrap();
        assert!(before.is_sorted() && before.iter().all(|&points| points < GOAL), "{banked:?}");
        assert!((GOAL..GOAL + 6).contains(last), "{banked:?}");
    }
}

fn stream(label: &str) -> StreamRng {
    RunSeed::new("exact", 1).generation(0).stream(label)
}

/// The probability that a turn that holds at `hold_at` brings each number of points: calculated
/// forwards from its first roll, without a simulation.
fn exact_turn(hold_at: usize) -> Vec<f64> {
    let mut reaches = vec![0.0; hold_at + 6];
    reaches[0] = 1.0;
    let mut nothing = 0.0;
    for points in 0..hold_at {
        let p = std::mem::take(&mut reaches[points]);
        nothing += p / 6.0;
        (2..=6).for_each(|pips| reaches[points + pips] += p / 6.0);
    }
    reaches[0] = nothing;
    reaches
}

/// The mean and the variance of the number of turns of a game, calculated backwards from its end.
fn exact_turns_to_goal(hold_at: u32) -> (f64, f64) {
    let goal = GOAL as usize;
    // The mean and the mean square of the turns that are left with each number of points banked.
    let mut left = vec![(0.0, 0.0); goal + 6];
    for banked in (0..goal).rev() {
        let outcomes = exact_turn((hold_at as usize).min(goal - banked));
        let (mut mean, mut square) = (0.0, 0.0);
        for (points, p) in outcomes.iter().enumerate().skip(1) {
            mean += p * left[banked + points].0;
            square += p * left[banked + points].1;
        }
        // With T turns left, and T' after this one, E[T] = 1 + E[T'] and E[T^2] = 1 + 2 E[T'] +
        // E[T'^2]. A turn that brings nothing leads back to here, where T' is T again.
        let brings = 1.0 - outcomes[0];
        mean = (1.0 + mean) / brings;
        square = (1.0 + 2.0 * (mean - 1.0) + square) / brings;
        left[banked] = (mean, square);
    }
    let (mean, square) = left[0];
    (mean, square - mean * mean)
}
