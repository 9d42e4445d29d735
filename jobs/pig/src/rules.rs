//! The rules of Pig, played alone.

use hatchery_core::StreamRng;

/// The number of points that wins.
pub const GOAL: u32 = 100;

/// Returns the points that a turn banks when its player holds at `hold_at` points; 0 if a 1 came
/// first.
pub fn turn(hold_at: u32, rng: &mut StreamRng) -> u32 {
    let mut points = 0;
    while points < hold_at {
        match rng.below(6) + 1 {
            1 => return 0,
            pips => points += pips,
        }
    }
    points
}

/// Returns the points banked after each turn of a player that holds at `hold_at` and never rolls
/// for more than [`GOAL`].
pub fn game(hold_at: u32, rng: &mut StreamRng) -> impl Iterator<Item = u32> {
    let play = move |&banked: &u32| {
        (banked < GOAL).then(|| banked + turn(hold_at.min(GOAL - banked), rng))
    };
    std::iter::successors(Some(0), play).skip(1)
}
