//! Pig against what others computed, and against the farm's checks.

use hatchery_core::{RunSeed, StreamRng, conformance};
use hatchery_pig::Pig;
use hatchery_pig::rules::{GOAL, turn, turns_to_goal};

const GAMES: u32 = 100_000;

fn stream(label: &str) -> StreamRng {
    RunSeed::new("pig", 1).generation(0).stream(label)
}

#[test]
fn pig_conforms() {
    conformance::check::<Pig>(include_str!("../specs/smoke.toml")).unwrap();
}

/// Neller & Presser 2004: holding at 20, a turn brings nothing with probability 0.6245, and 8.14
/// points on average. The tolerances are 4 standard errors: passed by chance once in 16,000 seeds.
#[test]
fn a_turn_is_as_published() {
    let mut rng = stream("turn");
    let turns: Vec<_> = (0..GAMES).map(|_| f64::from(turn(20, &mut rng))).collect();
    let nothing = turns.iter().filter(|points| **points < 1.0).count();
    let share = f64::from(u32::try_from(nothing).unwrap()) / f64::from(GAMES);
    assert!((share - 0.6245).abs() < 0.0062, "{share}");
    let mean = turns.iter().sum::<f64>() / f64::from(GAMES);
    assert!((mean - 8.14).abs() < 0.14, "{mean}");
}

/// The exact number of turns that a player needs on average: a dynamic program over the points
/// banked, which knows nothing of the simulation.
fn expected_turns(hold_at: u32) -> f64 {
    let mut expected = vec![0.0; GOAL as usize + 6];
    for banked in (0..GOAL).rev() {
        let target = hold_at.min(GOAL - banked);
        // The probability to reach each number of points within the turn.
        let mut reach = vec![0.0; target as usize + 6];
        reach[0] = 1.0;
        for points in 0..target as usize {
            (2..=6).for_each(|pips| reach[points + pips] += reach[points] / 6.0);
        }
        let held = target as usize..reach.len();
        let banks: f64 = held.clone().map(|points| reach[points]).sum();
        let after: f64 =
            held.map(|points| reach[points] * expected[banked as usize + points]).sum();
        // A turn that brings nothing leads back here.
        expected[banked as usize] = (1.0 + after) / banks;
    }
    expected[0]
}

/// Tolerance: 4 standard errors of a mean whose deviation is below 8 turns, once in 16,000 seeds.
#[test]
fn games_take_as_many_turns_as_exact_calculation_says() {
    for hold_at in [10, 20, 25, 60] {
        let mut rng = stream(&format!("game/{hold_at}"));
        let turns: u64 = (0..GAMES).map(|_| turns_to_goal(hold_at, &mut rng)).sum();
        let mean = f64::from(u32::try_from(turns).unwrap()) / f64::from(GAMES);
        let expected = expected_turns(hold_at);
        assert!((mean - expected).abs() < 0.11, "{mean} instead of {expected} at {hold_at}");
    }
}
