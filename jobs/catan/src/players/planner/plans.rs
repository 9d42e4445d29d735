//! Plans: the pieces that a player can build next, what each is worth, and the one it works for.

pub(crate) mod board_cache;
pub(crate) mod build_goal;
pub(crate) mod build_plan;
pub(crate) mod goal_value;
