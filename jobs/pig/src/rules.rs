//! The rules of Pig, played alone.

use hatchery_core::StreamRng;

/// The number of points that wins.
pub const GOAL: u32 = 100;

/// The points that a turn banks when its player holds at `hold_at` points; 0 if a 1 came first.
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

/// The number of turns that a player needs to reach [`GOAL`], never rolling for more than that.
pub fn turns_to_goal(hold_at: u32, rng: &mut StreamRng) -> u64 {
    let (mut banked, mut n_turns) = (0, 0);
    while banked < GOAL {
        banked += turn(hold_at.min(GOAL - banked), rng);
        n_turns += 1;
    }
    n_turns
}
